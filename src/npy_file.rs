//! An open file that is read by positions. Knows no mapping.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::any::{can_decode, decode_onto, fold, position};
use crate::element::Element;
use crate::storage::{Aligned, Watch, io_error, read_up_to_at};
use crate::view::Value;
use crate::{DType, Error, Header, NpyAny, Order, ReadOptions, Result};

/// The first and the last pause before a header is read again that may be just being rewritten; each is twice the one
/// before.
const REFRESH_PAUSE: Duration = Duration::from_micros(250);
const REFRESH_PAUSE_MAX: Duration = Duration::from_millis(32);

/// How long a file is waited for at most before it is looked at, whether or not it is said to have changed.
const LOOK: Duration = Duration::from_millis(100);

/// Bytes that are read at a time while they are converted.
const CHUNK: usize = 256 * 1024;

/// An open file, read by positioned reads: nothing is mapped, so that a file which is cut or rewritten meanwhile is
/// an error or wrong values, never a signal or undefined behaviour.
///
/// It can be shared between threads: reads move no cursor.
///
/// # Example
///
/// ```
/// use npymap::NpyFile;
///
/// let file = NpyFile::open("examples/data/measurements.npy")?;
/// assert_eq!(file.shape(), [1000, 3]);
/// let rows: Vec<[f32; 3]> = file.read_rows(10..20)?;
/// assert_eq!(rows.len(), 10);
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Debug)]
pub struct NpyFile {
    file: File,
    path: PathBuf,
    header: Header,
    options: ReadOptions,
    /// Made when the file is first waited for.
    watch: Option<Watch>,
}

impl NpyFile {
    /// Opens a file and reads its header.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; as [`Header::parse`]; [`Error::DataTruncated`],
    /// [`Error::Object`];
    /// [`Error::UnfinishedPublish`] if a writer died while it changed the count of
    /// rows.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        ReadOptions::new().open(path)
    }

    pub(crate) fn new(file: File, path: PathBuf, header: Header, options: ReadOptions) -> Self {
        Self { file, path, header, options, watch: None }
    }

    /// Reads the header of a file and nothing else, whatever the file holds after it; arrays of Python objects and
    /// files that are cut have headers too.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; as [`Header::parse`].
    pub fn read_header(path: impl AsRef<Path>) -> Result<Header> {
        let path = path.as_ref();
        let file = File::open(path).map_err(io_error("open", Some(path)))?;
        ReadOptions::new().header_of(&file, Some(path)).map(|(header, _)| header)
    }

    pub(crate) fn file(&self) -> &File {
        &self.file
    }

    /// Returns the header as it was when the file was opened, or last [refreshed](Self::refresh).
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Returns the type of one element.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        self.header.dtype()
    }

    /// Returns the lengths of the axes.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.header.shape()
    }

    /// Returns the path that the file was opened by.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns how many rows the file had when it was opened or last [refreshed](Self::refresh); columns in Fortran order,
    /// and 1 of a 0-d array.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.header.layout().rows()
    }

    /// Looks how many rows the file has by now, and returns that.
    ///
    /// It is never a count that was half written, never one of rows that aren't there yet, and never fewer than before:
    /// a count that is lower counts as one that is just being changed. A writer other than an
    /// [`Appender`](crate::Appender) may rewrite the whole header.
    ///
    /// # Errors
    ///
    /// [`Error::DataTruncated`] if the file no longer holds the rows that it had; [`Error::HeaderChanged`] if its dtype,
    /// the shape of its rows or their place is another; [`Error::UnfinishedPublish`]; [`Error::Io`]; the errors of a
    /// header that doesn't parse.
    pub fn refresh(&mut self) -> Result<usize> {
        let mut pause = REFRESH_PAUSE;
        loop {
            let now = self.look();
            let is_last = pause > REFRESH_PAUSE_MAX;
            match now {
                Ok(Some(header)) => {
                    if header.layout().rows() > self.rows() {
                        self.header = header;
                    }
                    return Ok(self.rows());
                }
                // Counted before they were written: they will come, or not.
                Ok(None) if is_last => return Ok(self.rows()),
                Err(error @ (Error::Io { .. } | Error::UnfinishedPublish { .. })) => return Err(error),
                Err(error) if is_last => return Err(error),
                // Somebody may be rewriting it.
                Ok(None) | Err(_) => std::thread::sleep(pause),
            }
            pause *= 2;
        }
    }

    /// Waits until the file has more than `beyond` rows, or so long, and returns how many it has.
    ///
    /// On Linux it is woken by the system when the file is written to; elsewhere, and for what other machines write to a
    /// network file system, it looks ten times a second.
    ///
    /// # Errors
    ///
    /// As [`refresh`](Self::refresh).
    ///
    /// # Example
    ///
    /// ```
    /// use std::time::Duration;
    /// use npymap::{Appender, NpyFile};
    ///
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("log.npy");
    /// let mut log = Appender::<[f32; 8]>::create(&path)?;
    /// let mut file = NpyFile::open(&path)?;
    /// let writer = std::thread::spawn(move || log.push(&[1.0; 8]).and_then(|()| log.close()));
    ///
    /// let mut seen = 0;
    /// let now = file.wait(seen, Duration::from_secs(10))?;
    /// let rows: Vec<[f32; 8]> = file.read_rows(seen..now)?;
    /// seen = now;
    /// assert_eq!((seen, rows), (1, vec![[1.0; 8]]));
    /// # writer.join().expect("no panic")?;
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn wait(&mut self, beyond: usize, timeout: Duration) -> Result<usize> {
        let start = Instant::now();
        // Before the first look, so that no change falls between the two.
        if self.watch.is_none() {
            self.watch = Some(Watch::new(&self.file));
        }
        loop {
            let rows = self.refresh()?;
            let left = timeout.saturating_sub(start.elapsed());
            if rows > beyond || left.is_zero() {
                return Ok(rows);
            }
            if let Some(watch) = &self.watch {
                watch.wait(left.min(LOOK));
            }
        }
    }

    /// Reads the header again; `None` if it counts rows that the file doesn't hold, beyond those it had.
    fn look(&self) -> Result<Option<Header>> {
        let (header, size) = self.options.header_of(&self.file, Some(&self.path))?;
        if !header.appendable() {
            // One read may have taken a part from before a change and a part from after it.
            let (again, _) = self.options.header_of(&self.file, Some(&self.path))?;
            if again != header {
                return Ok(None);
            }
        }
        header.check_same_rows(&self.header, &self.path)?;
        let had = self.header.data_end();
        if size < had {
            return Err(self.header.truncated(size.saturating_sub(self.header.data_offset() as u64)));
        }
        Ok(header.check_data(size).is_ok().then_some(header))
    }

    /// Reads rows: what a range of indices along the first axis covers, `row_len` elements each, in storage order,
    /// in any byte order.
    ///
    /// An array type takes the last axes for itself: of a file of shape `(n, 3)`, `[f32; 3]` are whole rows.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::FortranOrder`];
    /// as [`NpyAny::to_vec`]; [`Error::DataTruncated`] if the file was cut.
    pub fn read_rows<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>> {
        self.header.layout().check_order(Order::C, "read_rows")?;
        self.read_range(range, "rows")
    }

    /// Reads columns, the last axis of an array in Fortran order, as [`read_rows`](Self::read_rows) reads rows.
    ///
    /// # Errors
    ///
    /// As [`read_rows`](Self::read_rows), with [`Error::COrder`].
    pub fn read_cols<T: Element>(&self, range: Range<usize>) -> Result<Vec<T>> {
        self.header.layout().check_order(Order::Fortran, "read_cols")?;
        self.read_range(range, "columns")
    }

    /// Reads all elements in storage order, in any byte order.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::to_vec`]; [`Error::DataTruncated`] if the file was cut.
    pub fn read_all<T: Element>(&self) -> Result<Vec<T>> {
        self.read_elements(0..self.header.nbytes())
    }

    /// Reads the whole array.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; [`Error::Io`];
    /// [`Error::DataTruncated`] if the file was cut.
    pub fn read_any(&self) -> Result<NpyAny<Aligned>> {
        let mut data = Aligned::zeroed(self.header.nbytes())?;
        self.read_bytes(0, &mut data)?;
        NpyAny::new(self.header.clone(), data, 0)
    }

    /// Reads rows, what a range of indices along the first axis covers, as an array of their own: for fields, and for
    /// dtypes without a Rust type.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::FortranOrder`]; [`Error::Rank`] on a 0-d array; as [`read_any`](Self::read_any).
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::NpyFile;
    ///
    /// let file = NpyFile::open("examples/data/events.npy")?;
    /// let last = file.read_rows_any(190..200)?;
    /// assert_eq!(last.field::<f64>(&["value"])?.len(), 10);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn read_rows_any(&self, range: Range<usize>) -> Result<NpyAny<Aligned>> {
        self.header.layout().check_order(Order::C, "read_rows_any")?;
        self.read_part(range, "rows")
    }

    /// Reads columns, the last axis of an array in Fortran order, as [`read_rows_any`](Self::read_rows_any) reads rows.
    ///
    /// # Errors
    ///
    /// As [`read_rows_any`](Self::read_rows_any), with [`Error::COrder`].
    pub fn read_cols_any(&self, range: Range<usize>) -> Result<NpyAny<Aligned>> {
        self.header.layout().check_order(Order::Fortran, "read_cols_any")?;
        self.read_part(range, "columns")
    }

    fn read_part(&self, range: Range<usize>, what: &'static str) -> Result<NpyAny<Aligned>> {
        let bytes = self.header.layout().rows_bytes(&range, what)?;
        let mut data = Aligned::zeroed(bytes.len())?;
        self.read_bytes(bytes.start, &mut data)?;
        NpyAny::of_rows(self.header.clone(), range.len(), data)
    }

    /// Reads the element at `index`, one number an axis.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::value`]; [`Error::Io`];
    /// [`Error::DataTruncated`] if the file was cut.
    pub fn value(&self, index: &[usize]) -> Result<Value> {
        let position = position(self.header.layout(), index)?;
        let mut bytes = vec![0; self.header.itemsize()];
        self.read_bytes(position * bytes.len(), &mut bytes)?;
        self.dtype().value(&bytes).map_err(|error| error.at_index(position))
    }

    /// Fills `buffer` with stored bytes of the elements, from byte `first` of the first element on.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`] beyond the last element; [`Error::Io`]; [`Error::DataTruncated`] if the file ends before.
    pub fn read_bytes(&self, first: usize, buffer: &mut [u8]) -> Result<()> {
        let len = self.header.nbytes();
        let end = first.saturating_add(buffer.len());
        if end > len {
            return Err(Error::OutOfBounds { what: "bytes", start: first, end, len });
        }
        let data_offset = self.header.data_offset() as u64;
        let offset = data_offset.saturating_add(first as u64);
        let n = read_up_to_at(&self.file, buffer, offset).map_err(io_error("read", Some(&self.path)))?;
        if n == buffer.len() {
            return Ok(());
        }
        // The file may end long before the first byte asked for.
        let size = self.file.metadata().map_err(io_error("stat", Some(&self.path)))?.len();
        Err(self.header.truncated(size.saturating_sub(data_offset).min(offset - data_offset + n as u64)))
    }

    fn read_range<T: Element>(&self, range: Range<usize>, what: &'static str) -> Result<Vec<T>> {
        let bytes = self.header.layout().rows_bytes(&range, what)?;
        self.read_elements(bytes)
    }

    /// Reads the elements that lie in `bytes`, which are whole rows or columns.
    fn read_elements<T: Element>(&self, bytes: Range<usize>) -> Result<Vec<T>> {
        let (dtype, _) = fold::<T>(self.dtype(), self.header.layout(), can_decode::<T>)?;
        let mut elements = Vec::new();
        let itemsize = dtype.itemsize();
        if bytes.is_empty() || itemsize == 0 {
            return Ok(elements);
        }
        // Where an array type has taken the only axis, a row is no whole element.
        if !bytes.len().is_multiple_of(itemsize) {
            return Err(Error::PartialElement { bytes: bytes.len(), size: itemsize, element: T::name() });
        }
        let out_of_memory = |_| Error::OutOfMemory { bytes: bytes.len() };
        elements.try_reserve_exact(bytes.len() / itemsize).map_err(out_of_memory)?;
        let step = (CHUNK / itemsize).max(1) * itemsize;
        let mut buffer = vec![0; step.min(bytes.len())];
        for at in bytes.clone().step_by(step) {
            let chunk = &mut buffer[..step.min(bytes.end - at)];
            self.read_bytes(at, chunk)?;
            decode_onto(&dtype, chunk, chunk.len() / itemsize, &mut elements)?;
        }
        Ok(elements)
    }
}
