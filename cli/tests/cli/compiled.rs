//! What `schema` prints compiles, opens the file that it was printed for, and reads what NumPy reads.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::{run, support};

/// Files whose elements take no bytes have no struct; any other trouble is one of the test.
fn schemas(paths: &[PathBuf]) -> Vec<(&Path, String)> {
    let mut schemas = Vec::new();
    for path in paths {
        let output = run(["schema", "--name", "Element", path.to_str().unwrap()]);
        let told = String::from_utf8(output.stderr).unwrap();
        if output.status.success() {
            schemas.push((path.as_path(), String::from_utf8(output.stdout).unwrap()));
        } else {
            assert!(told.contains("take no bytes"), "{told}");
        }
    }
    schemas
}

/// A program with a module for every schema, which prints for each file the number of elements and a digest of what
/// they are written as.
fn program(schemas: &[(&Path, String)]) -> String {
    let mut program = String::from(MAIN);
    let mut modules: HashMap<&str, usize> = HashMap::new();
    let mut calls = String::new();
    for (path, schema) in schemas {
        // The first line names the file.
        let (_, source) = schema.split_once('\n').unwrap();
        let next = modules.len();
        let module = *modules.entry(source).or_insert(next);
        if module == next {
            writeln!(program, "mod m{module} {{\n{source}}}").unwrap();
        }
        writeln!(calls, "    show::<m{module}::Element>({path:?});").unwrap();
    }
    writeln!(program, "fn main() {{\n{calls}}}").unwrap();
    program
}

const MAIN: &str = r#"#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code)]

use npymap::{Element, Npy, NpyAny};
use sha2::{Digest, Sha256};

fn show<T: Element + std::fmt::Debug>(path: &str) {
    let array = match Npy::<T>::read(path) {
        Ok(array) => array,
        Err(error) => return println!("{}", error.kind()),
    };
    let elements = array.as_slice();
    let copy = NpyAny::read(path).unwrap().to_vec::<T>().unwrap();
    let mut written = vec![0xaa; size_of_val(elements)];
    for ((element, copied), out) in elements.iter().zip(&copy).zip(written.chunks_exact_mut(size_of::<T>())) {
        let mut copied_out = vec![0xaa; out.len()];
        element.write(out);
        copied.write(&mut copied_out);
        assert_eq!(out, copied_out, "{path}: {element:?}");
    }
    let digest: String = Sha256::digest(&written).iter().map(|byte| format!("{byte:02x}")).collect();
    println!("{} {digest}", elements.len());
}
"#;

/// Builds and runs a program that depends on the library.
fn output_of(program: &str) -> String {
    let package = Path::new(env!("CARGO_TARGET_TMPDIR")).join("schema");
    fs::create_dir_all(package.join("src")).unwrap();
    let root = support::root();
    let manifest = format!(
        "[package]\nname = \"schema\"\nedition = \"2024\"\n[workspace]\n[dependencies]\nsha2 = \"0.11\"\n\
         npymap = {{ path = {root:?}, features = [\"derive\"] }}\n[profile.dev]\ndebug = 0\nincremental = false\n"
    );
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    fs::write(package.join("src/main.rs"), program).unwrap();
    // The versions of this workspace's dependencies, which are there already.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .env("CARGO_TARGET_DIR", package.join("target"))
        .env_remove("RUSTFLAGS")
        .current_dir(&package)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_struct_of_every_file_compiles_and_reads_what_numpy_reads() {
    let folder = support::temp_dir();
    let mut paths: Vec<PathBuf> = support::corpus()
        .iter()
        .filter(|case| case.accepted() && !case.accident)
        .map(|case| case.path.clone())
        .collect();
    let of_corpus = paths.len();
    let saved = super::python("stored", &["save", folder.path().to_str().unwrap(), "3", "150"]);
    paths.extend(saved.lines().map(PathBuf::from));
    let schemas = schemas(&paths);
    assert!(of_corpus > 330 && paths.len() > of_corpus + 140 && schemas.len() > paths.len() - 60, "{}", schemas.len());

    let ours = output_of(&program(&schemas));
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/python/stored.py");
    let read: Vec<&str> = schemas.iter().map(|(path, _)| path.to_str().unwrap()).collect();
    let numpys = support::python_with_input(script.to_str().unwrap(), &["digest"], &read.join("\n"));
    assert_eq!(ours.lines().count(), schemas.len());
    assert_eq!(numpys.lines().count(), schemas.len());
    let mut bools = 0;
    for (((path, schema), ours), numpys) in schemas.iter().zip(ours.lines()).zip(numpys.lines()) {
        // NumPy loads bytes that are no bool.
        if ours == "invalid_bool" {
            bools += 1;
            continue;
        }
        assert_eq!(ours, numpys, "{}\n{schema}", path.display());
    }
    assert!(bools <= 8, "{bools} files with bytes that are no bool");
}
