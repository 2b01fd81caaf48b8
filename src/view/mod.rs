//! How elements are looked at: rows, single values, text.

#[cfg(feature = "ndarray")]
mod ndarray;
mod rows;
mod text;
mod value;

pub use rows::Rows;
pub use text::{PrintOptions, array2string};
pub use value::Value;
