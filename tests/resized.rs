//! Files that grow by rows of zeros and are cut, by name and without a mapping.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

#[cfg(target_os = "linux")]
mod growing;
mod made;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use npymap::{Appender, Error, NpyFile, WriteOptions, grow, shrink_to};
use serde_json::{Value, json};

fn numpys(expression: &str) -> (tempfile::TempDir, PathBuf) {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    support::live::ask(&format!("np.save(path, {expression})"), &json!({"path": path}));
    (folder, path)
}

fn ask(path: &Path, expression: &str) -> Value {
    support::live::ask(&format!("(lambda a: {expression})(np.load(path))"), &json!({"path": path}))
}

/// The array as lists; and that the file ends where it does.
fn listed(path: &Path) -> Value {
    let header = NpyFile::read_header(path).unwrap();
    assert_eq!(fs::metadata(path).unwrap().len(), (header.data_offset() + header.nbytes()) as u64);
    ask(path, "a.tolist()")
}

#[test]
fn numpys_files_of_every_layout_grow_and_shrink_in_place() {
    for (expression, grown, shrunk) in [
        ("np.arange(4, dtype='>u2')", json!([0, 1, 2, 3, 0, 0]), json!([0, 1])),
        ("np.arange(4, dtype='u2').reshape(2, 2)", json!([[0, 1], [2, 3], [0, 0], [0, 0]]), json!([[0, 1], [2, 3]])),
        ("np.arange(4, dtype='u2').reshape(2, 2).T", json!([[0, 2, 0, 0], [1, 3, 0, 0]]), json!([[0, 2], [1, 3]])),
        ("np.array([True])", json!([true, false, false]), json!([true, false])),
        ("np.array(['ab'])", json!(["ab", "", ""]), json!(["ab", ""])),
        ("np.zeros((0, 2))", json!([[0.0, 0.0], [0.0, 0.0]]), json!([[0.0, 0.0], [0.0, 0.0]])),
    ] {
        let (_folder, path) = numpys(expression);
        let offset = NpyFile::read_header(&path).unwrap().data_offset();
        grow(&path, 2).unwrap();
        assert_eq!(listed(&path), grown, "{expression}");
        shrink_to(&path, 2).unwrap();
        assert_eq!(listed(&path), shrunk, "{expression}");
        assert_eq!(NpyFile::read_header(&path).unwrap().data_offset(), offset);
        shrink_to(&path, 0).unwrap();
        grow(&path, 0).unwrap();
        assert_eq!(ask(&path, "a.size"), json!(0));
        // What comes back is zeros.
        grow(&path, 1).unwrap();
        assert_eq!(ask(&path, "bool((a == np.zeros_like(a)).all()) and a.size > 0"), json!(true), "{expression}");
    }
}

#[test]
fn an_empty_array_in_either_order_grows_along_its_own_axis() {
    let (_folder, path) = numpys("np.zeros((0, 3), 'u1')");
    grow(&path, 2).unwrap();
    assert_eq!(ask(&path, "[a.shape, bool(a.flags.fnc)]"), json!([[2, 3], false]));
    let file =
        made::version(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (3, 0), }                      \n", &[]);
    fs::write(&path, file).unwrap();
    grow(&path, 2).unwrap();
    assert_eq!(ask(&path, "[a.shape, bool(a.flags.fnc)]"), json!([[3, 2], true]));
}

#[test]
fn counts_cross_every_power_of_ten_and_a_follower_sees_them() {
    for appendable in [false, true] {
        let (_folder, path) = numpys("np.zeros(0, 'u1')");
        WriteOptions::new().appendable(appendable).save(&path, [1], &[7_u8]).unwrap();
        let mut follower = NpyFile::open(&path).unwrap();
        for rows in [9, 10, 99, 100, 101, 999, 1000, 99_999, 100_000] {
            grow(&path, rows - follower.shape()[0]).unwrap();
            assert_eq!((follower.refresh().unwrap(), NpyFile::open(&path).unwrap().shape()), (rows, [rows].as_slice()));
        }
        assert_eq!(ask(&path, "[len(a), int(a.sum())]"), json!([100_000, 7]));
        shrink_to(&path, 9).unwrap();
        assert!(follower.refresh().is_err(), "rows that were seen are gone");
        assert_eq!(ask(&path, "[len(a), int(a.sum())]"), json!([9, 7]));
    }
}

#[test]
fn what_cannot_be_resized_is_an_error_and_stays_as_it_is() {
    let small = made::c_npy("'|u1'", "(3,)", &[1, 2, 3]);
    let full = made::version(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }\n", &[1; 9]);
    let carry = "{'descr': '|u1', 'fortran_order': False,    'shape': (       10000000 ,), }         \n";
    for (file, kind) in [
        ([small.as_slice(), b"x"].concat(), "trailing_bytes"),
        ([small.as_slice(), &small].concat(), "trailing_bytes"),
        (small[..130].to_vec(), "data_truncated"),
        (small[..100].to_vec(), "header_truncated"),
        (made::c_npy("'|u1'", "()", &[1]), "rank"),
        (made::c_npy("'|O'", "(1,)", &[0; 8]), "object"),
        (made::version(1, carry, &[0; 100]), "unfinished_publish"),
    ] {
        let (_folder, path) = numpys("0");
        fs::write(&path, &file).unwrap();
        assert_eq!((grow(&path, 1).unwrap_err().kind(), shrink_to(&path, 1).unwrap_err().kind()), (kind, kind));
        assert!(fs::read(&path).unwrap() == file, "{kind}");
    }
    let (folder, path) = numpys("0");
    fs::write(&path, &full).unwrap();
    let refused = grow(&path, 1).unwrap_err();
    assert!(matches!(refused, Error::NoHeaderRoom { needed: 1, spare: 0 }), "{refused}");
    assert!(fs::read(&path).unwrap() == full);
    shrink_to(&path, 8).unwrap();
    assert_eq!(listed(&path), json!([1; 8].as_slice()));

    fs::write(&path, &small).unwrap();
    for rows in [usize::MAX, usize::MAX - 3, 1 << 63] {
        assert!(matches!(grow(&path, rows), Err(Error::ShapeTooLarge { .. })), "{rows}");
    }
    assert!(matches!(grow(&path, 1 << 55), Err(Error::NoSpace { .. })));
    assert!(matches!(shrink_to(&path, 4), Err(Error::OutOfBounds { len: 3, .. })));
    assert!(fs::read(&path).unwrap() == small);
    let none = folder.path().join("none.npy");
    assert!(matches!((grow(&none, 1), shrink_to(&none, 0)), (Err(Error::Io { .. }), Err(Error::Io { .. }))));
    assert!(!none.exists());
}

#[test]
fn a_file_that_is_appended_to_is_not_resized() {
    let (_folder, path) = numpys("np.array([1, 2, 3], 'u1')");
    let mut rows = Appender::<u8>::open(&path).unwrap();
    assert!(matches!(grow(&path, 1), Err(Error::Locked { .. })));
    assert!(matches!(shrink_to(&path, 1), Err(Error::Locked { .. })));
    rows.push(&4).unwrap();
    rows.close().unwrap();
    shrink_to(&path, 2).unwrap();
    grow(&path, 1).unwrap();
    assert_eq!(listed(&path), json!([1, 2, 0]));
    let mut rows = Appender::<u8>::open(&path).unwrap();
    rows.push(&5).unwrap();
    rows.close().unwrap();
    assert_eq!(listed(&path), json!([1, 2, 0, 5]));
}

/// Grows a file by two rows.
#[test]
#[cfg(target_os = "linux")]
#[ignore = "a process that another test starts"]
fn whoever_grows_it() {
    let Some(orders) = growing::orders() else { return };
    grow(&orders[0], 2).unwrap();
    growing::say("done");
}

#[test]
#[cfg(target_os = "linux")]
fn whoever_is_killed_while_numpys_file_grows_leaves_nothing_that_could_be_another_array() {
    use std::os::unix::process::ExitStatusExt;

    use npymap::{Problem, verify};

    const BAD_CALL: i32 = 31;
    // Before there is room for the rows, and before they are counted, in bytes 72 to 80.
    for (what, uncounted) in [(["fallocate", "kill"].as_slice(), 0), (&["pwrite64", "kill", "3", "72"], 2)] {
        let (_folder, path) = numpys("np.ones((2, 2))");
        let Some(command) = support::forbidding(what) else { return };
        let mut process = growing::Process::start_by(command, "whoever_grows_it", &[path.to_str().unwrap()]);
        assert_eq!((process.line(), process.child.wait().unwrap().signal()), (None, Some(BAD_CALL)));
        assert_eq!(ask(&path, "a.tolist()"), json!([[1.0, 1.0], [1.0, 1.0]]));
        let found = verify(&path).unwrap();
        let wanted = if uncounted > 0 { vec![Problem::UncountedRows { rows: uncounted }] } else { vec![] };
        assert_eq!((found.problems, found.rows_in_header), (wanted, Some(2)));
        let log = Appender::<[f64; 2]>::open(&path).unwrap();
        assert_eq!((log.recovery().adopted, log.rows() as u64), (uncounted, 2 + uncounted));
        drop(log);
        grow(&path, 1).unwrap();
        assert_eq!(ask(&path, "len(a)"), json!(3 + uncounted));
    }
}

/// Grows a mapped file and flushes it, where nothing but what is mapped can be made durable.
#[test]
#[cfg(all(target_os = "linux", feature = "mmap"))]
#[ignore = "a process that another test starts"]
#[expect(unsafe_code, reason = "maps")]
fn whoever_flushes_it() {
    let Some(orders) = growing::orders() else { return };
    // SAFETY: nobody else knows the file.
    let mut x = unsafe { npymap::Npy::<f64>::map_mut(&orders[0]) }.unwrap();
    x.flush().unwrap();
    x.grow(1).unwrap();
    x.flush_async().unwrap();
    for refused in [x.flush(), x.flush_rows(0..1), x.flush_rows(2..2)] {
        let Err(Error::Io { operation: "flush", source, .. }) = refused else { panic!("{refused:?}") };
        assert_eq!(source.raw_os_error(), Some(5));
    }
    growing::say("done");
}

/// The count and the length of a file that has grown aren't in its mapping.
#[test]
#[cfg(all(target_os = "linux", feature = "mmap"))]
fn flushing_a_mapping_makes_durable_what_it_has_grown_by() {
    let (_folder, path) = numpys("np.ones((2, 2))");
    let Some(command) = support::forbidding(&["fdatasync", "5"]) else { return };
    let process = growing::Process::start_by(command, "whoever_flushes_it", &[path.to_str().unwrap()]);
    assert_eq!(process.finish(), ["done"]);
}
