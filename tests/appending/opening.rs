//! Every state that a file can be found in, and what opening it for appending does: what counts, what is cut, what is
//! refused.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use npymap::{AppendOptions, Appender, Error, NpyFile, Order};
use serde_json::json;

use crate::growing::{self, Row, carry_mark, field, row, rows, state};
use crate::support;
use crate::support::live::ask;

fn add(path: &Path, bytes: &[u8]) {
    fs::File::options().append(true).open(path).unwrap().write_all(bytes).unwrap();
}

/// A log of `counted` rows, with `held` of them and then `bytes` behind the header.
fn log(folder: &Path, counted: u64, held: u64, bytes: &[u8]) -> PathBuf {
    let path = folder.join("log.npy");
    let _ = fs::remove_file(&path);
    growing::sparse_log(&path, counted, held);
    add(&path, bytes);
    path
}

/// Opens the log, checks that it holds `held` rows in all ways, appends one and reads them back.
fn goes_on(mut log: Appender<Row>, path: &Path, held: u64) {
    assert_eq!([log.rows(), log.committed()], [held; 2].map(|rows| usize::try_from(rows).unwrap()));
    assert_eq!(state(path), growing::State { field: field(held), counted: Some(held), held, partial: 0 });
    log.push(&row(held)).unwrap();
    log.close().unwrap();
    assert_eq!(
        state(path),
        growing::State { field: field(held + 1), counted: Some(held + 1), held: held + 1, partial: 0 }
    );
    let first = held.saturating_sub(50);
    assert_eq!(growing::stored(path, first, held + 1), growing::bytes(&rows(first..held + 1)));
    let numpys = ask("list(np.load(path, mmap_mode='r').shape)", &json!({"path": path}));
    assert_eq!(numpys, json!([held + 1, 3]));
}

/// Asserts that nothing in the folder has changed while `refused` was.
fn unchanged<T>(folder: &Path, refused: impl FnOnce() -> T) -> T {
    let look = || -> Vec<_> {
        growing::names(folder).into_iter().map(|name| (fs::read(folder.join(&name)).unwrap(), name)).collect()
    };
    let before = look();
    let value = refused();
    assert!(look() == before, "files have changed: {:?}", growing::names(folder));
    value
}

#[test]
fn file_that_is_whole_opens_clean() {
    let folder = support::temp_dir();
    for held in [0, 1, 64, 1000] {
        let path = log(folder.path(), held, held, b"");
        let log = Appender::<Row>::open(&path).unwrap();
        assert!(log.recovery().is_clean(), "{:?}", log.recovery());
        assert_eq!(log.recovery().rows, held);
        assert_eq!((log.path(), log.header().shape()), (path.as_path(), &[usize::try_from(held).unwrap(), 3][..]));
        goes_on(log, &path, held);
    }
    assert_eq!(growing::names(folder.path()), ["log.npy"]);
}

/// From, to: counts whose high words differ.
const CARRIES: [(u64, u64); 8] = [
    (99_999_999, 100_000_000),
    (99_999_990, 100_000_050),
    (5, 100_000_005),
    (0, 300_000_000),
    (199_999_999, 200_000_000),
    (199_999_990, 200_000_050),
    (150_000_000, 250_000_000),
    (999_999_999, 1_000_000_050),
];

#[test]
fn carry_that_was_cut_off_at_any_store_is_finished_and_loses_no_row() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    for (from, to) in CARRIES {
        // What the file holds after the first store, and after the second.
        for mark in [carry_mark(from), carry_mark(to)] {
            for partial in [0, 1, 23] {
                let _ = fs::remove_file(&path);
                growing::sparse_log(&path, to, to);
                fs::File::options().append(true).open(&path).unwrap().write_all(&vec![7; partial]).unwrap();
                write_field(&path, mark);
                let said = String::from_utf8(mark.to_vec()).unwrap();
                // A reader is told, after a while, and takes no count.
                if partial == 0 && to < 200_000_000 {
                    let Err(Error::UnfinishedPublish { field, .. }) = NpyFile::open(&path) else { panic!("{said}") };
                    assert_eq!(field, said);
                }
                let log = Appender::<Row>::open(&path).unwrap_or_else(|error| panic!("{said:?} to {to}: {error}"));
                let recovery = log.recovery();
                assert!(recovery.finished_publish && !recovery.is_clean(), "{recovery:?}");
                assert_eq!((recovery.cut_rows, recovery.cut_bytes), (0, partial as u64), "{recovery:?}");
                assert_eq!(recovery.kept_in, None, "{recovery:?}");
                goes_on(log, &path, to);
            }
        }
    }
    assert_eq!(growing::names(folder.path()), ["log.npy"]);
}

#[test]
fn carry_that_was_cut_off_before_this_boot_is_finished_too() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    // Its rows were written, and where they had to last synced, before the first store.
    growing::sparse_log(&path, 0, 100_000_050);
    write_field(&path, carry_mark(99_999_990));
    growing::make_old(&path);
    let log = Appender::<Row>::open(&path).unwrap();
    assert!(log.recovery().finished_publish, "{:?}", log.recovery());
    goes_on(log, &path, 100_000_050);
}

fn write_field(path: &Path, field: [u8; 16]) {
    use std::io::{Seek, SeekFrom};
    let mut file = fs::File::options().write(true).open(path).unwrap();
    file.seek(SeekFrom::Start(64)).unwrap();
    file.write_all(&field).unwrap();
}

#[test]
fn header_that_counts_rows_which_are_not_there_is_an_error_with_both_numbers() {
    let folder = support::temp_dir();
    for (counted, held, partial) in [(10, 9, 0), (10, 9, 23), (1, 0, 3), (200_000_000, 50, 0)] {
        for old in [false, true] {
            let path = log(folder.path(), counted, held, &vec![1; partial]);
            if old {
                growing::make_old(&path);
            }
            for open in [
                |path: &Path| Appender::<Row>::open(path).map(drop),
                |path: &Path| Appender::<Row>::open_or_create(path).map(drop),
                |path: &Path| AppendOptions::new().open_any(path).map(drop),
                |path: &Path| AppendOptions::new().discard_tail(true).open::<Row>(path).map(drop),
            ] {
                let error = unchanged(folder.path(), || open(&path).unwrap_err());
                let Error::HeaderAhead { header, file } = error else { panic!("{error:?}") };
                assert_eq!([header, file], [counted, held]);
            }
        }
    }
}

#[test]
fn rows_that_were_written_in_this_boot_but_not_counted_are_adopted() {
    let folder = support::temp_dir();
    for (counted, held) in [(0, 1), (3, 10), (99_999_990, 100_000_010), (100_000_000, 100_000_001)] {
        for partial in [0, 5] {
            let path = log(folder.path(), counted, held, &vec![9; partial]);
            let log = Appender::<Row>::open(&path).unwrap();
            let recovery = log.recovery();
            assert_eq!((recovery.rows, recovery.adopted), (counted, held - counted), "{recovery:?}");
            assert_eq!((recovery.cut_rows, recovery.cut_bytes), (0, partial as u64), "{recovery:?}");
            assert!(!recovery.finished_publish && !recovery.is_clean(), "{recovery:?}");
            goes_on(log, &path, held);
        }
    }
}

#[test]
fn rows_from_before_this_boot_that_were_not_counted_are_cut_and_kept() {
    let folder = support::temp_dir();
    for (time, (counted, held, partial)) in
        [(3, 10, 0), (0, 2, 7), (100_000_000, 100_000_003, 1)].into_iter().enumerate()
    {
        let path = log(folder.path(), counted, held, &vec![9; partial]);
        let tail = growing::stored(&path, counted, held);
        growing::make_old(&path);
        let log = Appender::<Row>::open(&path).unwrap();
        let recovery = log.recovery().clone();
        assert_eq!((recovery.rows, recovery.adopted, recovery.cut_rows), (counted, 0, held - counted), "{recovery:?}");
        assert_eq!(recovery.cut_bytes % growing::ROW, partial as u64, "{recovery:?}");
        let kept = recovery.kept_in.unwrap();
        // Never over one that is there.
        assert_eq!(kept, folder.path().join(format!("log.npy.cut-{}", time + 1)));
        let bytes = fs::read(&kept).unwrap();
        assert!(bytes.windows(tail.len()).any(|window| window == tail), "{} bytes in {}", bytes.len(), kept.display());
        goes_on(log, &path, counted);
    }
}

#[test]
fn partial_row_is_cut() {
    let folder = support::temp_dir();
    for old in [false, true] {
        for partial in [1, 8, 23] {
            let path = log(folder.path(), 20, 20, &vec![9; partial]);
            if old {
                growing::make_old(&path);
            }
            let log = Appender::<Row>::open(&path).unwrap();
            let recovery = log.recovery();
            assert_eq!(
                (recovery.cut_bytes, recovery.cut_rows, recovery.adopted),
                (partial as u64, 0, 0),
                "{recovery:?}"
            );
            goes_on(log, &path, 20);
        }
    }
}

/// A file as NumPy writes it, of the rows 0 to 3.
fn foreign(path: &Path) {
    ask("np.save(path, np.array(rows, 'u8').reshape(-1, 3))", &json!({"path": path, "rows": rows(0..3)}));
}

#[test]
fn bytes_behind_the_rows_of_a_foreign_file_are_refused_and_stay() {
    let folder = support::temp_dir();
    let path = folder.path().join("foreign.npy");
    for trailing in [1, 24, 48, 1000] {
        for old in [false, true] {
            foreign(&path);
            add(&path, &vec![0xab; trailing]);
            if old {
                growing::make_old(&path);
            }
            let error = unchanged(folder.path(), || Appender::<Row>::open(&path).unwrap_err());
            let Error::TrailingBytes { after, bytes } = error else { panic!("{error:?}") };
            assert_eq!((after, bytes), (128 + 72, trailing as u64));
        }
    }
}

#[test]
fn bytes_behind_the_rows_of_a_foreign_file_go_where_that_is_asked_for() {
    let folder = support::temp_dir();
    let path = folder.path().join("foreign.npy");
    foreign(&path);
    add(&path, &[0xab; 1000]);
    let mut log = AppendOptions::new().discard_tail(true).open::<Row>(&path).unwrap();
    assert!(!log.recovery().is_clean(), "{:?}", log.recovery());
    assert_eq!((log.recovery().adopted, log.rows()), (0, 3), "{:?}", log.recovery());
    log.push(&row(3)).unwrap();
    log.close().unwrap();
    let numpys = ask("np.load(path).tolist()", &json!({"path": path}));
    assert_eq!(numpys, json!(rows(0..4)));
    assert_eq!(fs::metadata(&path).unwrap().len(), 128 + 96);
}

/// `np.save(f, a); np.save(f, b)` is how NumPy's users keep several arrays in one file.
#[test]
fn second_array_in_the_file_is_never_cut_nor_taken_for_rows() {
    let folder = support::temp_dir();
    let path = folder.path().join("two.npy");
    let second = "b = io.BytesIO(); np.save(b, np.arange(n, dtype=dtype)); open(path, 'ab').write(b.getvalue())";
    let second = format!("import io\n{second}");
    for ours in [false, true] {
        for old in [false, true] {
            for (n, dtype) in [(1000, "<f4"), (0, "<f8"), (2, "<u8"), (3, "|u1")] {
                if ours {
                    let _ = fs::remove_file(&path);
                    growing::sparse_log(&path, 3, 3);
                } else {
                    foreign(&path);
                }
                ask(&second, &json!({"path": path, "n": n, "dtype": dtype}));
                if old {
                    growing::make_old(&path);
                }
                for open in [
                    |path: &Path| Appender::<Row>::open(path).map(drop),
                    |path: &Path| Appender::<Row>::open_or_create(path).map(drop),
                    |path: &Path| AppendOptions::new().open_any(path).map(drop),
                ] {
                    let error = unchanged(folder.path(), || {
                        open(&path)
                            .err()
                            .unwrap_or_else(|| panic!("opened with a second array, ours: {ours}, old: {old}"))
                    });
                    let Error::TrailingBytes { after, bytes } = error else { panic!("{error:?}") };
                    let first = if ours { 4096 + 72 } else { 128 + 72 };
                    assert_eq!((after, after + bytes), (first, fs::metadata(&path).unwrap().len()));
                }
                let both = "f = open(path, 'rb')\nassert np.load(f).tolist() == rows\nassert len(np.load(f)) == n";
                ask(both, &json!({"path": path, "rows": rows(0..3), "n": n}));
            }
        }
    }
}

#[test]
fn another_dtype_or_row_shape_than_the_files_is_an_error_and_changes_nothing() {
    let folder = support::temp_dir();
    let path = log(folder.path(), 3, 5, &[1; 3]);
    unchanged(folder.path(), || {
        let error = Appender::<[i64; 3]>::open(&path).unwrap_err();
        assert!(matches!(error, Error::DType { .. }), "{error:?}");
        let error = Appender::<[f64; 3]>::open_or_create(&path).unwrap_err();
        assert!(matches!(error, Error::DType { .. }), "{error:?}");
        // A row is three numbers here.
        assert!(Appender::<[u64; 2]>::open(&path).is_err());
        let error = AppendOptions::new().row_shape([2]).open::<u64>(&path).unwrap_err();
        assert!(matches!(error, Error::RowShape { .. }), "{error:?}");
    });
}

#[test]
fn file_without_rows_to_grow_by_is_refused() {
    let folder = support::temp_dir();
    let path = folder.path().join("scalar.npy");
    ask("np.save(path, np.uint64(5))", &json!({"path": path}));
    unchanged(folder.path(), || {
        assert!(Appender::<u64>::open(&path).is_err());
        assert!(AppendOptions::new().open_any(&path).is_err());
    });
}

#[test]
fn files_that_are_no_arrays_are_refused_and_stay() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for bytes in [b"".as_slice(), b"PK\x03\x04", b"\x93NUMPY\x01\x00", b"hello, world, this is text of some length"] {
        fs::write(&path, bytes).unwrap();
        unchanged(folder.path(), || {
            assert!(Appender::<Row>::open(&path).is_err());
            assert!(AppendOptions::new().open_any(&path).is_err());
            assert!(Appender::<Row>::open_or_create(&path).is_err());
        });
    }
    fs::remove_file(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(Appender::<Row>::open(&path).is_err());
    assert!(Appender::<Row>::open_or_create(&path).is_err());
    assert!(Appender::<Row>::create(&path).is_err());
}

#[test]
fn opening_what_is_not_there_makes_nothing() {
    let folder = support::temp_dir();
    let error = Appender::<Row>::open(folder.path().join("none.npy")).unwrap_err();
    let Error::Io { source, .. } = &error else { panic!("{error:?}") };
    assert_eq!(source.kind(), std::io::ErrorKind::NotFound);
    assert!(Appender::<Row>::open_or_create(folder.path().join("none/log.npy")).is_err());
    assert!(growing::names(folder.path()).is_empty());
}

/// Rows of no bytes: the size of the file tells nothing, and nothing divides by it.
#[test]
fn rows_of_no_bytes_are_counted_or_refused() {
    let folder = support::temp_dir();
    let path = folder.path().join("empty.npy");
    ask("np.save(path, np.zeros((5, 0), 'f8'))", &json!({"path": path}));
    if let Ok(mut log) = AppendOptions::new().open_any(&path) {
        assert_eq!(log.rows(), 5);
        log.extend_bytes(&[]).unwrap();
        log.close().unwrap();
    }
    assert_eq!(ask("list(np.load(path).shape)", &json!({"path": path})), json!([5, 0]));
}

#[test]
fn the_order_that_is_asked_for_is_that_of_the_file_or_an_error() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let options = |order| AppendOptions::new().order(order);
    for (shape, fortran, right, wrong) in
        [([2, 3], false, Order::C, Order::Fortran), ([3, 2], true, Order::Fortran, Order::C)]
    {
        let names = json!({"path": path, "shape": shape, "order": if fortran { "F" } else { "C" }});
        ask("np.save(path, np.ones(shape, 'u8', order=order))", &names);
        unchanged(folder.path(), || {
            let refused = options(wrong).open_any(&path).map(drop);
            match wrong {
                Order::Fortran => assert!(matches!(refused, Err(Error::COrder { .. })), "{refused:?}"),
                Order::C => assert!(matches!(refused, Err(Error::FortranOrder { .. })), "{refused:?}"),
            }
            assert!(options(wrong).row_shape([3]).open_or_create::<u64>(&path).is_err());
        });
        // Without a word, that of the file.
        assert_eq!(AppendOptions::new().open_any(&path).unwrap().rows(), 2);
        let mut log = options(right).row_shape([3]).open::<u64>(&path).unwrap();
        log.extend(&[2; 3]).unwrap();
        log.close().unwrap();
        let numpys = ask("[list(np.load(path).shape), bool(np.load(path).flags.fnc)]", &json!({"path": path}));
        assert_eq!(numpys, json!([[3, 3], fortran]));
    }
    // Rows of one element are columns just as well.
    ask("np.save(path, np.ones(3, 'u8'))", &json!({"path": path}));
    assert_eq!(options(Order::Fortran).open_any(&path).unwrap().rows(), 3);
}

/// Characters that NumPy reads as a count and that ours doesn't write: they are written anew before they are changed.
#[test]
fn a_count_that_is_spelled_otherwise_is_spelled_anew() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for (field, rows) in [("0000000000000000", 0), ("\t\t\t\t\t\t\t\t       2", 2), ("\t              2", 2)] {
        let mut bytes = growing::row_header(growing::field(0));
        bytes[64..80].copy_from_slice(field.as_bytes());
        bytes.extend(growing::bytes(&growing::rows(0..rows)));
        fs::write(&path, &bytes).unwrap();
        assert_eq!(ask("len(np.load(path))", &json!({"path": path})), json!(rows), "{field:?}");
        let mut log = Appender::<Row>::open(&path).unwrap();
        for i in rows..rows + 3 {
            log.push(&row(i)).unwrap();
            log.commit().unwrap();
            let numpys = ask("np.load(path, mmap_mode='r').tolist()", &json!({"path": path}));
            assert_eq!(numpys, json!(growing::rows(0..i + 1)), "{field:?}");
        }
        drop(log);
        assert_eq!(growing::state(&path).counted, Some(rows + 3));
    }
}
