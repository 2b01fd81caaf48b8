//! Rows of an open file by their numbers, by positioned reads. Knows no mapping.

use std::ops::Range;

use super::{Fetch, RowIndex, check, check_buffer, check_layout, fetch_all, in_batches};
use crate::any::{can_decode, fold};
use crate::element::{Element, at_element};
use crate::storage::{is_cached, will_need};
use crate::{DType, NpyFile, Result};

/// Bytes that are read at a time.
const CHUNK: usize = 256 * 1024;

impl Fetch for NpyFile {
    fn is_absent(&self, at: usize) -> bool {
        !is_cached(self.file(), self.header().data_offset() as u64 + at as u64)
    }

    fn fetch(&self, range: Range<usize>) {
        will_need(self.file(), self.header().data_offset() as u64 + range.start as u64, range.len() as u64);
    }
}

impl NpyFile {
    /// Begins to read rows from the disk that aren't in memory yet, and doesn't wait for them, as
    /// [`NpyAny::prefetch`](crate::NpyAny::prefetch) does.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::prefetch`](crate::NpyAny::prefetch).
    #[doc(alias = "fadvise")]
    pub fn prefetch<I: RowIndex>(&self, rows: &[I]) -> Result<()> {
        let layout = self.header().layout();
        check_layout(layout, "prefetch")?;
        check(rows, layout.rows())?;
        fetch_all(rows, layout.row_bytes(), self);
        Ok(())
    }

    /// Reads rows, in the order in which they are asked for and as often, in any byte order: NumPy's `a[rows]`, without a
    /// mapping.
    ///
    /// `out` takes the elements of one row after another. Rows that aren't in memory are fetched in batches ahead of their
    /// use, many at a time: from a local disk and over a network alike. Neighbours are read at once.
    ///
    /// # Errors
    ///
    /// [`Error::RowIndex`](crate::Error::RowIndex) for a row that there isn't, before anything is read;
    /// [`Error::BufferLength`](crate::Error::BufferLength); [`Error::FortranOrder`](crate::Error::FortranOrder);
    /// [`Error::Rank`](crate::Error::Rank) on a 0-d array; as [`NpyAny::to_vec`](crate::NpyAny::to_vec);
    /// [`Error::DataTruncated`](crate::Error::DataTruncated) if the file was cut.
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::NpyFile;
    ///
    /// let file = NpyFile::open("examples/data/measurements.npy")?;
    /// let mut batch = [[0.0; 3]; 2];
    /// file.gather(&[999, 0], &mut batch)?;
    /// assert_eq!(batch[1..], file.read_rows::<[f32; 3]>(0..1)?);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "take")]
    pub fn gather<T: Element, I: RowIndex>(&self, rows: &[I], out: &mut [T]) -> Result<()> {
        let (dtype, layout) = fold::<T>(self.dtype(), self.header().layout(), can_decode::<T>)?;
        check_layout(&layout, "gather")?;
        check(rows, layout.rows())?;
        let (row_len, row_bytes) = (layout.row_len(), layout.row_bytes());
        check_buffer(out.len(), rows.len(), row_len)?;
        if row_bytes == 0 {
            return Ok(());
        }
        let mut buffer = Vec::new();
        let mut left = out;
        in_batches(rows, row_bytes, self, |batch| {
            let mut rows = batch.iter().filter_map(|index| index.row()).peekable();
            while let Some(first) = rows.next() {
                let mut end = first + 1;
                while rows.next_if_eq(&end).is_some() {
                    end += 1;
                }
                let (run, others) = std::mem::take(&mut left).split_at_mut((end - first) * row_len);
                left = others;
                self.read_into(&dtype, first * row_bytes, run, &mut buffer)?;
            }
            Ok(())
        })
    }

    /// Reads elements that lie from byte `first` of the data on.
    fn read_into<T: Element>(&self, dtype: &DType, first: usize, out: &mut [T], buffer: &mut Vec<u8>) -> Result<()> {
        let itemsize = dtype.itemsize();
        let at_once = (CHUNK / itemsize).max(1);
        let mut at = first;
        for out in out.chunks_mut(at_once) {
            let len = out.len() * itemsize;
            if buffer.len() < len {
                buffer.resize(len, 0);
            }
            self.read_bytes(at, &mut buffer[..len])?;
            T::decode(dtype, &buffer[..len], out).map_err(|error| at_element::<T>(error, at / itemsize))?;
            at += len;
        }
        Ok(())
    }
}
