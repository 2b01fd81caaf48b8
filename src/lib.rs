#![cfg_attr(not(feature = "std"), no_std)]
//! NumPy `.npy` files: memory-mapped, zero-copy, typed arrays.

extern crate alloc;

mod error;
mod format;
mod view;

pub use error::{Error, Result};
pub use format::{ByteOrder, DType, DatetimeUnit, Order, StructField, StructType, TimeUnit};
pub use view::{LongDouble, PrintOptions, Value, array2string};
