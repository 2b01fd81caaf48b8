//! A copy of a vector may lie worse than the vector: a typed array over one is not cloned.

use npymap::Npy;

fn twice(x: &Npy<f64, Vec<u8>>) -> Npy<f64, Vec<u8>> {
    Clone::clone(x) //~ E0277
}

fn main() {
    let _ = twice;
}
