//! The examples at the end of every command's help.

use std::process::Command;

use super::{support, text};

#[test]
fn examples_in_the_help_run() {
    let folder = support::temp_dir();
    let data = support::root().join("examples/data");
    let bin = std::path::Path::new(env!("CARGO_BIN_EXE_npymap")).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_path_buf()).chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    std::fs::copy(data.join("measurements.npy"), folder.path().join("train.npy")).unwrap();
    std::fs::copy(data.join("events.npy"), folder.path().join("events.npy")).unwrap();
    let writing = ["create", "append", "grow", "relayout", "verify", "repair"];
    for name in
        ["info", "show", "head", "tail", "cat", "sample", "schema", "completions", "man"].into_iter().chain(writing)
    {
        let help = text([name, "--help"]);
        let (_, examples) = help.split_once("\nExamples:\n").unwrap_or_else(|| panic!("no examples:\n{help}"));
        let examples: Vec<&str> = examples.lines().map(str::trim).collect();
        assert_eq!(examples.len(), 2, "{name}: {examples:?}");
        for example in examples {
            assert!(example.starts_with(&format!("npymap {name} ")), "{example}");
            let mut shell = Command::new("sh");
            shell.args(["-e", "-c", example]).current_dir(folder.path()).env("PATH", &path);
            let output = shell.output().unwrap();
            // What was done to files is told there.
            let told = example.contains("append") || example.contains("--dry-run");
            assert!(output.status.success() && (told || output.stderr.is_empty()), "{example}: {output:?}");
        }
    }
    let three = std::fs::metadata(folder.path().join("three.npy")).unwrap();
    assert_eq!(three.len(), 128 + 3 * 2 * 4);
}
