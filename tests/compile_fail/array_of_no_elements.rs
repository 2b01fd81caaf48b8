//! `[T; 0]` is no element: there would be any number of them in no bytes. //~ above E0080

use npymap::Npy;

fn main() {
    let _ = Npy::<[f32; 0]>::from_bytes(Vec::new());
}
