//! Structs that cannot be records, each refused where the fault is.

#[derive(Clone, Copy, npymap::Element)]
struct NoLayout { //~ error write #[repr(C, packed)] for NumPy's default layout
    a: u8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(Rust)] //~ error an element needs a layout that Rust guarantees
struct RustLayout {
    a: u8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C, packed(2))] //~ error packed(N) with N above 1 is a layout that NumPy never has
struct Packed2 {
    a: u8,
    b: f64,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(packed)]
struct PackedRust { //~ error write #[repr(C, packed)] for NumPy's default layout
    a: u8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(u8)]
enum Colour { //~ error an enum is no element
    Red,
    Green,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
union Either { //~ error a union is no element
    a: u8,
    b: i8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Generic<T> { //~ error an element has no generic parameters
    a: T,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Counted<const N: usize> { //~ error an element has no generic parameters
    a: [u8; N],
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Lent<'a> { //~ error an element has no generic parameters
    a: [&'a f64; 2],
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Borrowing {
    a: u8,
    b: &'static str, //~ error for text write npymap::FixedBytes<N>
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Nothing {} //~ error an element without fields takes no bytes

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Twice {
    a: u8,
    #[npymap(rename = "a")]
    b: u8, //~ error "a" is the name or title of an earlier field
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Titled {
    c: u8,
    #[npymap(title = "c")]
    d: u8, //~ error "c" is the name or title of an earlier field
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Unit {
    #[npymap(unit = "sec")] //~ error no unit of NumPy: Y M W D h m s ms us ns ps fs as
    a: npymap::Datetime64,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Unknown {
    #[npymap(name = "x")] //~ error for a field npymap knows `rename = "name in the file"`
    a: u8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
#[npymap(rename = "x")] //~ error on a struct npymap knows `crate = path`
struct UnknownOfStruct {
    a: u8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
#[npymap(crate = "npymap")] //~ error write the path itself, without quotation marks
struct QuotedPath {
    a: u8,
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Several {
    #[npymap(unit = "")] //~ error no unit of NumPy
    a: npymap::Datetime64,
    #[npymap(unit = "2147483648s")] //~ error no unit of NumPy
    b: npymap::Datetime64,
    #[npymap(title = "x", title = "y")] //~ error said twice
    c: u8,
    #[npymap(padding, unit = "s")] //~ error padding has no unit
    d: [u8; 3],
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct NamedPadding {
    #[npymap(padding, rename = "x")] //~ error padding has no name in a file
    a: [u8; 3],
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct Marked(u8, core::marker::PhantomData<f64>); //~ error a transparent element has one field

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct NamedWrapper(#[npymap(rename = "x")] u8); //~ error a transparent element is no record

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct PaddingAlone {
    #[npymap(padding)]
    a: [u8; 3], //~ error padding alone is no element
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Own {
    a: [u8; Self::LEN], //~ error write the name of the struct here rather than `Self`
}

impl Own {
    const LEN: usize = 3;
}

macro_rules! number {
    () => {
        f64
    };
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Macros {
    a: [number!(); 2], //~ error a macro may give another type each time that it is called
}

fn main() {}
