//! Writers killed at random instants, again and again: the file opens, no row that was committed is lost or wrong, and
//! what opening it repaired is what there was to repair.
//!
//! The writer and the judge are processes of this very binary, which `scripts/power-cut` runs too.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod growing;
mod support;

use std::fs;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use growing::{CARRY, Process, Random, Row, State, field, orders, row, rows, say, state};
use npymap::{AppendOptions, Appender, Error, NpyFile, WriteOptions, repair, verify};
use serde_json::json;
use support::live::ask;

/// Rows just below a carry.
const BELOW: u64 = 60;

/// Appends batches of random sizes to the log that it is told, and says what is committed, or durable, until it dies.
#[test]
#[ignore = "a process that another test starts"]
fn writer() {
    let Some(orders) = orders() else { return };
    let [path, seed, mode] = orders.as_slice() else { panic!("{orders:?}") };
    let mut random = Random(seed.parse().unwrap());
    let options = AppendOptions::new().buffer_size(1 << (4 + random.below(15)));
    let options = options.preallocate(random.below(4) == 0).wait(Duration::from_secs(10));
    let mut log = options.open_or_create::<Row>(path).unwrap();
    let mut n = log.rows() as u64;
    say(format!("open {n}"));
    // One row at a time at first, for a file that starts just below a carry. It ends by itself before the disk is full.
    for turn in 0..5_000 {
        let most = if random.below(8) == 0 { 100_000 } else { 100 };
        let batch = if turn < BELOW + 20 { 1 } else { random.below(most) };
        let sync = mode == "synced" || (mode == "mixed" && random.below(50) == 0);
        let commit = random.below(3) > 0 || turn < BELOW + 20;
        let pushed = if batch == 1 { log.push(&row(n)) } else { log.extend(&rows(n..n + batch)) };
        let done = pushed.and_then(|()| match (mode.as_str(), sync, commit) {
            // Not waited for: what was begun before may be done by now.
            ("async", _, true) => log.sync_async().and_then(|()| log.poll()),
            ("async", _, false) => log.poll(),
            (_, true, _) => log.sync(),
            (_, false, true) => log.commit(),
            (_, false, false) => Ok(()),
        });
        if let Err(error) = done {
            // The power has been cut: what this says is not written down any more.
            say(format!("failed {error:?}"));
            refuses_for_good(&mut log, n);
            return;
        }
        n += batch;
        assert_eq!(log.rows() as u64, n);
        if mode == "async" {
            say(format!("committed {}", log.committed()));
            say(format!("synced {}", log.synced()));
        } else if sync {
            assert_eq!(log.synced() as u64, n);
            say(format!("synced {n}"));
        } else if commit {
            say(format!("committed {n}"));
        }
    }
}

/// An appender whose sync has failed promises nothing any more.
fn refuses_for_good(log: &mut Appender<Row>, n: u64) {
    let synced = log.synced();
    for _ in 0..3 {
        let error = log.push(&row(n)).and_then(|()| log.sync()).unwrap_err();
        assert!(matches!(error, Error::Poisoned { .. }), "{error:?}");
        assert_eq!(log.synced(), synced);
    }
}

/// The highest number that follows `word` in what was said.
fn last(said: &[String], words: &[&str]) -> Option<u64> {
    said.iter()
        .filter_map(|line| line.split_once(' '))
        .filter(|(word, _)| words.contains(word))
        .map(|(_, n)| n.parse().unwrap())
        .max()
}

/// Judges the log as the dead writer left it, `committed` rows of which must be there, and opens it again.
fn judge(path: &Path, committed: u64, first: u64) -> State {
    let left = state(path);
    let held = left.held;
    // A kill takes no page from the cache: what was written is there, in the order in which it was.
    if let Some(counted) = left.counted {
        assert!(committed <= counted && counted <= held, "{committed} committed, {left:?}");
        let mut file = NpyFile::open(path).unwrap();
        assert_eq!([file.rows(), file.refresh().unwrap()].map(|rows| rows as u64), [counted; 2]);
        let numpys = ask("list(np.load(path, mmap_mode='r').shape)", &json!({"path": path}));
        assert_eq!(numpys, json!([counted, 3]));
    } else {
        assert!(committed <= held, "{committed} committed, {left:?}");
        assert!(matches!(NpyFile::open(path), Err(Error::UnfinishedPublish { .. })), "{left:?}");
        // NumPy reads fewer rows meanwhile.
        let numpys = ask("np.load(path, mmap_mode='r').shape[0]", &json!({"path": path}));
        assert!(numpys.as_u64().unwrap() <= held, "{numpys} of {left:?}");
    }
    assert!(growing::stored(path, first, held) == growing::bytes(&rows(first..held)), "rows are wrong: {left:?}");
    let sound = verify(path).unwrap();
    let clean = left.counted == Some(held) && left.partial == 0;
    assert_eq!(sound.is_sound(), clean, "{sound:?} of {left:?}");

    let log = Appender::<Row>::open(path).unwrap_or_else(|error| panic!("{error:?} of {left:?}"));
    let recovery = log.recovery();
    assert_eq!(recovery.finished_publish, left.counted.is_none(), "{recovery:?} of {left:?}");
    assert_eq!(
        (recovery.cut_rows, recovery.cut_bytes, &recovery.kept_in),
        (0, left.partial, &None),
        "{recovery:?} of {left:?}"
    );
    if let Some(counted) = left.counted {
        assert_eq!((recovery.rows, recovery.adopted), (counted, held - counted), "{recovery:?} of {left:?}");
    }
    assert_eq!(recovery.is_clean(), clean, "{recovery:?} of {left:?}");
    assert_eq!(log.rows() as u64, held);
    log.close().unwrap();
    assert_eq!(state(path), State { field: field(held), counted: Some(held), held, partial: 0 });
    left
}

#[test]
fn rows_that_were_committed_survive_kills() {
    let [seed, cases] = support::seed_and_cases(25);
    let mut random = Random(seed.parse().unwrap());
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let (mut first, mut rows_behind) = (0, 0);
    let [mut carries, mut partial, mut uncounted] = [0; 3];
    for case in 0..cases.parse::<u64>().unwrap() {
        if case == 0 || random.below(2) == 0 {
            let _ = fs::remove_file(&path);
            let carry = [0, 1, 1, 1, 2, 9, 10][usize::try_from(random.below(7)).unwrap()] * CARRY;
            if carry > 0 {
                rows_behind = carry - random.below(BELOW);
                growing::sparse_log(&path, rows_behind, rows_behind);
            } else {
                rows_behind = 0;
            }
            first = rows_behind.saturating_sub(64);
        }
        let boundary = (rows_behind / CARRY + 1) * CARRY;
        let mode = if random.below(4) == 0 { "async" } else { "mixed" };
        let mut writer = Process::start("writer", &[path.to_str().unwrap(), &random.next().to_string(), mode]);
        let mut said = Vec::new();
        // In half of the cases the kill falls about the carry, in the others anywhere.
        let about_the_carry = boundary - rows_behind <= BELOW && random.below(4) > 0;
        let mark = if about_the_carry { boundary - 1 } else { rows_behind };
        while last(&said, &["open", "committed", "synced"]) < Some(mark) {
            said.push(writer.line().unwrap_or_else(|| panic!("the writer ended before {mark}: {:?}", said.last())));
        }
        let most = if about_the_carry { 1_500 } else { 15_000 };
        pause(Duration::from_micros(random.below(most)));
        said.extend(writer.kill());
        let committed = last(&said, &["open", "committed", "synced"]).unwrap();
        let left = judge(&path, committed, first);
        rows_behind = left.held;
        carries += u64::from(left.counted.is_none());
        partial += u64::from(left.partial > 0);
        uncounted += u64::from(left.counted.is_some_and(|counted| counted < left.held));
        assert_eq!(growing::names(folder.path()), ["log.npy"]);
    }
    println!("{cases} kills: {carries} in a carry, {uncounted} before the count, {partial} within a row");
}

/// Sleeps shorter than the scheduler would.
fn pause(time: Duration) {
    if time > Duration::from_millis(2) {
        return thread::sleep(time);
    }
    let start = Instant::now();
    while start.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// Creates one log after another in the folder that it is told.
#[test]
#[ignore = "a process that another test starts"]
fn creator() {
    let Some(orders) = orders() else { return };
    say("open");
    for i in 0.. {
        let mut log = Appender::<Row>::create(Path::new(&orders[0]).join(format!("{i}.npy"))).unwrap();
        log.push(&row(0)).unwrap();
        log.commit().unwrap();
        say(format!("committed {}", i + 1));
    }
}

#[test]
fn file_whose_creation_was_killed_is_whole_or_not_there() {
    let [seed, cases] = support::seed_and_cases(25);
    let mut random = Random(seed.parse().unwrap());
    for _ in 0..cases.parse::<u64>().unwrap() {
        let folder = support::temp_dir();
        let mut creator = Process::start("creator", &[folder.path().to_str().unwrap()]);
        assert_eq!(creator.line().as_deref(), Some("open"));
        pause(Duration::from_micros(random.below(20_000)));
        let committed = last(&creator.kill(), &["committed"]).unwrap_or(0);
        let names = growing::names(folder.path());
        assert!(names.len() as u64 >= committed, "{committed} {names:?}");
        for name in &names {
            let number: u64 =
                name.strip_suffix(".npy").and_then(|n| n.parse().ok()).unwrap_or_else(|| panic!("{name} is left"));
            judge(&folder.path().join(name), u64::from(number < committed), 0);
        }
    }
}

/// Saves one array over another, each of one number, as often as it can.
#[test]
#[ignore = "a process that another test starts"]
fn saver() {
    let Some(orders) = orders() else { return };
    let options = WriteOptions::new().durable(false);
    for i in 0u64.. {
        let len = usize::try_from(1 + i * 997 % 20_000).unwrap();
        options.save(&orders[0], [len], &vec![i; len]).unwrap();
        say(format!("saved {i}"));
    }
}

#[test]
fn save_that_was_killed_leaves_the_old_array_or_the_new_one() {
    let [seed, cases] = support::seed_and_cases(25);
    let mut random = Random(seed.parse().unwrap());
    let mut left = 0;
    for _ in 0..cases.parse::<u64>().unwrap() {
        let folder = support::temp_dir();
        let path = folder.path().join("array.npy");
        let mut saver = Process::start("saver", &[path.to_str().unwrap()]);
        assert_eq!(saver.line().as_deref(), Some("saved 0"));
        pause(Duration::from_micros(random.below(10_000)));
        let saved = last(&saver.kill(), &["saved"]).unwrap_or(0);
        let elements = NpyFile::open(&path).unwrap().read_all::<u64>().unwrap();
        let number = elements[0];
        assert!(number == saved || number == saved + 1, "{number} after {saved}");
        assert!(elements.iter().all(|&element| element == number));
        assert_eq!(elements.len() as u64, 1 + number * 997 % 20_000);
        left += growing::names(folder.path()).len() - 1;
    }
    // Between giving a new file a name and moving it over the old one there is an instant that nothing can close.
    assert!(left as u64 * 4 <= cases.parse::<u64>().unwrap(), "{left} files are left over from {cases} kills");
}

/// Makes the log that it is told, of so many rows, for `scripts/power-cut`.
#[test]
#[ignore = "a process that a script starts"]
fn maker() {
    let Some(orders) = orders() else { return };
    let rows = orders[1].parse().unwrap();
    growing::sparse_log(Path::new(&orders[0]), rows, rows);
}

/// Judges a log after a power cut, for `scripts/power-cut`: the path, the rows that were synced, from which row on they
/// are to be looked at, and whether the writer committed without syncing (`mixed`). Says what was left, and what was done about it.
#[test]
#[ignore = "a process that a script starts"]
fn judge_after_a_power_cut() {
    let Some(orders) = orders() else { return };
    let [path, synced, first, mode] = orders.as_slice() else { panic!("{orders:?}") };
    let (path, synced, first): (_, u64, u64) = (Path::new(path), synced.parse().unwrap(), first.parse().unwrap());
    let left = state(path);
    if let Some(counted) = left.counted {
        assert!(synced <= counted, "{synced} rows were synced, {counted} are counted: {left:?}");
        // A commit promises nothing after a power cut, and the system may write its count before its rows.
        if counted > left.held {
            assert_eq!(mode, "mixed", "the header is ahead: {left:?}");
            assert!(matches!(Appender::<Row>::open(path), Err(Error::HeaderAhead { .. })), "{left:?}");
            repair(path).unwrap();
            assert_eq!(state(path).counted, Some(left.held));
        }
    }
    // This machine has not been booted anew; a real one would have been.
    growing::make_old(path);
    let log = Appender::<Row>::open(path).unwrap_or_else(|error| panic!("{error:?} of {left:?}"));
    let (n, recovery) = (log.rows() as u64, log.recovery().clone());
    assert!(synced <= n, "{synced} rows were synced, {n} are left: {recovery:?} of {left:?}");
    // Those that were committed and not synced may be anything.
    let sure = if mode == "mixed" { synced } else { n };
    assert!(
        growing::stored(path, first, sure) == growing::bytes(&rows(first..sure)),
        "rows are wrong: {recovery:?} of {left:?}"
    );
    log.close().unwrap();
    let done = [
        ("in a carry", recovery.finished_publish),
        ("header ahead", left.counted.is_some_and(|counted| counted > left.held)),
        ("rows cut", recovery.cut_rows > 0),
        ("partial row cut", recovery.cut_bytes % growing::ROW > 0),
        ("more than was acknowledged", n > synced),
    ];
    say(done.into_iter().filter(|(_, done)| *done).map(|(what, _)| what).collect::<Vec<_>>().join(", "));
}
