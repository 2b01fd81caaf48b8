//! The `npymap` command as a library: [`run`] takes arguments and gives an exit code.

#![forbid(unsafe_code)]
