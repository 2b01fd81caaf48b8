//! How elements are looked at: rows, fields, single values, text.

mod cells;
mod dragon4;
mod field;
mod format;
#[cfg(feature = "ndarray")]
mod ndarray;
mod places;
mod rows;
mod strings;
mod text;
mod value;

pub use cells::{FieldMut, FieldsMut, StringsMut};
pub use field::{Field, FieldIter};
pub use rows::{Rows, RowsMut};
pub use strings::{Strings, StringsIter};
pub use text::{PrintOptions, array2string};
pub use value::Value;
