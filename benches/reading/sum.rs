//! A loop over a mapped slice, which must be the loop over any slice.

use npymap::Npy;

use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, once};

const LEN: usize = 256 << 20;

pub fn sum(setting: &Setting) -> Vec<Verdict> {
    let sample = Sample::f8("<f8", LEN);
    // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
    let x = unsafe { Npy::<f64>::map(sample.path()) }.expect("the sample");
    let vec = x.as_slice().to_vec();
    assert_eq!(total(&vec).to_bits(), total(x.as_slice()).to_bits());
    Race::new("sum: 256 MiB of f8, warm", "pass")
        .lane("npymap as_slice", once(|| total(x.as_slice())))
        .goal(1.02, "Vec<f64>", once(|| total(&vec)))
        .numpy(setting, None, "NumPy memmap.sum()", "sum", sample.path())
        .run(setting.rounds(31))
}

/// Sixteen sums at once: bound by the memory, not by the latency of an addition.
#[inline(never)]
fn total(values: &[f64]) -> f64 {
    let (blocks, rest) = values.as_chunks::<16>();
    let mut sums = [0.0; 16];
    for block in blocks {
        for (sum, value) in sums.iter_mut().zip(block) {
            *sum += value;
        }
    }
    sums.iter().chain(rest).sum()
}
