#![cfg_attr(not(feature = "std"), no_std)]
#![cfg_attr(docsrs, feature(doc_cfg))]
//! NumPy `.npy` files: memory-mapped, zero-copy, typed arrays, which are read, written and let grow.
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
//! | rows by their numbers, in any order, faster than one by one | [`Npy::gather`], [`NpyFile::gather`]; [`NpyAny::prefetch`] | as above |
//! | records (structured arrays), as structs in place | [`Npy<T>`](Npy) of a struct that derives [`Element`] (feature `derive`) | as above |
//! | one field of records, strings of any length | [`NpyAny::field`], [`NpyAny::strings`] | as above |
//! | a file whose dtype you don't know | [`NpyAny`], then [`typed`](NpyAny::typed), [`to_vec`](NpyAny::to_vec) or [`value`](NpyAny::value) | as above |
//! | nothing but the header | [`Header::parse`], [`NpyFile::read_header`] | safe |
//! | an array, to save it as `np.save` does | [`save`], [`NpyAny::save`], [`WriteOptions`] | safe |
//! | rows that come one by one, to a stream | [`RowWriter`], [`save_iter`] | safe |
//! | a new array, to fill it in place | [`Draft<T>`](Draft) | safe |
//! | a file, to change it in place | `Npy<T, MappingMut>` by [`Npy::map_mut`] | `unsafe`: you promise that [nobody else accesses it](Mapping#the-contract) |
//! | rows, to append them for as long as you like | [`Appender<T>`](Appender) | safe |
//! | a file that grows, to follow it | [`NpyFile::wait`] | safe |
//! | a file that a crash has left | [`verify`], [`repair`] | safe |
//!
//! [`Element`] lists the types that elements can be viewed as. Files of the other byte order and data at odd offsets
//! are viewed in place too, through the types of [`be`] and [`le`]; [`NpyAny::to_vec`] copies whatever the order.
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
//! - **`derive`**: structs as records, `#[derive(npymap::Element)]`.
//! - **`ndarray`**: views as `ndarray` arrays, in either order.
//! - **`half`**, **`num-complex`**: their types as elements.
//! - **`jiff`**: [`Datetime64`] and [`Timedelta64`] to and from the types of `jiff`.
//! - **`serde`**: `Serialize` for [`Header`] and [`DType`], the JSON of the command `npymap info`.

#![deny(unsafe_code)]

extern crate alloc;

mod any;
#[cfg(feature = "std")]
mod append;
#[cfg(feature = "std")]
mod draft;
mod element;
mod error;
mod format;
mod gather;
#[cfg(feature = "mmap")]
mod grow;
mod npy;
#[cfg(feature = "std")]
mod npy_file;
#[cfg(feature = "std")]
mod open;
mod options;
#[cfg(feature = "std")]
mod relayout;
#[cfg(feature = "std")]
mod repair;
#[cfg(feature = "std")]
mod row_writer;
#[cfg(feature = "std")]
mod save;
mod storage;
#[cfg(feature = "std")]
mod stored;
mod view;
#[cfg(feature = "std")]
mod write_options;

/// What the code that the derive macro writes is made of: not for anybody else, and free to change at any time.
#[doc(hidden)]
pub mod __private {
    pub use crate::element::record;
    pub use alloc::string::String;
    pub use bytemuck;
}

pub use any::NpyAny;
#[cfg(feature = "std")]
pub use append::{AppendOptions, Appender, AppenderAny, Recovery, grow, shrink_to};
#[cfg(feature = "std")]
pub use draft::{Draft, DraftAny};
pub use element::{Datetime64, Element, ElementMut, FixedBytes, LongDouble, Timedelta64, Void, be, le};
pub use error::{Error, Result};
pub use format::{ByteOrder, DType, DatetimeUnit, FieldPath, Header, Order, StructField, StructType, TimeUnit};
pub use gather::RowIndex;
pub use npy::Npy;
#[cfg(feature = "std")]
pub use npy_file::NpyFile;
/// Makes a struct an element, so that records of a file are viewed in place as structs.
///
/// The struct has the fields of the file's records: their names, in their order, at their offsets. All of it is
/// checked once, when a file is opened as an array of the struct; errors name the first field that is off and what to
/// write instead. `npymap schema FILE` prints the struct that fits a file.
///
/// ```
/// use npymap::{Element, Npy, le};
///
/// #[derive(Clone, Copy, npymap::Element)]
/// #[repr(C, packed)]
/// struct Event {
///     #[npymap(unit = "ms")]
///     time: npymap::Datetime64,
///     sensor: le::Str<8>,
///     value: f64,
///     #[npymap(rename = "valid")]
///     is_valid: bool,
/// }
///
/// let events = Npy::<Event>::read("examples/data/events.npy")?;
/// let first: &Event = &events.as_slice()[0];
/// assert_eq!((first.sensor.to_string().as_str(), first.value, first.is_valid), ("north", 19.596, true));
///
/// let descr = "[('time', '<M8[ms]'), ('sensor', '<U8'), ('value', '<f8'), ('valid', '|b1')]";
/// assert_eq!(Event::dtype().descr(), descr);
/// # Ok::<(), npymap::Error>(())
/// ```
///
/// # Layout
///
/// | struct | records of |
/// |---|---|
/// | `#[repr(C, packed)]` | NumPy's default: fields follow each other without gaps |
/// | `#[repr(C)]` | `np.dtype(..., align=True)`: fields lie at multiples of their alignment, as in C |
/// | `#[repr(transparent)]` | the dtype of the only field: `struct Metres(f64)` |
///
/// A struct whose layout isn't the file's can still be copied from it, by [`NpyAny::to_vec`] and
/// [`NpyFile::read_rows`]: then offsets and byte orders may differ, and names and their order may not.
///
/// Fields are numbers, `bool`, the types of [`le`] and [`be`], [`Datetime64`] and the other element types of this
/// crate, arrays `[T; N]` of fields (subarrays; `[[T; 3]; 2]` has the shape (2, 3)), and structs that derive
/// `Element` themselves. Fields of a file that take no bytes (`|S0`) are left out.
///
/// A struct with padding between its fields is an [`Element`] and no [`ElementMut`]: it can be viewed and copied, and
/// its padding is never seen; written, it is zeros. Named padding, below, makes it an `ElementMut`.
///
/// # Attributes
///
/// | of a field | |
/// |---|---|
/// | `#[npymap(rename = "a.b")]` | its name in the file, any string; without it the name is the field's own, and `f0`, `f1` in a tuple struct |
/// | `#[npymap(title = "...")]` | its title, for writing; titles of files aren't looked at |
/// | `#[npymap(unit = "25s")]` | the unit of a datetime64 or timedelta64; without it any unit is viewed, and none is written |
/// | `#[npymap(padding)]` | bytes between fields that have no name in the file: `#[npymap(padding)] _pad: [u8; 3]` |
///
/// | of the struct | |
/// |---|---|
/// | `#[npymap(crate = path)]` | where this crate is found, if not at `::npymap` |
///
/// # What is refused
///
/// By the compiler: a struct without one of the layouts, `packed(2)`, enums, unions, generic parameters, references,
/// fields that are no elements or take no bytes, types of fields that call a macro or say `Self`, two fields of one
/// name, and structs that aren't `Copy`.
#[cfg(feature = "derive")]
pub use npymap_derive::Element;
#[cfg(feature = "std")]
pub use open::Arrays;
pub use options::ReadOptions;
#[cfg(feature = "std")]
pub use relayout::relayout;
#[cfg(feature = "std")]
pub use repair::{Findings, Problem, Repair, repair, verify};
#[cfg(feature = "std")]
pub use row_writer::RowWriter;
#[cfg(feature = "ndarray")]
pub use save::save_ndarray;
#[cfg(feature = "std")]
pub use save::{save, save_iter, save_text, write_to};
#[cfg(feature = "std")]
pub use storage::Unnamed;
#[cfg(feature = "mmap")]
pub use storage::{Advice, Mapped, MappingMut};
pub use storage::{Aligned, Bytes, BytesClone, BytesMut, Mapping};
pub use view::{
    Field, FieldIter, FieldMut, FieldsMut, PrintOptions, Rows, RowsMut, Strings, StringsIter, StringsMut, Value,
    array2string,
};

#[cfg(feature = "std")]
pub use write_options::WriteOptions;

#[cfg(feature = "mmap")]
#[doc = include_str!("../docs/guide.md")]
pub mod guide {}

#[cfg(all(doctest, feature = "mmap"))]
#[doc = include_str!("../README.md")]
mod readme {}
