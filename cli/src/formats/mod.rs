//! Elements as bytes and text: what every form makes of the blocks of a selection.

mod json;
mod lines;
mod numpy;
mod scalar;
mod table;

use std::io::Write;

use npymap::{DType, Error, Header, Order};

use crate::arguments::{Format, Nan};
use crate::blocks::each_block;
use crate::output::Output;
use crate::select::Selection;
use crate::source::Source;
use crate::trouble::{Result, Trouble};

pub use numpy::{Style, rows, whole};
pub use table::{is_table, table};

/// A form that takes elements as they come.
pub enum Stream {
    /// The stored bytes.
    Raw,
    /// An `.npy` file.
    Npy,
    /// Lines of text, or comma-separated values.
    Lines(lines::Lines),
    /// JSON, a value a line.
    Json(json::Json),
}

impl Stream {
    /// The form that was asked for, or `None` if it is text.
    pub fn new(format: &Format, output: &Output) -> Option<Self> {
        match format {
            Format { raw: true, .. } => Some(Self::Raw),
            Format { csv: true, .. } => Some(Self::Lines(lines::Lines::csv(output.is_terminal()))),
            Format { jsonl: true, nan, .. } => {
                Some(Self::Json(json::Json::new(*nan == Nan::String, output.is_terminal())))
            }
            _ => None,
        }
    }

    /// Plain text.
    pub fn text(output: &Output) -> Self {
        Self::Lines(lines::Lines::text(output.is_terminal()))
    }

    /// Whether it is nothing for the eye.
    pub fn is_binary(&self) -> bool {
        matches!(self, Self::Raw | Self::Npy)
    }

    /// Writes what comes before any element: the names of columns, where the form has them.
    pub fn begin(&mut self, selection: &Selection, output: &mut Output) -> Result<()> {
        match self {
            Self::Lines(lines) => lines.titles(&selection.dtype(), output),
            Self::Raw | Self::Npy | Self::Json(_) => Ok(()),
        }
    }

    /// Writes all elements of a selection.
    pub fn write(&mut self, source: &mut Source, selection: &Selection, output: &mut Output) -> Result<()> {
        let (dtype, shape) = (selection.dtype(), selection.shape());
        match self {
            Self::Raw if selection.itemsize() == 0 => Ok(()),
            Self::Raw => each_block(source, selection, |_, bytes| Ok(output.write_all(bytes)?)),
            Self::Npy => {
                output.write_all(&Header::new(dtype, shape, Order::C)?.to_bytes()?)?;
                if selection.itemsize() == 0 {
                    return Ok(());
                }
                each_block(source, selection, |_, bytes| Ok(output.write_all(bytes)?))
            }
            Self::Lines(lines) => lines.write(source, selection, output),
            Self::Json(json) => json.write(source, selection, output),
        }
    }
}

/// Splits a block into its elements, and lets an error say which of the selection's it is in. The number of elements
/// before the block is `first`.
fn each_element(count: usize, bytes: &[u8], first: usize, mut visit: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
    let itemsize = bytes.len() / count.max(1);
    (0..count).try_for_each(|at| {
        visit(&bytes[at * itemsize..(at + 1) * itemsize]).map_err(|mut trouble| {
            if let Trouble::Npy(Error::InvalidBool { index, .. } | Error::InvalidChar { index, .. }) = &mut trouble {
                *index = first + at;
            }
            trouble
        })
    })
}

/// Calls `visit` for every scalar in an element: those of nested records and of subarrays in the order in which they
/// are stored.
fn each_scalar(dtype: &DType, bytes: &[u8], visit: &mut impl FnMut(&DType, &[u8]) -> Result<()>) -> Result<()> {
    match dtype {
        DType::Struct(record) => record.fields.iter().try_for_each(|field| {
            let own = &bytes[field.offset..field.offset + field.dtype.itemsize()];
            each_scalar(&field.dtype, own, visit)
        }),
        DType::Subarray(base, shape) => {
            let size = base.itemsize();
            let count: usize = shape.iter().product();
            (0..count).try_for_each(|at| each_scalar(base, &bytes[at * size..(at + 1) * size], visit))
        }
        scalar => visit(scalar, bytes),
    }
}
