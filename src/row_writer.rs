//! Rows of unknown number to a stream that can go back. Knows headers and streams, and no files.

use std::io::{Seek, SeekFrom, Write};
use std::marker::PhantomData;

use crate::element::Element;
use crate::format::Form;
use crate::storage::io_error;
use crate::stored::Stored;
use crate::{Error, Header, Result, WriteOptions};

/// Bytes that are gathered before they are written.
const BUFFER: usize = 256 * 1024;

/// Writes an array row by row, to anything that can be written and sought, when nobody knows how many will come.
///
/// What has been written is a whole `.npy` file at every moment: it starts with a header of no rows, and
/// [`flush`](Self::flush) writes the rows first, then a header of the same length that counts them. In the end it is
/// what `np.save` writes, byte for byte. (In Fortran order it is but for arrays that lie in memory alike in both orders,
/// which NumPy writes as C's: these must stay what they were when they had no column yet.)
///
/// The array starts where the stream stands. For a log that others read while it grows, or that must survive its writer,
/// take an [`Appender`](crate::Appender).
///
/// # Example
///
/// ```
/// use std::io::Cursor;
/// use npymap::{Npy, RowWriter};
///
/// let mut writer = RowWriter::<[f32; 3], _>::new(Cursor::new(Vec::new()))?;
/// writer.push(&[1.0, 2.0, 3.0])?;
/// writer.extend(&[[4.0, 5.0, 6.0], [7.0, 8.0, 9.0]])?;
/// let file = writer.finish()?.into_inner();
/// assert_eq!(Npy::<f32>::from_bytes(file.as_slice())?.shape(), [3, 3]);
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Debug)]
pub struct RowWriter<T, W: Write + Seek> {
    writer: W,
    /// The header of no rows.
    header: Header,
    stored: Stored,
    row_len: usize,
    /// Where the array starts in the stream.
    start: u64,
    /// Bytes of rows that have been written.
    written: u64,
    buffer: Vec<u8>,
    /// Rows that were pushed.
    rows: usize,
    element: PhantomData<T>,
}

impl<T: Element, W: Write + Seek> RowWriter<T, W> {
    /// Starts an array, each of whose rows is one `T`: of shape `(n,)`, or `(n, 3)` if `T` is `[f32; 3]`.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; as [`Header::new`].
    pub fn new(writer: W) -> Result<Self> {
        WriteOptions::new().row_writer(writer, [])
    }

    /// Writes one row: one `T`.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] if a row is more than one `T`; [`Error::Io`] if rows before it couldn't be written, which
    /// are kept. On an error this row was not taken, and may be pushed again.
    pub fn push(&mut self, row: &T) -> Result<()> {
        self.extend(std::slice::from_ref(row))
    }

    /// Writes rows one after another.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] for a part of a row; as [`push`](Self::push). On an error, [`rows`](Self::rows) says how many
    /// of them were taken.
    pub fn extend(&mut self, rows: &[T]) -> Result<()> {
        let count = crate::any::whole_rows(rows.len(), self.row_len)?;
        let total = self.rows.checked_add(count);
        let total = total.filter(|&total| self.header.layout().with_rows(total).is_ok());
        let total = total.ok_or(Error::OutOfMemory { bytes: usize::MAX })?;
        // As many at a time as the buffer is made for.
        let row_bytes = self.header.layout().row_bytes().max(1);
        let at_once = (BUFFER / row_bytes).max(1).saturating_mul(self.row_len.max(1));
        for rows in rows.chunks(at_once) {
            if self.buffer.len() >= BUFFER {
                self.write_rows()?;
            }
            self.stored.encode_onto(rows, &mut self.buffer)?;
            self.rows += rows.len() / self.row_len.max(1);
        }
        // Rows without bytes are counted all the same.
        self.rows = total;
        Ok(())
    }

    /// Writes what was pushed, and a header that counts it.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; [`Error::NoHeaderRoom`] for more rows than the header can count.
    pub fn flush(&mut self) -> Result<()> {
        let head = self.header.relaid(self.rows, self.header.appendable())?;
        self.write_rows()?;
        let end = self.end()?;
        let io = || io_error("write", None);
        self.writer.flush().map_err(io())?;
        self.writer.seek(SeekFrom::Start(self.start)).map_err(io())?;
        self.writer.write_all(&head).map_err(io())?;
        self.writer.seek(SeekFrom::Start(end)).map_err(io())?;
        self.writer.flush().map_err(io())
    }

    /// Returns how many rows were pushed.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Writes what is left, and returns the stream, which stands behind the array. Without it, rows that were pushed
    /// since the last [`flush`](Self::flush) aren't counted.
    ///
    /// # Errors
    ///
    /// As [`flush`](Self::flush).
    pub fn finish(mut self) -> Result<W> {
        self.flush()?;
        Ok(self.writer)
    }

    /// Bytes that the next flush writes.
    pub(crate) fn unwritten(&self) -> u64 {
        (self.header.data_offset() + self.buffer.len()) as u64
    }

    /// Where in the stream the next row goes.
    fn end(&self) -> Result<u64> {
        let end =
            self.start.checked_add(self.header.data_offset() as u64).and_then(|end| end.checked_add(self.written));
        end.ok_or_else(|| io_error("seek in", None)(std::io::ErrorKind::FileTooLarge.into()))
    }

    fn write_rows(&mut self) -> Result<()> {
        if self.buffer.is_empty() {
            return Ok(());
        }
        // A write that failed may have left the stream anywhere.
        let end = self.end()?;
        self.writer.seek(SeekFrom::Start(end)).map_err(io_error("seek in", None))?;
        self.writer.write_all(&self.buffer).map_err(io_error("write", None))?;
        self.written += self.buffer.len() as u64;
        self.buffer.clear();
        Ok(())
    }
}

impl WriteOptions {
    /// Starts an array whose rows have the shape `row_shape`, followed by the axes of `T` if that is an array type. In
    /// Fortran order they are columns.
    ///
    /// # Errors
    ///
    /// As [`RowWriter::new`].
    pub fn row_writer<T: Element, W: Write + Seek>(
        &self,
        mut writer: W,
        row_shape: impl Into<Vec<usize>>,
    ) -> Result<RowWriter<T, W>> {
        let stored = Stored::of::<T>(self.dtype.as_ref())?;
        let form = if self.appendable { Form::Appendable } else { Form::Growing(self.align) };
        let (header, head, row_len) = stored.growing_header(row_shape.into(), self.order, form, self.version)?;
        let start = writer.stream_position().map_err(io_error("seek in", None))?;
        writer.write_all(&head).map_err(io_error("write", None))?;
        let (written, rows, buffer) = (0, 0, Vec::new());
        Ok(RowWriter { writer, header, stored, row_len, start, written, buffer, rows, element: PhantomData })
    }
}
