//! A log that grows, and a follower that reads it as it does.
//!
//! `cargo run --release --example log -- FILE`; run it again, and the rows are appended. NumPy can open the file
//! meanwhile: `np.load(FILE, mmap_mode='r')`.

use std::thread;
use std::time::Duration;

use npymap::{AppendOptions, Appender, NpyFile};

const SAMPLES: usize = 50;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).unwrap_or_else(|| "log.npy".into());
    let options = AppendOptions::new().commit_every(Duration::from_millis(20));
    let mut log: Appender<[f64; 4]> = options.open_or_create(&path)?;
    if !log.recovery().is_clean() {
        println!("what the last writer left: {:?}", log.recovery());
    }
    let (mut seen, last) = (log.rows(), log.rows() + SAMPLES);

    let mut file = NpyFile::open(&path)?;
    let follower = thread::spawn(move || -> npymap::Result<()> {
        while seen < last {
            let now = file.wait(seen, Duration::from_secs(10))?;
            let rows: Vec<[f64; 4]> = file.read_rows(seen..now)?;
            println!("rows {seen}..{now}, the last of them {:?}", rows.last());
            seen = now;
        }
        Ok(())
    });

    for i in 0..SAMPLES {
        log.push(&[i as f64; 4])?;
        thread::sleep(Duration::from_millis(5));
    }
    // Rows of the last 20 milliseconds are not committed yet; and this waits for the disk.
    log.sync()?;
    log.close()?;
    follower.join().map_err(|_| "the follower panicked")??;
    Ok(())
}
