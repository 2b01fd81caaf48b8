//! Which elements of an array: the slices of the command line, applied to a dtype and a shape. Reads no files.

mod parse;
mod selection;

pub use parse::{Group, parse};
pub use selection::{Axis, Selection};
