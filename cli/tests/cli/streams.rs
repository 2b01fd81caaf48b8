//! Pipes, standard input and terminals.

use std::fs::File;
use std::io::{Read, Write};
use std::process::Stdio;

use serde_json::Value;

use super::{file, npy, npymap, python, run_ok, text};

/// Runs the command with bytes on standard input.
fn fed(arguments: &[&str], input: &[u8]) -> std::process::Output {
    let mut command = npymap(arguments);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let input = input.to_vec();
    let feeder = std::thread::spawn(move || drop(stdin.write_all(&input)));
    let output = child.wait_with_output().unwrap();
    feeder.join().unwrap();
    output
}

#[test]
fn standard_input_is_read_like_a_file() {
    let data: Vec<u8> = (0..24_u8).collect();
    let array = npy("'|u1'", "(4, 6)", &data);
    let (_folder, path) = file("x.npy", &array);
    for arguments in [
        &["cat", "--raw"][..],
        &["cat", "--csv"],
        &["show"],
        &["head", "-n1"],
        &["tail", "-n2"],
        &["cat", "--npy", "-s::-1,::2"],
        &["cat", "-s:,3"],
        &["show", "-s1"],
    ] {
        let output = fed(&[arguments, &["-"]].concat(), &array);
        assert_eq!(output.stdout, run_ok([arguments, &[&path]].concat()), "{arguments:?}");
        assert!(output.status.success());
    }
    let output = fed(&["info", "--json", "-"], &array);
    let line: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((line["path"].as_str(), line["file_size"].as_u64()), (Some("-"), Some(array.len() as u64)));
}

#[test]
fn a_stream_that_ends_early_is_an_error_with_both_numbers() {
    let array = npy("'<f8'", "(3,)", &[0; 20]);
    for arguments in [["cat", "--raw", "-"], ["show", "--", "-"], ["cat", "-s::-1", "-"], ["info", "--json", "-"]] {
        let output = fed(&arguments, &array);
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(told.starts_with("npymap: -: ") && told.contains("24") && told.contains("20"), "{told}");
    }
    let output = fed(&["cat", "-"], &array[..50]);
    assert!(String::from_utf8(output.stderr).unwrap().contains("the file ends inside its header"));
    let output = fed(&["cat", "-"], b"\x1f\x8bwhatever");
    assert!(String::from_utf8(output.stderr).unwrap().contains("gzip"));
    let output = fed(&["cat", "-"], b"\x93NUMPY\x02\x00\xff\xff\xff\xff{");
    assert!(String::from_utf8(output.stderr).unwrap().contains("over the limit"));
    let output = fed(&["cat", "-"], &npy("'|O'", "(1,)", &[0; 8]));
    assert!(String::from_utf8(output.stderr).unwrap().contains("objects"));
}

#[test]
fn the_head_of_a_stream_needs_no_more_of_it() {
    let mut child =
        npymap(["head", "-n", "3", "--csv", "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    stdin.write_all(&npy("'|u1'", "(1000000000000,)", &[1, 2, 3, 4])).unwrap();
    let mut out = String::new();
    // Standard input stays open, and nothing more comes.
    child.stdout.take().unwrap().read_to_string(&mut out).unwrap();
    assert_eq!(out, "1\n2\n3\n");
    assert!(child.wait().unwrap().success());
}

#[test]
fn a_reader_that_leaves_ends_the_command_quietly() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(1000, 1000)", &vec![7; 1_000_000]));
    for arguments in [
        &["cat", "--raw"][..],
        &["cat"],
        &["cat", "--csv"],
        &["cat", "--jsonl"],
        &["cat", "--npy"],
        &["head", "-n1000", "--threshold", "10000000"],
    ] {
        let mut child = npymap(arguments).arg(&path).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0; 10]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{arguments:?}");
    }
    for arguments in [&["info", &path][..], &["completions", "bash"], &["man"], &["--help"]] {
        let mut command = npymap(arguments);
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command.stdout(writer).output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), Vec::new()), "{arguments:?}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_full_disk_is_told() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(1000,)", &[7; 1000]));
    for arguments in [["cat", "--raw", &path], ["cat", "--csv", &path], ["show", "--", &path], ["info", "--", &path]] {
        let full = File::options().write(true).open("/dev/full").unwrap();
        let output = npymap(arguments).stdout(full).output().unwrap();
        assert_eq!(output.status.code(), Some(2));
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.starts_with("npymap: cannot write the output: No space left on device"), "{told}");
    }
}

#[test]
fn a_file_that_is_cut_while_it_is_read_is_an_error_and_no_signal() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(100000000,)", b""));
    let file = File::options().write(true).open(&path).unwrap();
    let header = file.metadata().unwrap().len();
    file.set_len(header + 100_000_000).unwrap();
    let mut child = npymap(["cat", "--raw", &path]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0; 100]).unwrap();
    file.set_len(header + 50_000_000).unwrap();
    let rest = std::io::copy(&mut stdout, &mut std::io::sink()).unwrap();
    assert!(rest < 50_000_000);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(told.starts_with(&format!("npymap: {path}: ")) && told.contains("50000000"), "{told}");
}

/// Runs the command in a terminal; returns its exit code and what the terminal shows.
fn terminal(arguments: &[&str]) -> (i64, String) {
    let printed = python("terminal", &[&[env!("CARGO_BIN_EXE_npymap")], arguments].concat());
    let told: Value = serde_json::from_str(&printed).unwrap();
    (told["code"].as_i64().unwrap(), told["shown"].as_str().unwrap().to_owned())
}

#[test]
#[cfg(unix)]
fn text_of_strangers_is_escaped_on_a_terminal_and_nowhere_else() {
    let descr = r"[('a\x1b[2J', '|S8'), ('b', '<U1')]";
    let data = [&b"\x1b[31m\n\0\0"[..], &u32::from('\u{9b}').to_le_bytes()].concat();
    let (_folder, path) = file("x\x1b.npy", &npy(descr, "(1,)", &data));
    for arguments in [
        &["info"][..],
        &["info", "--json"],
        &["show"],
        &["head"],
        &["cat"],
        &["cat", "--csv"],
        &["cat", "--jsonl"],
        &["show", "-s['a\\x1b[2J'][0]"],
    ] {
        let (code, shown) = terminal(&[arguments, &[&path]].concat());
        assert_eq!(code, 0, "{shown}");
        assert!(!shown.contains('\x1b') && !shown.contains('\u{9b}'), "{arguments:?}: {shown:?}");
        assert!(shown.contains("\\x1b") || shown.contains("\\u001b"), "{arguments:?}: {shown:?}");
    }
    assert!(text(["cat", &path]).contains("\x1b[31m\n \u{9b}"));
    for arguments in [
        &["append", &path, &path][..],
        &["append", &path, &path, "--dry-run"],
        &["append", &path, "/dev/null", "--from=csv"],
        &["grow", &path, "--by=1", "--dry-run"],
        &["relayout", &path, "--dry-run"],
        &["verify", &path],
        &["repair", &path],
    ] {
        let (code, shown) = terminal(arguments);
        // What is left are the marks that make a line of progress vanish.
        let shown = shown.replace("\r\x1b[2K", "").replace("\x1b[1A", "");
        assert!(code == 0 && shown.contains("x\\x1b.npy") && !shown.contains('\x1b'), "{arguments:?}: {shown:?}");
    }
    let (code, shown) = terminal(&["cat", &format!("{path}\x1b")]);
    assert!(code == 2 && !shown.contains('\x1b'), "{shown:?}");
}

#[test]
#[cfg(unix)]
fn raw_bytes_are_kept_from_a_terminal() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(2,)", b"AB"));
    for arguments in [["cat", "--raw"], ["cat", "--npy"], ["tail", "--raw"], ["head", "--raw"]] {
        let (code, shown) = terminal(&[&arguments[..], &[&path]].concat());
        assert_eq!(code, 2);
        assert_eq!(
            shown.trim(),
            "npymap: standard output is a terminal, and the output is binary; --force writes it anyway"
        );
    }
    assert_eq!(terminal(&["cat", "--raw", "-f", &path]), (0, "AB".into()));
    assert_eq!(terminal(&["tail", "--raw", "--force", &path]), (0, "AB".into()));
}
