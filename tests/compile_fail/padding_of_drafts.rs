//! A record with padding is copied into an array, and never lent out for writing.

use npymap::{Draft, Element, MappingMut, Npy};

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Padded {
    a: u8,
    b: u32,
}

fn by_row(x: &mut Draft<Padded>) {
    x[0][0].b = 1; //~ E0594
}

fn main() {
    let _ = by_row;
    let mut x = Draft::<Padded>::new("x.npy", [3]).unwrap();
    let _ = x.copy_rows_from(0, &[Padded { a: 1, b: 2 }]);
    let _ = x.as_mut_slice(); //~ E0277
    let _ = x.rows_mut(); //~ E0277
    let _ = x.cols_mut(); //~ E0277
    let _ = x.chunks_mut(2); //~ E0277
    let _ = |mut mapped: Npy<Padded, MappingMut>| mapped.as_mut_slice().len(); //~ E0277
}
