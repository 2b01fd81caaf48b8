//! The files that are read. They lie under `target/` and go when they are dropped.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

/// A folder under `target/`, removed when it is dropped.
pub fn folder() -> TempDir {
    let target = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/tmp");
    std::fs::create_dir_all(&target).expect("target/ can be written");
    TempDir::new_in(target).expect("target/ can be written")
}

/// A file with a folder of its own, removed when it is dropped.
pub struct Sample {
    path: PathBuf,
    _folder: TempDir,
}

impl Sample {
    /// Writes a header, then `len` bytes made of the numbers that `fill` returns for 0, 1, 2….
    pub fn write<const SIZE: usize>(descr: &str, shape: &str, len: usize, fill: impl Fn(usize) -> [u8; SIZE]) -> Self {
        let folder = folder();
        let path = folder.path().join("sample.npy");
        let mut file = BufWriter::with_capacity(1 << 20, File::create(&path).expect("a new file"));
        file.write_all(&header(descr, shape)).expect("room for the sample");
        for index in 0..len / SIZE {
            file.write_all(&fill(index)).expect("room for the sample");
        }
        let file = file.into_inner().expect("room for the sample");
        // Otherwise the kernel writes it out while the first race runs.
        file.sync_all().expect("room for the sample");
        Self { path, _folder: folder }
    }

    /// `len` bytes of `f8`, shape (n,), in the byte order of `descr`.
    pub fn f8(descr: &str, len: usize) -> Self {
        let shape = format!("({},)", len / 8);
        Self::write(descr, &shape, len, |index| {
            // Every byte differs, and no value is subnormal.
            let value = 1.0 + 1.0 / (index as f64 + 3.0);
            if descr == ">f8" { value.to_be_bytes() } else { value.to_le_bytes() }
        })
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }
}

/// A header as NumPy writes it: version 1.0 where it fits, padded to 64 bytes; `descr` is a Python expression or the
/// text of a type string.
pub fn header(descr: &str, shape: &str) -> Vec<u8> {
    let descr = if descr.starts_with('[') { descr.to_string() } else { format!("'{descr}'") };
    let mut text = format!("{{'descr': {descr}, 'fortran_order': False, 'shape': {shape}, }}");
    // NumPy leaves room for 21 digits of the first axis.
    let digits = shape.trim_start_matches('(').find([',', ')']).unwrap_or(0);
    text.push_str(&" ".repeat(21_usize.saturating_sub(digits)));
    let long = text.len() + 64 > usize::from(u16::MAX);
    let preamble = if long { 12 } else { 10 };
    let length = (preamble + text.len() + 1).next_multiple_of(64) - preamble;
    let mut bytes = b"\x93NUMPY".to_vec();
    if long {
        bytes.extend([2, 0]);
        bytes.extend(u32::try_from(length).expect("a short text").to_le_bytes());
    } else {
        bytes.extend([1, 0]);
        bytes.extend(u16::try_from(length).expect("a short text").to_le_bytes());
    }
    bytes.extend(text.as_bytes());
    bytes.resize(preamble + length - 1, b' ');
    bytes.push(b'\n');
    bytes
}
