//! Damage of every kind, found by `verify` without changing anything, and put right by `repair`.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;
mod support;

use std::fs;
use std::path::{Path, PathBuf};

use npymap::{
    AppendOptions, Appender, Error, Findings, Header, NpyAny, NpyFile, Order, Problem, Repair, WriteOptions, repair,
    verify,
};
use serde_json::json;

struct File {
    folder: tempfile::TempDir,
    path: PathBuf,
}

impl File {
    fn of(bytes: &[u8]) -> Self {
        let folder = support::temp_dir();
        let path = folder.path().join("x.npy");
        fs::write(&path, bytes).unwrap();
        Self { folder, path }
    }

    fn bytes(&self) -> Vec<u8> {
        fs::read(&self.path).unwrap()
    }

    /// The files beside it.
    fn others(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        entries.map(|entry| entry.unwrap().path()).filter(|path| *path != self.path).collect()
    }

    /// Looks for damage; the file is as it was.
    fn verify(&self) -> Findings {
        let before = self.bytes();
        let found = verify(&self.path).unwrap();
        assert!(self.bytes() == before && self.others().is_empty());
        assert!(found.done.is_empty());
        assert_eq!(found.file_size, before.len() as u64);
        assert_eq!(found.is_sound(), found.problems.is_empty());
        found
    }

    /// Repairs it: afterwards it is sound, NumPy reads it, and repairing again does nothing.
    fn repair(&self, rows: usize) -> Findings {
        let found = repair(&self.path).unwrap();
        let numpys = support::live::ask("np.load(path).shape", &json!({"path": self.path}));
        let axis = found.header.growth_axis().unwrap();
        assert_eq!(numpys[axis], json!(rows));
        assert_eq!(NpyFile::open(&self.path).unwrap().shape()[axis], rows);
        let again = verify(&self.path).unwrap();
        assert!(again.is_sound(), "{:?}", again.problems);
        assert_eq!((again.rows_in_header, again.rows_in_file), (Some(rows as u64), rows as u64));
        let bytes = self.bytes();
        let nothing = repair(&self.path).unwrap();
        assert!(nothing.is_sound() && nothing.done.is_empty() && self.bytes() == bytes);
        found
    }
}

/// An appendable file of three rows of `<u2`, shape (3, 2).
fn appendable() -> Vec<u8> {
    let mut file = Vec::new();
    WriteOptions::new().appendable(true).write_to(&mut file, [3, 2], &[1_u16, 2, 3, 4, 5, 6]).unwrap();
    file
}

/// The same with other characters in its publish field.
fn counting(field: &str) -> Vec<u8> {
    let mut file = appendable();
    assert_eq!((field.len(), &file[79..80]), (16, b"3".as_slice()));
    file[64..80].copy_from_slice(field.as_bytes());
    file
}

/// NumPy's file of three rows.
fn numpys() -> Vec<u8> {
    made::c_npy("'<u2'", "(3, 2)", &[1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0])
}

#[test]
fn whole_files_are_sound_and_nothing_is_done_to_them() {
    let fortran = made::npy("'<u2'", true, "(2, 3)", &[0; 12]);
    let record = made::c_npy("[('a', '|u1'), ('b', '>f8')]", "(2,)", &[0; 18]);
    for (bytes, rows) in [
        (numpys(), 3),
        (appendable(), 3),
        (fortran, 3),
        (record, 2),
        (made::c_npy("'<f8'", "(0, 3)", &[]), 0),
        (made::c_npy("'<f8'", "(7, 0)", &[]), 7),
        (made::c_npy("'|V0'", "(1000000000,)", &[]), 1_000_000_000),
    ] {
        let file = File::of(&bytes);
        let found = file.verify();
        assert!(found.is_sound(), "{:?}", found.problems);
        assert_eq!((found.rows_in_header, found.rows_in_file), (Some(rows), rows));
        assert_eq!(found.header, Header::parse(&bytes).unwrap());
        assert!(repair(&file.path).unwrap().done.is_empty());
        assert_eq!(file.bytes(), bytes);
    }
    let zero = File::of(&made::c_npy("'<f8'", "()", &[0; 8]));
    assert!(zero.verify().is_sound());
}

#[test]
fn a_header_ahead_of_the_file_is_lowered_to_the_rows_that_are_there() {
    for (whole, offset) in [(numpys(), 128), (appendable(), 4096)] {
        for held in 0..12 {
            let file = File::of(&whole[..offset + held]);
            let (rows, partial) = (held / 4, held % 4);
            let found = file.verify();
            assert_eq!((found.rows_in_header, found.rows_in_file), (Some(3), rows as u64));
            let ahead = found.problems.iter().find_map(|problem| match *problem {
                Problem::HeaderAhead { header, file, .. } => Some((header, file)),
                _ => None,
            });
            assert_eq!(ahead, Some((3, rows as u64)), "{:?}", found.problems);
            let is_partial =
                |problem: &Problem| matches!(*problem, Problem::PartialRow { bytes, .. } if bytes == partial as u64);
            assert_eq!(found.problems.iter().any(is_partial), partial > 0, "{:?}", found.problems);
            assert!(NpyFile::open(&file.path).is_err());

            let done = file.repair(rows).done;
            let counted =
                done.iter().any(|done| matches!(*done, Repair::Counted { from: Some(3), to, .. } if to == rows as u64));
            let cut = done.iter().any(|done| matches!(*done, Repair::Cut { bytes, .. } if bytes == partial as u64));
            assert_eq!((counted, cut), (true, partial > 0), "{done:?}");
            assert_eq!(NpyAny::read(&file.path).unwrap().bytes(), &whole[offset..offset + 4 * rows]);
            // A part of a row may be all that is left of it.
            assert_eq!(file.others().len(), usize::from(partial > 0));
            for kept in file.others() {
                assert!(fs::read(&kept).unwrap().ends_with(&whole[offset + 4 * rows..offset + held]));
                let shape = support::live::ask("np.load(path).shape", &json!({"path": kept}));
                assert_eq!(shape, json!([0, 2]));
            }
            // In the length that it had; NumPy's has room for a publish field.
            let after = Header::parse(&file.bytes()).unwrap();
            assert_eq!((after.data_offset(), after.appendable()), (offset, true));
        }
    }
}

#[test]
fn columns_that_are_missing_are_uncounted_too() {
    let whole = made::npy("'<u2'", true, "(2, 3)", &[0, 0, 10, 0, 1, 0, 11, 0, 2, 0, 12, 0]);
    let file = File::of(&whole[..whole.len() - 3]);
    assert_eq!(file.verify().rows_in_file, 2);
    file.repair(2);
    let read = NpyAny::read(&file.path).unwrap();
    assert_eq!(
        (read.shape(), read.order(), read.to_vec::<u16>().unwrap()),
        ([2, 2].as_slice(), Order::Fortran, vec![0, 10, 1, 11])
    );
}

#[test]
fn a_count_whose_change_was_not_finished_is_finished() {
    for field in ["        0000000 ", "       10000000 ", "    12340000000 "] {
        let file = File::of(&counting(field));
        assert!(matches!(NpyFile::open(&file.path), Err(Error::UnfinishedPublish { .. })));
        let found = file.verify();
        assert_eq!(found.problems, [Problem::UnfinishedPublish]);
        assert_eq!((found.rows_in_header, found.rows_in_file), (None, 3));
        let done = file.repair(3).done;
        assert!(done.iter().any(|done| matches!(*done, Repair::Counted { from: None, to: 3 })), "{done:?}");
        assert_eq!(file.bytes(), appendable(), "{field:?}");
    }
    // A part of a row behind it, as a writer that died in the middle leaves.
    let file = File::of(&[counting("        0000000 "), vec![7; 3]].concat());
    file.repair(3);
    assert_eq!(file.bytes(), appendable());
}

#[test]
fn a_real_carry_beyond_a_hundred_million_rows_is_finished() {
    let file = File::of(&[]);
    WriteOptions::new().appendable(true).save::<u8>(&file.path, [0], &[]).unwrap();
    let mut bytes = file.bytes();
    bytes[64..80].copy_from_slice(b"       10000000 ");
    fs::write(&file.path, &bytes).unwrap();
    // Sparse.
    fs::File::options().write(true).open(&file.path).unwrap().set_len(4096 + 200_000_050).unwrap();
    assert_eq!(verify(&file.path).unwrap().rows_in_file, 200_000_050);
    repair(&file.path).unwrap();
    assert_eq!(NpyFile::open(&file.path).unwrap().shape(), [200_000_050]);
    let mut start = vec![0; 80];
    std::io::Read::read_exact(&mut fs::File::open(&file.path).unwrap(), &mut start).unwrap();
    assert_eq!(start[64..], *b"       200000050");
    let shape = support::live::ask("np.load(path, mmap_mode='r').shape", &json!({"path": file.path}));
    assert_eq!(shape, json!([200_000_050]));
}

#[test]
fn rows_that_are_not_counted_are_counted_or_kept_and_never_lost() {
    for partial in [0, 1, 3] {
        let more = [vec![7, 0, 8, 0, 9, 0, 10, 0], vec![1; partial]].concat();
        let file = File::of(&[appendable(), more].concat());
        assert_eq!(NpyFile::open(&file.path).unwrap().shape(), [3, 2]);
        let found = file.verify();
        let uncounted = |problem: &Problem| matches!(*problem, Problem::UncountedRows { rows: 2, .. });
        let cut = |problem: &Problem| matches!(*problem, Problem::PartialRow { bytes, .. } if bytes == partial as u64);
        assert!(found.problems.iter().any(uncounted), "{:?}", found.problems);
        assert_eq!(found.problems.iter().any(cut), partial > 0, "{:?}", found.problems);
        assert_eq!((found.rows_in_header, found.rows_in_file), (Some(3), 5));

        // The file was written in this boot, on a local file system: its rows are whole.
        let found = file.repair(5);
        assert!(
            found.done.iter().any(|done| matches!(*done, Repair::Counted { from: Some(3), to: 5, .. })),
            "{:?}",
            found.done
        );
        assert_eq!(NpyAny::read(&file.path).unwrap().to_vec::<u16>().unwrap(), (1..=10).collect::<Vec<_>>());
        assert_eq!(file.bytes().len(), 4096 + 20);
    }
}

#[test]
fn rows_from_before_the_machine_was_started_are_cut_and_kept_beside_the_file() {
    let file = File::of(&[appendable(), vec![7, 0, 8, 0, 9, 0, 10, 0, 1]].concat());
    let handle = fs::File::options().write(true).open(&file.path).unwrap();
    handle.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
    drop(handle);
    let found = repair(&file.path).unwrap();
    assert_eq!(file.bytes(), appendable(), "{:?}", found.done);
    assert!(verify(&file.path).unwrap().is_sound());
    // Both uncounted rows are in a file that NumPy reads.
    let kept = found.done.iter().find_map(|done| match done {
        Repair::Kept { path, .. } => Some(path.clone()),
        _ => None,
    });
    let kept = kept.unwrap_or_else(|| panic!("{:?}", found.done));
    assert_eq!(file.others(), std::slice::from_ref(&kept));
    let rows = support::live::ask("np.load(path).tolist()", &json!({"path": kept}));
    assert_eq!(rows, json!([[7, 8], [9, 10]]));
    assert!(found.done.iter().any(|done| matches!(*done, Repair::Cut { bytes: 9, .. })), "{:?}", found.done);
}

#[test]
fn a_part_of_a_row_is_cut_in_an_appendable_file() {
    let file = File::of(&[appendable(), vec![7, 7, 7]].concat());
    let found = file.verify();
    assert!(matches!(found.problems.as_slice(), [Problem::PartialRow { bytes: 3, .. }]), "{:?}", found.problems);
    file.repair(3);
    assert_eq!(file.bytes(), appendable());
}

#[test]
fn what_follows_another_writers_array_is_named_and_left_alone() {
    let second = made::c_npy("'|u1'", "(2,)", &[1, 2]);
    for (first, behind) in [
        (numpys(), second.clone()),
        (numpys(), vec![0; 8]),
        (numpys(), vec![1]),
        // Another array behind an appendable file: never taken for rows.
        (appendable(), second),
    ] {
        let after = first.len() as u64;
        let both = [first, behind.clone()].concat();
        let file = File::of(&both);
        let found = file.verify();
        let named = |problem: &Problem| matches!(*problem, Problem::TrailingBytes { after: at, bytes, .. } if (at, bytes) == (after, behind.len() as u64));
        assert!(found.problems.iter().any(named), "{:?}", found.problems);
        match repair(&file.path) {
            Ok(found) => assert!(found.done.is_empty(), "{:?}", found.done),
            Err(error) => assert!(matches!(error, Error::TrailingBytes { .. }), "{error}"),
        }
        assert_eq!(file.bytes(), both);
        assert!(file.others().is_empty());
    }
}

#[test]
fn a_file_that_cannot_be_read_is_the_error_that_opening_gives() {
    let whole = numpys();
    for bytes in [b"".as_slice(), b"not an array", &whole[..100], &made::c_npy("'<f3'", "(3,)", &[0; 9])] {
        let file = File::of(bytes);
        let kind = NpyFile::open(&file.path).unwrap_err().kind();
        assert_eq!(verify(&file.path).unwrap_err().kind(), kind);
        assert_eq!(repair(&file.path).unwrap_err().kind(), kind);
        assert_eq!(file.bytes(), bytes);
    }
    let none = Path::new("no/such.npy");
    assert!(matches!((verify(none), repair(none)), (Err(Error::Io { .. }), Err(Error::Io { .. }))));
    let objects = File::of(&made::c_npy("'|O'", "(1,)", &[0; 3]));
    let before = objects.bytes();
    let _ = (verify(&objects.path), repair(&objects.path));
    assert_eq!(objects.bytes(), before);
}

#[test]
fn a_file_that_is_appended_to_is_verified_and_not_repaired() {
    let file = File::of(&appendable());
    let mut rows = Appender::<[u16; 2]>::open(&file.path).unwrap();
    rows.push(&[7, 8]).unwrap();
    assert!(verify(&file.path).unwrap().is_sound());
    assert!(matches!(repair(&file.path), Err(Error::Locked { .. })));
    rows.close().unwrap();
    assert_eq!(file.repair(4).rows_in_file, 4);

    // Rows that are written, and will be counted when its writer wants.
    let mut rows = AppendOptions::new().buffer_size(1).open::<[u16; 2]>(&file.path).unwrap();
    rows.extend(&[[9, 10]; 3]).unwrap();
    assert_eq!(fs::metadata(&file.path).unwrap().len(), 4096 + 4 * 7);
    let found = verify(&file.path).unwrap();
    assert_eq!((found.in_use, found.is_sound(), found.rows_in_header, found.rows_in_file), (true, true, Some(4), 7));
    rows.close().unwrap();
    let found = verify(&file.path).unwrap();
    assert_eq!((found.in_use, found.is_sound(), found.rows_in_header), (false, true, Some(7)));
}

#[test]
fn problems_and_repairs_are_told_in_words_with_their_numbers() {
    let said = |bytes: &[u8]| {
        let file = File::of(bytes);
        let problems: Vec<String> = file.verify().problems.iter().map(ToString::to_string).collect();
        let done: Vec<String> = repair(&file.path)
            .map_or_else(|_| Vec::new(), |found| found.done.iter().map(ToString::to_string).collect());
        (problems, done)
    };
    let (problems, done) = said(&numpys()[..128 + 6]);
    assert!(problems.iter().any(|said| said.contains('3') && said.contains('1')), "{problems:?}");
    assert!(done.iter().any(|said| said.contains('3') && said.contains('1')), "{done:?}");
    let (problems, _) = said(&[numpys(), vec![0; 57]].concat());
    assert!(problems[0].contains("57") && problems[0].contains("140"), "{problems:?}");
    for text in problems.iter().chain(&done) {
        assert!(!text.ends_with('.') && !text.starts_with(char::is_uppercase), "{text}");
    }
}

#[test]
fn verify_and_repair_take_every_file_of_the_corpus_without_a_panic() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for case in support::corpus() {
        let bytes = case.bytes();
        fs::write(&path, &bytes).unwrap();
        let opened = NpyFile::open(&path).map(|_| ());
        let found = verify(&path);
        assert!(fs::read(&path).unwrap() == bytes, "{}", case.name);
        match (&opened, &found) {
            // What opens may be followed by something.
            (Ok(()), Ok(found)) => assert!(
                found.problems.iter().all(|problem| matches!(
                    problem,
                    Problem::TrailingBytes { .. } | Problem::UncountedRows { .. } | Problem::PartialRow { .. }
                )),
                "{}: {:?}",
                case.name,
                found.problems
            ),
            (Err(Error::DataTruncated { .. } | Error::UnfinishedPublish { .. }), Ok(found)) => {
                assert!(!found.is_sound(), "{}", case.name)
            }
            (Err(Error::Object { .. }), _) | (Err(_), Err(_)) => {}
            (opened, found) => panic!("{}: {opened:?} {found:?}", case.name),
        }
        if let Ok(repaired) = repair(&path) {
            assert!(
                opened.is_err()
                    || fs::read(&path).unwrap().starts_with(&bytes[..repaired.header.data_offset()])
                    || repaired.header.appendable(),
                "{}",
                case.name
            );
            assert!(
                NpyFile::open(&path).is_ok() || matches!(opened, Err(Error::Object { .. })),
                "{}: {repaired:?}",
                case.name
            );
        }
    }
}

#[test]
fn a_part_of_a_row_from_before_the_machine_was_started_is_kept_beside_the_file() {
    let file = File::of(&[appendable(), vec![7, 7, 7]].concat());
    let handle = fs::File::options().write(true).open(&file.path).unwrap();
    handle.set_modified(std::time::SystemTime::UNIX_EPOCH + std::time::Duration::from_secs(1_000_000_000)).unwrap();
    drop(handle);
    let log = AppendOptions::new().open_any(&file.path).unwrap();
    let found = log.recovery().clone();
    drop(log);
    assert_eq!((found.cut_rows, found.cut_bytes), (0, 3));
    assert_eq!(file.bytes(), appendable());
    assert_eq!(file.others(), [found.kept_in.unwrap()]);
    assert!(fs::read(&file.others()[0]).unwrap().ends_with(&[7, 7, 7]));
}

#[test]
fn a_carry_of_rows_without_bytes_is_finished() {
    let mut bytes = Vec::new();
    WriteOptions::new().appendable(true).write_to(&mut bytes, [3, 0], &[0_u16; 0]).unwrap();
    bytes[64..80].copy_from_slice(b"      120000000 ");
    let file = File::of(&bytes);
    assert_eq!(file.verify().problems, [Problem::UnfinishedPublish]);
    // The rows that the count had before, and those that were added, are gone from it: they held nothing.
    let found = file.repair(120_000_000);
    assert_eq!(found.done, [Repair::Counted { from: None, to: 120_000_000 }]);
}

#[test]
fn a_scalar_that_was_cut_cannot_be_put_right() {
    for held in 0..8 {
        let file = File::of(&made::c_npy("'<f8'", "()", &[0; 8])[..128 + held]);
        assert!(!file.verify().is_sound());
        let before = file.bytes();
        let Err(Error::DataTruncated { needed: 8, held: found, .. }) = repair(&file.path) else { panic!("{held}") };
        assert_eq!(found, held as u64);
        assert!(file.bytes() == before && file.others().is_empty());
    }
}

#[test]
fn a_log_that_is_opened_again_and_again_is_sound_at_any_moment() {
    let file = File::of(&appendable());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            for _ in 0..300 {
                let mut rows = AppendOptions::new().buffer_size(0).open::<[u16; 2]>(&file.path).unwrap();
                assert!(rows.recovery().is_clean());
                (0..20).for_each(|_| rows.push(&[7, 8]).unwrap());
                rows.close().unwrap();
            }
        });
        let mut looked = 0;
        while !writer.is_finished() {
            let found = verify(&file.path).unwrap();
            assert!(found.is_sound(), "{found:?}");
            looked += 1;
        }
        assert!(looked > 10, "{looked}");
        writer.join().unwrap();
    });
    assert_eq!(verify(&file.path).unwrap().rows_in_header, Some(3 + 300 * 20));
}
