//! What each subcommand does.

mod append;
mod elements;
mod info;
mod make;
mod rows;
mod schema;
mod sound;

use std::io::Write;
use std::process::ExitCode;

use clap::CommandFactory;

use crate::arguments::{Arguments, Command};
use crate::output::Output;
use crate::trouble::{self, Result, Trouble};

/// Runs a subcommand and tells its troubles.
pub fn run(command: Command) -> ExitCode {
    let code = match command {
        Command::Info(arguments) => info::info(&arguments),
        Command::Show(arguments) => elements::show(&arguments),
        Command::Head(arguments) => elements::head(&arguments),
        Command::Tail(arguments) => elements::tail(&arguments),
        Command::Cat(arguments) => elements::cat(&arguments),
        Command::Sample(arguments) => elements::sample(&arguments),
        Command::Create(arguments) => make::create(&arguments),
        Command::Append(arguments) => append::append(&arguments),
        Command::Grow(arguments) => make::grow(&arguments),
        Command::Relayout(arguments) => make::relayout(&arguments),
        Command::Verify(arguments) => sound::verify(&arguments),
        Command::Repair(arguments) => sound::repair(&arguments),
        Command::Schema(arguments) => schema::schema(&arguments),
        Command::Completions { shell } => completions(shell),
        Command::Man { command } => man(command.as_deref()),
    };
    ExitCode::from(code.unwrap_or_else(|trouble| match trouble {
        Trouble::Closed => 0,
        trouble => {
            trouble.tell(None);
            trouble::EXIT
        }
    }))
}

/// Does something for each of many files: goes on where one is in trouble, which is told, and the exit code then is 2.
fn each<T>(
    files: &[T],
    name: impl Fn(&T) -> String,
    output: &mut Output,
    mut act: impl FnMut(&T, &mut Output) -> Result<()>,
) -> Result<u8> {
    let mut code = 0;
    for file in files {
        match act(file, output) {
            Ok(()) => {}
            Err(trouble @ (Trouble::Closed | Trouble::Output(..))) => return Err(trouble),
            Err(trouble) => {
                // Standard output and standard error may be the same terminal.
                output.flush()?;
                trouble.tell(Some(&name(file)));
                code = trouble::EXIT;
            }
        }
    }
    Ok(code)
}

/// Runs what is about one file, whose path stands before its troubles.
fn about(path: &std::path::Path, act: impl FnOnce() -> Result<()>) -> Result<u8> {
    match act() {
        Ok(()) => Ok(0),
        Err(trouble @ (Trouble::Closed | Trouble::Output(..))) => Err(trouble),
        Err(trouble) => {
            trouble.tell(Some(&path.to_string_lossy()));
            Ok(trouble::EXIT)
        }
    }
}

fn completions(shell: clap_complete::Shell) -> Result<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut Arguments::command(), "npymap", &mut text);
    print(&text)
}

fn man(name: Option<&str>) -> Result<u8> {
    let mut command = Arguments::command();
    command.build();
    let command = match name {
        None => command,
        Some(name) => {
            let found = command.find_subcommand(name).cloned();
            let found = found.ok_or_else(|| Trouble::Said(format!("there is no command {name:?}")))?;
            let full: &'static str = Box::leak(format!("npymap-{name}").into_boxed_str());
            found.name(full)
        }
    };
    let mut text = Vec::new();
    clap_mangen::Man::new(command).render(&mut text)?;
    print(&text)
}

fn print(text: &[u8]) -> Result<u8> {
    let mut output = Output::stdout()?;
    output.write_all(text)?;
    output.finish()?;
    Ok(0)
}
