//! Two rows are not open for writing at once.

use npymap::Npy;

fn both(x: &mut Npy<f32, Vec<u8>>) {
    let first = &mut x[0];
    let again = &mut x[0]; //~ E0499
    first[0] = again[0];
}

fn main() {
    both(&mut Npy::from_bytes(Vec::new()).unwrap());
}
