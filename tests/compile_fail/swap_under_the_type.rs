//! Nobody can put another dtype under a type.

use npymap::Npy;

fn swap(bools: &mut Npy<bool, Vec<u8>>, bytes: &mut Npy<u8, Vec<u8>>) {
    std::mem::swap(
        &mut **bools, //~ E0596
        &mut **bytes, //~ E0596
    );
}

fn main() {
    let file = Vec::new();
    swap(&mut Npy::from_bytes(file.clone()).unwrap(), &mut Npy::from_bytes(file).unwrap());
}
