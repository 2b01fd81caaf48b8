//! Files far larger than memory: sparse ones, read with a limit on the address space that a mapping would break.

#![cfg(target_os = "linux")]

use std::fs::File;
use std::process::{Command, Output};

use super::{file, npy, ordered_npy, support};

/// Bytes of memory, address space included, that the command may have.
const MEMORY_KIB: usize = 300_000;

/// A sparse file of 100 GB with a number near its end.
fn large(order: &str, shape: &str) -> (tempfile::TempDir, String) {
    let (folder, path) = file("large.npy", &ordered_npy("'<f8'", order, shape, b""));
    let sparse = File::options().write(true).open(&path).unwrap();
    let header = sparse.metadata().unwrap().len();
    sparse.set_len(header + 100_000_000_000).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&sparse, &1.5_f64.to_le_bytes(), header + 99_999_999_992).unwrap();
    (folder, path)
}

/// Runs a shell command line in which `$N` is the command and `$F` the file.
fn shell(line: &str, path: &str) -> Output {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -v {MEMORY_KIB}; {line}"));
    shell.env("N", env!("CARGO_BIN_EXE_npymap")).env("F", path).output().unwrap()
}

fn shown(line: &str, path: &str) -> String {
    let output = shell(line, path);
    assert!(output.status.success() && output.stderr.is_empty(), "{line}: {output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_hundred_gigabytes_take_no_more_memory_than_a_hundred_bytes() {
    let (_folder, path) = large("False", "(1250000000, 10)");
    let output = shell("$N cat --raw $F | head -c 10000000", &path);
    assert_eq!((output.stdout.len(), output.stderr.len()), (10_000_000, 0));
    assert!(shown("$N info $F", &path).contains("nbytes       100000000000 bytes (93.1 GiB)"));
    assert!(shown("$N show $F", &path).ends_with(" [0.  0.  0.  ... 0.  0.  0. ]\n [0.  0.  0.  ... 0.  0.  1.5]]\n"));
    assert_eq!(shown("$N tail -n 1 --csv $F", &path), "0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,1.5\n");
    assert_eq!(shown("$N head -n 2 $F", &path).lines().count(), 2);
    assert_eq!(shown("$N cat $F '[-2:, -1]'", &path), "0.0\n1.5\n");
    assert_eq!(shown("$N cat $F '[::-1, ::-9]' | head -n 1", &path), "1.5 0.0\n");
    assert_eq!(shown("$N cat --raw $F '[::100000000]' | wc -c", &path).trim(), "1040");
    assert_eq!(shown("$N cat --jsonl $F | head -n 1", &path), "[0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0]\n");
    assert_eq!(shown("cat $F | $N head -n1 --csv -", &path), "0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0,0.0\n");
}

#[test]
fn nor_do_they_in_fortran_order() {
    let (_folder, path) = large("True", "(1250000, 10000)");
    let output = shell("$N cat --raw $F | head -c 10000000", &path);
    assert_eq!((output.stdout.len(), output.stderr.len()), (10_000_000, 0));
    assert!(shown("$N show $F", &path).ends_with(" [0.  0.  0.  ... 0.  0.  1.5]]\n"));
    assert!(shown("$N tail -n 2 $F", &path).ends_with("\n [0.  0.  0.  ... 0.  0.  1.5]]\n"));
    assert_eq!(shown("$N tail -n 1 --raw $F | wc -c", &path).trim(), "80000");
    assert_eq!(shown("$N cat $F '[-1, -1]'", &path), "1.5\n");
    assert_eq!(shown("$N cat --raw $F '[:, -1]' | tail -c 8 | od -An -tf8", &path).trim(), "1.5");
}

#[test]
fn one_row_as_large_as_the_file_is_streamed_too() {
    let (_folder, path) = large("False", "(1, 12500000000)");
    assert_eq!(shown("$N cat --jsonl $F | head -c 9", &path), "[0.0,0.0,");
    assert_eq!(shown("$N cat --csv $F | head -c 8", &path), "0.0,0.0,");
    assert!(shown("$N head $F", &path).ends_with("... 0.  0.  1.5]]\n"));
    let (_folder, path) = large("True", "(1, 12500000000)");
    assert_eq!(shown("$N cat $F | head -c 8", &path), "0.0 0.0 ");
}

#[test]
fn a_header_that_claims_more_than_there_is_costs_nothing() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    std::fs::write(&path, npy("'|u1'", "(1000000000000000,)", &[1])).unwrap();
    let path = path.to_str().unwrap();
    for line in ["$N cat --raw $F", "$N show $F", "cat $F | $N tail -n1 -", "cat $F | $N cat -s ::-1 -"] {
        let output = shell(line, path);
        assert_eq!(output.status.code(), Some(2), "{line}: {output:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("1000000000000000"));
    }
}
