//! A read-only mapping, and bytes that others share, are not written to.

use std::sync::Arc;

use npymap::Npy;

fn write(mapped: &mut Npy<f32>, shared: &mut Npy<f32, Arc<[u8]>>, borrowed: &mut Npy<f32, &[u8]>) {
    mapped.as_mut_slice(); //~ E0277
    shared.as_mut_slice(); //~ E0277
    borrowed.as_mut_slice(); //~ E0277
}

fn main() {
    let _ = write;
}
