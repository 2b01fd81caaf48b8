//! The bytes under bools cannot be written as bytes.

use npymap::Npy;

fn spoil(x: &mut Npy<bool, Vec<u8>>) {
    x.bytes_mut()[0] = 2; //~ E0596
}

fn main() {
    spoil(&mut Npy::from_bytes(Vec::new()).unwrap());
}
