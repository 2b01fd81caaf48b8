//! One Python for a whole test binary: it answers as often as it is asked, in 50 µs instead of 150 ms.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

/// Python, and the pipes to it. It ends with its input, which is when this process does.
struct Python {
    _child: Child,
    questions: ChildStdin,
    answers: BufReader<ChildStdout>,
}

static PYTHON: Mutex<Option<Python>> = Mutex::new(None);

/// Evaluates an expression, or runs statements (and returns null), with `names` beside `np`: `tests/python/answer.py`.
///
/// Panics where Python raises.
pub fn ask(code: &str, names: &Value) -> Value {
    try_ask(code, names).unwrap_or_else(|raised| panic!("{code}\n{names}\n{raised}"))
}

/// As [`ask`]; what Python raises is an error.
pub fn try_ask(code: &str, names: &Value) -> Result<Value, String> {
    let mut python = PYTHON.lock().unwrap_or_else(PoisonError::into_inner);
    let python = python.get_or_insert_with(|| {
        let mut command = super::python_command("answer");
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("Python starts");
        let (questions, answers) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Python { _child: child, questions, answers }
    });
    writeln!(python.questions, "{}", json!({"code": code, "names": names})).expect("Python reads");
    let mut line = String::new();
    python.answers.read_line(&mut line).expect("Python answers");
    let mut said: Value = serde_json::from_str(&line).unwrap_or_else(|error| panic!("{code}: {error} in {line:?}"));
    match said.get("raised") {
        Some(raised) => Err(raised.as_str().unwrap().to_owned()),
        None => Ok(said["answer"].take()),
    }
}
