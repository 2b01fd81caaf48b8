//! Our own readers beside a log that grows, in one process; `tests/followers.rs` has those in others.

use std::fs;
use std::time::Duration;

use npymap::{Appender, NpyFile};

use crate::growing::{self, Row, field, row, rows};
use crate::support;

/// A reader of ours, a mapping of NumPy's and one that was open before see the same rows.
#[test]
fn reader_that_was_open_before_follows() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<Row>::create(&path).unwrap();
    let mut file = NpyFile::open(&path).unwrap();
    assert_eq!(file.rows(), 0);
    log.extend(&rows(0..10)).unwrap();
    assert_eq!(file.refresh().unwrap(), 0);
    log.commit().unwrap();
    assert_eq!((file.rows(), file.refresh().unwrap(), file.rows()), (0, 10, 10));
    assert_eq!(file.read_rows::<Row>(0..10).unwrap(), rows(0..10));
    assert_eq!(file.wait(9, Duration::from_secs(9)).unwrap(), 10);
    let start = std::time::Instant::now();
    assert_eq!(file.wait(10, Duration::from_millis(50)).unwrap(), 10);
    assert!(start.elapsed() >= Duration::from_millis(50));
    let waiting = std::thread::spawn(move || file.wait(10, Duration::from_secs(20)).unwrap());
    log.push(&row(10)).unwrap();
    log.commit().unwrap();
    assert_eq!(waiting.join().unwrap(), 11);
}

/// A count that goes down (the file was made anew in place) is not followed: rows that were seen stay seen.
#[test]
fn count_never_falls_for_a_reader() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    growing::sparse_log(&path, 10, 10);
    let mut file = NpyFile::open(&path).unwrap();
    let mut bytes = fs::read(&path).unwrap();
    bytes[64..80].copy_from_slice(&field(4));
    fs::write(&path, bytes).unwrap();
    match file.refresh() {
        Ok(rows) => assert_eq!(rows, 10),
        Err(error) => assert_eq!(file.rows(), 10, "{error}"),
    }
}
