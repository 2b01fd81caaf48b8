//! A mapping for writing, and the memory of a draft, have one owner, who makes them by the functions that promise.

use npymap::{Draft, MappingMut, Npy, NpyAny, Unnamed};

fn cloned(x: &Npy<f32, MappingMut>, any: &NpyAny<Unnamed>) {
    let _ = Npy::clone(x); //~ E0277
    let _ = NpyAny::clone(any); //~ E0277
    let _ = x.slice_rows(0..1); //~ E0277
    let _ = any.slice_rows(0..1); //~ E0277
}

fn without_unsafe() {
    let _ = Npy::<f32>::map_mut("x.npy"); //~ E0133
    let _ = NpyAny::map_cow("x.npy"); //~ E0133
    let _ = npymap::ReadOptions::new().map_mut("x.npy"); //~ E0133
}

fn other_bytes_under_the_type(draft: &mut Draft<bool>, bytes: &mut NpyAny<Unnamed>) {
    let any: &mut NpyAny<Unnamed> = draft; //~ E0596
    std::mem::swap(any, bytes);
}

fn bytes_of_bools(draft: &mut Draft<bool>) {
    draft.bytes_mut()[0] = 2; //~ E0596
}

fn main() {
    let _ = (cloned, without_unsafe, other_bytes_under_the_type, bytes_of_bools);
}
