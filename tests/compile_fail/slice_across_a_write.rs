//! A view ends where the array is written to.

use npymap::Npy;

fn stale(x: &mut Npy<f32, Vec<u8>>) -> f32 {
    let view = x.as_slice();
    x.as_mut_slice()[0] = 1.0; //~ E0502
    view[0]
}

fn main() {
    stale(&mut Npy::from_bytes(Vec::new()).unwrap());
}
