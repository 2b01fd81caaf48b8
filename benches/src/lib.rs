//! What the benchmarks share: races, the files that run in them, NumPy's side, and the command line.

#![allow(clippy::missing_panics_doc, reason = "a benchmark that cannot go on stops")]

pub mod files;
pub mod numpy;
pub mod race;

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
    pub fn rounds(&self, usual: usize) -> usize {
        self.rounds.unwrap_or(usual)
    }
}

/// Races that are run together, and their name.
pub type Group = (&'static str, fn(&Setting) -> Vec<Verdict>);

/// Runs the groups that the arguments of the process name, or all.
pub fn run(groups: &[Group]) -> ExitCode {
    let mut setting = Setting { rounds: None, python: Python::find() };
    let mut names = Vec::new();
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            // Cargo says so by itself.
            "--bench" => {}
            "--rounds" => match arguments.next().and_then(|rounds| rounds.parse().ok()) {
                Some(rounds) if rounds > 0 => setting.rounds = Some(rounds),
                _ => return usage(groups, "--rounds wants a number"),
            },
            option if option.starts_with('-') => return usage(groups, &format!("{option} is unknown")),
            name => names.push(name.to_string()),
        }
    }
    let chosen = |group: &&Group| names.is_empty() || names.iter().any(|name| group.0.contains(name.as_str()));
    let chosen: Vec<&Group> = groups.iter().filter(chosen).collect();
    if chosen.is_empty() {
        return usage(groups, "no race has such a name");
    }
    match &setting.python {
        Some(python) => println!("NumPy {}", python.numpy()),
        None => println!("no NumPy here: a Python that has it can be named in NPYMAP_PYTHON"),
    }
    let verdicts: Vec<Verdict> = chosen.into_iter().flat_map(|(_, run)| run(&setting)).collect();
    race::print_verdicts(&verdicts);
    ExitCode::SUCCESS
}

fn usage(groups: &[Group], trouble: &str) -> ExitCode {
    let names = groups.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(" ");
    eprintln!("{trouble}\nusage: [--rounds N] [NAME…], where the names are {names}");
    ExitCode::from(2)
}
