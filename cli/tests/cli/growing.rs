//! `append` and `tail -f` while the input is still coming, files that writers have left, and those that two write to.

use std::io::{BufRead, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use super::writing::{numpy, run_with};
use super::{file, npy, npymap, run, run_ok, support, text, trouble};

/// Longer than anything takes here, however busy the machine is.
const LONG: Duration = Duration::from_secs(60);

/// Starts the command with its standard input held open.
fn start(arguments: &[&str]) -> (Child, ChildStdin) {
    let mut command = npymap(arguments);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let stdin = child.stdin.take().unwrap();
    (child, stdin)
}

/// Waits until a file prints this.
fn wait_for(path: &str, wanted: &str) {
    let start = Instant::now();
    loop {
        let output = run(["cat", "--csv", path]);
        let found = String::from_utf8(output.stdout).unwrap();
        if output.status.success() && found == wanted {
            return;
        }
        assert!(start.elapsed() < LONG, "{wanted:?} didn't come, but {found:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Waits for the end of a command.
fn exit_code(mut child: Child) -> Option<i32> {
    let start = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if start.elapsed() > LONG {
            child.kill().unwrap();
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait().unwrap().code()
}

/// Lines as they come, from a thread, so that a test can give up waiting for one.
fn lines(child: &mut Child) -> Receiver<String> {
    let stdout = BufReader::new(child.stdout.take().unwrap());
    let (sender, receiver) = channel();
    std::thread::spawn(move || stdout.lines().map_while(Result::ok).try_for_each(|line| sender.send(line)));
    receiver
}

#[test]
fn rows_are_visible_while_the_input_goes_on() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let path = path.to_str().unwrap();
    let (log, mut input) = start(&["append", path, "--from=csv", "--create", "--dtype=i4", "--every=20ms"]);
    input.write_all(b"1\n2\n3").unwrap();
    wait_for(path, "1\n2\n");
    // The line that has ended, and then the rest without a newline.
    input.write_all(b"4\n5").unwrap();
    wait_for(path, "1\n2\n34\n");
    drop(input);
    assert_eq!(exit_code(log), Some(0));
    assert_eq!(numpy(path), "'<i4' (4,) C [1, 2, 34, 5]");

    let (log, mut input) = start(&["append", path, "--from=raw", "--every=2"]);
    input.write_all(&[6, 0, 0, 0, 7, 0, 0, 0, 8, 0]).unwrap();
    wait_for(path, "1\n2\n34\n5\n6\n7\n");
    input.write_all(&[0, 0, 9, 0, 0, 0]).unwrap();
    wait_for(path, "1\n2\n34\n5\n6\n7\n8\n9\n");
    drop(input);
    assert_eq!(exit_code(log), Some(0));
}

#[test]
fn npy_streams_are_known_by_their_start_and_converted_as_they_come() {
    let (_folder, path) = file("x.npy", &npy("[('a', '<i2'), ('b', '<c8')]", "(0,)", &[]));
    let other = npy("[('a', '>i2'), ('', '|V2'), ('b', '>c8')]", "(2,)", &{
        let record =
            |n: u8, part: f32| [vec![0, n, 9, 9], part.to_be_bytes().to_vec(), (-part).to_be_bytes().to_vec()].concat();
        [record(1, 0.5), record(2, 1.5)].concat()
    });
    let (log, mut input) = start(&["append", &path, "--every=10ms"]);
    // The first record, and a part of the second.
    let (first, second) = other.split_at(other.len() - 5);
    input.write_all(first).unwrap();
    wait_for(&path, "a,b\n1,0.5-0.5j\n");
    input.write_all(second).unwrap();
    // What follows the array isn't of it.
    input.write_all(b"and so on, for much longer than a record").unwrap();
    drop(input);
    assert_eq!(exit_code(log), Some(0));
    assert_eq!(text(["cat", "--csv", &path]), "a,b\n1,0.5-0.5j\n2,1.5-1.5j\n");

    let (code, told) = run_with(first, &["append", &path, "-"]);
    assert_eq!(code, Some(2));
    assert!(told.contains(": 1 row appended\n") && told.contains("standard input: "), "{told}");
    assert!(told.contains("needs 24 bytes after byte"), "{told}");
    let (code, told) = run_with(b"a,b\n1,2\n", &["append", &path]);
    assert_eq!(code, Some(2));
    assert!(told.contains("standard input: is no .npy file; say what it is: --from csv or raw"), "{told}");
}

#[test]
fn tail_ends_when_its_reader_has_left() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(2,)", &[1, 2]));
    let mut tail = npymap(["tail", "-f", &path]).stdout(Stdio::piped()).spawn().unwrap();
    let mut stdout = tail.stdout.take().unwrap();
    let mut there = [0; 4];
    stdout.read_exact(&mut there).unwrap();
    assert_eq!(&there, b"1\n2\n");
    // Nothing is ever appended.
    drop(stdout);
    assert_eq!(exit_code(tail), Some(0));
}

#[test]
fn tail_follows_in_every_form() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let path = path.to_str().unwrap();
    run_ok(["create", path, "--dtype", "[('a', '<i4'), ('b', 'S3')]", "--shape", "0", "--appendable"]);
    let forms: [(&[&str], &[&str], [&str; 2]); 5] = [
        (&["--csv"], &["a,b"], ["1,x", "2,\"y,\""]),
        (&["--jsonl"], &[], ["{\"a\":1,\"b\":\"x\"}", "{\"a\":2,\"b\":\"y,\"}"]),
        (&[], &[], ["1 x", "2 y,"]),
        (&["-s", "['a']"], &[], ["1", "2"]),
        (&["--csv", "-s", "[['b']]"], &["b"], ["x", "\"y,\""]),
    ];
    let mut tails = Vec::new();
    for (form, titles, wanted) in forms {
        let arguments = [&["tail", "-f"], form, &[path]].concat();
        let mut tail = npymap(arguments).stdout(Stdio::piped()).spawn().unwrap();
        let lines = lines(&mut tail);
        // They are there before there is a row.
        for title in titles {
            assert_eq!(lines.recv_timeout(LONG).unwrap(), *title);
        }
        tails.push((tail, lines, wanted));
    }
    for (at, row) in ["1,x", "2,\"y,\""].into_iter().enumerate() {
        let (code, told) = run_with(format!("a,b\n{row}\n").as_bytes(), &["append", path, "--from=csv"]);
        assert_eq!(code, Some(0), "{told}");
        for (_, lines, wanted) in &tails {
            assert_eq!(lines.recv_timeout(LONG).unwrap(), wanted[at]);
        }
    }
    for (mut tail, ..) in tails {
        tail.kill().unwrap();
        tail.wait().unwrap();
    }
}

#[test]
#[cfg(unix)]
fn tail_goes_on_with_a_file_that_was_laid_out_anew() {
    let (folder, path) = file("x.npy", &npy("'|u1'", "(2,)", &[1, 2]));
    let mut tail = npymap(["tail", "-f", &path]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let lines = lines(&mut tail);
    assert_eq!([lines.recv_timeout(LONG).unwrap(), lines.recv_timeout(LONG).unwrap()], ["1", "2"]);
    run_ok(["relayout", &path]);
    let (code, told) = run_with(&[3], &["append", &path, "--from=raw"]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(lines.recv_timeout(LONG).unwrap(), "3");
    let other = folder.path().join("other.npy");
    std::fs::write(&other, npy("'|u1'", "(1,)", &[1])).unwrap();
    std::fs::rename(&other, &path).unwrap();
    let mut told = String::new();
    let mut stderr = tail.stderr.take().unwrap();
    assert_eq!(exit_code(tail), Some(2));
    stderr.read_to_string(&mut told).unwrap();
    assert_eq!(told, format!("npymap: {path}: was replaced by another array, after 3 rows\n"));
}

#[test]
fn what_is_to_be_made_must_be_what_is_there() {
    let (_folder, path) = file("x.npy", &npy("'<f4'", "(1, 2)", &[0; 8]));
    let before = std::fs::read(&path).unwrap();
    for arguments in [
        &["--from=csv", "--create", "--dtype=f8", "--row-shape=2"][..],
        &["--from=csv", "--create", "--dtype=f4", "--row-shape=3"],
        &["--from=csv", "--create", "--dtype=f4"],
        &["--from=csv", "--create", "--row-shape=3"],
    ] {
        for more in [&[][..], &["--dry-run"]] {
            let (code, told) = run_with(b"1,2\n", &[&["append", &path], arguments, more].concat());
            assert_eq!(code, Some(2), "{arguments:?}: {told}");
            assert_eq!(std::fs::read(&path).unwrap(), before);
        }
    }
    let arguments = ["append", &path, "--from=csv", "--create", "--dtype=<f4", "--row-shape=2", "-q"];
    assert_eq!(run_with(b"1,2\n", &arguments), (Some(0), String::new()));
    assert_eq!(numpy(&path), "'<f4' (2, 2) C [[0.0, 0.0], [1.0, 2.0]]");
    let (code, told) = run_with(b"1\n", &["append", "missing.npy", "--from=csv", "--create"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("--create needs --dtype, unless the input is .npy"), "{told}");
}

#[test]
fn a_second_writer_is_refused_or_waits() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(1,)", &[1]));
    let (log, mut input) = start(&["append", &path, "--from=raw", "--every=1"]);
    input.write_all(&[2]).unwrap();
    wait_for(&path, "1\n2\n");
    for arguments in [&["append", &path, "--from=raw"][..], &["grow", &path, "--by=1"], &["relayout", &path]] {
        let (code, told) = run_with(&[3], arguments);
        assert_eq!(code, Some(2), "{arguments:?}");
        assert!(told.starts_with(&format!("npymap: {path}: ")) && told.contains("lock"), "{arguments:?}: {told}");
    }
    assert_eq!(text(["verify", &path]), format!("{path}: sound, and is being appended to\n"));
    let (waiting, mut later) = start(&["append", &path, "--from=raw", "--wait=60"]);
    later.write_all(&[4]).unwrap();
    drop(later);
    drop(input);
    assert_eq!((exit_code(log), exit_code(waiting)), (Some(0), Some(0)));
    assert_eq!(numpy(&path), "'|u1' (3,) C [1, 2, 4]");
}

#[test]
fn what_a_writer_left_is_put_right_and_told() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let name = path.to_str().unwrap();
    run_ok(["create", name, "--dtype", "<i2", "--shape", "2", "--appendable"]);
    let mut left = std::fs::OpenOptions::new().append(true).open(&path).unwrap();
    left.write_all(&[3, 0, 4, 0, 5]).unwrap();
    let (code, told) = run_with(&[7, 0], &["append", name, "--from=raw", "--dry-run"]);
    assert_eq!(code, Some(0));
    assert!(told.contains("2 whole rows are not counted") && told.contains("would append 1 row, 2 bytes"), "{told}");
    let (code, told) = run_with(&[7, 0], &["append", name, "--from=raw"]);
    assert_eq!(code, Some(0));
    for wanted in
        ["2 rows from a writer that died before it counted them, counted now", "1 bytes that were not counted"]
    {
        assert!(told.contains(wanted), "{told}");
    }
    assert_eq!(numpy(name), "'<i2' (5,) C [0, 0, 3, 4, 7]");

    // In a file of NumPy's it may be anything.
    std::fs::write(&path, npy("'<i2'", "(1,)", &[1, 0, 2, 0])).unwrap();
    let (code, told) = run_with(&[7, 0], &["append", name, "--from=raw"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("2 bytes follow"), "{told}");
    let (code, told) = run_with(&[7, 0], &["append", name, "--from=raw", "--discard-tail"]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(numpy(name), "'<i2' (2,) C [1, 7]");
}

#[test]
fn columns_grow_by_lines_of_text_in_fortran_order() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let path = path.to_str().unwrap();
    run_ok(["create", path, "--dtype", "i2", "--shape", "3,2", "--fortran"]);
    let (code, told) = run_with(b"1,2,3\n4,5,6\n", &["append", path, "--from=csv"]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(numpy(path), "'<i2' (3, 4) F [[0, 0, 1, 4], [0, 0, 2, 5], [0, 0, 3, 6]]");
    // Whoever says what to make of a file that isn't there takes one that is there in either order.
    let (code, told) = run_with(b"7,8,9\n", &["append", path, "--from=csv", "--create", "--dtype=i2", "--row-shape=3"]);
    assert_eq!(code, Some(0), "{told}");
    assert_eq!(numpy(path), "'<i2' (3, 5) F [[0, 0, 1, 4, 7], [0, 0, 2, 5, 8], [0, 0, 3, 6, 9]]");
    // Rows of more than a line: the last axis is a line, as cat prints it.
    run_ok(["create", "-f", path, "--dtype", "i2", "--shape", "0,2,2"]);
    let (code, told) = run_with(b"1,2\n3,4\n5,6\n", &["append", path, "--from=csv"]);
    assert_eq!(code, Some(2));
    assert!(told.contains("the input ends within a row, of whose 2 lines it has 1"), "{told}");
    assert_eq!(numpy(path), "'<i2' (1, 2, 2) C [[[1, 2], [3, 4]]]");
}

#[test]
fn what_cannot_be_appended_to_is_said() {
    let (_folder, scalar) = file("x.npy", &npy("'<i2'", "()", &[1, 0]));
    let (_folder2, nothing) = file("x.npy", &npy("'<i2'", "(3, 0)", &[]));
    for more in [&[][..], &["--dry-run"]] {
        let told = trouble([&["append", &scalar, "--from=raw"], more].concat());
        assert!(told.contains("0-d") || told.contains("dimension"), "{told}");
        let told = trouble([&["append", &nothing, "--from=raw", "-q"], more].concat());
        assert!(told.contains("its rows take no bytes"), "{told}");
    }
    for input in ["missing.csv", "/"] {
        let told = trouble(["append", &nothing, input, "--from=csv", "-q"]);
        assert!(told.starts_with(&format!("npymap: {nothing}: ")), "{told}");
    }
}

#[test]
fn a_file_appended_to_itself_doubles() {
    let (_folder, path) = file("x.npy", &npy("'|u1'", "(2,)", &[1, 2]));
    for rows in [4, 8] {
        let output = run(["append", &path, &path, "--every=1"]);
        assert!(output.status.success(), "{output:?}");
        assert_eq!(run_ok(["cat", "--raw", &path]), [1, 2].repeat(rows / 2));
    }
    let size = std::fs::metadata(&path).unwrap().len();
    let output = run(["append", &path, &path, "--from=raw", "--every=1"]);
    assert!(output.status.success(), "{output:?}");
    assert_eq!(std::fs::metadata(&path).unwrap().len(), 2 * size);
}

#[test]
#[cfg(unix)]
fn rows_that_the_disk_has_no_room_for_are_not_counted() {
    let (_folder, path) = file("x.npy", &npy("'<f8'", "(0, 128)", &[]));
    // A limit of 8 blocks of 512 bytes or 1 KiB stands in for a disk that is full.
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" append \"$1\" --from=raw --every=1";
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", script, env!("CARGO_BIN_EXE_npymap"), &path]);
    let mut child = shell.stdin(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let _ = child.stdin.take().unwrap().write_all(&[1; 64 << 10]);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(2), "{told}");
    let mut words = told.strip_prefix(&format!("npymap: {path}: ")).unwrap().split(' ');
    let rows: usize = words.next().unwrap().parse().unwrap();
    assert!((3..8).contains(&rows) && told.lines().count() == 2, "{told}");
    assert_eq!(run_ok(["cat", "--raw", &path]), vec![1; rows * 1024]);
    assert_eq!(text(["verify", &path]), format!("{path}: sound\n"));
}
