//! Elements of any dtype, known at run time: values, and arrays of them as text.

mod calendar;
mod dragon4;
mod format;
mod real;
mod text;
mod value;

pub use text::{PrintOptions, array2string};
pub use value::{LongDouble, Value};
