//! Live readers in other processes while a log grows across carries of its count: NumPy, which knows nothing of that;
//! ours, which refresh and wait; and one that reads the sixteen characters by itself. No error, no wrong row, no count
//! that falls.
//!
//! `NPYMAP_CASES` is the number of files, each with one carry, per file system and order.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod growing;
mod support;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Seek, SeekFrom, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use growing::{CARRY, DATA, Process, ROW, Random, bytes, count, field, orders, rows, say};
use npymap::{AppendOptions, NpyFile, Order};

/// How long a reader waits for a count that doesn't come.
const PATIENCE: Duration = Duration::from_secs(30);

/// A log of [`growing::row`]s in either order that counts and holds `start` rows, all but the last of them in a hole.
fn make(path: &Path, fortran: bool, start: u64) {
    let head = if fortran {
        growing::header("'<u8'", true, "3, ", field(start), "")
    } else {
        growing::row_header(field(start))
    };
    let mut file = File::create_new(path).unwrap();
    file.write_all(&head).unwrap();
    let first = start.saturating_sub(64);
    file.seek(SeekFrom::Start(DATA + ROW * first)).unwrap();
    file.write_all(&bytes(&rows(first..start))).unwrap();
}

/// What a reader is told to follow: the path, the count to start from and the one to wait for.
fn told(line: &str) -> (&str, u64, u64) {
    let mut parts = line.rsplitn(3, ' ');
    let [end, start] = [parts.next(), parts.next()].map(|number| number.unwrap().parse().unwrap());
    (parts.next().unwrap(), start, end)
}

/// Follows every log that it is told by a handle that stays open, until the last row is there.
fn follow_each(follow: impl Fn(&Path, u64, u64) -> u64) {
    say("ready");
    for line in std::io::stdin().lines() {
        let line = line.unwrap();
        let (path, start, end) = told(&line);
        say(follow(Path::new(path), start, end));
    }
}

/// Checks rows by positioned reads in any order.
fn check_rows(file: &NpyFile, first: u64, stop: u64) {
    let range = usize::try_from(first).unwrap()..usize::try_from(stop).unwrap();
    let numbers: Vec<u64> = match file.header().order() {
        Order::C => file.read_rows(range),
        Order::Fortran => file.read_cols(range),
    }
    .unwrap();
    assert!(numbers == rows(first..stop).as_flattened(), "rows {first} to {stop} are wrong");
}

/// Looks again and again; every third time by a handle of its own, as one does who comes late.
#[test]
#[ignore = "a process that another test starts"]
fn refreshing() {
    if orders().is_none() {
        return;
    }
    follow_each(|path, start, end| {
        let mut file = NpyFile::open(path).unwrap();
        let (mut looks, mut seen) = (0, file.rows() as u64);
        assert!((start..=end).contains(&seen), "{seen}");
        let begun = Instant::now();
        while seen < end {
            let now = if looks % 3 == 0 {
                let late = NpyFile::open(path).unwrap();
                check_rows(&late, seen.max(start), late.rows() as u64);
                late.rows()
            } else {
                let now = file.refresh().unwrap();
                assert_eq!(now, file.rows());
                check_rows(&file, (now as u64).saturating_sub(50).max(start), now as u64);
                now
            } as u64;
            assert!((seen..=end).contains(&now), "{now} after {seen}, {end} are written");
            (looks, seen) = (looks + 1, now);
            assert!(begun.elapsed() < PATIENCE, "the count stands at {now} of {end}");
        }
        looks
    });
}

/// Waits for rows beyond those that were seen.
#[test]
#[ignore = "a process that another test starts"]
fn waiting() {
    if orders().is_none() {
        return;
    }
    follow_each(|path, start, end| {
        let mut file = NpyFile::open(path).unwrap();
        let (mut looks, mut seen) = (0, start);
        while seen < end {
            let now = file.wait(usize::try_from(seen).unwrap(), PATIENCE).unwrap() as u64;
            assert!(now > seen && now <= end, "{now} after {seen}, {end} are written");
            check_rows(&file, seen, now);
            (looks, seen) = (looks + 1, now);
        }
        looks
    });
}

/// Knows the sixteen characters and nothing else: reads them twice, takes them where both agree and are no carry.
#[test]
#[ignore = "a process that another test starts"]
fn raw() {
    if orders().is_none() {
        return;
    }
    follow_each(|path, start, end| {
        let file = File::open(path).unwrap();
        let read = || {
            let mut field = [0; 16];
            // Where `make` has put it, in either order.
            file.read_exact_at(&mut field, 64).unwrap();
            field
        };
        let (mut looks, mut seen) = (0, start);
        let begun = Instant::now();
        while seen < end {
            assert!(begun.elapsed() < PATIENCE, "the count stands at {seen} of {end}");
            looks += 1;
            let field = read();
            if field != read() {
                continue;
            }
            if field[8..] == *b"0000000 " {
                continue;
            }
            let now = count(&field).unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(&field)));
            assert!((seen..=end).contains(&now), "{now} after {seen}, {end} are written");
            assert!(file.metadata().unwrap().len() >= DATA + ROW * now);
            let first = now.saturating_sub(50).max(start);
            let mut found = vec![0; usize::try_from(ROW * (now - first)).unwrap()];
            file.read_exact_at(&mut found, DATA + ROW * first).unwrap();
            assert!(found == bytes(&rows(first..now)), "rows {first} to {now} are wrong");
            seen = now;
        }
        looks
    });
}

/// NumPy, following by `tests/python/follow.py`.
struct Numpy {
    child: Child,
    told: ChildStdin,
    said: BufReader<ChildStdout>,
}

impl Numpy {
    fn start(fortran: bool) -> Self {
        let mut command = support::python_command("follow");
        let mut child = command
            .arg(fortran.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("Python starts");
        let (told, said) = (child.stdin.take().unwrap(), BufReader::new(child.stdout.take().unwrap()));
        Self { child, told, said }
    }

    /// Loads, and how many of them met a carry.
    fn answer(&mut self) -> [u64; 2] {
        let mut line = String::new();
        self.said.read_line(&mut line).unwrap();
        let mut numbers = line.split_whitespace().map(|number| number.parse().unwrap());
        [(); 2].map(|()| numbers.next().unwrap_or_else(|| panic!("NumPy has failed, see above")))
    }
}

fn follow(folder: &Path, fortran: bool) {
    let [seed, cases] = support::seed_and_cases(40);
    let mut random = Random(seed.parse().unwrap());
    let mut numpy = Numpy::start(fortran);
    let mut readers = ["refreshing", "waiting", "raw"].map(|role| Process::start(role, &[""]));
    readers.iter_mut().for_each(|reader| assert_eq!(reader.line().as_deref(), Some("ready")));
    let (mut loads, mut dips, mut looks) = (0, 0, [0; 3]);
    for case in 0..cases.parse::<u64>().unwrap() {
        let carry = [1, 1, 2, 3, 10][usize::try_from(random.below(5)).unwrap()] * CARRY;
        let start = carry - 1 - random.below(30);
        let end = carry + random.below(30);
        let path = folder.join(format!("{case}.npy"));
        make(&path, fortran, start);
        let line = format!("{} {start} {end}\n", path.display());
        numpy.told.write_all(line.as_bytes()).unwrap();
        readers.iter_mut().for_each(|r| r.child.stdin.as_mut().unwrap().write_all(line.as_bytes()).unwrap());
        // They shall be there when it begins.
        thread::sleep(Duration::from_millis(3));
        let mut log = AppendOptions::new().open_any(&path).unwrap();
        assert!(log.recovery().is_clean());
        let mut n = start;
        while n < end {
            let stop = (n + 1 + random.below(4)).min(end);
            log.extend_bytes(&bytes(&rows(n..stop))).unwrap();
            log.commit().unwrap();
            n = stop;
            match random.below(4) {
                0 => thread::sleep(Duration::from_micros(random.below(300))),
                1 => thread::yield_now(),
                _ => {}
            }
        }
        log.close().unwrap();
        let [numpys, numpys_dips] = numpy.answer();
        (loads, dips) = (loads + numpys, dips + numpys_dips);
        for (reader, looks) in readers.iter_mut().zip(&mut looks) {
            *looks += reader.line().expect("a reader has failed, see above").parse::<u64>().unwrap();
        }
        fs::remove_file(&path).unwrap();
    }
    drop(numpy.told);
    assert!(numpy.child.wait().unwrap().success());
    readers.into_iter().for_each(|reader| drop(reader.finish()));
    println!(
        "{cases} carries: {loads} loads by NumPy ({dips} within a carry); refreshing, waiting, raw: {looks:?} looks"
    );
    assert!(loads > 0 && looks.iter().all(|&looks| looks > 0));
}

#[test]
fn readers_of_a_c_ordered_log_see_every_count_right() {
    follow(support::temp_dir().path(), false);
}

#[test]
fn readers_of_a_fortran_ordered_log_see_every_count_right() {
    follow(support::temp_dir().path(), true);
}

fn in_memory(fortran: bool) {
    match growing::memory_folder() {
        Some(memory) => follow(tempfile::Builder::new().prefix("npymap-").tempdir_in(memory).unwrap().path(), fortran),
        None => growing::loudly("SKIPPED: followers on tmpfs, there is no /dev/shm"),
    }
}

#[test]
fn readers_of_a_c_ordered_log_in_memory_see_every_count_right() {
    in_memory(false);
}

#[test]
fn readers_of_a_fortran_ordered_log_in_memory_see_every_count_right() {
    in_memory(true);
}
