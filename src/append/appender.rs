//! Rows of one Rust type. Knows elements, and leaves writing to the rows as bytes.

use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::path::Path;

use super::options::AppendOptions;
use super::rows::AppenderAny;
use crate::element::Element;
use crate::stored::Stored;
use crate::{Error, Header, Order, Result};

/// Appends rows to an `.npy` file, for as long as you like: NumPy can open it at any moment, readers can follow it
/// ([`NpyFile::wait`](crate::NpyFile::wait)), and after a kill or a power cut it opens again, with every row that was
/// acknowledged.
///
/// A row is one `T`: a number, `[f32; 8]`, a record, text of fixed size. Where its shape is known at run time only, it is
/// [as many `T`](AppendOptions::row_shape) as that has, for [`extend`](Self::extend).
///
/// | after | the rows are |
/// |---|---|
/// | [`push`](Self::push), [`extend`](Self::extend) | in memory, or on their way |
/// | [`commit`](Self::commit) | visible to every reader; there after this process was killed |
/// | [`sync`](Self::sync) | there after a power cut |
///
/// After a power cut, rows that were committed and not synced may be gone, or zeros, while the header counts them. Where
/// the file ends before them, opening it is [`Error::HeaderAhead`], and [`repair`](crate::repair()) lowers the count. A
/// log that is only ever synced, by [`sync`](Self::sync) or [`sync_async`](Self::sync_async), never gets there.
///
/// A file that is made has a header of 4096 bytes with a publish field ([`Header::new_appendable`]); one of NumPy's is
/// laid out anew in the length that it has, once. The size of the file is exact after every commit. There is one appender
/// at a time; the next gets [`Error::Locked`], or [waits](AppendOptions::wait).
///
/// Opening looks at what was left behind, puts it right and [says so](AppenderAny::recovery): a count whose change was
/// not finished; whole rows that weren't counted, which are adopted if their writer died and the machine didn't, and
/// else cut, after they were kept beside the file; a part of a row, which is cut. What may be another array in the same
/// file is never cut: it is [`Error::TrailingBytes`].
///
/// It derefs to [`AppenderAny`], which has `commit`, `sync` and what else needs no type.
///
/// [`Header::new_appendable`]: crate::Header::new_appendable
///
/// # Example
///
/// ```
/// use npymap::{Appender, NpyFile};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("log.npy");
/// let mut log = Appender::<[f32; 8]>::open_or_create(&path)?;
/// log.push(&[0.5; 8])?;
/// log.commit()?;                                  // NumPy sees it
/// log.push(&[1.5; 8])?;
/// log.sync()?;                                    // a power cut spares it
/// assert_eq!(NpyFile::open(&path)?.read_rows::<[f32; 8]>(1..2)?, [[1.5; 8]]);
/// log.close()?;
/// # Ok::<(), npymap::Error>(())
/// ```
pub struct Appender<T> {
    rows: AppenderAny,
    stored: Stored,
    row_len: usize,
    element: PhantomData<T>,
}

impl<T: Element> Appender<T> {
    /// Makes a new file without rows, and opens it. Of two that race, one wins.
    ///
    /// # Errors
    ///
    /// [`Error::AlreadyExists`]; [`Error::NoSpace`], [`Error::Io`]; as [`Header::new`](crate::Header::new).
    pub fn create(path: impl AsRef<Path>) -> Result<Self> {
        AppendOptions::new().create(path)
    }

    /// Opens a file.
    ///
    /// # Errors
    ///
    /// [`Error::Locked`]; [`Error::NoHeaderRoom`] if the header has no room for a publish field;
    /// [`Error::TrailingBytes`]; [`Error::HeaderAhead`]; [`Error::Io`]; the errors of reading a header, and of a dtype
    /// that isn't `T`'s; [`Error::RowShape`]; [`Error::Rank`] for a 0-d array.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        AppendOptions::new().open(path)
    }

    /// Opens a file, or makes it if it isn't there.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open) and [`create`](Self::create).
    pub fn open_or_create(path: impl AsRef<Path>) -> Result<Self> {
        AppendOptions::new().open_or_create(path)
    }

    pub(super) fn create_with(path: &Path, options: &AppendOptions) -> Result<Self> {
        let (stored, options) = described::<T>(options)?;
        Self::new(AppenderAny::create_with(path, stored.dtype(), &options)?)
    }

    pub(super) fn open_with(path: &Path, options: &AppendOptions) -> Result<Self> {
        let options = match options.row_shape {
            Some(_) => described::<T>(options)?.1,
            None => options.clone(),
        };
        Self::new(AppenderAny::open_with(path, &options, can_append::<T>)?)
    }

    pub(super) fn open_or_create_with(path: &Path, options: &AppendOptions) -> Result<Self> {
        let (stored, options) = described::<T>(options)?;
        Self::new(AppenderAny::open_or_create_with(path, stored.dtype(), &options, can_append::<T>)?)
    }

    fn new(rows: AppenderAny) -> Result<Self> {
        let (stored, row_len) = Stored::in_file::<T>(rows.header())?;
        Ok(Self { rows, stored, row_len, element: PhantomData })
    }

    /// Appends a row: one `T`.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] if a row is more than one `T`; [`Error::NoSpace`] or [`Error::Io`] if rows before it
    /// couldn't be written, or committed when it was time; [`Error::Poisoned`]. On an error this row was not taken, and
    /// may be pushed again.
    #[inline]
    pub fn push(&mut self, row: &T) -> Result<()> {
        if self.row_len != 1 {
            return Err(Error::BufferLength { found: 1, wanted: self.row_len });
        }
        self.take(std::slice::from_ref(row), 1)
    }

    /// Appends rows, one after another.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] for a part of a row; as [`push`](Self::push). On an error, [`rows`](AppenderAny::rows)
    /// says how many of them were taken: none, if they lie in memory as they do in the file.
    pub fn extend(&mut self, rows: &[T]) -> Result<()> {
        let count = crate::any::whole_rows(rows.len(), self.row_len)?;
        if let Some(bytes) = self.stored.in_place(rows) {
            return if bytes.is_empty() { self.take(rows, count) } else { self.rows.extend_bytes(bytes) };
        }
        // As many at a time as the buffer is made for.
        let row_bytes = self.rows.row_bytes().max(1);
        let at_once = (self.rows.buffer_size() / row_bytes).max(1).saturating_mul(self.row_len.max(1));
        rows.chunks(at_once).try_for_each(|rows| self.take(rows, rows.len() / self.row_len.max(1)))
    }

    #[inline]
    fn take(&mut self, rows: &[T], count: usize) -> Result<()> {
        let bytes = count.saturating_mul(self.rows.row_bytes());
        self.rows.before_push(count, bytes)?;
        self.stored.encode_onto(rows, self.rows.buffer())?;
        self.rows.after_push(count, bytes)
    }

    /// Makes the rows that were pushed visible, as [`AppenderAny::commit`] does.
    ///
    /// # Errors
    ///
    /// As [`AppenderAny::commit`].
    pub fn commit(&mut self) -> Result<()> {
        self.rows.commit()
    }

    /// Makes the rows that were pushed durable and visible, as [`AppenderAny::sync`] does.
    ///
    /// # Errors
    ///
    /// As [`AppenderAny::sync`].
    pub fn sync(&mut self) -> Result<()> {
        self.rows.sync()
    }

    /// Begins a [`sync`](Self::sync) on a thread of its own, as [`AppenderAny::sync_async`] does.
    ///
    /// # Errors
    ///
    /// As [`AppenderAny::sync_async`].
    pub fn sync_async(&mut self) -> Result<()> {
        self.rows.sync_async()
    }

    /// Does what is due, as [`AppenderAny::poll`] does.
    ///
    /// # Errors
    ///
    /// As [`AppenderAny::poll`].
    pub fn poll(&mut self) -> Result<()> {
        self.rows.poll()
    }

    /// Commits and closes the file, as [`AppenderAny::close`] does.
    ///
    /// # Errors
    ///
    /// As [`AppenderAny::close`].
    pub fn close(self) -> Result<()> {
        self.rows.close()
    }
}

/// Checks that rows of `T` can be appended to a file.
fn can_append<T: Element>(header: &Header) -> Result<()> {
    Stored::in_file::<T>(header).map(drop)
}

/// What `T` is written as, and the options with the shape of a row in the file.
fn described<T: Element>(options: &AppendOptions) -> Result<(Stored, AppendOptions)> {
    let stored = Stored::of::<T>(options.dtype.as_ref())?;
    let row_shape = options.row_shape.clone().unwrap_or_default();
    let wanted = options.order.unwrap_or(Order::C);
    let order = if row_shape.is_empty() { Order::C } else { wanted };
    let row_shape = stored.shape(row_shape, order)?;
    // A column of an array type's parts would be one of another shape.
    if wanted == Order::Fortran && order == Order::C && !row_shape.is_empty() {
        return Err(Error::FortranOrder { operation: "an array type", shape: crate::format::shape_repr(&row_shape) });
    }
    Ok((stored, AppendOptions { row_shape: Some(row_shape), ..options.clone() }))
}

impl<T> Deref for Appender<T> {
    type Target = AppenderAny;

    fn deref(&self) -> &AppenderAny {
        &self.rows
    }
}

impl<T: Element> fmt::Debug for Appender<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Appender<{}>: {:?}", T::name(), self.rows)
    }
}
