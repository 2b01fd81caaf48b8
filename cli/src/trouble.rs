//! What can go wrong, and how it is told: `npymap: PATH: message: cause`.

use std::error::Error as _;
use std::io::{self, IsTerminal};
use std::path::Path;

use crate::escape;

/// The exit code for trouble and for wrong usage.
pub const EXIT: u8 = 2;

/// Why a command ends, or why one of its files is passed over.
#[derive(Debug)]
pub enum Trouble {
    /// The reader of standard output has left: no reason to complain.
    Closed,
    /// What the library found wrong with a file.
    Npy(npymap::Error),
    /// An operating-system call failed on what is written.
    Output(String, io::Error),
    /// Anything else, in words.
    Said(String),
}

/// The result of whatever may go wrong.
pub type Result<T, E = Trouble> = std::result::Result<T, E>;

impl From<npymap::Error> for Trouble {
    fn from(error: npymap::Error) -> Self {
        Self::Npy(error)
    }
}

/// Standard output is what I/O errors without further words are about: files are read through the library.
impl From<io::Error> for Trouble {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::BrokenPipe => Self::Closed,
            _ => Self::Output("cannot write the output".into(), error),
        }
    }
}

impl From<csv::Error> for Trouble {
    fn from(error: csv::Error) -> Self {
        io::Error::from(error).into()
    }
}

impl Trouble {
    /// The message, with its causes.
    pub fn message(&self) -> String {
        match self {
            Self::Closed => "the reader of the output has left".into(),
            Self::Npy(error) => npy_message(error),
            Self::Output(what, cause) => format!("{what}: {cause}"),
            Self::Said(message) => message.clone(),
        }
    }

    /// The kind that the JSON of `info` names.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Npy(error) => error.kind(),
            _ => "io",
        }
    }

    /// Tells it on standard error, after the path of the file that it is about.
    pub fn tell(&self, path: Option<&str>) {
        let text = match path {
            Some(path) => format!("{path}: {}", self.message()),
            None => self.message(),
        };
        say(&text);
    }
}

/// Says on standard error what was done to a file, or would be.
pub fn note(path: &Path, text: &str) {
    say(&format!("{}: {text}", path.display()));
}

fn say(text: &str) {
    if io::stderr().is_terminal() {
        eprintln!("npymap: {}", escape::for_terminal(text));
    } else {
        eprintln!("npymap: {text}");
    }
}

/// The message of an error of the library and of its causes, without the path, which stands before it anyway.
fn npy_message(error: &npymap::Error) -> String {
    let mut message = match error {
        npymap::Error::Io { operation, .. } => format!("cannot {operation}"),
        other => other.to_string(),
    };
    let mut cause = error.source();
    while let Some(error) = cause {
        message = format!("{message}: {error}");
        cause = error.source();
    }
    message
}
