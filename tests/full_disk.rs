//! A disk that is full at every stage of whatever writes: an error that says how much was missing, never a signal;
//! files as valid as they were, and nothing left over. And then, with room made, it goes on.
//!
//! Each test is a process in a mount namespace of its own, with a file system in memory of a few MiB.

#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod growing;
mod support;

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use growing::{Process, Row, State, field, names, orders, rows, say, state};
use npymap::{
    AppendOptions, Appender, DType, Draft, DraftAny, Error, Npy, NpyFile, Result, WriteOptions, repair, verify,
};
use rustix::fs::{FallocateFlags, fallocate, statvfs};

const PAGE: u64 = 4096;

/// The file that takes the room away, or how the names of several start.
const FILLER: &str = "filler";

/// The ways to get a mount namespace: as a user of it, or as the superuser of this one.
const WAYS: [&str; 2] = ["-rm", "-m"];

/// Mounts a small file system on a folder (`$0`) and runs a command (`$@`).
const MOUNT: &str = "mount -t tmpfs -o size=3m none \"$0\" && exec \"$@\"";

fn way() -> Option<&'static str> {
    static FOUND: OnceLock<Option<&'static str>> = OnceLock::new();
    *FOUND.get_or_init(|| {
        let folder = support::temp_dir();
        let works = |way: &&&str| {
            let mut command = Command::new("unshare");
            command.args([way, "--", "sh", "-c", MOUNT]).arg(folder.path()).arg("true");
            command.stderr(Stdio::null()).status().is_ok_and(|status| status.success())
        };
        WAYS.iter().find(works).copied()
    })
}

/// Runs an ignored test of this binary in a small file system of its own.
fn on_a_small_disk(role: &str) {
    let Some(way) = way() else {
        return growing::loudly(format!(
            "SKIPPED: {role} on a full disk, no file system can be mounted here (unshare -rm)"
        ));
    };
    let folder = support::temp_dir();
    let mut command = Command::new("unshare");
    command.args([way, "--", "sh", "-c", MOUNT]).arg(folder.path()).arg(std::env::current_exe().unwrap());
    let said = Process::start_by(command, role, &[folder.path().to_str().unwrap()]).finish();
    assert_eq!(said.last().map(String::as_str), Some("done"), "{said:?}");
}

/// The small disk, if this process was started with one.
fn disk() -> Option<PathBuf> {
    let folder = PathBuf::from(&orders()?[0]);
    assert!(free(&folder) < 4 << 20, "a small file system is mounted");
    Some(folder)
}

/// Bytes that are free.
fn free(folder: &Path) -> u64 {
    let space = statvfs(folder).unwrap();
    space.f_bavail * space.f_frsize
}

/// Leaves so many pages free.
fn leave(folder: &Path, pages: u64) {
    let path = folder.join(FILLER);
    let _ = fs::remove_file(&path);
    let filler = File::create_new(&path).unwrap();
    let take = free(folder).checked_sub(pages * PAGE).expect("less is free than shall be");
    if take > 0 {
        fallocate(&filler, FallocateFlags::empty(), 0, take).unwrap();
    }
    assert_eq!(free(folder), pages * PAGE);
}

/// All files but those that take the room away.
fn contents(folder: &Path) -> Vec<(String, Vec<u8>)> {
    // ext4 has a folder there, lost+found.
    let is_ours = |name: &String| !name.starts_with(FILLER) && folder.join(name).is_file();
    let names = names(folder).into_iter().filter(is_ours);
    names.map(|name| (name.clone(), fs::read(folder.join(&name)).unwrap())).collect()
}

fn check_no_space(error: &Error, file: &Path) {
    let Error::NoSpace { path, needed, available } = error else { panic!("{error:?}") };
    assert_eq!(path.as_deref(), Some(file));
    assert!(needed > available, "{needed} bytes are needed, and {available} are there: {error}");
    let said = error.to_string();
    assert!(said.contains(&needed.to_string()) && said.contains(&available.to_string()), "{said}");
}

/// Does it with no page free, one, two, and so on until it succeeds. Until then every file is as it was, and no space is
/// lost. Returns how many pages it took.
fn squeeze(folder: &Path, file: &Path, mut work: impl FnMut() -> Result<()>) -> u64 {
    let before = contents(folder);
    for pages in 0.. {
        leave(folder, pages);
        let Err(error) = work() else {
            fs::remove_file(folder.join(FILLER)).unwrap();
            return pages;
        };
        check_no_space(&error, file);
        assert!(contents(folder) == before, "{pages} pages were free: {:?}", names(folder));
        assert_eq!(free(folder), pages * PAGE, "space is lost");
    }
    unreachable!()
}

const ROWS: u64 = 5000;

/// What the old file holds in the tests that replace it.
fn old(path: &Path) {
    npymap::save(path, [700], &[7.0f64; 700]).unwrap();
}

#[test]
#[ignore = "a process that another test starts"]
fn saving_here() {
    let Some(folder) = disk() else { return };
    let path = folder.join("x.npy");
    let elements: Vec<u64> = (0..10_000).collect();
    for durable in [false, true] {
        for appendable in [false, true] {
            for there in [false, true] {
                let options = WriteOptions::new().durable(durable).appendable(appendable).create_new(!there);
                let expect = |pages: u64| {
                    assert!((20..=22).contains(&pages), "{pages} pages for 80,000 bytes");
                    assert_eq!(NpyFile::open(&path).unwrap().read_all::<u64>().unwrap(), elements);
                    fs::remove_file(&path).unwrap();
                };
                let replace = || {
                    if there {
                        old(&path)
                    }
                };
                replace();
                expect(squeeze(&folder, &path, || options.save(&path, [10_000], &elements)));
                replace();
                expect(squeeze(&folder, &path, || options.save_iter(&path, elements.iter().copied()).map(drop)));
                replace();
                expect(squeeze(&folder, &path, || {
                    let mut draft = options.draft::<u64>(&path, [10_000])?;
                    draft.as_mut_slice().copy_from_slice(&elements);
                    if there { draft.publish_over() } else { draft.publish() }
                }));
                replace();
                expect(squeeze(&folder, &path, || {
                    let dtype = DType::from_descr("'<u8'").unwrap();
                    let mut draft: DraftAny = options.draft_any(&path, dtype, [10_000])?;
                    draft.copy_rows_from(0, &elements)?;
                    if there { draft.publish_over() } else { draft.publish() }
                }));
                let texts: Vec<String> = elements[..5000].iter().map(ToString::to_string).collect();
                replace();
                squeeze(&folder, &path, || options.save_text(&path, [5000], &texts));
                fs::remove_file(&path).unwrap();
            }
        }
    }
    say("done");
}

#[test]
fn saving_on_a_full_disk_leaves_the_old_file_or_none() {
    on_a_small_disk("saving_here");
}

#[test]
#[ignore = "a process that another test starts"]
fn drafts_here() {
    let Some(folder) = disk() else { return };
    let path = folder.join("x.npy");
    // Much more than there is, and more than there could be.
    for len in [1 << 20, 1 << 30, 1 << 40, 1 << 58] {
        let error = Draft::<u64>::new(&path, [len]).unwrap_err();
        check_no_space(&error, &path);
        assert!(names(&folder).is_empty() && free(&folder) > 2 << 20);
    }
    // What a draft has allocated stays its own, whatever happens to the rest of the disk.
    let mut draft = Draft::<u64>::new(&path, [50_000]).unwrap();
    leave(&folder, 0);
    draft.as_mut_slice().iter_mut().zip(0..).for_each(|(element, i)| *element = i);
    draft.publish().unwrap();
    assert!(NpyFile::open(&path).unwrap().read_all::<u64>().unwrap().into_iter().eq(0..50_000));
    fs::remove_file(&path).unwrap();
    fs::remove_file(folder.join(FILLER)).unwrap();
    // A draft that is dropped gives back what it had.
    let before = free(&folder);
    drop(Draft::<u64>::new(&path, [50_000]).unwrap());
    assert_eq!(free(&folder), before);
    say("done");
}

#[test]
fn drafts_on_a_full_disk_have_their_space_or_are_refused() {
    on_a_small_disk("drafts_here");
}

#[test]
#[ignore = "a process that another test starts"]
fn laying_out_anew_here() {
    let Some(folder) = disk() else { return };
    let [path, copy] = ["x.npy", "y.npy"].map(|name| folder.join(name));
    let elements: Vec<u64> = (0..10_000).collect();
    let options = WriteOptions::new().appendable(true);
    npymap::save(&path, [10_000], &elements).unwrap();
    squeeze(&folder, &copy, || options.relayout_to(&path, &copy));
    assert_eq!(NpyFile::open(&copy).unwrap().read_all::<u64>().unwrap(), elements);
    fs::remove_file(&copy).unwrap();
    squeeze(&folder, &path, || options.relayout(&path));
    assert_eq!(NpyFile::open(&path).unwrap().read_all::<u64>().unwrap(), elements);
    assert!(NpyFile::read_header(&path).unwrap().appendable());
    say("done");
}

#[test]
fn laying_out_anew_on_a_full_disk_leaves_the_old_file() {
    on_a_small_disk("laying_out_anew_here");
}

/// Asserts that the file counts and holds so many rows and that they are right.
fn holds(path: &Path, n: u64) {
    assert_eq!(state(path), State { field: field(n), counted: Some(n), held: n, partial: 0 });
    assert!(growing::stored(path, 0, n) == growing::bytes(&rows(0..n)));
    assert_eq!(NpyFile::open(path).unwrap().rows() as u64, n);
}

#[test]
#[ignore = "a process that another test starts"]
fn appending_here() {
    let Some(folder) = disk() else { return };
    let path = folder.join("log.npy");
    let options = AppendOptions::new();
    squeeze(&folder, &path, || options.create::<Row>(&path).map(drop));
    fs::remove_file(&path).unwrap();
    squeeze(&folder, &path, || options.open_or_create::<Row>(&path).map(drop));

    // What is in the buffer stays there, and is written once there is room.
    for preallocate in [false, true] {
        let mut log = AppendOptions::new().preallocate(preallocate).open::<Row>(&path).unwrap();
        let n = log.rows() as u64;
        log.extend(&rows(n..n + 10)).unwrap();
        log.commit().unwrap();
        let n = n + 10;
        log.extend(&rows(n..n + ROWS)).unwrap();
        for pages in 0.. {
            leave(&folder, pages);
            let result = if pages % 2 == 0 { log.commit() } else { log.sync() };
            let Err(error) = result else { break };
            check_no_space(&error, &path);
            assert_eq!(state(&path), State { field: field(n), counted: Some(n), held: n, partial: 0 });
            assert_eq!((log.committed() as u64, log.rows() as u64), (n, n + ROWS));
        }
        assert_eq!(log.committed() as u64, n + ROWS);
        holds(&path, n + ROWS);
        log.close().unwrap();
        fs::remove_file(folder.join(FILLER)).unwrap();
    }
    assert_eq!(names(&folder), ["log.npy"]);

    // Closing and dropping may find the disk full; the rows that were committed stay.
    let n = state(&path).held;
    for close in [false, true] {
        let mut log = options.open::<Row>(&path).unwrap();
        log.extend(&rows(n..n + ROWS)).unwrap();
        leave(&folder, 1);
        if close {
            check_no_space(&log.close().unwrap_err(), &path);
        } else {
            drop(log);
        }
        fs::remove_file(folder.join(FILLER)).unwrap();
        let after = state(&path);
        assert_eq!((after.counted, after.held, after.partial), (Some(n), n, 0));
    }
    holds(&path, n);
    say("done");
}

#[test]
fn appending_on_a_full_disk_keeps_what_was_committed_and_goes_on() {
    on_a_small_disk("appending_here");
}

/// An automatic commit may have met a full disk; what it says comes with the next call. When there is room by then, no
/// row is lost.
#[test]
#[ignore = "a process that another test starts"]
fn closing_late_here() {
    let Some(folder) = disk() else { return };
    for (time, last) in ["commit", "sync", "close", "drop"].into_iter().enumerate() {
        let path = folder.join(format!("{time}.npy"));
        let mut log = AppendOptions::new().commit_every_rows(100).create::<Row>(&path).unwrap();
        log.extend(&rows(0..150)).unwrap();
        leave(&folder, 0);
        log.extend(&rows(150..1000)).unwrap();
        assert_eq!((log.rows(), log.committed()), (1000, 150));
        fs::remove_file(folder.join(FILLER)).unwrap();
        match last {
            "drop" => drop(log),
            // Once it has been said that the disk was full, trying again succeeds.
            "commit" => log.commit().or_else(|_| log.commit()).unwrap(),
            "sync" => log.sync().or_else(|_| log.sync()).unwrap(),
            // This cannot be tried again.
            _ => log.close().unwrap(),
        }
        holds(&path, 1000);
    }
    say("done");
}

#[test]
fn closing_after_a_full_disk_loses_no_row_that_there_is_room_for() {
    on_a_small_disk("closing_late_here");
}

/// Rows that don't fit into the buffer are written while they are taken: what was taken and what wasn't is told by the
/// number of rows.
#[test]
#[ignore = "a process that another test starts"]
fn taking_rows_here() {
    let Some(folder) = disk() else { return };
    for (time, buffer) in [16, 100, 4096, 10_000].into_iter().enumerate() {
        for batch in [1, 7, 3000] {
            let path = folder.join(format!("{time}-{batch}.npy"));
            let mut log = AppendOptions::new().buffer_size(buffer).create::<Row>(&path).unwrap();
            let mut failed = 0;
            leave(&folder, 5);
            loop {
                let n = log.rows() as u64;
                if n >= ROWS {
                    break;
                }
                match log.extend(&rows(n..n + batch)) {
                    Ok(()) => assert_eq!(log.rows() as u64, n + batch),
                    Err(error) => {
                        check_no_space(&error, &path);
                        let taken = log.rows() as u64;
                        assert!(taken == n || taken == n + batch, "{taken} of {n} and {batch}");
                        let left = state(&path);
                        assert_eq!((left.counted, left.partial), (Some(log.committed() as u64), 0), "{left:?}");
                        failed += 1;
                        // Room comes after a while, more each time.
                        if failed % 3 == 0 {
                            leave(&folder, failed / 3);
                        }
                    }
                }
                assert!(log.rows() as u64 - state(&path).held <= 64 * 1024, "the buffer grows without end");
                assert!(failed < 300, "there was room, and it goes on failing");
            }
            assert!(failed > 0, "{buffer} {batch}");
            let n = log.rows() as u64;
            while log.commit().is_err() {
                leave(&folder, 5);
            }
            holds(&path, n);
            log.close().unwrap();
            fs::remove_file(&path).unwrap();
            fs::remove_file(folder.join(FILLER)).unwrap();
        }
    }
    say("done");
}

#[test]
fn rows_that_are_taken_on_a_full_disk_are_counted_once() {
    on_a_small_disk("taking_rows_here");
}

/// A log that must be cut, but what is cut must be kept first.
#[test]
#[ignore = "a process that another test starts"]
fn recovering_here() {
    let Some(folder) = disk() else { return };
    let path = folder.join("log.npy");
    let make = || {
        let _ = fs::remove_file(&path);
        growing::sparse_log(&path, 10, 10);
        let mut file = File::options().append(true).open(&path).unwrap();
        std::io::Write::write_all(&mut file, &growing::bytes(&rows(10..2000))).unwrap();
        growing::make_old(&path);
    };
    make();
    squeeze(&folder, &folder.join("log.npy.cut-1"), || Appender::<Row>::open(&path).map(drop));
    holds(&path, 10);
    assert_eq!(names(&folder), ["log.npy", "log.npy.cut-1"]);
    fs::remove_file(folder.join("log.npy.cut-1")).unwrap();
    // The same where it is asked for by name. It may count the rows instead, which takes no room.
    make();
    leave(&folder, 0);
    let before = contents(&folder);
    match repair(&path) {
        Ok(_) => assert!(verify(&path).unwrap().is_sound()),
        Err(error) => {
            assert!(matches!(error, Error::NoSpace { .. }), "{error:?}");
            assert!(contents(&folder) == before, "{:?}", names(&folder));
        }
    }
    say("done");
}

#[test]
fn recovery_on_a_full_disk_cuts_nothing_that_it_cannot_keep() {
    on_a_small_disk("recovering_here");
}

#[test]
#[ignore = "a process that another test starts"]
#[expect(unsafe_code, reason = "maps a file for writing")]
fn mappings_here() {
    let Some(folder) = disk() else { return };
    let path = folder.join("x.npy");
    for appendable in [false, true] {
        WriteOptions::new().appendable(appendable).save(&path, [1000], &[5u64; 1000]).unwrap();
        // SAFETY: nobody else has this file.
        let mut x = unsafe { Npy::<u64>::map_mut(&path) }.unwrap();
        let pages = squeeze(&folder, &path, || x.grow(20_000));
        assert!((39..=41).contains(&pages), "{pages} pages for 160,000 bytes");
        assert_eq!(x.shape(), [21_000]);
        assert!(x.as_slice()[..1000].iter().all(|&element| element == 5));
        // The space is there: no signal, however full the disk is meanwhile.
        leave(&folder, 0);
        x.as_mut_slice().fill(6);
        x.flush().unwrap();
        drop(x);
        assert_eq!(NpyFile::open(&path).unwrap().read_all::<u64>().unwrap(), [6; 21_000]);
        fs::remove_file(&path).unwrap();
        fs::remove_file(folder.join(FILLER)).unwrap();
    }
    say("done");
}

#[test]
fn growing_a_mapping_on_a_full_disk_is_an_error_and_no_signal() {
    on_a_small_disk("mappings_here");
}

/// Fills a file system of any kind, in pieces, until not even a page can be written any more. Some give back less than
/// they say they have, and some find out when they sync.
fn fill_up(folder: &Path) {
    let free_up_to = |piece: usize, name: String| {
        // There may be no room for a name either.
        let Ok(mut file) = File::create(folder.join(name)) else { return };
        let bytes = vec![7; piece];
        while std::io::Write::write_all(&mut file, &bytes).is_ok() {}
        let _ = file.sync_all();
    };
    for (turn, piece) in [1 << 20, 1 << 16, 4096, 4096].into_iter().enumerate() {
        free_up_to(piece, format!("{FILLER}-{turn}"));
    }
}

fn make_room(folder: &Path) {
    for name in names(folder).iter().filter(|name| name.starts_with(FILLER)) {
        fs::remove_file(folder.join(name)).unwrap();
    }
    // Some give space back only with their next transaction.
    rustix::fs::syncfs(File::open(folder).unwrap()).unwrap();
}

/// Writes on a file system of any kind until it is full, and after there is room again. `scripts/full-disk` runs it on
/// those that are mounted from a loop device.
#[test]
#[ignore = "a process that another test, or a script, starts"]
#[expect(unsafe_code, reason = "maps a file for writing")]
fn any_disk_here() {
    let Some(orders) = orders() else { return };
    let folder = Path::new(&orders[0]);
    let mut random = growing::Random(orders.get(1).map_or(1, |seed| seed.parse().unwrap()));
    let path = folder.join("log.npy");
    let (mut refused, mut poisoned) = (0, 0);
    Appender::<Row>::create(&path).unwrap().close().unwrap();
    for _ in 0..12 {
        let options = AppendOptions::new().buffer_size(1 << random.below(18)).preallocate(random.below(2) == 0);
        let mut log = options.open::<Row>(&path).unwrap();
        let mut n = log.rows() as u64;
        assert!(log.recovery().is_clean() || poisoned > 0, "{:?}", log.recovery());
        fill_up(folder);
        let error = loop {
            let batch = 1 + random.below(3000);
            let done = log.extend(&rows(n..n + batch)).and_then(|()| {
                n += batch;
                if random.below(8) == 0 { log.sync() } else { log.commit() }
            });
            if let Err(error) = done {
                break error;
            }
        };
        assert!(matches!(error, Error::NoSpace { .. }), "{error:?}");
        refused += 1;
        let committed = log.committed() as u64;
        let left = state(&path);
        let counted = left.counted.unwrap_or(left.held);
        assert!(committed <= counted && counted <= left.held, "{committed} of {left:?}");
        assert!(growing::stored(&path, 0, counted) == growing::bytes(&rows(0..counted)));
        if left.counted.is_some() {
            let file = NpyFile::open(&path).unwrap();
            assert_eq!(file.rows() as u64, counted);
        }
        make_room(folder);
        // Either it goes on, or it says that it never will.
        let n = log.rows() as u64;
        match log.commit() {
            Ok(()) => {
                holds(&path, n);
                log.close().unwrap();
            }
            Err(Error::Poisoned { .. }) => {
                poisoned += 1;
                drop(log);
                let log = Appender::<Row>::open(&path).unwrap();
                assert!(log.rows() as u64 >= committed);
                log.close().unwrap();
                holds(&path, state(&path).held);
            }
            Err(error) => panic!("{error:?}"),
        }
    }

    // Whole files: the old one stays, and nothing is left beside it.
    let [array, grown] = ["x.npy", "grown.npy"].map(|name| folder.join(name));
    old(&array);
    npymap::save(&grown, [1000], &[5u64; 1000]).unwrap();
    // SAFETY: nobody else has this file.
    let mut x = unsafe { Npy::<u64>::map_mut(&grown) }.unwrap();
    let elements = vec![1u64; 1 << 20];
    fill_up(folder);
    let before = contents(folder);
    let failures = [
        npymap::save(&array, [1 << 20], &elements).unwrap_err(),
        npymap::save_iter(&array, elements.iter().copied()).unwrap_err(),
        Draft::<u64>::new(&array, [1 << 20]).unwrap_err(),
        x.grow(1 << 20).unwrap_err(),
    ];
    for error in failures {
        // Not even a file without a name, perhaps.
        let no_file = matches!(&error, Error::Io { source, .. } if source.kind() == std::io::ErrorKind::StorageFull);
        assert!(no_file || matches!(error, Error::NoSpace { .. }), "{error:?}");
    }
    assert!(contents(folder) == before, "{:?}", names(folder));
    assert_eq!(x.as_slice(), [5; 1000]);
    make_room(folder);
    say(format!("{refused} times full, {poisoned} of them while the header or a sync was under way"));
    if orders.get(2).is_some_and(|order| order == "without stores") {
        return say("done");
    }
    // What a mapping grows by is its own before it is counted: but for the page in which the old rows end, where a file
    // system writes no page twice in one place.
    x.grow(1 << 17).unwrap();
    fill_up(folder);
    let from = (1 << 14) / size_of::<u64>();
    x.as_mut_slice()[from..].fill(6);
    x.flush().unwrap();
    drop(x);
    make_room(folder);
    let elements = NpyFile::open(&grown).unwrap().read_all::<u64>().unwrap();
    assert!(elements[..1000] == [5; 1000] && elements[from..].iter().all(|&element| element == 6));
    assert_eq!(elements.len(), 1000 + (1 << 17));
    say("done");
}

#[test]
fn whatever_was_committed_survives_a_disk_that_fills_up_again_and_again() {
    on_a_small_disk("any_disk_here");
}
