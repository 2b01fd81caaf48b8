//! How files are appended to. Knows limits, and no files.

use std::path::Path;
use std::time::Duration;

use super::rows::check_dtype;
use super::{Appender, AppenderAny};
use crate::element::Element;
use crate::{DType, Order, Result};

/// How rows are appended, and how a file for them is made.
///
/// # Example
///
/// ```
/// use std::time::Duration;
/// use npymap::{AppendOptions, Appender};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("log.npy");
/// // Rows of shape (3, 4), visible to readers after 100 of them or half a second.
/// let options = AppendOptions::new().row_shape([3, 4]).commit_every_rows(100).commit_every(Duration::from_millis(500));
/// let mut log: Appender<f32> = options.open_or_create(&path)?;
/// log.extend(&[0.0; 12])?;
/// assert_eq!(log.rows(), 1);
/// log.close()?;
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct AppendOptions {
    pub(super) dtype: Option<DType>,
    pub(super) row_shape: Option<Vec<usize>>,
    /// `None` if a file of either order will do, and C for one that is made.
    pub(super) order: Option<Order>,
    pub(super) buffer_size: usize,
    pub(super) max_buffer_size: usize,
    pub(super) commit_rows: Option<u64>,
    pub(super) commit_bytes: Option<u64>,
    pub(super) commit_interval: Option<Duration>,
    pub(super) preallocate: bool,
    pub(super) wait: Duration,
    pub(super) discard_tail: bool,
}

impl Default for AppendOptions {
    fn default() -> Self {
        Self {
            dtype: None,
            row_shape: None,
            order: None,
            buffer_size: 256 * 1024,
            max_buffer_size: 64 << 20,
            commit_rows: None,
            commit_bytes: None,
            commit_interval: None,
            preallocate: false,
            wait: Duration::ZERO,
            discard_tail: false,
        }
    }
}

impl AppendOptions {
    /// Returns the defaults: rows of one element, in C order, visible when they are committed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the dtype that rows are written as in a file that is made, if not their own: in another byte order, or with a
    /// unit of time.
    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Sets the shape of one row, followed by the axes of an array type; without it a row is one element. A file that is
    /// opened must have rows of this shape.
    #[must_use]
    pub fn row_shape(mut self, shape: impl Into<Vec<usize>>) -> Self {
        self.row_shape = Some(shape.into());
        self
    }

    /// Sets the order of a file that is made, which is C's without it. In Fortran order the rows are columns: the last axis
    /// grows. A file that is opened must have this order, unless a row of it is one element.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = Some(order);
        self
    }

    /// Sets about how many bytes of rows are gathered before they are written, 256 KiB by default. 0 writes each push at
    /// once.
    #[must_use]
    pub fn buffer_size(mut self, bytes: usize) -> Self {
        self.buffer_size = bytes;
        self
    }

    /// Sets how many bytes of rows are gathered while a [`sync_async`](Appender::sync_async) is waited for, 64 MiB by
    /// default. Only when so many are there, a push waits too.
    #[must_use]
    pub fn max_buffer_size(mut self, bytes: usize) -> Self {
        self.max_buffer_size = bytes;
        self
    }

    /// Commits whenever so many rows were pushed.
    #[must_use]
    pub fn commit_every_rows(mut self, rows: u64) -> Self {
        self.commit_rows = Some(rows);
        self
    }

    /// Commits whenever so many bytes of rows were pushed.
    #[must_use]
    pub fn commit_every_bytes(mut self, bytes: u64) -> Self {
        self.commit_bytes = Some(bytes);
        self
    }

    /// Commits whenever so much time has gone by since the last commit, if there is something to commit.
    ///
    /// There is no thread that wakes an idle log: the time is looked at by each push, and by
    /// [`poll`](Appender::poll), which whoever waits for data calls meanwhile.
    #[must_use]
    pub fn commit_every(mut self, interval: Duration) -> Self {
        self.commit_interval = Some(interval);
        self
    }

    /// Sets whether space is asked for ahead of the rows, in steps that double up to 256 MiB. The size of the file stays
    /// exact; [`close`](Appender::close) gives back what is left.
    #[must_use]
    pub fn preallocate(mut self, preallocate: bool) -> Self {
        self.preallocate = preallocate;
        self
    }

    /// Sets how long another writer is waited for; without it, it is [`Error::Locked`](crate::Error::Locked) at once.
    #[must_use]
    pub fn wait(mut self, at_most: Duration) -> Self {
        self.wait = at_most;
        self
    }

    /// Sets whether bytes after the array that its header doesn't count are cut off, whatever they are: another array
    /// perhaps.
    #[must_use]
    pub fn discard_tail(mut self, discard: bool) -> Self {
        self.discard_tail = discard;
        self
    }

    /// Makes a new file and opens it, as [`Appender::create`] does.
    ///
    /// # Errors
    ///
    /// As [`Appender::create`].
    pub fn create<T: Element>(&self, path: impl AsRef<Path>) -> Result<Appender<T>> {
        Appender::create_with(path.as_ref(), self)
    }

    /// Opens a file, as [`Appender::open`] does.
    ///
    /// # Errors
    ///
    /// As [`Appender::open`].
    pub fn open<T: Element>(&self, path: impl AsRef<Path>) -> Result<Appender<T>> {
        Appender::open_with(path.as_ref(), self)
    }

    /// Opens a file, or makes it if it isn't there, as [`Appender::open_or_create`] does.
    ///
    /// # Errors
    ///
    /// As [`Appender::open_or_create`].
    pub fn open_or_create<T: Element>(&self, path: impl AsRef<Path>) -> Result<Appender<T>> {
        Appender::open_or_create_with(path.as_ref(), self)
    }

    /// Makes a new file whose dtype is known at run time, and opens it.
    ///
    /// # Errors
    ///
    /// As [`Appender::create`].
    pub fn create_any(&self, path: impl AsRef<Path>, dtype: DType) -> Result<AppenderAny> {
        AppenderAny::create_with(path.as_ref(), &dtype, self)
    }

    /// Opens a file of any dtype.
    ///
    /// # Errors
    ///
    /// As [`Appender::open`].
    pub fn open_any(&self, path: impl AsRef<Path>) -> Result<AppenderAny> {
        AppenderAny::open_with(path.as_ref(), self, |_| Ok(()))
    }

    /// Opens a file, or makes it if it isn't there; it must have this dtype.
    ///
    /// # Errors
    ///
    /// As [`Appender::open_or_create`].
    pub fn open_or_create_any(&self, path: impl AsRef<Path>, dtype: DType) -> Result<AppenderAny> {
        let row_shape = self.row_shape.clone().unwrap_or_default();
        let options = self.clone().row_shape(row_shape);
        AppenderAny::open_or_create_with(path.as_ref(), &dtype, &options, |header| check_dtype(header, &dtype))
    }
}
