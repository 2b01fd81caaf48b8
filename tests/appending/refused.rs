//! What a log does when the disk refuses to sync it, and when somebody else changes the file beneath it.

use std::fs::{self, File};
use std::io::Write;
use std::path::Path;

use npymap::{AppendOptions, Appender, Error, NpyFile, verify};
use serde_json::json;

use crate::growing::{DATA, Process, ROW, Row, orders, row, rows, say};
use crate::support;
use crate::support::live::ask;

/// A log of ten rows that are counted, and one that is written only.
fn log_of(path: &Path) -> Appender<Row> {
    let mut log = AppendOptions::new().buffer_size(0).create(path).unwrap();
    log.extend(&rows(0..10)).unwrap();
    log.commit().unwrap();
    log.push(&row(10)).unwrap();
    assert_eq!(fs::metadata(path).unwrap().len(), DATA + 11 * ROW);
    log
}

fn refuses_for_good(log: &mut Appender<Row>) {
    for refused in [log.push(&row(99)), log.commit(), log.sync(), log.sync_async(), log.poll()] {
        assert!(matches!(refused, Err(Error::Poisoned { .. })), "{refused:?}");
    }
}

#[test]
#[ignore = "a process that another test starts"]
fn whoever_cannot_sync() {
    let Some(orders) = orders() else { return };
    for (name, waits) in [("waits.npy", true), ("goes_on.npy", false)] {
        let path = Path::new(&orders[0]).join(name);
        let mut log = log_of(&path);
        let refused = if waits { log.sync() } else { log.sync_async().and_then(|()| log.commit()) };
        let Err(Error::Io { operation: "sync", path: Some(named), source }) = refused else { panic!("{refused:?}") };
        assert_eq!((named, source.raw_os_error()), (path.clone(), Some(5)));
        assert_eq!((log.synced(), log.committed()), (0, 10));
        refuses_for_good(&mut log);
        // Whatever the disk has kept of the rest, nobody will take it for what was written.
        assert_eq!(fs::metadata(&path).unwrap().len(), DATA + 10 * ROW);
        drop(log);
        let mut log = Appender::<Row>::open(&path).unwrap();
        assert!(log.recovery().is_clean());
        assert_eq!(log.rows(), 10);
        log.push(&row(10)).unwrap();
        log.close().unwrap();
    }
    say("done");
}

#[test]
#[cfg(target_os = "linux")]
fn rows_of_a_sync_that_failed_are_not_taken_for_written_when_the_file_is_opened_again() {
    let folder = support::temp_dir();
    let Some(command) = support::forbidding(&["fdatasync", "5"]) else { return };
    let process = Process::start_by(command, "refused::whoever_cannot_sync", &[folder.path().to_str().unwrap()]);
    assert_eq!(process.finish(), ["done"]);
    for name in ["waits.npy", "goes_on.npy"] {
        let read = NpyFile::open(folder.path().join(name)).unwrap().read_all::<Row>().unwrap();
        assert_eq!(read, rows(0..11), "{name}");
    }
}

#[test]
fn a_file_that_somebody_has_cut_gets_no_hole() {
    // Below what is counted, below what is written, and into the header.
    for size in [DATA + 9 * ROW + 1, DATA + 10 * ROW + 1, 100] {
        for push in [true, false] {
            let folder = support::temp_dir();
            let path = folder.path().join("log.npy");
            let mut log = log_of(&path);
            File::options().write(true).open(&path).unwrap().set_len(size).unwrap();
            let refused = if push { log.push(&row(11)).and_then(|()| log.push(&row(12))) } else { log.commit() };
            let Err(Error::DataTruncated { shape, needed, held, .. }) = refused else { panic!("{refused:?}") };
            assert_eq!((shape.as_str(), needed), ("(11, 3)", 11 * ROW));
            assert_eq!(held, size.saturating_sub(DATA));
            refuses_for_good(&mut log);
            drop(log);
            assert_eq!(fs::metadata(&path).unwrap().len(), size);
        }
    }
}

#[test]
fn what_somebody_else_has_appended_is_not_written_over() {
    for sync in [false, true] {
        let folder = support::temp_dir();
        let path = folder.path().join("log.npy");
        let mut log = log_of(&path);
        File::options().append(true).open(&path).unwrap().write_all(b"theirs").unwrap();
        let before = fs::read(&path).unwrap();
        let refused = if sync { log.sync() } else { log.push(&row(11)).and_then(|()| log.commit()) };
        let Err(Error::TrailingBytes { after, bytes: 6 }) = refused else { panic!("{refused:?}") };
        assert_eq!(after, DATA + 11 * ROW);
        refuses_for_good(&mut log);
        drop(log);
        assert!(fs::read(&path).unwrap() == before);
        assert_eq!(ask("np.load(path, mmap_mode='r').shape", &json!({"path": path})), json!([10, 3]));
        assert!(!verify(&path).unwrap().is_sound());
    }
}

#[test]
fn a_log_may_be_shared_between_threads() {
    fn shared<T: Send + Sync>() {}
    shared::<Appender<Row>>();
    shared::<npymap::AppenderAny>();
}
