//! Mapping takes a promise.

use npymap::{Npy, NpyAny, ReadOptions};

fn main() {
    let _ = Npy::<f32>::map("x.npy"); //~ E0133
    let _ = NpyAny::map("x.npy"); //~ E0133
    let _ = ReadOptions::new().map("x.npy"); //~ E0133
}
