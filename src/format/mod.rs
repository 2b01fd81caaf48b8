//! The text and bytes of the format: no I/O, no unsafe, `no_std` + `alloc`.

mod descr;
mod dtype;
mod header;
#[cfg(feature = "serde")]
mod json;
mod layout;
mod literal;
mod path;
mod plain;
mod printable;
mod publish;
mod repr;
mod token;
mod typestr;
mod write;

pub use dtype::{ByteOrder, DType, DatetimeUnit, StructField, StructType, TimeUnit};
pub use header::Header;
pub use layout::Order;
pub use path::FieldPath;

pub(crate) use header::DEFAULT_MAX_HEADER_SIZE;
#[cfg(feature = "std")]
pub(crate) use header::{MAGIC, PADDING_WINDOW, Preamble};
pub(crate) use layout::{Layout, Positions, shape_repr};
pub(crate) use path::Located;
#[cfg(feature = "std")]
pub(crate) use publish::{FIELD_LEN, PublishField, stores};
pub(crate) use repr::str_repr;
#[cfg(feature = "std")]
pub(crate) use write::{ALIGNMENT, Form};
