//! How fast random rows are copied: npymap's ways beside a touch of each, io_uring and NumPy, in one run, of the same file.
//!
//! `cargo bench --manifest-path benches/Cargo.toml --bench gathering -- NAME…` runs the races whose names contain one of
//! the arguments, `--rounds N` sets how many rounds. Cold files are taken out of the page cache before each lap, which
//! takes no superuser.

mod cold;
mod ring;
mod warm;

use std::process::ExitCode;

use npymap_benches::{Group, run};

const GROUPS: &[Group] =
    &[("cold-pages", cold::pages), ("cold-small", cold::small), ("cold-large", cold::large), ("warm", warm::warm)];

fn main() -> ExitCode {
    run(GROUPS)
}

/// Random numbers of rows (SplitMix64).
struct Random(u64);

impl Random {
    fn rows(&mut self, count: usize, below: usize) -> Vec<usize> {
        (0..count).map(|_| (self.next() % below as u64) as usize).collect()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
