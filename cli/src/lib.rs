//! The command `npymap`: looks into NumPy `.npy` files, makes them and lets them grow.
//!
//! [`run`] is the whole command, for whoever starts it otherwise than through the binary (a Python wheel's entry point).
//! A command picks elements (`select`) of a file or stream (`source`), has them read in C order with bounded memory
//! (`blocks`), and hands them to one of the `formats`, which writes to an `output`. `schema` turns a dtype into Rust,
//! `parse` text into elements, and `convert` elements into those of another byte order or layout, of bytes as they come
//! (`arrivals`).

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

mod arguments;
mod arrivals;
mod blocks;
mod commands;
mod convert;
mod escape;
mod formats;
mod output;
mod parse;
mod schema;
mod select;
mod source;
mod trouble;

use arguments::Arguments;

/// Runs the command with the arguments of a process, the first of which is its name.
///
/// Returns 0 when all is done, 1 when the answer is no, 2 after trouble or wrong usage, which is told on standard error.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    match Arguments::try_parse_from(arguments) {
        Ok(arguments) => commands::run(arguments.command),
        Err(told) => {
            // Help and version go to standard output; a reader that has left is no trouble.
            let _ = told.print();
            ExitCode::from(if told.use_stderr() { trouble::EXIT } else { 0 })
        }
    }
}
