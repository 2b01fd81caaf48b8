//! How fast files are written and grow: each way of npymap's beside the system's own and other programs', in one run, of
//! the same bytes.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench writing -- NAME…` runs the races whose names contain one of
//! the arguments, `--rounds N` sets how many rounds. npy-append-array takes part where the Python has it.

mod append;
mod durable;
mod fill;
mod grow;
mod save;

use std::process::ExitCode;

use npymap_benches::{Group, run};

const GROUPS: &[Group] = &[
    ("append", append::append),
    ("durable", durable::durable),
    ("push", durable::push),
    ("save", save::save),
    ("fill", fill::fill),
    ("grow", grow::grow),
];

fn main() -> ExitCode {
    run(GROUPS)
}
