//! The untyped array under a typed one is never given out for writing.

use npymap::{Npy, NpyAny};

fn under(x: &mut Npy<bool, Vec<u8>>) -> &mut NpyAny<Vec<u8>> {
    &mut **x //~ E0596
}

fn main() {
    let x = Npy::<bool>::from_bytes(Vec::new());
    under(&mut x.unwrap());
}
