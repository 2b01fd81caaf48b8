//! Headers: bytes in, meaning out, no file.

use std::fmt::Write;

use npymap::{Header, ReadOptions};

use npymap_benches::Setting;
use npymap_benches::files;
use npymap_benches::race::{Race, Verdict, each, repeated};

/// The header of nearly every file: 128 bytes.
pub fn simple(setting: &Setting) -> Vec<Verdict> {
    let bytes = files::header("<f4", "(1000, 3)");
    assert_eq!(bytes.len(), 128);
    Race::new("header: parse 128 bytes, <f4 (1000, 3)", "header")
        .lane("npymap Header::parse", repeated(|| Header::parse(&bytes).expect("a header")))
        .goal(0.01, "ndarray-npy 0.10 Header::from_reader", repeated(|| ndarray_npy_header(&bytes)))
        .goal(0.01, "npyz 0.9 NpyHeader::from_reader", repeated(|| npyz_header(&bytes)))
        .run(setting.rounds(401))
}

/// Structs of more and more fields: the time per byte must not grow.
pub fn linear(setting: &Setting) -> Vec<Verdict> {
    let [ten, hundred, thousand, most] = [10, 100, 1_000, 10_000].map(|fields| files::header(&descr(fields), "(7,)"));
    let options = ReadOptions::new().max_header_size(10_000_000);
    let parse = |bytes: &[u8]| options.parse_header(bytes).expect("a header");
    Race::new("linear: parse the header of a struct", "byte")
        .lane("npymap, 10,000 fields", each(most.len(), repeated(|| parse(&most))))
        .goal(1.5, "npymap, 1,000 fields", each(thousand.len(), repeated(|| parse(&thousand))))
        .goal(1.5, "npymap, 100 fields", each(hundred.len(), repeated(|| parse(&hundred))))
        .lane("npymap, 10 fields", each(ten.len(), repeated(|| parse(&ten))))
        .lane("ndarray-npy 0.10, 100 fields", each(hundred.len(), repeated(|| ndarray_npy_header(&hundred))))
        .lane("npyz 0.9, 100 fields", each(hundred.len(), repeated(|| npyz_header(&hundred))))
        .run(setting.rounds(51))
}

fn ndarray_npy_header(bytes: &[u8]) -> ndarray_npy::npy::header::Header {
    let mut reader = bytes;
    ndarray_npy::npy::header::Header::from_reader(&mut reader).expect("a header")
}

fn npyz_header(bytes: &[u8]) -> npyz::NpyHeader {
    npyz::NpyHeader::from_reader(bytes).expect("a header")
}

/// `[('column_0', '<f8'), …]`
fn descr(fields: usize) -> String {
    let mut descr = String::from("[");
    for field in 0..fields {
        let separator = if field == 0 { "" } else { ", " };
        write!(descr, "{separator}('column_{field}', '<f8')").expect("a String takes everything");
    }
    descr + "]"
}
