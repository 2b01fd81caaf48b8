//! `cat --rows`, `--rows-from` and `sample`: rows by their numbers.

use std::collections::HashSet;

use super::writing::numpy;
use super::{file, npy, ordered_npy, run_ok, text, trouble};

/// Ten rows of two: 0 1, 2 3, and so on.
fn ten() -> (tempfile::TempDir, String) {
    let data: Vec<u8> = (0..20).collect();
    file("x.npy", &npy("'|u1'", "(10, 2)", &data))
}

#[test]
fn rows_are_printed_in_the_order_in_which_they_are_named() {
    let (_folder, path) = ten();
    assert_eq!(text(["cat", "--rows", "7,0,9,7", "--csv", &path]), "14,15\n0,1\n18,19\n14,15\n");
    // Slices are of these.
    assert_eq!(text(["cat", "--rows", "7,0,9,7", &path, "[1:, 1]"]), "1\n19\n15\n");
    assert_eq!(text(["cat", "--rows", "3", "--jsonl", &path, "[::-1]"]), "[6,7]\n");
    let (_list, rows) = file("rows.npy", &npy("'>i8'", "(2,)", &[[0; 7].as_slice(), &[9], &[0; 8]].concat()));
    assert_eq!(text(["cat", "--rows-from", &rows, "--csv", &path]), "18,19\n0,1\n");
    let (_folder2, records) = file("r.npy", &npy("[('a', '|u1'), ('b', '|S1')]", "(3,)", b"\x01x\x02y\x03z"));
    assert_eq!(text(["cat", "--rows", "2,0", "--csv", &records]), "a,b\n3,z\n1,x\n");
    let (_folder3, out) = ten();
    run_ok(["cat", "--rows", "5,5", "--npy", "-f", "-o", &out, &path]);
    assert_eq!(numpy(&out), "'|u1' (2, 2) C [[10, 11], [10, 11]]");
}

#[test]
fn rows_of_many_blocks_are_read() {
    let data: Vec<u8> = (0..3000_u16).flat_map(|row| row.to_le_bytes().repeat(500)).collect();
    let (_folder, path) = file("x.npy", &npy("'<u2'", "(3000, 500)", &data));
    let rows: Vec<usize> = (0..2500).map(|k| k * 7 % 3000).collect();
    let named: Vec<String> = rows.iter().map(ToString::to_string).collect();
    let printed = text(["cat", "--csv", "--rows", &named.join(","), &path, "[:, 499]"]);
    assert_eq!(printed.lines().collect::<Vec<_>>(), named);
}

#[test]
fn a_sample_has_each_row_once_and_is_the_same_for_the_same_seed() {
    let (_folder, path) = ten();
    let sample = |arguments: &[&str]| text([&["sample", "--csv", &path], arguments].concat());
    let four = sample(&["-n", "4", "--seed", "3"]);
    assert_eq!(four, sample(&["-n", "4", "--seed", "3"]));
    let different: HashSet<&str> = four.lines().collect();
    assert_eq!((different.len(), four.lines().count()), (4, 4));
    let seeds: HashSet<String> = (0..20).map(|seed| sample(&["-n", "4", "--seed", &seed.to_string()])).collect();
    assert!(seeds.len() > 10, "{seeds:?}");
    for more in [&["-n", "100"][..], &[]] {
        let all = sample(more);
        let mut rows: Vec<u32> = all.lines().map(|line| line.split(',').next().unwrap().parse().unwrap()).collect();
        rows.sort_unstable();
        assert_eq!(rows, (0..10).map(|row| 2 * row).collect::<Vec<u32>>());
    }
    let (_folder2, none) = file("x.npy", &npy("'|u1'", "(0, 2)", &[]));
    assert_eq!(text(["sample", &none]), "");
}

#[test]
fn rows_that_are_not_there_are_an_error() {
    let (_folder, path) = ten();
    assert!(trouble(["cat", "--rows", "3,10", &path]).contains("there is no row 10: it has 10"));
    assert!(trouble(["cat", "--rows", "-1", &path]).contains("-1"));
    assert!(trouble(["cat", "--rows", "1", "--rows-from", &path, &path]).contains("cannot be used with"));
    assert!(trouble(["cat", "--rows-from", &path, &path]).contains("one axis, and this has 2"));
    let (_list, half) = file("rows.npy", &npy("'<f8'", "(1,)", &1.5_f64.to_le_bytes()));
    assert!(trouble(["cat", "--rows-from", &half, &path]).contains("1.5 is the number of no row"));
    let (_folder2, scalar) = file("x.npy", &npy("'|u1'", "()", &[7]));
    assert!(trouble(["cat", "--rows", "0", &scalar]).contains("0-d"));
    let (_folder3, fortran) = file("x.npy", &ordered_npy("'|u1'", "True", "(2, 2)", &[0; 4]));
    assert!(trouble(["sample", &fortran]).contains("Fortran order"));
}
