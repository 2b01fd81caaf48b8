//! Errors, exit codes, and files that must not be overwritten.

use std::fs;

use super::{file, npy, npymap, run, run_ok, support, trouble};

#[test]
fn wrong_usage_ends_with_2() {
    for arguments in [
        &[][..],
        &["nothing"],
        &["cat"],
        &["info"],
        &["cat", "--csv", "--raw", "x"],
        &["cat", "--npy", "--csv", "x"],
        &["cat", "--nan=string", "x"],
        &["head", "-n", "-1", "x"],
        &["completions", "cobol"],
        &["tail", "-f", "x"],
        &["schema"],
        &["schema", "x", "y"],
        &["create", "x", "--dtype", "f4"],
        &["create", "x", "--dtype", "f5", "--shape", "1"],
        &["create", "x", "--dtype", "f4", "--shape", "1,-1"],
        &["create", "x", "--dtype", "f4", "--shape", "1", "--align", "100"],
        &["create", "x", "--dtype", "f4", "--shape", "1", "--align", "64", "--appendable"],
        &["append", "x", "--every", "0"],
        &["append", "x", "--every", "5m"],
        &["append", "x", "--dtype", "f4"],
        &["append", "x", "--from", "json"],
        &["grow", "x"],
        &["grow", "x", "--by", "1", "--to", "2"],
        &["relayout", "x", "--align", "8192"],
        &["relayout", "x", "-f"],
        &["verify"],
        &["repair", "--json"],
    ] {
        let output = run(arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{arguments:?}");
    }
    for arguments in [["--help"], ["--version"]] {
        assert!(!run_ok(arguments).is_empty());
    }
}

#[test]
fn errors_name_the_path_and_then_what_is_wrong() {
    let (folder, path) = file("x.npy", &npy("'<f8'", "(2, 3)", &[0; 48]));
    let missing = format!("{path}.missing");
    let directory = folder.path().to_str().unwrap();
    for (arguments, message) in [
        (&["cat", &missing][..], format!("npymap: {missing}: cannot open: No such file or directory (os error 2)\n")),
        (&["show", directory], format!("npymap: {directory}: cannot read: is a directory\n")),
        (&["cat", &path, "[2]"], format!("npymap: {path}: index 2 is out of bounds for axis 0 with size 2\n")),
        (
            &["head", &path, "[0, 0, 0]"],
            format!("npymap: {path}: too many indices: the array is 2-dimensional, but 3 were indexed\n"),
        ),
        (&["show", &path, "['a']"], format!("npymap: {path}: no field \"a\": elements are <f8, which has no fields\n")),
        (&["cat", &path, "[1"], "npymap: slice [1 ends after 2 characters, where ] or , is wanted\n".into()),
        (&["cat", "--npy", &path, &path], "npymap: --npy writes one array, and 2 paths are given\n".into()),
        (&["man", "cobol"], "npymap: there is no command \"cobol\"\n".into()),
    ] {
        assert_eq!(trouble(arguments), message);
    }
    let (_folder, path) = file("x.npy", &npy("[('a', '|u1'), ('b', '|u1')]", "(1,)", &[0; 2]));
    assert_eq!(
        trouble(["cat", &path, "['c']"]),
        format!("npymap: {path}: no field \"c\"; the fields are \"a\", \"b\"\n")
    );
}

#[test]
fn a_bool_that_is_none_is_told_with_its_place() {
    let (_folder, path) = file("x.npy", &npy("'|b1'", "(2, 2)", &[0, 1, 1, 2]));
    for arguments in [["cat", "--csv"], ["cat", "--jsonl"], ["cat", "--"]] {
        let told = trouble([&arguments[..], &[&path]].concat());
        assert!(told.starts_with(&format!("npymap: {path}: element 3 is the byte 0x02")), "{told}");
    }
    assert_eq!(run_ok(["cat", "--raw", &path]), [0, 1, 1, 2]);
}

#[test]
fn many_files_go_on_after_one_in_trouble() {
    let (folder, good) = file("good.npy", &npy("'|u1'", "(1,)", &[5]));
    let bad = folder.path().join("bad.npy");
    fs::write(&bad, "no array").unwrap();
    let bad = bad.to_str().unwrap();
    for (command, wanted) in [("cat", "5\n5\n"), ("show", &format!("==> {good} <==\n[5]\n\n==> {good} <==\n[5]\n"))] {
        let output = run([command, &good, bad, "missing", &good]);
        assert_eq!(output.status.code(), Some(2));
        assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(told.lines().count(), 2);
        assert!(told.starts_with(&format!("npymap: {bad}: starts with")), "{told}");
    }
    let output = run(["info", "--json", bad, &good]);
    let lines: Vec<serde_json::Value> =
        String::from_utf8(output.stdout).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((lines[0]["error"]["kind"].as_str(), lines[1]["nbytes"].as_u64()), (Some("not_npy"), Some(1)));
}

#[test]
fn nothing_is_overwritten_without_force() {
    let (folder, path) = file("x.npy", &npy("'|u1'", "(3,)", &[1, 2, 3]));
    let out = folder.path().join("out.npy");
    let names = || {
        let mut names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        names
    };
    let arguments = ["cat", "--npy", "-o", out.to_str().unwrap(), &path];
    run_ok(arguments);
    let before = fs::read(&out).unwrap();
    let told = trouble(arguments.iter().chain(&["[:1]"]));
    assert_eq!(told, format!("npymap: {} is there already; -f overwrites it\n", out.display()));
    assert_eq!(fs::read(&out).unwrap(), before);
    run_ok(arguments.iter().chain(&["[:1]", "-f"]));
    assert_ne!(fs::read(&out).unwrap(), before);
    // Onto itself: the old file is read to its end.
    run_ok(["cat", "--npy", "-f", "-o", &path, &path, "[::-1]"]);
    assert_eq!(run_ok(["cat", "--raw", &path]), [3, 2, 1]);
    assert_eq!(names(), ["out.npy", "x.npy"]);
}

#[test]
fn a_file_is_written_whole_or_not_at_all() {
    let (folder, path) = file("x.npy", &npy("'|b1'", "(3,)", &[1, 1, 7]));
    let out = folder.path().join("out.csv");
    trouble(["cat", "--csv", "-o", out.to_str().unwrap(), &path]);
    trouble(["cat", "--csv", "-o", out.to_str().unwrap(), "missing"]);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    let told = trouble(["cat", "-o", "/nowhere/at/all", &path]);
    assert_eq!(told, "npymap: /nowhere/at/all: cannot create: No such file or directory (os error 2)\n");
}

#[test]
fn the_header_that_is_written_is_numpys() {
    // A header whose text fills its 64 bytes exactly, which gets 64 spaces more.
    let folder = support::temp_dir();
    for length in 1..140 {
        let name = "n".repeat(length);
        let array = npy(&format!("[('{name}', '|u1')]"), "(1,)", &[1]);
        let path = folder.path().join("x.npy");
        fs::write(&path, array).unwrap();
        let out = run_ok(["cat", "--npy", path.to_str().unwrap()]);
        let text = out.len() - 1;
        assert!(text.is_multiple_of(64), "{length}");
        let padding = out[..text].iter().rev().skip(1).take_while(|&&byte| byte == b' ').count();
        // 20 of them are room for the first axis to grow.
        assert!((21..=84).contains(&padding), "{length}: {padding}");
    }
}

#[test]
fn completions_and_manual_know_every_command() {
    let completions = String::from_utf8(run_ok(["completions", "bash"])).unwrap();
    let manual = String::from_utf8(run_ok(["man"])).unwrap();
    let reading = ["info", "show", "head", "tail", "cat", "schema", "completions", "man"];
    let writing = ["create", "append", "grow", "relayout", "verify", "repair"];
    for name in reading.into_iter().chain(writing) {
        assert!(completions.contains(name) && manual.contains(name), "{name}");
        let page = String::from_utf8(run_ok(["man", name])).unwrap();
        assert!(page.contains(&format!("npymap\\-{name}")), "{page}");
    }
    assert!(npymap(["help"]).output().unwrap().status.code() == Some(2));
}
