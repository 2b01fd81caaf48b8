//! Chunks, rows and columns for writing live as long as the array that they are of, and no two of the same at once.

use npymap::{Draft, Npy};

fn outlive() -> Vec<&'static mut [u8]> {
    let mut x = Npy::<u8>::from_bytes(Vec::new()).unwrap();
    x.chunks_mut(1).unwrap().collect() //~ E0515
}

fn outlive_a_draft() -> usize {
    let chunks = {
        let mut x = Draft::<u8>::new("x.npy", [3]).unwrap();
        x.chunks_mut(1).unwrap() //~ E0597
    };
    chunks.len()
}

fn twice(x: &mut Draft<u8>) {
    let first = x.chunks_mut(1).unwrap();
    let second = x.chunks_mut(2).unwrap(); //~ E0499
    first.zip(second).for_each(drop);
}

fn beside_a_row(x: &mut Draft<u8>) -> u8 {
    let row = &x[0];
    x.rows_mut().unwrap().for_each(|row| row[0] = 1); //~ E0502
    row[0]
}

fn beside_a_column(x: &mut Draft<u8>) -> u8 {
    let row = &x[0];
    x.cols_mut().unwrap().for_each(|column| column[0] = 1); //~ E0502
    row[0]
}

fn into_a_thread_that_outlives_them(x: &mut Draft<u8>) {
    for chunk in x.chunks_mut(1).unwrap() {
        std::thread::spawn(move || chunk[0] = 1); //~ E0521
    }
}

fn main() {
    let _ = (outlive, outlive_a_draft, twice, beside_a_row, beside_a_column, into_a_thread_that_outlives_them);
}
