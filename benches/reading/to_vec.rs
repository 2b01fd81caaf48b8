//! Whole arrays copied out of a mapping, in either byte order.

use std::fs::File;
use std::io::BufReader;

use ndarray::Array1;
use npymap::NpyAny;

use npymap_benches::Setting;
use npymap_benches::files::Sample;
use npymap_benches::race::{Race, Verdict, once};

const LEN: usize = 256 << 20;

pub fn to_vec(setting: &Setting) -> Vec<Verdict> {
    let (big, little) = (Sample::f8(">f8", LEN), Sample::f8("<f8", LEN));
    // SAFETY: the file is this benchmark's own, in a folder with a random name: nobody writes to it or cuts it.
    let foreign = unsafe { NpyAny::map(big.path()) }.expect("the sample");
    // SAFETY: as above.
    let native = unsafe { NpyAny::map(little.path()) }.expect("the sample");
    let same = foreign.to_vec::<f64>().expect("numbers") == native.to_vec::<f64>().expect("numbers");
    assert!(same, "two byte orders, the same numbers");
    Race::new("to_vec: 256 MiB of >f8, warm", "array")
        .lane("npymap to_vec, big-endian", once(|| foreign.to_vec::<f64>().expect("numbers")))
        .goal(1.15, "memcpy of the same bytes into a new Vec", once(|| foreign.bytes().to_vec()))
        .lane("npymap to_vec, little-endian", once(|| native.to_vec::<f64>().expect("numbers")))
        .numpy(setting, None, "NumPy memmap.astype('=f8'), big-endian", "astype", big.path())
        .lane("ndarray-npy 0.10 read_npy, big-endian file", once(|| read_npy(&big)))
        .lane("npyz 0.9 into_vec, big-endian file", once(|| into_vec(&big)))
        .run(setting.rounds(15))
}

/// ndarray-npy's way to have a file in memory.
pub fn read_npy(sample: &Sample) -> Array1<f64> {
    ndarray_npy::read_npy(sample.path()).expect("the sample")
}

/// npyz's.
pub fn into_vec(sample: &Sample) -> Vec<f64> {
    let file = BufReader::new(File::open(sample.path()).expect("the sample"));
    npyz::NpyFile::new(file).expect("the sample").into_vec().expect("numbers")
}
