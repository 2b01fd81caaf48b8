//! How fast files are read: each way of npymap's beside the system's own, other crates' and NumPy's, in one run on the
//! same bytes.
//!
//! `cargo bench --manifest-path benches/Cargo.toml -- NAME…` runs the races whose names contain one of the arguments,
//! `--rounds N` sets how many rounds (more are steadier). NumPy takes part where `$NPYMAP_PYTHON`, or else `python3`,
//! has it.

mod fields;
mod files;
mod header;
mod load;
mod numpy;
mod open;
mod race;
mod rows;
mod sum;
mod text;
mod to_vec;

use std::process::ExitCode;

use numpy::Python;
use race::Verdict;

/// What every group of races is given.
pub struct Setting {
    rounds: Option<usize>,
    python: Option<Python>,
}

impl Setting {
    /// Rounds to run: what was asked for, or the group's own number.
    fn rounds(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }
}

type Group = (&'static str, fn(&Setting) -> Vec<Verdict>);

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
    let mut setting = Setting { rounds: None, python: Python::find() };
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo says so by itself.
            "--bench" => {}
            "--rounds" => match arguments.next().and_then(|rounds| rounds.parse().ok()) {
                Some(rounds) if rounds > 0 => setting.rounds = Some(rounds),
                _ => return usage("--rounds wants a number"),
            },
            option if option.starts_with('-') => return usage(&format!("{option} is unknown")),
            name => names.push(name.to_string()),
        }
    }
    let chosen = |group: &&Group| names.is_empty() || names.iter().any(|name| group.0.contains(name.as_str()));
    let groups: Vec<&Group> = GROUPS.iter().filter(chosen).collect();
    if groups.is_empty() {
        return usage("no race has such a name");
    }
    match &setting.python {
        Some(python) => println!("NumPy {}", python.numpy()),
        None => println!("no NumPy here: a Python that has it can be named in NPYMAP_PYTHON"),
    }
    let verdicts: Vec<Verdict> = groups.into_iter().flat_map(|(_, run)| run(&setting)).collect();
    race::print_verdicts(&verdicts);
    ExitCode::SUCCESS
}

fn usage(trouble: &str) -> ExitCode {
    let names = GROUPS.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
    eprintln!("{trouble}\nusage: [--rounds N] [NAME…], where the names are {names}");
    ExitCode::from(2)
}
