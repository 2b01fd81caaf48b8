//! Random rows of a file that isn't in memory.

use std::cell::RefCell;
use std::fs::File;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::time::{Duration, Instant};

use npymap::{Npy, NpyFile};
use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, each, timed};

use crate::{Random, ring};

/// Bytes of the file.
const LEN: usize = 2 << 30;

pub fn pages(setting: &Setting) -> Vec<Verdict> {
    race(setting, 4096, 20_000, true)
}

pub fn small(setting: &Setting) -> Vec<Verdict> {
    [64, 512].into_iter().flat_map(|row_bytes| race(setting, row_bytes, 20_000, false)).collect()
}

pub fn large(setting: &Setting) -> Vec<Verdict> {
    race(setting, 65_536, 4_000, false)
}

fn race(setting: &Setting, row_bytes: usize, count: usize, has_goals: bool) -> Vec<Verdict> {
    let (rows, columns) = (LEN / row_bytes, row_bytes / 4);
    let sample = Sample::write("<f4", &format!("({rows}, {columns})"), LEN, |index| (index as f32).to_le_bytes());
    let path = sample.path();
    let random = RefCell::new(Random(1));
    let next = || random.borrow_mut().rows(count, rows);
    let map = || {
        // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
        unsafe { Npy::<f32>::map(path) }.expect("the sample")
    };
    let out = RefCell::new(vec![0.0_f32; count * columns]);
    let check = |rows: &[usize]| {
        let out = out.borrow();
        let expected = |row: usize| (row * columns) as f32;
        assert!(rows.iter().zip(out.chunks_exact(columns)).all(|(&row, found)| found[0] == expected(row)));
    };
    let lap = |gather: &dyn Fn(&[usize], &mut [f32])| {
        let rows = next();
        forget(path);
        let time = time(|| gather(&rows, &mut out.borrow_mut()));
        check(&rows);
        time
    };
    let mapped = |rows: &[usize], out: &mut [f32]| map().gather(rows, out).expect("rows");
    let touched = |rows: &[usize], out: &mut [f32]| {
        let x = map();
        rows.iter().zip(out.chunks_exact_mut(columns)).for_each(|(&row, out)| out.copy_from_slice(&x[row]));
    };
    let positioned = |rows: &[usize], out: &mut [f32]| {
        NpyFile::open(path).and_then(|file| file.gather(rows, out)).expect("rows");
    };
    let uring = |rows: &[usize], out: &mut [f32]| {
        let file = File::open(path).expect("the sample");
        // SAFETY: the bytes of numbers, borrowed exclusively for the call; any bytes are numbers.
        let bytes = unsafe { std::slice::from_raw_parts_mut(out.as_mut_ptr().cast::<u8>(), size_of_val(out)) };
        ring::read(&file, 128, row_bytes, rows, bytes);
    };
    let race = Race::new(format!("cold: {count} random rows of {row_bytes} bytes out of 2 GiB"), "row")
        .lane("npymap Npy::gather", each(count, timed(|| lap(&mapped))));
    let race = match has_goals {
        true => race.goal(0.2, "touch of each row of a mapping", each(count, timed(|| lap(&touched)))).goal(
            1.15,
            "io_uring, 256 reads under way",
            each(count, timed(|| lap(&uring))),
        ),
        false => race
            .lane("touch of each row of a mapping", each(count, timed(|| lap(&touched))))
            .lane("io_uring, 256 reads under way", each(count, timed(|| lap(&uring)))),
    };
    race.lane("npymap NpyFile::gather", each(count, timed(|| lap(&positioned))))
        .numpy(setting, None, "NumPy memmap m[rows]", "gather_cold", path)
        .run(setting.rounds(5))
}

/// Takes a file out of the page cache.
fn forget(path: &Path) {
    let file = File::open(path).expect("the sample");
    // SAFETY: a call about an open descriptor, with numbers alone.
    let refused = unsafe { libc::posix_fadvise(file.as_raw_fd(), 0, 0, libc::POSIX_FADV_DONTNEED) };
    assert_eq!(refused, 0, "the file can be forgotten");
}

fn time(operation: impl FnOnce()) -> Duration {
    let start = Instant::now();
    operation();
    start.elapsed()
}
