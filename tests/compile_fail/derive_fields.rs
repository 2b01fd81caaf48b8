//! Fields that are no elements, said at the field.

use std::cell::Cell;

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Fields { //~ E0277 `*const u8` cannot be shared between threads safely
    a: usize, //~ E0277 `usize` cannot be a field of an element
    b: char, //~ E0277 `char` cannot be a field of an element
    c: u128, //~ E0277 `u128` cannot be a field of an element
    d: *const u8, //~ E0277 `*const u8` cannot be a field of an element
    e: [usize; 2], //~ E0277 cannot be a field of an element
    f: Option<u8>, //~ E0277 `Option<u8>` cannot be a field of an element
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Unit {
    #[npymap(unit = "s")]
    a: i64, //~ E0277 a unit is for datetime64 and timedelta64, and `i64` is neither
}

#[derive(Clone, npymap::Element)]
#[repr(C)]
struct Owner { //~ E0277 the trait bound `Owner: Copy` is not satisfied
    a: u8,
}

#[derive(Clone, npymap::Element)]
#[repr(C)]
struct Shared { //~ E0277 the trait bound `Shared: Copy` is not satisfied
    a: Cell<u8>, //~ E0277 `Cell<u8>` cannot be a field of an element
}

fn main() {}
