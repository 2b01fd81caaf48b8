//! Programs that would be unsound, or that the derive macro cannot make sense of, and that the compiler refuses.
//!
//! Each file of `tests/compile_fail/` is built by itself. The errors it must give, and no others, stand in `//~`
//! comments on their lines: a program that fails for another reason is a failed test. `//~ E0277` is a code, and
//! `//~ error` an error that has none, as those of macros; a part of the message may follow. Errors of the same code
//! on the same line count once; those of another code stand after another `//~`. `//~ above E0080` in the first line stands for an error that is found in the library's
//! code while it is instantiated. Programs named `control` must compile.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// Errors by line and code, with the part of the message that is wanted, or all messages found; line 0 is any line of
/// any other file.
type Errors = BTreeMap<(u64, String), String>;

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
        assert!(!wanted.is_empty() || is_control(case), "{}: says nothing", case.display());
        let found = found.get(&name(case)).cloned().unwrap_or_default();
        for (place, part) in &wanted {
            let message = found.get(place);
            if message.is_none_or(|message| !message.contains(part)) {
                let message = message.map_or("nothing", String::as_str);
                writeln!(wrong, "{}: {place:?}: {part:?} is no part of\n{message}", name(case)).unwrap();
            }
        }
        for (place, message) in found.iter().filter(|(place, _)| !wanted.contains_key(place)) {
            writeln!(wrong, "{}: {place:?}: not wanted:\n{message}", name(case)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

fn name(case: &Path) -> String {
    case.file_stem().unwrap().to_str().unwrap().to_owned()
}

/// Whether a program has no fault.
fn is_control(case: &Path) -> bool {
    name(case).contains("control")
}

/// The errors that a program says it gives.
fn wanted(program: &str) -> Errors {
    let mut errors = Errors::new();
    for (line, text) in (1..).zip(program.lines()) {
        for said in text.split("//~ ").skip(1) {
            let (line, said) = said.strip_prefix("above ").map_or((line, said), |said| (0, said));
            let (code, part) = said.trim().split_once(' ').unwrap_or((said.trim(), ""));
            errors.insert((line, code.to_owned()), part.to_owned());
        }
    }
    errors
}

/// The line of a program that a span is in, or that calls the macro that it is in.
fn own_line(mut span: &Value) -> Option<u64> {
    while span.is_object() {
        if span["file_name"].as_str().unwrap().contains("compile_fail") {
            return span["line_start"].as_u64();
        }
        span = &span["expansion"]["span"];
    }
    None
}

/// Builds the programs as the binaries of a package that depends on this one, and returns the errors of each.
fn build(cases: &[PathBuf]) -> BTreeMap<String, Errors> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compile_fail");
    fs::create_dir_all(package.join("target")).unwrap();
    let mut manifest = format!(
        "[package]\nname = \"compile_fail\"\nedition = \"2024\"\nautobins = false\n[workspace]\n\
         [dependencies]\nnpymap = {{ path = {:?}, features = [\"derive\"] }}\n",
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
    let mut found = BTreeMap::<String, Errors>::new();
    let mut built = Vec::new();
    for message in stdout.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok()) {
        match message["reason"].as_str() {
            Some("compiler-message") if message["message"]["level"] == "error" => {
                let case = message["target"]["name"].as_str().unwrap().to_owned();
                let code = message["message"]["code"]["code"].as_str().unwrap_or("error");
                let spans = message["message"]["spans"].as_array().unwrap();
                let own = spans.iter().filter(|span| span["is_primary"] == true).find_map(own_line);
                let line = own.unwrap_or(0);
                // The last word: "aborting due to 2 previous errors".
                if !spans.is_empty() {
                    let messages = found.entry(case).or_default().entry((line, code.to_owned())).or_default();
                    messages.push_str(message["message"]["rendered"].as_str().unwrap());
                }
            }
            Some("compiler-artifact") => built.push(message["target"]["name"].as_str().unwrap().to_owned()),
            _ => {}
        }
    }
    for control in cases.iter().filter(|case| is_control(case)) {
        let said = found.get(&name(control)).map(|errors| errors.values().cloned().collect::<String>());
        let said = said.unwrap_or_else(|| String::from_utf8_lossy(&output.stderr).into_owned());
        assert!(built.contains(&name(control)), "{}:\n{said}", name(control));
    }
    found
}
