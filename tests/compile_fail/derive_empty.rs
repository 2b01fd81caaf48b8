//! Fields that take no bytes, and padding that isn't bytes.

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Empty {
    a: u8,
    b: [f32; 0], //~ E0080 a field that takes no bytes is none of an element
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct Padding {
    a: u8,
    #[npymap(padding)]
    b: bool, //~ E0080 padding may be any bytes: write [u8; N]
}

#[derive(Clone, Copy, npymap::Element)]
#[repr(transparent)]
struct Wrapper([[u8; 0]; 2]); //~ E0080 a field that takes no bytes is none of an element

#[derive(Clone, Copy, npymap::Element)]
#[repr(C)]
struct EmptyText {
    a: u8,
    b: npymap::FixedBytes<0>, //~ E0080 a field that takes no bytes is none of an element
}

fn main() {}
