//! NumPy's side: a Python that waits for its turns.

use std::env;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use crate::Setting;
use crate::race::Race;

const SCRIPT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/numpy_side.py");

/// A Python that has NumPy.
pub struct Python {
    program: String,
    numpy: String,
}

impl Python {
    /// Looks for one.
    pub fn find() -> Option<Self> {
        let program = env::var("NPYMAP_PYTHON").unwrap_or_else(|_| "python3".into());
        let output = Command::new(&program).arg(SCRIPT).stderr(Stdio::null()).output().ok()?;
        let numpy = String::from_utf8(output.stdout).ok()?.trim().to_string();
        output.status.success().then_some(Self { program, numpy })
    }

    /// The version of its NumPy.
    pub fn numpy(&self) -> &str {
        &self.numpy
    }
}

impl<'a> Race<'a> {
    /// Adds NumPy as a contender, running a case of `numpy_side.py`, if it has what that takes.
    pub fn numpy(self, setting: &Setting, goal: Option<f64>, name: &str, case: &str, path: &Path) -> Self {
        let Some(python) = &setting.python else { return self };
        let Some(mut side) = Side::start(python, case, path) else { return self };
        match goal {
            Some(goal) => self.goal(goal, name, move || side.lap()),
            None => self.lane(name, move || side.lap()),
        }
    }
}

/// A running case: once it is ready, a line in starts a lap, a line out is its time.
struct Side {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
}

impl Side {
    /// Waits until it is ready; where it can't be, it has said why.
    fn start(python: &Python, case: &str, path: &Path) -> Option<Self> {
        let mut command = Command::new(&python.program);
        command.arg(SCRIPT).arg(case).arg(path).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("a Python that has just run");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut side = Self { child, input, output };
        (side.line() == "ready").then_some(side)
    }

    fn lap(&mut self) -> f64 {
        self.input.write_all(b"\n").expect("a Python that waits");
        self.line().parse().expect("a time")
    }

    fn line(&mut self) -> String {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("a Python that answers");
        line.trim().to_string()
    }
}

impl Drop for Side {
    fn drop(&mut self) {
        // It ends by itself when its input does; there may be gigabytes to give back before the next race.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
