#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
//! NumPy `.npy` files: memory-mapped, zero-copy, typed arrays.
//!
//! The header of a file is parsed once; after that an array is a slice. [`Npy<T>`](Npy) is the face of the crate: an
//! array of one element type over a mapped file, or over memory, which hands out `&[T]` without a copy.
//!
//! ```
//! use npymap::Npy;
//!
//! // SAFETY: the file belongs to this package; nobody writes to it while it is mapped.
//! let x = unsafe { Npy::<f32>::map("examples/data/measurements.npy")? };
//!
//! assert_eq!(x.shape(), [1000, 3]);
//! let row: &[f32] = &x[17];                       // a row is a slice of the file
//! let all: &[f32] = x.as_slice();                 // and so is everything
//! assert_eq!(row, &all[17 * 3..18 * 3]);
//! assert_eq!(x[[17, 2]], row[2]);
//! # Ok::<(), npymap::Error>(())
//! ```
//!
//! # Which type do I want?
//!
//! | you have, and want | type | safe? |
//! |---|---|---|
//! | a finished file, its elements in place, at random or all of them | [`Npy<T>`](Npy) by [`Npy::map`] | `unsafe`: you promise that [nobody changes it](Mapping#the-contract) |
//! | the same, of a sealed memfd or a file under fs-verity | [`Npy<T>`](Npy) by [`Npy::map_immutable`] | safe |
//! | a file that fits into memory | `Npy<T, Aligned>` by [`Npy::read`] | safe |
//! | a pipe, a socket, a decompressor; several arrays one after another | [`Npy::read_from`], [`NpyAny::read_all_from`] | safe |
//! | bytes of your own: `include_bytes!`, an archive, a test | `Npy<T, &[u8]>` by [`Npy::from_bytes`] | safe |
//! | a part of a huge file, a file that others change, a network file system | [`NpyFile`] | safe: a file that is cut is an error |
//! | a file whose dtype you don't know | [`NpyAny`], then [`typed`](NpyAny::typed), [`to_vec`](NpyAny::to_vec) or [`value`](NpyAny::value) | as above |
//! | nothing but the header | [`Header::parse`], [`NpyFile::read_header`] | safe |
//!
//! [`Element`] lists the types that elements can be viewed as. Files of the other byte order and data at odd offsets
//! are viewed in place too, through the numbers of [`be`] and [`le`]; [`NpyAny::to_vec`] copies whatever the order.
//! The [`guide`] has a line for each NumPy call and each dtype.
//!
//! # Errors
//!
//! There is one [`Error`]. Whatever a file holds, reading it does not panic, does not allocate more than the file
//! could justify and takes no more than linear time.
//!
//! # Features
//!
//! - **`std`** (default): files, streams and I/O errors. Without it the crate is `no_std` with `alloc`, and views
//!   bytes.
//! - **`mmap`** (default): mapped files. Without it the crate builds for wasm32.
//! - **`ndarray`**: views as `ndarray` arrays, in either order.
//! - **`half`**, **`num-complex`**: their types as elements.
//! - **`serde`**: `Serialize` for [`Header`] and [`DType`], the JSON of the command `npymap info`.

#![deny(unsafe_code)]

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

/// What the code that the derive macro writes is made of: not for anybody else, and free to change at any time.
#[doc(hidden)]
pub mod __private {
    pub use crate::element::record;
    pub use alloc::string::String;
    pub use bytemuck;
}

pub use any::NpyAny;
pub use element::{Datetime64, Element, ElementMut, Timedelta64, be, le};
pub use error::{Error, Result};
pub use format::{ByteOrder, DType, DatetimeUnit, FieldPath, Header, Order, StructField, StructType, TimeUnit};
pub use npy::Npy;
#[cfg(feature = "std")]
pub use npy_file::NpyFile;
#[cfg(feature = "std")]
pub use open::Arrays;
pub use options::ReadOptions;
pub use storage::{Aligned, Bytes, BytesClone, BytesMut, Mapping};
pub use view::{Field, FieldMut, FieldsMut, LongDouble, PrintOptions, Rows, Value, array2string};

#[cfg(feature = "mmap")]
#[doc = include_str!("../docs/guide.md")]
pub mod guide {}

#[cfg(all(doctest, feature = "mmap"))]
#[doc = include_str!("../README.md")]
mod readme {}
