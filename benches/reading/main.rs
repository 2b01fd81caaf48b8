//! How fast files are read: each way of npymap's beside the system's own, other crates' and NumPy's, in one run on the
//! same bytes.
//!
//! `cargo bench --manifest-path benches/Cargo.toml -- NAME…` runs the races whose names contain one of the arguments,
//! `--rounds N` sets how many rounds (more are steadier). NumPy takes part where `$NPYMAP_PYTHON`, or else `python3`,
//! has it.

mod fields;
mod header;
mod load;
mod open;
mod rows;
mod sum;
mod text;
mod to_vec;

use std::process::ExitCode;

use npymap_benches::{Group, run};

const GROUPS: &[Group] = &[
    ("header", header::simple),
    ("linear", header::linear),
    ("open", open::open),
    ("sum", sum::sum),
    ("rows", rows::rows),
    ("records", fields::records),
    ("field", fields::field),
    ("to_vec", to_vec::to_vec),
    ("text", text::text),
    ("read", load::large),
    ("small", load::small),
];

fn main() -> ExitCode {
    run(GROUPS)
}
