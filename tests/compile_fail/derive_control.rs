//! Structs that can be records, in the least friendly surroundings: no unsafe code, no prelude, other meanings of
//! common names.
#![forbid(unsafe_code)]
#![no_implicit_prelude]
#![deny(warnings)]

pub mod npymap {}
pub mod core {}
pub mod std {}
pub mod alloc {}

pub type Result<T> = ::core::option::Option<T>;
#[allow(non_camel_case_types)]
pub struct u8;
#[allow(non_camel_case_types)]
pub struct bool;
#[allow(non_camel_case_types)]
pub struct str;
pub struct Option;
pub struct String;
pub struct Vec;
pub struct Element;
pub struct Self_;

use ::core::clone::Clone;
use ::core::marker::Copy;

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(C, packed)]
pub struct Packed {
    pub r#type: ::core::primitive::bool,
    #[npymap(rename = "it's\n\u{e9}", title = "A title")]
    pub b: [[f64; 2]; 3],
    #[npymap(unit = "25s")]
    pub c: [::npymap::Datetime64; 2],
    #[npymap(padding)]
    _pad: [::core::primitive::u8; 3],
    pub d: Aligned,
}

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(C)]
pub struct Aligned {
    pub bytes: i8,
    pub out: ::npymap::be::F64,
    pub fields: f64,
    pub dtype: Metres,
}

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(transparent)]
pub struct Metres(pub f32);

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(C, align(16))]
pub struct Tuple(pub i32, #[npymap(rename = "second")] pub i32);

mod renamed {
    pub use ::npymap as arrays;
}

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(packed(1), C)]
#[npymap(crate = renamed::arrays)]
pub struct Renamed {
    pub a: i32,
}

fn element<T: ::npymap::Element>() {}
fn writable<T: ::npymap::ElementMut>() {}

fn main() {
    element::<Packed>();
    element::<Aligned>();
    element::<[Tuple; 3]>();
    writable::<Metres>();
    writable::<Renamed>();
}
