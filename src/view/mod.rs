//! How elements are looked at: rows, fields, single values, text.

mod calendar;
mod cells;
mod dragon4;
mod field;
mod format;
#[cfg(feature = "ndarray")]
mod ndarray;
mod places;
mod real;
mod rows;
mod text;
mod value;

pub use cells::{FieldMut, FieldsMut};
pub use field::Field;
pub use rows::Rows;
pub use text::{PrintOptions, array2string};
pub use value::{LongDouble, Value};
