//! Structs that can be records, in the least friendly surroundings: no unsafe code, no prelude, other meanings of
//! common names.
#![forbid(unsafe_code)]
#![no_implicit_prelude]
#![deny(warnings)]
#![deny(elided_lifetimes_in_paths, single_use_lifetimes, trivial_casts, unused_lifetimes, unused_results)]

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
#[allow(non_upper_case_globals)]
pub static bytes: i8 = 1;
#[allow(non_upper_case_globals)]
pub const out: i8 = 1;
#[allow(non_camel_case_types)]
pub struct dtype;
#[allow(non_camel_case_types)]
pub struct elements;
#[allow(non_camel_case_types)]
pub struct fields;

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

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(transparent)]
pub struct When(#[npymap(unit = "ms")] pub ::npymap::Datetime64);

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(C)]
#[repr(align(8))]
pub struct Attributes {
    /// Documented.
    pub(crate) a: i32,
    #[cfg(any())]
    gone: &'static str,
    #[cfg_attr(all(), npymap(rename = "b b", title = ""))]
    pub b: f32,
    #[deprecated]
    pub c: [[Metres; 2]; 2],
}

#[derive(Clone, Copy, ::npymap::Element)]
#[repr(C)]
#[allow(deprecated)]
pub struct Allowed {
    pub a: Old,
}

#[deprecated]
pub type Old = i64;

macro_rules! record {
    ($name:ident, $ty:ty, $count:expr, $text:literal) => {
        #[derive(Clone, Copy, ::npymap::Element)]
        #[repr(C)]
        pub struct $name {
            #[npymap(rename = $text)]
            pub a: $ty,
            pub b: [$ty; $count],
        }
    };
}

record!(Made, i32, 1 + 2, "x y");

fn element<T: ::npymap::Element>() {}
fn writable<T: ::npymap::ElementMut>() {}

fn main() {
    #[derive(Clone, Copy, ::npymap::Element)]
    #[repr(C)]
    struct Local {
        a: Metres,
    }
    element::<Local>();
    let Local { a: _ } = Local { a: Metres(0.0) };
    element::<Packed>();
    element::<Aligned>();
    element::<[Tuple; 3]>();
    element::<Attributes>();
    element::<Allowed>();
    element::<Made>();
    writable::<Metres>();
    writable::<When>();
    writable::<Renamed>();
}
