//! Whole files read into memory.

use npymap::{Npy, NpyAny};

use crate::to_vec::{into_vec, read_npy};
use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, once, repeated};

const LEN: usize = 256 << 20;

pub fn large(setting: &Setting) -> Vec<Verdict> {
    let sample = Sample::f8("<f8", LEN);
    let path = sample.path();
    Race::new("read: a file of 256 MiB, warm", "file")
        .lane("npymap NpyAny::read", once(|| NpyAny::read(path).expect("the sample")))
        .goal(1.05, "std::fs::read", once(|| std::fs::read(path).expect("the sample")))
        .numpy(setting, None, "NumPy np.load", "load", path)
        .lane("ndarray-npy 0.10 read_npy", once(|| read_npy(&sample)))
        .lane("npyz 0.9 into_vec", once(|| into_vec(&sample)))
        .run(setting.rounds(15))
}

pub fn small(setting: &Setting) -> Vec<Verdict> {
    let sample = Sample::f8("<f8", 12_000);
    let path = sample.path();
    Race::new("small: read a file of 12 kB, warm", "file")
        .lane("npymap Npy::<f64>::read", repeated(|| Npy::<f64, _>::read(path).expect("the sample")))
        .lane("std::fs::read", repeated(|| std::fs::read(path).expect("the sample")))
        .numpy(setting, None, "NumPy np.load", "load", path)
        .lane("ndarray-npy 0.10 read_npy", repeated(|| read_npy(&sample)))
        .lane("npyz 0.9 into_vec", repeated(|| into_vec(&sample)))
        .run(setting.rounds(401))
}
