//! How elements are looked at: rows, single values, text.

mod calendar;
mod dragon4;
mod format;
#[cfg(feature = "ndarray")]
mod ndarray;
mod real;
mod rows;
mod text;
mod value;

pub use rows::Rows;
pub use text::{PrintOptions, array2string};
pub use value::{LongDouble, Value};
