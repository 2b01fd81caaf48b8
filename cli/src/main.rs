//! The command `npymap`; all it does is in the library beside it.

use std::process::ExitCode;

fn main() -> ExitCode {
    npymap_cli::run(std::env::args_os())
}
