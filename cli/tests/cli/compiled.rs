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
            writeln!(program, "mod m{module} {{\n{source}{}}}", fields_function(source)).unwrap();
        }
        writeln!(calls, "    show({path:?}, m{module}::fields);").unwrap();
    }
    writeln!(program, "fn main() {{\n{calls}}}").unwrap();
    program
}

/// A function that tells each field of a struct by its name in the file, with the bytes that it is written as.
fn fields_function(source: &str) -> String {
    let mut pushes = String::new();
    let (_, body) = source.split_once("pub struct Element {\n").unwrap_or_default();
    let (body, _) = body.split_once("\n}").unwrap_or_default();
    let mut attribute = String::new();
    for line in body.lines().map(str::trim) {
        let Some(field) = line.strip_prefix("pub ") else {
            attribute.push_str(line);
            continue;
        };
        let (identifier, _) = field.split_once(':').unwrap();
        let name = match attribute.split_once("rename = ") {
            // Up to the quote that no backslash escapes.
            Some((_, literal)) => {
                // The first quote is the literal's own.
                let mut escaped = true;
                let end = literal.find(|c| {
                    let is_end = c == '"' && !escaped;
                    escaped = c == '\\' && !escaped;
                    is_end
                });
                literal[..=end.unwrap()].to_owned()
            }
            None => format!("{:?}", identifier.trim_start_matches("r#")),
        };
        if !attribute.contains("npymap(padding)") {
            writeln!(pushes, "    fields.push(({name}, super::bytes(&{{ element.{identifier} }})));").unwrap();
        }
        attribute.clear();
    }
    format!(
        "#[allow(unused)]\npub fn fields(element: &Element) -> Vec<(&'static str, Vec<u8>)> {{\n    \
         let mut fields = Vec::new();\n{pushes}    fields\n}}\n"
    )
}

const MAIN: &str = r#"#![forbid(unsafe_code)]
#![deny(warnings)]
#![allow(dead_code)]

use npymap::{DType, Element, Npy, NpyAny, Value};
use sha2::{Digest, Sha256};

fn bytes<T: Element>(element: &T) -> Vec<u8> {
    let mut bytes = vec![0xaa; size_of::<T>()];
    element.write(&mut bytes);
    bytes
}

/// Holds every field, by its name, against the value that the library finds without the struct.
fn compare<T: Element>(path: &str, elements: &Npy<T, npymap::Aligned>, fields: fn(&T) -> Vec<(&'static str, Vec<u8>)>) {
    let DType::Struct(record) = elements.dtype() else { return };
    let any = NpyAny::read(path).unwrap();
    for (element, value) in elements.iter().zip(any.iter()) {
        // Strings may hold what are no characters.
        let Ok(Value::Record(values)) = value else { continue };
        let ours = fields(element);
        let wanted = record.fields.iter().zip(&values).filter(|(field, _)| field.dtype.itemsize() > 0);
        assert_eq!(ours.len(), wanted.clone().count(), "{path}");
        for ((field, (_, value)), (name, bytes)) in wanted.zip(&ours) {
            assert_eq!(field.name, *name, "{path}");
            let found = field.dtype.value(bytes).unwrap();
            assert_eq!(format!("{found:?}"), format!("{value:?}"), "{path}: {name:?}");
        }
    }
}

fn show<T: Element + std::fmt::Debug>(path: &str, fields: fn(&T) -> Vec<(&'static str, Vec<u8>)>) {
    let array = match Npy::<T>::read(path) {
        Ok(array) => array,
        Err(error) => return println!("{}", error.kind()),
    };
    compare(path, &array, fields);
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
    let saved = super::python("stored", &["save", folder.path().to_str().unwrap(), "3", "100"]);
    paths.extend(saved.lines().map(PathBuf::from));
    let strange = super::python("stored", &["strange", folder.path().to_str().unwrap(), "60"]);
    paths.extend(strange.lines().map(PathBuf::from));
    let schemas = schemas(&paths);
    assert!(of_corpus > 330 && paths.len() > of_corpus + 150 && schemas.len() > paths.len() - 80, "{}", schemas.len());

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
