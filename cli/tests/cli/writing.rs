//! `create`, `append`, `grow`, `tail -f`, `relayout`, `verify`, `repair`: NumPy reads what they make.

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::Stdio;

use super::{file, npy, npymap, python, run, run_ok, support, text, trouble};

/// What NumPy makes of a file: its dtype's descr, its shape, its order, and its elements.
pub fn numpy(path: &str) -> String {
    python("made.py", &[path]).trim_end().to_owned()
}

/// A path in a folder of its own.
fn in_folder(name: &str) -> (tempfile::TempDir, String) {
    let folder = support::temp_dir();
    let path = folder.path().join(name).to_str().unwrap().to_owned();
    (folder, path)
}

/// Runs the command with something on its standard input.
pub fn run_with(input: &[u8], arguments: &[&str]) -> (Option<i32>, String) {
    let mut child = npymap(arguments).stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // It may not want any.
    let _ = child.stdin.take().unwrap().write_all(input);
    let output = child.wait_with_output().unwrap();
    (output.status.code(), String::from_utf8(output.stderr).unwrap())
}

#[test]
fn files_are_made_as_numpy_saves_zeros() {
    let folder = support::temp_dir();
    let record = "[(\"it's\", '<i2'), ('é', '>f8', (2,)), ('', 'V6'), ('n', [('s', 'S3'), ('t', '<M8[us]')])]";
    let cases: [(&str, &str, &str, &[&str]); 9] = [
        ("float32", "3,2", "(3, 2)", &[]),
        (">i8", "(2,)", "(2,)", &[]),
        ("?", "()", "()", &[]),
        ("U3", "2", "2", &[]),
        ("f8", "2,3", "(2, 3)", &["--fortran"]),
        ("f8", "7", "7", &["--fortran"]),
        ("complex64", "0,4", "(0, 4)", &[]),
        ("longdouble", "3", "3", &[]),
        (record, "5", "5", &[]),
    ];
    for (at, (dtype, shape, of_numpy, more)) in cases.into_iter().enumerate() {
        let path = folder.path().join(format!("{at}.npy"));
        let path = path.to_str().unwrap();
        let arguments = ["create", path, "--dtype", dtype, "--shape", shape];
        run_ok(arguments.iter().chain(more));
        let order = if more.is_empty() { "C" } else { "F" };
        assert_eq!(python("made.py", &["--zeros", path, dtype, of_numpy, order]).trim(), "same", "{dtype} {shape}");
        assert!(trouble(arguments).contains("is there already"));
        run_ok(["create", "--force", path].iter().chain(&arguments[2..]));
    }
    for (more, offset) in [(&["--appendable"][..], 4096), (&["--align", "4096"], 4096), (&["--align", "256"], 256)] {
        let path = folder.path().join("x.npy");
        let path = path.to_str().unwrap();
        run_ok(["create", "-f", path, "--dtype", "u1", "--shape", "2,4"].iter().chain(more));
        assert!(text(["info", "--json", path]).contains(&format!("\"data_offset\":{offset},\"nbytes\":8,")));
        assert_eq!(numpy(path), "'|u1' (2, 4) C [[0, 0, 0, 0], [0, 0, 0, 0]]");
    }
}

#[test]
fn what_is_only_told_changes_nothing() {
    let (folder, path) = file("x.npy", &npy("'|u1'", "(3,)", &[1, 2, 3]));
    let before = std::fs::read(&path).unwrap();
    let made = folder.path().join("new.npy");
    let new = made.to_str().unwrap();
    let (_folder, empty) = file("empty.npy", &npy("'<f8'", "(0, 3)", &[]));
    for (arguments, told) in [
        (&["create", new, "--dtype", "f8", "--shape", "5", "--dry-run"][..], "would make (5,) of <f8, 40 bytes"),
        (&["append", &path, &path, "--dry-run"], "would append 3 rows, 3 bytes"),
        (&["append", new, &path, "--create", "--dry-run"], "would append 3 rows, 3 bytes"),
        (&["grow", &path, "--by", "2", "--dry-run"], "would grow axis 0 from 3 to 5, by 2 bytes"),
        (&["grow", &empty, "--by", "2", "--dry-run"], "would grow axis 0 from 0 to 2, by 48 bytes"),
        (&["relayout", &path, "--dry-run"], "would write 3 bytes of data at byte 4096; they start at byte 128 now"),
        (&["relayout", &path, "--align", "512", "--dry-run"], "at byte 512; they start at byte 128 now"),
    ] {
        let output = run(arguments);
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.success() && said.contains(told), "{arguments:?}: {said}");
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
    assert!(!made.exists());
}

#[test]
fn csv_that_cat_prints_comes_back_as_it_was() {
    let folder = support::temp_dir();
    let list = python("made.py", &["--tables", folder.path().to_str().unwrap()]);
    assert!(list.lines().count() >= 33, "{list}");
    for line in list.lines() {
        let (path, descr) = line.split_once('\t').unwrap();
        let table = run_ok(["cat", "--csv", path]);
        let told: serde_json::Value = serde_json::from_str(&text(["info", "--json", path])).unwrap();
        let row: Vec<String> = told["shape"].as_array().unwrap()[1..].iter().map(ToString::to_string).collect();
        let back = format!("{path}.back.npy");
        let arguments = ["append", &back, "--from", "csv", "--create", "--dtype", descr, "--row-shape"];
        let (code, said) = run_with(&table, &[&arguments[..], &[&row.join(",")]].concat());
        assert_eq!(code, Some(0), "{path}: {said}");
        assert_eq!(run_ok(["cat", "--raw", &back]), run_ok(["cat", "--raw", path]), "{path}");
        let made: serde_json::Value = serde_json::from_str(&text(["info", "--json", &back])).unwrap();
        assert_eq!((&made["descr"], &made["shape"]), (&told["descr"], &told["shape"]), "{path}");
    }
}

#[test]
fn columns_come_in_any_order_and_missing_ones_are_zeros() {
    let (_folder, path) = in_folder("x.npy");
    let dtype = "[('a', '<i2'), ('b', [('c', '<f4'), ('d', 'S3')]), ('t', '<M8[us]', (2,))]";
    let table = "t[1],b.d,a\n2026-12-01T06:30:00.25,x y,-3\n1969-12-31,,0x\n";
    let (code, told) = run_with(table.as_bytes(), &["append", &path, "--from", "csv", "--create", "--dtype", dtype]);
    assert_eq!(code, Some(2));
    assert!(told.contains("line 3, column \"a\": \"0x\" is no <i2"), "{told}");
    // What came before is there.
    assert!(told.contains(": 1 row appended\n"), "{told}");
    assert!(numpy(&path).ends_with(
        "[(-3, (0.0, b'x y'), [datetime.datetime(1970, 1, 1, 0, 0), datetime.datetime(2026, 12, 1, 6, 30, 0, 250000)])]"
    ), "{}", numpy(&path));
}

#[test]
fn rows_of_other_files_must_be_of_the_same_kind_but_for_byte_order() {
    let folder = support::temp_dir();
    let at = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    python("made.py", &["--kinds", folder.path().to_str().unwrap()]);
    let told = |target: &str, input: &str| {
        let output = run(["append", &at(target), &at(input)]);
        (output.status.code().unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (code, said) = told("little.npy", "big.npy");
    assert_eq!((code, said.contains("2 rows appended")), (0, true), "{said}");
    assert_eq!(
        numpy(&at("little.npy")),
        "'<f4' (4, 3) C [[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [0.0, 1.0, 2.0], [3.0, 4.0, 5.0]]"
    );
    let (code, _) = told("fortran.npy", "fortran.npy");
    assert_eq!(code, 0);
    assert_eq!(
        numpy(&at("fortran.npy")),
        "'<f4' (2, 6) F [[0.0, 1.0, 2.0, 0.0, 1.0, 2.0], [3.0, 4.0, 5.0, 3.0, 4.0, 5.0]]"
    );
    let (code, _) = told("packed.npy", "aligned.npy");
    assert_eq!(code, 0);
    assert!(numpy(&at("packed.npy")).ends_with("[(1, 2.5), (1, 2.5)]"));
    for (target, input, reason) in [
        ("little.npy", "double.npy", "dtype <f8, the file <f4"),
        ("little.npy", "wide.npy", "rows of shape (4,), the file rows of shape (3,)"),
        ("little.npy", "packed.npy", "rows of shape ()"),
        ("square.npy", "square_fortran.npy", "Fortran order, the file C order"),
    ] {
        let (code, said) = told(target, input);
        assert!(code == 2 && said.contains(reason), "{target}, {input}: {said}");
    }
}

#[test]
fn raw_bytes_are_rows_as_they_are_stored() {
    let (_folder, path) = file("x.npy", &npy("'<i2'", "(1, 2)", &[1, 0, 2, 0]));
    let (code, told) = run_with(&[3, 0, 4, 0, 5, 0, 6, 0, 7], &["append", &path, "--from", "raw", "--every", "1"]);
    assert_eq!(code, Some(2));
    assert!(
        told.contains("2 rows appended") && told.contains("the input ends within a row, of whose 4 bytes it has 1"),
        "{told}"
    );
    assert_eq!(numpy(&path), "'<i2' (3, 2) C [[1, 2], [3, 4], [5, 6]]");
    let (code, _) = run_with(&[], &["append", &path, "--from", "raw", "-q", "--sync"]);
    assert_eq!(code, Some(0));
}

#[test]
fn files_grow_in_place() {
    let (_folder, path) = file("x.npy", &npy("'<i2'", "(1, 2)", &[1, 0, 2, 0]));
    run_ok(["grow", &path, "--by", "1"]);
    run_ok(["grow", &path, "--to", "3"]);
    assert_eq!(numpy(&path), "'<i2' (3, 2) C [[1, 2], [0, 0], [0, 0]]");
    assert!(trouble(["grow", &path, "--to", "2"]).contains("axis 0 has 3 already, more than 2"));
    let (_folder, path) = file("x.npy", &npy("'<i2'", "()", &[1, 0]));
    assert!(trouble(["grow", &path, "--by", "2"]).contains("0-d"));
}

#[test]
fn a_file_is_followed_as_it_grows() {
    let (_folder, path) = in_folder("log.npy");
    run_ok(["create", &path, "--dtype", "[('a', '<i4'), ('b', '<f8')]", "--shape", "3", "--appendable"]);
    let mut child = npymap(["tail", "-f", "-n", "1", "--csv", &path]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert_eq!([lines.next().unwrap(), lines.next().unwrap()], ["a,b", "0,0.0"]);
    for n in 1..4 {
        let (code, told) = run_with(format!("a,b\n{n},{n}.5\n").as_bytes(), &["append", &path, "--from", "csv"]);
        assert_eq!(code, Some(0), "{told}");
        assert_eq!(lines.next().unwrap(), format!("{n},{n}.5"));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let told = trouble(["tail", "-f", &path, &path]);
    assert!(told.contains("-f follows one file, and 2 are given"), "{told}");
}

#[test]
fn a_layout_is_made_anew_and_keeps_the_array() {
    let folder = support::temp_dir();
    python("made.py", &["--kinds", folder.path().to_str().unwrap()]);
    for name in ["little", "big", "fortran", "packed", "aligned"] {
        let path = folder.path().join(name).with_extension("npy");
        let path = path.to_str().unwrap();
        let before = numpy(path);
        run_ok(["relayout", path]);
        assert!(text(["info", "--json", path]).contains("\"data_offset\":4096"));
        assert_eq!(numpy(path), before);
        let other = format!("{path}.other");
        run_ok(["relayout", path, "--align", "512", "-o", &other]);
        assert!(text(["info", "--json", &other]).contains("\"data_offset\":512"));
        assert_eq!(numpy(&other), before);
        assert!(trouble(["relayout", path, "-o", &other]).contains("-f overwrites it"));
    }
}

#[test]
fn damage_is_found_and_mended() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let name = path.to_str().unwrap();
    std::fs::write(&path, npy("'<i2'", "(3, 2)", &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0])).unwrap();
    let output = run(["verify", name]);
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(told.contains("the header counts 3 rows, and the file holds 2"), "{told}");
    let before = std::fs::read(&path).unwrap();
    assert_eq!(run(["repair", "--dry-run", name]).status.code(), Some(1));
    assert_eq!(std::fs::read(&path).unwrap(), before);
    let told = text(["repair", name]);
    assert!(told.contains("counted 2 rows in the header instead of 3") && told.contains("cut 2 bytes"), "{told}");
    assert_eq!(numpy(name), "'<i2' (2, 2) C [[1, 2], [3, 4]]");
    assert_eq!(text(["verify", name]), format!("{name}: sound\n"));
    assert!(Path::new(&format!("{name}.cut-1")).exists());

    // A second array is no damage that can be mended, and trouble with one file doesn't hide the others.
    let mut two = npy("'|u1'", "(1,)", &[7]);
    two.extend(npy("'|u1'", "(1,)", &[8]));
    std::fs::write(&path, &two).unwrap();
    let output = run(["repair", "--json", name, "missing.npy"]);
    assert_eq!(output.status.code(), Some(2));
    let lines = String::from_utf8(output.stdout).unwrap();
    let lines: Vec<serde_json::Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&lines[0]["sound"], &lines[1]["error"]["kind"]), (&false.into(), &"io".into()));
    assert_eq!(std::fs::read(&path).unwrap(), two);
}
