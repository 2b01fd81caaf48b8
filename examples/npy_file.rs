//! Reads parts of a file by positions: no mapping, no `unsafe`, and a file that is cut meanwhile is an error.
//!
//! ```sh
//! cargo run --example npy_file
//! ```
#![forbid(unsafe_code)]

use npymap::NpyFile;

fn main() -> npymap::Result<()> {
    let file = NpyFile::open("examples/data/measurements.npy")?;
    println!("{} rows of {:?}", file.shape()[0], &file.shape()[1..]);

    // The last axis as part of the type: a row is one element.
    let rows: Vec<[f32; 3]> = file.read_rows(500..505)?;
    for (i, [north, south, roof]) in (500..).zip(rows) {
        println!("{i}: {north:.2} {south:.2} {roof:.2}");
    }
    Ok(())
}
