//! The command as its users meet it: the binary is run, and NumPy is the judge.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod chosen;
mod compiled;
mod corpus;
mod forms;
mod growing;
mod help;
mod large;
mod schema;
mod slices;
mod streams;
#[path = "../../../tests/support/mod.rs"]
mod support;
mod troubles;
mod writing;

use std::ffi::OsStr;
use std::path::PathBuf;
use std::process::{Command, Output};

/// The command.
fn npymap<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_npymap"));
    command.args(arguments);
    command
}

/// Runs the command.
fn run<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Output {
    npymap(arguments).output().unwrap()
}

/// Standard output of a run in which nothing goes wrong.
fn run_ok<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> Vec<u8> {
    let mut command = npymap(arguments);
    let output = command.output().unwrap();
    let told = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && told.is_empty(), "{command:?}: {}\n{told}", output.status);
    output.stdout
}

/// Standard output of a run in which nothing goes wrong, as text.
fn text<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    String::from_utf8(run_ok(arguments)).unwrap()
}

/// Standard error of a run that ends with exit code 2.
fn trouble<S: AsRef<OsStr>>(arguments: impl IntoIterator<Item = S>) -> String {
    let output = run(arguments);
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    String::from_utf8(output.stderr).unwrap()
}

/// Runs `cli/tests/python/<script>.py` with the oracle's Python.
fn python(script: &str, arguments: &[&str]) -> String {
    let script = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/python").join(script);
    support::python(script.to_str().unwrap(), arguments)
}

/// An `.npy` file of version 1.0.
fn npy(descr: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    ordered_npy(descr, "False", shape, data)
}

/// An `.npy` file of version 1.0; `fortran_order` is `True` or `False`.
fn ordered_npy(descr: &str, fortran_order: &str, shape: &str, data: &[u8]) -> Vec<u8> {
    let mut text = format!("{{'descr': {descr}, 'fortran_order': {fortran_order}, 'shape': {shape}, }}");
    while !(text.len() + 11).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend(u16::try_from(text.len()).unwrap().to_le_bytes());
    file.extend(text.bytes());
    file.extend_from_slice(data);
    file
}

/// A file in a folder of its own, which goes with the folder.
fn file(name: &str, bytes: &[u8]) -> (tempfile::TempDir, String) {
    let folder = support::temp_dir();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}
