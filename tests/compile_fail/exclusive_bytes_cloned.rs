//! An array over bytes that it alone may write is not doubled.

use npymap::Npy;

fn main() {
    let mut file = vec![0_u8; 100];
    let x = Npy::<f32>::from_bytes(file.as_mut_slice()).unwrap();
    let _ = x.slice_rows(0..1); //~ E0277
    let _ = Clone::clone(&x); //~ E0277
}
