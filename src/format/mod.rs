//! The text and bytes of the format: no I/O, no unsafe, `no_std` + `alloc`.

mod descr;
mod dtype;
mod layout;
mod literal;
mod printable;
mod repr;
mod token;
mod typestr;

pub use dtype::{ByteOrder, DType, DatetimeUnit, StructField, StructType, TimeUnit};
pub use layout::Order;

pub(crate) use layout::{Layout, shape_repr};
