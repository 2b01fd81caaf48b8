//! Programs that would be unsound, and that the compiler refuses.
//!
//! Each file of `tests/compile_fail/` is built by itself. The error codes it must give, and no others, stand in `//~`
//! comments on their lines: a program that fails for another reason is a failed test. `//~ above E0080` in the first
//! line stands for an error that is found in the library's code while it is instantiated.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Error codes by line; line 0 is any line of any other file.
type Codes = BTreeMap<u64, Vec<String>>;

#[test]
#[cfg_attr(miri, ignore = "runs the compiler")]
fn unsound_programs_are_refused_for_the_reason_named() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/compile_fail");
    let mut cases: Vec<PathBuf> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    cases.sort();
    let found = build(&cases);
    let mut wrong = String::new();
    for case in &cases {
        let wanted = wanted(&fs::read_to_string(case).unwrap());
        assert!(!wanted.is_empty() || name(case) == "control", "{}: says nothing", case.display());
        let found = found.get(&name(case)).cloned().unwrap_or_default();
        if wanted != found {
            writeln!(wrong, "{}: wanted {wanted:?}, found {found:?}", name(case)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn name(case: &Path) -> String {
    case.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// The codes that a program says it gives.
fn wanted(program: &str) -> Codes {
    let mut codes = Codes::new();
    for (line, text) in (1..).zip(program.lines()) {
        let Some((_, code)) = text.split_once("//~ ") else { continue };
        let (line, code) = code.strip_prefix("above ").map_or((line, code), |code| (0, code));
        codes.entry(line).or_default().push(code.trim().to_owned());
    }
    codes
}

/// Builds the programs as the binaries of a package that depends on this one, and returns the codes of each.
fn build(cases: &[PathBuf]) -> BTreeMap<String, Codes> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_fail");
    fs::create_dir_all(package.join("target")).unwrap();
    let mut manifest = format!(
        "[package]\nname = \"compile_fail\"\nedition = \"2024\"\nautobins = false\n[workspace]\n\
         [dependencies]\nnpymap = {{ path = {:?} }}\n",
        root.to_str().unwrap()
    );
    for case in cases {
        writeln!(manifest, "[[bin]]\nname = {:?}\npath = {:?}", name(case), case.to_str().unwrap()).unwrap();
    }
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // The versions of this package's dependencies, which are there already.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();

    // Built, not only checked: some errors appear when generic code is instantiated.
    let output = Command::new(env!("CARGO"))
        .args(["build", "--offline", "--keep-going", "--bins", "--message-format=json"])
        .env("CARGO_TARGET_DIR", package.join("target"))
        .env_remove("RUSTFLAGS")
        .current_dir(&package)
        .output()
        .unwrap();
    let stdout = String::from_utf8(output.stdout).unwrap();
    let mut found = BTreeMap::<String, Codes>::new();
    let mut built = 0;
    for message in stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match message["reason"].as_str() {
            Some("compiler-message") if message["message"]["level"] == "error" => {
                let case = message["target"]["name"].as_str().unwrap().to_owned();
                let Some(code) = message["message"]["code"]["code"].as_str() else { continue };
                let spans = message["message"]["spans"].as_array().unwrap();
                let own = spans.iter().find(|span| {
                    span["is_primary"] == true && span["file_name"].as_str().unwrap().contains("compile_fail")
                });
                let line = own.map_or(0, |span| span["line_start"].as_u64().unwrap());
                found.entry(case).or_default().entry(line).or_default().push(code.to_owned());
            }
            Some("compiler-artifact") if message["target"]["name"] == "control" => built += 1,
            _ => {}
        }
    }
    assert_eq!(built, 1, "the program without a fault: {}", String::from_utf8_lossy(&output.stderr));
    found
}
