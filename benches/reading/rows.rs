//! Random rows of a file that is in memory already.

use std::cell::Cell;
use std::hint::black_box;
use std::ptr;

use npymap::{Npy, NpyFile};

use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, each, once};

/// 256 MiB of rows of 512 bytes: more than the caches that a core has to itself.
const ROWS: usize = 512 << 10;
const COLUMNS: usize = 128;

/// Rows that are visited in one lap.
const LAP: usize = 1_000;

type Row = [f32; COLUMNS];

pub fn rows(setting: &Setting) -> Vec<Verdict> {
    let shape = format!("({ROWS}, {COLUMNS})");
    let sample = Sample::write("<f4", &shape, ROWS * size_of::<Row>(), |index| (index as f32).to_le_bytes());
    // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
    let x = unsafe { Npy::<f32>::map(sample.path()) }.expect("the sample");
    let folded = x.typed::<Row>().expect("rows of 128");
    let all = x.rows().expect("C order");
    let file = NpyFile::open(sample.path()).expect("the sample");
    let start = x.as_ptr();
    // Every page is mapped from here on.
    assert!(x.as_slice().iter().step_by(1024).all(|value| value.is_finite()));

    let walk = Walk::new();
    let copy = |row: &[f32]| {
        let out: Row = row.try_into().expect("128 columns");
        black_box(&out);
    };
    let raw = |i: usize| {
        // SAFETY: the walk stays below `ROWS`, so that the row lies within the mapping, which `x` holds. It is aligned
        // as `f32` asks, and any bits are a row.
        let out: Row = unsafe { ptr::read(start.add(i * COLUMNS).cast()) };
        black_box(&out);
    };
    let view = |row: &[f32]| {
        black_box(row.as_ptr());
    };
    let sum = |row: &[f32]| {
        black_box(row.iter().map(|value| value.to_bits() & 1).sum::<u32>());
    };
    let read = |i: usize| {
        black_box(file.read_rows::<f32>(i..i + 1).expect("the sample"));
    };
    let elements = x.as_slice();
    let path = sample.path();
    let races = [
        Race::new("rows: copy random rows of 512 bytes out of 256 MiB, warm", "row")
            .lane("npymap &x[i]", walk.lap(|i| copy(&x[i])))
            .goal(1.1, "raw pointer", walk.lap(raw))
            .numpy(setting, Some(0.04), "NumPy memmap, out[:] = m[i]", "row_copy", path)
            .lane("the same part of a &[f32]", walk.lap(|i| copy(&elements[i * COLUMNS..(i + 1) * COLUMNS])))
            .lane("npymap x.get(i)", walk.lap(|i| copy(x.get(i).expect("a row"))))
            .lane("npymap x.rows().get(i)", walk.lap(|i| copy(all.get(i).expect("a row"))))
            .lane("npymap Npy<[f32; 128]> as_slice()[i]", walk.lap(|i| copy(&folded.as_slice()[i])))
            .lane("npymap NpyFile::read_rows(i..i + 1)", walk.lap(read)),
        Race::new("rows: sum random rows in place", "row")
            .lane("npymap &x[i]", walk.lap(|i| sum(&x[i])))
            .goal(1.1, "the same part of a &[f32]", walk.lap(|i| sum(&elements[i * COLUMNS..(i + 1) * COLUMNS])))
            .numpy(setting, Some(0.04), "NumPy memmap m[i].sum()", "row_sum", path),
        Race::new("rows: find random rows, without looking at them", "row")
            .lane("npymap &x[i]", walk.lap(|i| view(&x[i])))
            .lane("the same part of a &[f32]", walk.lap(|i| view(&elements[i * COLUMNS..(i + 1) * COLUMNS])))
            .lane("npymap x.rows().get(i)", walk.lap(|i| view(all.get(i).expect("a row"))))
            .numpy(setting, Some(0.04), "NumPy memmap m[i]", "row", path)
            .numpy(setting, None, "NumPy ndarray a[i]", "row_of_ndarray", path),
    ];
    races.into_iter().flat_map(|race| race.run(setting.rounds(1001))).collect()
}

/// A walk over all rows in random order. Laps go on where the last one ended, whoever ran it, so that each finds rows
/// that have long left the caches.
struct Walk {
    order: Vec<usize>,
    next: Cell<usize>,
}

impl Walk {
    fn new() -> Self {
        let mut order: Vec<usize> = (0..ROWS).collect();
        // Fisher and Yates, with a linear congruential generator.
        let mut state: u64 = 1;
        for last in (1..ROWS).rev() {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            order.swap(last, (state >> 33) as usize % (last + 1));
        }
        Self { order, next: Cell::new(0) }
    }

    /// A lap of visits.
    fn lap<'a>(&'a self, visit: impl Fn(usize) + 'a) -> impl FnMut() -> f64 + 'a {
        each(
            LAP,
            once(move || {
                let first = self.next.get();
                let rest = &self.order[first..first + LAP];
                rest.iter().for_each(|&i| visit(i));
                let next = first + LAP;
                self.next.set(if next + LAP > ROWS { 0 } else { next });
            }),
        )
    }
}
