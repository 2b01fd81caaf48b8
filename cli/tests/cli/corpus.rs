//! The corpus that NumPy has judged: what `info --json` says of it, and the bytes that `cat --raw` gives out.

use serde_json::{Value, json};

use super::{npymap, run_ok, support};

/// Files that NumPy accepts and nothing writes, and that are accepted here too or not.
fn optional(case: &support::Case) -> bool {
    case.accident
}

#[test]
fn info_tells_of_every_file_what_numpy_does() {
    let cases = support::corpus();
    let output = npymap(["info", "--json"]).args(cases.iter().map(|case| &case.path)).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), cases.len());
    let mut wrong = Vec::new();
    for (case, line) in cases.iter().zip(&lines) {
        assert_eq!(line["path"], case.path.to_str().unwrap());
        if let Err(difference) = compare(case, line) {
            wrong.push(format!("{}: {difference}\n    {line}", case.name));
        }
    }
    assert!(wrong.is_empty(), "{} differences:\n{}", wrong.len(), wrong.join("\n"));
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(told.lines().count(), lines.iter().filter(|line| line.get("error").is_some()).count());
}

fn compare(case: &support::Case, line: &Value) -> Result<(), String> {
    let error = line.get("error");
    if let Some(error) = error {
        let kind = error["kind"].as_str().ok_or("an error without a kind")?;
        let message = error["message"].as_str().ok_or("an error without a message")?;
        if kind.is_empty() || message.is_empty() || kind == "io" {
            return Err("an error that says nothing".into());
        }
    }
    match (case.accepted(), error) {
        (true, Some(_)) if !optional(case) => return Err("is accepted by NumPy".into()),
        (false, None) => return Err("is refused by NumPy".into()),
        _ => {}
    }
    let keys: Vec<&str> = line.as_object().unwrap().keys().map(String::as_str).collect();
    let Ok(header) = &case.header else {
        return if keys == ["path", "error"] { Ok(()) } else { Err(format!("keys {keys:?}")) };
    };
    if keys == ["path", "error"] {
        return Ok(());
    }
    let wanted = [
        "path",
        "version",
        "descr",
        "dtype",
        "shape",
        "fortran_order",
        "itemsize",
        "data_offset",
        "nbytes",
        "file_size",
        "spare",
        "appendable",
        "error",
    ];
    if keys != wanted[..keys.len()] || keys.len() < wanted.len() - 1 {
        return Err(format!("keys {keys:?}"));
    }
    // NumPy's StringDType is pickled too; to the library it is one with the objects.
    if error.is_some_and(|error| error["kind"] == "object") && header.dtype.to_string().contains("\"kind\":\"T\"") {
        return Ok(());
    }
    let size = std::fs::metadata(&case.path).unwrap().len();
    for (key, wanted) in [
        ("version", json!([header.version.0, header.version.1])),
        ("dtype", header.dtype.clone()),
        ("shape", json!(header.shape)),
        ("fortran_order", json!(header.fortran_order)),
        ("data_offset", json!(header.data_offset)),
        ("itemsize", header.dtype["itemsize"].clone()),
        ("file_size", json!(size)),
    ] {
        if line[key] != wanted {
            return Err(format!("{key} is {wanted}"));
        }
    }
    Ok(())
}

#[test]
fn raw_bytes_are_those_that_numpy_loads() {
    let mut wrong = Vec::new();
    let mut accepted = 0;
    for case in support::corpus() {
        let Ok(loaded) = &case.load else { continue };
        if case.accident {
            continue;
        }
        accepted += 1;
        if support::sha256(&run_ok(["cat", "--raw", case.path.to_str().unwrap()])) != loaded.sha256_c {
            wrong.push(case.name);
        }
    }
    assert!(wrong.is_empty(), "of {accepted}, {} differ: {}", wrong.len(), wrong.join(" "));
    assert!(accepted > 300);
}

#[test]
fn files_whose_data_are_cut_or_objects_have_a_header_and_an_error() {
    for (name, kind) in [("obj_struct", "object"), ("data_short_by_1", "data_truncated")] {
        let Some(case) = support::corpus().into_iter().find(|case| case.name == name) else {
            panic!("no case {name}");
        };
        let path = case.path.to_str().unwrap();
        let output = npymap(["info", "--json", path]).output().unwrap();
        let line: Value = serde_json::from_slice(&output.stdout).unwrap();
        assert_eq!((&line["error"]["kind"], output.status.code()), (&json!(kind), Some(2)));
        assert!(line["descr"].is_string() && line["nbytes"].is_number());
        let output = npymap(["info", path]).output().unwrap();
        assert!(String::from_utf8(output.stdout).unwrap().contains("dtype "));
        assert!(String::from_utf8(output.stderr).unwrap().starts_with(&format!("npymap: {path}: ")));
    }
}
