#![cfg_attr(not(feature = "std"), no_std)]
//! NumPy `.npy` files: memory-mapped, zero-copy, typed arrays.

extern crate alloc;

mod any;
mod element;
mod error;
mod format;
mod npy;
#[cfg(feature = "std")]
mod npy_file;
#[cfg(feature = "std")]
mod open;
mod options;
mod storage;
mod view;

pub use any::NpyAny;
pub use element::{Datetime64, Element, ElementMut, Timedelta64, be, le};
pub use error::{Error, Result};
pub use format::{ByteOrder, DType, DatetimeUnit, Header, Order, StructField, StructType, TimeUnit};
pub use npy::Npy;
#[cfg(feature = "std")]
pub use npy_file::NpyFile;
#[cfg(feature = "std")]
pub use open::Arrays;
pub use options::ReadOptions;
pub use storage::{Aligned, Bytes, BytesMut, Mapping};
pub use view::{PrintOptions, Rows, Value, array2string};
