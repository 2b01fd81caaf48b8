//! Files laid out anew, with another header. Knows headers and new files.

use std::path::Path;
use std::time::Duration;

use crate::append::copy;
use crate::storage::{NewFile, Taken, WritableFile, io_error, is_same_file};
use crate::{Error, Header, ReadOptions, Result, WriteOptions};

/// Lays a file out anew: with room to grow in its header, aligned as wanted, in the version that is given.
///
/// The array is copied beside the file, and takes its place, at once and durably, when the copy is whole. Dtype, shape and
/// order stay; of the options, [`appendable`](WriteOptions::appendable), [`align`](WriteOptions::align),
/// [`version`](WriteOptions::version) and [`durable`](WriteOptions::durable) count. Those who have the file open or mapped
/// keep the old one.
///
/// # Errors
///
/// [`Error::Locked`] if somebody appends to the file; [`Error::TrailingBytes`] if something follows the array, which would
/// be lost; [`Error::DataTruncated`], [`Error::Object`]; [`Error::NoSpace`], [`Error::Io`]; the errors of reading a header.
///
/// # Example
///
/// ```
/// use npymap::{NpyFile, WriteOptions, relayout, save};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// save(&path, [3, 2], &[1.0_f64; 6])?;
/// relayout(&path, &WriteOptions::new().appendable(true))?;
/// let file = NpyFile::open(&path)?;
/// assert_eq!((file.header().appendable(), file.header().data_offset(), file.shape()), (true, 4096, [3, 2].as_slice()));
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn relayout(path: impl AsRef<Path>, options: &WriteOptions) -> Result<()> {
    options.relayout(path)
}

impl WriteOptions {
    /// Lays a file out anew, as [`relayout`] does.
    ///
    /// # Errors
    ///
    /// As [`relayout`].
    pub fn relayout(&self, path: impl AsRef<Path>) -> Result<()> {
        let path = path.as_ref();
        let source = WritableFile::open_locked(path, Duration::ZERO)?;
        let (header, size) = ReadOptions::new().header_of(source.file(), Some(path))?;
        header.check_data(size)?;
        let after = header.data_end();
        if size > after {
            return Err(Error::TrailingBytes { after, bytes: size - after });
        }
        self.copy_array(&source, &header, path, Taken::ReplaceLocked)
    }

    /// Copies the array of one file to another, laid out anew, as [`relayout`] does within one. What follows the array
    /// stays behind.
    ///
    /// # Errors
    ///
    /// As [`relayout`], but appending to the first doesn't matter; [`Error::AlreadyExists`] if it was to be [new](Self::create_new).
    pub fn relayout_to(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> Result<()> {
        let (from, to) = (from.as_ref(), to.as_ref());
        let file = std::fs::File::open(from).map_err(io_error("open", Some(from)))?;
        let same = match (file.metadata(), std::fs::metadata(to)) {
            (Ok(one), Ok(other)) => is_same_file(&one, &other),
            _ => Some(false),
        };
        let is_same = same.unwrap_or_else(|| from.canonicalize().ok() == to.canonicalize().ok());
        if is_same && !self.create_new {
            return self.relayout(from);
        }
        let source = WritableFile::new(file, from.to_path_buf());
        let (header, size) = ReadOptions::new().header_of(source.file(), Some(from))?;
        header.check_data(size)?;
        self.copy_array(&source, &header, to, self.taken())
    }

    fn copy_array(&self, source: &WritableFile, header: &Header, path: &Path, taken: Taken) -> Result<()> {
        let (shape, order) = (header.shape().to_vec(), header.order());
        let (_, head) = Header::build(header.dtype(), shape, order, self.form(), self.version)?;
        let target = NewFile::create(path)?;
        target.file().write_all_at(&head, 0)?;
        let len = header.nbytes() as u64;
        let copied = copy(source, header.data_offset() as u64, len, target.file(), head.len() as u64)?;
        if copied < len {
            return Err(header.truncated(copied));
        }
        target.publish(taken, self.durable).map(drop)
    }
}
