//! Random rows of a file that is in memory.

use std::cell::RefCell;

use npymap::{Npy, NpyFile};
use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, each, once};

use crate::Random;

/// Bytes of the file: more than the caches that a core has to itself.
const LEN: usize = 256 << 20;

/// Rows of a lap.
const COUNT: usize = 1_000;

pub fn warm(setting: &Setting) -> Vec<Verdict> {
    [64, 512, 4096, 65_536].into_iter().flat_map(|row_bytes| race(setting, row_bytes)).collect()
}

fn race(setting: &Setting, row_bytes: usize) -> Vec<Verdict> {
    let (rows, columns) = (LEN / row_bytes, row_bytes / 4);
    let sample = Sample::write("<f4", &format!("({rows}, {columns})"), LEN, |index| (index as f32).to_le_bytes());
    // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
    let x = unsafe { Npy::<f32>::map(sample.path()) }.expect("the sample");
    let file = NpyFile::open(sample.path()).expect("the sample");
    // Every page is mapped from here on.
    assert!(x.as_slice().iter().step_by(1024).all(|value| value.is_finite()));
    let random = RefCell::new(Random(1));
    let out = RefCell::new(vec![0.0_f32; COUNT * columns]);
    let lap = |gather: fn(&Npy<f32>, &NpyFile, &[usize], &mut [f32])| {
        let (x, file, random, out) = (&x, &file, &random, &out);
        each(COUNT, move || {
            let chosen = random.borrow_mut().rows(COUNT, rows);
            once(|| gather(x, file, &chosen, &mut out.borrow_mut()))()
        })
    };
    let copy: fn(&Npy<f32>, &NpyFile, &[usize], &mut [f32]) = |x, _, rows, out| {
        let (elements, columns) = (x.as_slice(), x.shape()[1]);
        for (&row, out) in rows.iter().zip(out.chunks_exact_mut(columns)) {
            out.copy_from_slice(&elements[row * columns..(row + 1) * columns]);
        }
    };
    Race::new(format!("warm: {COUNT} random rows of {row_bytes} bytes out of 256 MiB"), "row")
        .lane("npymap Npy::gather", lap(|x, _, rows, out| x.gather(rows, out).expect("rows")))
        .goal(1.15, "a loop that copies each row", lap(copy))
        .numpy(setting, Some(1.0), "np.take(m, rows, 0, out)", "gather_warm", sample.path())
        .lane("npymap NpyFile::gather", lap(|_, file, rows, out| file.gather(rows, out).expect("rows")))
        .run(setting.rounds(301))
}
