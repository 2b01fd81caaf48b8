//! Numbers that count rows, of whatever type they come in. Knows no rows.

use alloc::string::{String, ToString};

use crate::{Error, Result};

/// A number that names a row: `usize`, `u32`, `i32`, `u64`, and `i64`, which is what NumPy's indices are.
///
/// Negative numbers are out of range; they don't count from the end, as they do in Python.
///
/// Sealed.
pub trait RowIndex: Copy + sealed::Sealed {
    /// The row, if there can be one of this number.
    #[doc(hidden)]
    fn row(self) -> Option<usize>;

    /// The number, for errors.
    #[doc(hidden)]
    fn shown(self) -> String;
}

mod sealed {
    /// Keeps the trait to this crate.
    pub trait Sealed {}
}

macro_rules! row_index {
    ($($number:ty),*) => {$(
        impl sealed::Sealed for $number {}

        impl RowIndex for $number {
            #[inline]
            fn row(self) -> Option<usize> {
                self.try_into().ok()
            }

            fn shown(self) -> String {
                self.to_string()
            }
        }
    )*};
}

row_index!(usize, u32, i32, u64, i64);

/// Checks that all of these are rows of an array that has so many.
pub(crate) fn check<I: RowIndex>(rows: &[I], len: usize) -> Result<()> {
    let is_wrong = |index: &I| index.row().is_none_or(|row| row >= len);
    match rows.iter().position(is_wrong) {
        Some(position) => Err(Error::RowIndex { position, index: rows[position].shown(), rows: len }),
        None => Ok(()),
    }
}
