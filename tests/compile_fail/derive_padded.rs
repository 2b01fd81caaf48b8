//! What is written through `&mut` must have no padding, and what is viewed mutably is written.

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Padded {
    a: u8,
    b: f64,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C, packed)]
struct Around {
    a: Padded,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct Wrapped(Padded);

fn writable<T: npymap::ElementMut>() {}

fn main() {
    writable::<Padded>(); //~ E0277 a struct with padding cannot be viewed for writing
    writable::<Around>(); //~ E0277 a struct with padding cannot be viewed for writing
    writable::<Wrapped>(); //~ E0277 a struct with padding cannot be viewed for writing
    writable::<[Padded; 2]>(); //~ E0277 a struct with padding cannot be viewed for writing
}
