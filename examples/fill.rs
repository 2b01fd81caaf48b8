//! Fills a new array by several threads, without unsafe, and gives it its name when it is whole.
//!
//! `cargo run --release --example fill -- FILE`

use std::thread;

use npymap::Draft;

const ROWS: usize = 1_000_000;
const COLUMNS: usize = 16;
const THREADS: usize = 4;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "filled.npy".into());
    // The space is allocated here: a full disk is an error now, and not a signal in some thread.
    let mut table = Draft::<f32>::new(&path, [ROWS, COLUMNS])?;
    let rows = ROWS.div_ceil(THREADS);
    thread::scope(|threads| -> npymap::Result<()> {
        for (part, chunk) in table.chunks_mut(rows)?.enumerate() {
            threads.spawn(move || {
                for (i, row) in chunk.chunks_exact_mut(COLUMNS).enumerate() {
                    row.fill((part * rows + i) as f32);
                }
            });
        }
        Ok(())
    })?;
    table.publish()?;
    println!("{path}: {ROWS} rows of {COLUMNS}; np.load('{path}') reads it");
    Ok(())
}
