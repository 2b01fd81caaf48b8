//! Maps a file and looks at it in place.
//!
//! ```sh
//! cargo run --release --example map
//! cargo run --release --example map -- your.npy      # of float32
//! ```

use npymap::Npy;

fn main() -> npymap::Result<()> {
    let path = std::env::args().nth(1).unwrap_or("examples/data/measurements.npy".into());

    // SAFETY: nobody writes to the file or cuts it while this program runs.
    let x = unsafe { Npy::<f32>::map(&path)? };

    println!("{path}: {x:?}");
    println!("{x}");

    // A row is a slice of the file: nothing was copied.
    let rows = x.rows()?;
    let warmest = rows.enumerate().max_by(|(_, a), (_, b)| mean(a).total_cmp(&mean(b)));
    if let Some((i, row)) = warmest {
        println!("row {i} has the highest mean, {:.2}: {row:?}", mean(row));
    }
    println!("mean of all: {:.2}", mean(x.as_slice()));
    Ok(())
}

fn mean(values: &[f32]) -> f32 {
    values.iter().sum::<f32>() / values.len() as f32
}
