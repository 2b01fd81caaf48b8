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
    g: (u8, u8), //~ E0277 `(u8, u8)` cannot be a field of an element
    h: (), //~ E0080 a field that takes no bytes //~ E0277 `()` cannot be a field of an element
    i: std::marker::PhantomData<u8>, //~ E0080 a field that takes no bytes //~ E0277 `PhantomData<u8>` cannot be a field of an element
    j: [&'static str; 2], //~ E0277 `&'static str` cannot be a field of an element
    k: std::num::NonZero<u8>, //~ E0277 `NonZero<u8>` cannot be a field of an element
    l: isize, //~ E0277 `isize` cannot be a field of an element
    m: fn(), //~ E0277 `fn()` cannot be a field of an element
}

#[derive(Clone, npymap::Element)]
#[repr(C)]
struct Owning { //~ E0277 the trait bound `Owning: Copy` is not satisfied
    a: String, //~ E0277 `String` cannot be a field of an element
    b: Vec<u8>, //~ E0277 `Vec<u8>` cannot be a field of an element
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct Wrapper(usize); //~ E0277 `usize` cannot be a field of an element

/// An element by hand, of which nothing says what bytes are a value.
#[derive(Clone, Copy)]
struct ByHand(std::num::NonZero<u8>);

impl npymap::Element for ByHand {
    const ANY_BYTES: bool = true;

    fn name() -> String {
        "ByHand".into()
    }
    fn dtype() -> npymap::DType {
        npymap::DType::UInt8
    }
    fn check(_: &npymap::DType) -> npymap::Result<()> {
        Ok(())
    }
    fn view(_: &[u8]) -> npymap::Result<&[Self]> {
        Ok(&[])
    }
    fn read(_: &[u8]) -> npymap::Result<Self> {
        Ok(ByHand(std::num::NonZero::<u8>::MIN))
    }
    fn write(&self, _: &mut [u8]) {}
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct AroundByHand(ByHand); //~ E0277 `ByHand` cannot be a field of an element

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct WithByHand {
    a: u8,
    b: [ByHand; 2], //~ E0277 `ByHand` cannot be a field of an element
    #[npymap(padding)]
    c: ByHand, //~ E0277 `ByHand` cannot be a field of an element
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Unit {
    #[npymap(unit = "s")]
    a: i64, //~ E0277 a unit is for datetime64 and timedelta64, and `i64` is neither
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct UnitOfWrapper(#[npymap(unit = "s")] f64); //~ E0277 and `f64` is neither

#[derive(Clone, npymap::Element)]
#[repr(C)]
struct Owner { //~ E0277 consider annotating `Owner` with `#[derive(Copy)]`
    a: u8,
}

#[derive(Clone, npymap::Element)]
#[repr(C)]
struct Shared { //~ E0277 the trait bound `Shared: Copy` is not satisfied
    a: Cell<u8>, //~ E0277 `Cell<u8>` cannot be a field of an element
}

fn main() {}
