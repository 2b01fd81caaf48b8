//! A read-only mapping and shared bytes have no rows for writing, aren't copied into, and neither flushed nor grown.

use std::sync::Arc;

use npymap::{Npy, NpyAny};

fn typed(x: &mut Npy<f32>) {
    let _ = x.rows_mut(); //~ E0277
    let _ = x.cols_mut(); //~ E0277
    let _ = x.chunks_mut(1); //~ E0277
    let _ = x.copy_rows_from(0, &[1.0]); //~ E0277
    let _ = x.flush(); //~ E0599
    let _ = x.grow(1); //~ E0599
    let _ = x.shrink_to(0); //~ E0599
}

fn untyped(x: &mut NpyAny<Arc<[u8]>>) {
    let _ = x.copy_rows_from(0, &[1.0_f32]); //~ E0277
    let _ = x.bytes_mut(); //~ E0277
    let _ = x.flush_rows(0..1); //~ E0599
}

fn main() {
    let _ = (typed, untyped);
}
