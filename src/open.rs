//! Files and streams to headers and arrays. The only module that knows both I/O and the format.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use crate::any::NpyAny;
use crate::element::Element;
use crate::format::{FIELD_LEN, PADDING_WINDOW, Preamble, PublishField, shape_repr};
use crate::storage::{Aligned, io_error, read_up_to_at};
#[cfg(feature = "mmap")]
use crate::storage::{Mapping, MappingMut, WritableFile};
use crate::{Error, Header, Npy, NpyFile, ReadOptions, Result};

/// Bytes that the first look at a file reads: nearly every header is shorter.
const FIRST_READ: usize = 1024;

/// The least and most that a stream is given room for at a time.
const STREAM_STEP: usize = 1 << 20;

/// How often a header that doesn't parse is read again, if it is another one each time.
const REWRITES: usize = 8;

/// How long a count in change is watched before it is called unfinished. A change takes microseconds, once in a
/// file's life a millisecond.
const PUBLISH_PATIENCE: Duration = Duration::from_millis(250);

impl ReadOptions {
    /// Opens a file for positioned reads, without mapping it.
    ///
    /// # Errors
    ///
    /// As [`NpyFile::open`].
    pub fn open(&self, path: impl AsRef<Path>) -> Result<NpyFile> {
        let path = path.as_ref();
        let file = File::open(path).map_err(io_error("open", Some(path)))?;
        let (header, size) = self.header_of(&file, Some(path))?;
        header.check_data(size)?;
        Ok(NpyFile::new(file, path.to_path_buf(), header, self.clone()))
    }

    /// Reads a whole file into memory.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::read`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<NpyAny<Aligned>> {
        let path = path.as_ref();
        let file = File::open(path).map_err(io_error("open", Some(path)))?;
        // A pipe has no positions.
        let metadata = file.metadata().map_err(io_error("stat", Some(path)))?;
        if !metadata.is_file() {
            return self.read_one(&mut &file, Some(path));
        }
        let (header, size) = self.header_of(&file, Some(path))?;
        header.check_data(size)?;
        let mut data = Aligned::zeroed(header.nbytes())?;
        let held =
            read_up_to_at(&file, &mut data, header.data_offset() as u64).map_err(io_error("read", Some(path)))?;
        if held < data.len() {
            return Err(header.truncated(held as u64));
        }
        NpyAny::new(header, data, 0)
    }

    /// Reads one array from a stream and nothing beyond its end.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::read_from`].
    pub fn read_from(&self, mut reader: impl Read) -> Result<NpyAny<Aligned>> {
        self.read_one(&mut reader, None)
    }

    /// Iterates over arrays that were saved one after another into one stream.
    pub fn read_all_from<R: Read>(&self, reader: R) -> Arrays<R> {
        Arrays { reader, options: self.clone(), done: false }
    }

    /// Maps a file.
    ///
    /// # Safety
    ///
    /// The contract of [`Mapping`].
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map`].
    #[cfg(feature = "mmap")]
    #[expect(unsafe_code, reason = "the caller accepts the contract of Mapping")]
    pub unsafe fn map(&self, path: impl AsRef<Path>) -> Result<NpyAny<Mapping>> {
        let path = path.as_ref();
        let file = File::open(path).map_err(io_error("open", Some(path)))?;
        let (header, size) = self.header_of(&file, Some(path))?;
        header.check_data(size)?;
        // SAFETY: the caller accepts the contract; `check_data` has just found the file long enough.
        let mapping = unsafe { Mapping::new(&file, header.data_offset() as u64, header.nbytes()) };
        NpyAny::new(header, mapping.map_err(io_error("map", Some(path)))?, 0)
    }

    /// Maps a file for reading and writing.
    ///
    /// # Safety
    ///
    /// The contract of [`MappingMut`].
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map_mut`].
    #[cfg(feature = "mmap")]
    #[expect(unsafe_code, reason = "the caller accepts the contract of MappingMut")]
    pub unsafe fn map_mut(&self, path: impl AsRef<Path>) -> Result<NpyAny<MappingMut>> {
        let file = WritableFile::open(path.as_ref())?;
        let (header, size) = self.header_of(file.file(), Some(path.as_ref()))?;
        header.check_data(size)?;
        // SAFETY: the caller accepts the contract; `check_data` has just found the file long enough.
        let mapping = unsafe { MappingMut::shared(file, header.data_offset() as u64, header.nbytes()) };
        NpyAny::new(header, mapping.map_err(io_error("map", Some(path.as_ref())))?, 0)
    }

    /// Maps a file privately: what is written stays in memory.
    ///
    /// # Safety
    ///
    /// The contract of [`MappingMut`].
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map_cow`].
    #[cfg(feature = "mmap")]
    #[expect(unsafe_code, reason = "the caller accepts the contract of MappingMut")]
    pub unsafe fn map_cow(&self, path: impl AsRef<Path>) -> Result<NpyAny<MappingMut>> {
        let path = path.as_ref();
        let file = File::open(path).map_err(io_error("open", Some(path)))?;
        let (header, size) = self.header_of(&file, Some(path))?;
        header.check_data(size)?;
        // SAFETY: the caller accepts the contract; `check_data` has just found the file long enough.
        let mapping = unsafe { MappingMut::private(&file, header.data_offset() as u64, header.nbytes()) };
        NpyAny::new(header, mapping.map_err(io_error("map", Some(path)))?, 0)
    }

    /// Maps a file that the kernel keeps from being changed.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map_immutable`].
    #[cfg(feature = "mmap")]
    pub fn map_immutable(&self, file: &File) -> Result<NpyAny<Mapping>> {
        let (header, size) = self.header_of(file, None)?;
        header.check_data(size)?;
        let mapping = Mapping::immutable(file, header.data_offset() as u64, header.nbytes());
        let mapping = mapping.map_err(io_error("map", None))?.ok_or(Error::NotImmutable)?;
        NpyAny::new(header, mapping, 0)
    }

    /// Reads the header of a file, and the file's size afterwards: rows are written before they are counted, so that
    /// the size is never behind the count.
    pub(crate) fn header_of(&self, file: &File, path: Option<&Path>) -> Result<(Header, u64)> {
        let (header, size) = self.unsettled_header_of(file, path)?;
        match header.publish_field() {
            Some(at) => Ok((settled(header, file, path, at as u64)?, size_of_file(file, path)?)),
            None => Ok((header, size)),
        }
    }

    /// Reads the header of a file, whose count may just be in change, and the file's size afterwards.
    pub(crate) fn unsettled_header_of(&self, file: &File, path: Option<&Path>) -> Result<(Header, u64)> {
        let mut refused = Vec::new();
        let mut patience = REWRITES;
        loop {
            let mut first = [0; FIRST_READ];
            let n = read_up_to_at(file, &mut first, 0).map_err(io_error("read", path))?;
            let size = size_of_file(file, path)?;
            let preamble = Preamble::parse(&first[..n], size)?;
            preamble.check(size, self.max_header_size)?;
            let wanted = preamble.data_offset.saturating_add(PADDING_WINDOW);
            let mut long = Vec::new();
            let head = if n < first.len() || wanted <= n {
                &first[..n]
            } else {
                long.resize(usize::try_from(size).unwrap_or(usize::MAX).min(wanted), 0);
                let n = read_up_to_at(file, &mut long, 0).map_err(io_error("read", path))?;
                &long[..n]
            };
            match Header::parse_within(head, self.max_header_size) {
                Ok(header) => return Ok((header, size)),
                // A header that is being rewritten may be seen half old, half new: it is wrong only if it stays so.
                Err(error) if refused == head || patience == 0 => return Err(error),
                Err(_) => refused = head.to_vec(),
            }
            patience -= 1;
        }
    }

    /// Reads the next array of a stream, which must be there.
    fn read_one(&self, reader: &mut impl Read, path: Option<&Path>) -> Result<NpyAny<Aligned>> {
        self.read_next(reader, path)?.ok_or(NOTHING)
    }

    /// Reads the next array of a stream; `None` if it ends before it. The path is for errors.
    fn read_next(&self, reader: &mut impl Read, path: Option<&Path>) -> Result<Option<NpyAny<Aligned>>> {
        let Some((header, head)) = self.read_head(reader, path)? else { return Ok(None) };
        header.refuse_objects()?;
        let data = read_data(reader, &header, path)?;
        if head.ends_with(b"}") {
            header.refuse_cut_padding(&data, true)?;
        }
        NpyAny::new(header, data, 0).map(Some)
    }

    /// Reads the header of a stream and nothing beyond it; `None` if the stream ends before it. Returns its bytes too.
    fn read_head(&self, reader: &mut impl Read, path: Option<&Path>) -> Result<Option<(Header, Vec<u8>)>> {
        let mut head = Vec::new();
        // Grows with what arrives, not with what the header claims.
        let mut read = |head: &mut Vec<u8>, len: usize| {
            let missing = len.saturating_sub(head.len()) as u64;
            reader.by_ref().take(missing).read_to_end(head).map_err(io_error("read", path))
        };
        // The version tells how long the length is; nothing may be read that isn't this array's.
        read(&mut head, Preamble::MIN_LEN)?;
        if head.is_empty() {
            return Ok(None);
        }
        if matches!(head.get(6), Some(2 | 3)) {
            read(&mut head, Preamble::MAX_LEN)?;
        }
        let preamble = Preamble::parse(&head, head.len() as u64)?;
        preamble.check_limit(self.max_header_size)?;
        read(&mut head, preamble.data_offset)?;
        let header = Header::parse_within(&head, self.max_header_size)?;
        header.refuse_carry()?;
        Ok(Some((header, head)))
    }
}

impl Header {
    /// Reads the header of a stream and nothing beyond it: the data follow.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; as [`parse`](Self::parse); [`Error::UnfinishedPublish`] if the bytes were taken while a writer
    /// changed the count of rows.
    #[doc(alias = "read_array_header_1_0")]
    pub fn read_from(mut reader: impl Read) -> Result<Self> {
        let head = ReadOptions::new().read_head(&mut reader, None)?;
        head.map(|(header, _)| header).ok_or(NOTHING)
    }
}

impl Header {
    /// Checks that this header of a file describes rows of the kind that `before` did, in the same place.
    pub(crate) fn check_same_rows(&self, before: &Self, path: &Path) -> Result<()> {
        let describe = |header: &Self| -> Result<String> {
            let shape = shape_repr(header.layout().with_rows(0)?.shape());
            let order = if header.fortran_order() { " in Fortran order" } else { "" };
            Ok(format!(
                "{} from byte {} on, and but for its rows shape {shape}{order}",
                header.dtype().descr(),
                header.data_offset()
            ))
        };
        let same = self.dtype() == before.dtype()
            && (self.data_offset(), self.order()) == (before.data_offset(), before.order())
            && self.layout().with_rows(0)? == before.layout().with_rows(0)?;
        if same {
            return Ok(());
        }
        Err(Error::HeaderChanged { path: path.to_path_buf(), found: describe(self)?, wanted: describe(before)? })
    }
}

/// The error for a stream without a byte.
const NOTHING: Error = Error::HeaderTruncated { part: "magic string", needed: 8, held: 0 };

/// Reads the data of an array, making room as they arrive.
fn read_data(reader: &mut impl Read, header: &Header, path: Option<&Path>) -> Result<Aligned> {
    let mut data = Aligned::default();
    let mut filled = 0;
    while filled < header.nbytes() {
        let room = filled.saturating_mul(2).max(STREAM_STEP).min(header.nbytes());
        data.resize(room)?;
        while filled < room {
            match reader.read(&mut data[filled..]) {
                Ok(0) => return Err(header.truncated(filled as u64)),
                Ok(n) => filled += n,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(io_error("read", path)(error)),
            }
        }
    }
    Ok(data)
}

fn size_of_file(file: &File, path: Option<&Path>) -> Result<u64> {
    file.metadata().map(|metadata| metadata.len()).map_err(io_error("stat", path))
}

/// Takes the count in the publish field at byte `at` once it stands still.
fn settled(header: Header, file: &File, path: Option<&Path>, at: u64) -> Result<Header> {
    let read = || {
        let mut field = [0; FIELD_LEN];
        read_up_to_at(file, &mut field, at).map_err(io_error("read", path)).map(|_| field)
    };
    let start = Instant::now();
    loop {
        let field = read()?;
        // Two equal reads: one alone may have taken the words from two different counts.
        if field == read()?
            && let Some(PublishField::Rows(rows)) = PublishField::parse(&field)
        {
            let axis = header.growth_axis().unwrap_or(0);
            let rows = usize::try_from(rows).map_err(|_| Error::Dimension { axis, found: rows.to_string() })?;
            return header.with_rows(rows);
        }
        if start.elapsed() > PUBLISH_PATIENCE {
            let field = String::from_utf8_lossy(&field).into_owned();
            let waited_ms = u64::try_from(PUBLISH_PATIENCE.as_millis()).unwrap_or(u64::MAX);
            return Err(Error::UnfinishedPublish { field, waited_ms });
        }
        thread::sleep(Duration::from_millis(1));
    }
}

/// The arrays of a stream, one after another; made by [`NpyAny::read_all_from`].
///
/// Ends where the stream does, or after the first error.
#[derive(Debug)]
pub struct Arrays<R> {
    reader: R,
    options: ReadOptions,
    done: bool,
}

impl<R: Read> Iterator for Arrays<R> {
    type Item = Result<NpyAny<Aligned>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.done {
            return None;
        }
        let next = self.options.read_next(&mut self.reader, None).transpose();
        self.done = !matches!(next, Some(Ok(_)));
        next
    }
}

impl<R: Read> std::iter::FusedIterator for Arrays<R> {}

impl NpyAny {
    /// Reads a whole file into memory that every element type can view.
    ///
    /// What isn't a regular file, a pipe for instance, is read to the array's end.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; as [`Header::parse`]; [`Error::DataTruncated`], [`Error::Object`], [`Error::OutOfMemory`];
    /// [`Error::UnfinishedPublish`] if a writer died while it changed the count of rows.
    #[doc(alias = "load")]
    pub fn read(path: impl AsRef<Path>) -> Result<NpyAny<Aligned>> {
        ReadOptions::new().read(path)
    }

    /// Reads one array from a stream and nothing beyond its end, so that another may follow.
    ///
    /// Takes memory for what arrives, not for what the header claims.
    ///
    /// # Errors
    ///
    /// As [`read`](Self::read).
    #[doc(alias = "load")]
    pub fn read_from(reader: impl Read) -> Result<NpyAny<Aligned>> {
        ReadOptions::new().read_from(reader)
    }

    /// Iterates over arrays that were saved one after another into one stream (`np.save(f, a); np.save(f, b)`).
    pub fn read_all_from<R: Read>(reader: R) -> Arrays<R> {
        ReadOptions::new().read_all_from(reader)
    }
}

impl<T: Element> Npy<T> {
    /// Reads a whole file into memory.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::read`] and [`NpyAny::into_typed`].
    #[doc(alias = "load")]
    pub fn read(path: impl AsRef<Path>) -> Result<Npy<T, Aligned>> {
        NpyAny::read(path)?.into_typed()
    }

    /// Reads one array from a stream and nothing beyond its end, so that another may follow.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::read_from`] and [`NpyAny::into_typed`].
    #[doc(alias = "load")]
    pub fn read_from(reader: impl Read) -> Result<Npy<T, Aligned>> {
        NpyAny::read_from(reader)?.into_typed()
    }
}

#[cfg(feature = "mmap")]
#[expect(unsafe_code, reason = "the caller accepts the contract of Mapping")]
impl NpyAny {
    /// Maps a file read-only. Nothing is copied; pages are read when they are touched.
    ///
    /// # Safety
    ///
    /// The contract of [`Mapping`]: until the last view is gone nobody changes the mapped rows or cuts the file
    /// below their end.
    ///
    /// # Errors
    ///
    /// [`Error::Io`]; as [`Header::parse`]; [`Error::DataTruncated`], [`Error::Object`];
    /// [`Error::UnfinishedPublish`] if a writer died while it changed the count of rows.
    #[doc(alias = "memmap")]
    #[doc(alias = "open_memmap")]
    #[doc(alias = "mmap_mode")]
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller accepts the same contract.
        unsafe { ReadOptions::new().map(path) }
    }

    /// Maps a file for reading and writing: what is written is in the file, for others to read at once, and on the disk
    /// after [`flush`](NpyAny::flush). A file that is shorter than its header says is refused, never filled up.
    ///
    /// # Safety
    ///
    /// The contract of [`MappingMut`]: until it is gone nobody else accesses the mapped rows, or cuts the file below
    /// their end.
    ///
    /// # Errors
    ///
    /// As [`map`](Self::map).
    #[doc(alias = "r+")]
    #[doc(alias = "open_memmap")]
    pub unsafe fn map_mut(path: impl AsRef<Path>) -> Result<NpyAny<MappingMut>> {
        // SAFETY: the caller accepts the same contract.
        unsafe { ReadOptions::new().map_mut(path) }
    }

    /// Maps a file privately, for writing into memory: pages are copied when they are written to, and the file stays as
    /// it is. NumPy's mode `c`.
    ///
    /// # Safety
    ///
    /// The contract of [`MappingMut`]: until it is gone nobody else changes the mapped rows, or cuts the file below
    /// their end. Pages that weren't written to still show what others write.
    ///
    /// # Errors
    ///
    /// As [`map`](Self::map).
    #[doc(alias = "copyonwrite")]
    pub unsafe fn map_cow(path: impl AsRef<Path>) -> Result<NpyAny<MappingMut>> {
        // SAFETY: the caller accepts the same contract.
        unsafe { ReadOptions::new().map_cow(path) }
    }

    /// Maps a file that the kernel keeps from being changed: a memfd sealed against writing and shrinking, or a file
    /// protected by fs-verity.
    ///
    /// # Errors
    ///
    /// As [`map`](Self::map); [`Error::NotImmutable`] for every other file.
    pub fn map_immutable(file: &File) -> Result<Self> {
        ReadOptions::new().map_immutable(file)
    }
}

#[cfg(feature = "mmap")]
#[expect(unsafe_code, reason = "the caller accepts the contract of Mapping")]
impl<T: Element> Npy<T> {
    /// Maps a file read-only. Nothing is copied; pages are read when they are touched.
    ///
    /// # Safety
    ///
    /// The contract of [`Mapping`]: until the last view is gone nobody changes the mapped rows or cuts the file
    /// below their end.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map`] and [`NpyAny::into_typed`].
    #[doc(alias = "memmap")]
    #[doc(alias = "open_memmap")]
    #[doc(alias = "mmap_mode")]
    pub unsafe fn map(path: impl AsRef<Path>) -> Result<Self> {
        // SAFETY: the caller accepts the same contract.
        unsafe { NpyAny::map(path) }?.into_typed()
    }

    /// Maps a file for reading and writing: what is written is in the file, for others to read at once, and on the disk
    /// after [`flush`](NpyAny::flush).
    ///
    /// # Safety
    ///
    /// The contract of [`MappingMut`]: until it is gone nobody else accesses the mapped rows, or cuts the file below
    /// their end.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map_mut`] and [`NpyAny::into_typed`].
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::{Npy, save};
    ///
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("x.npy");
    /// save(&path, [3, 2], &[0.0_f32; 6])?;
    /// // SAFETY: this example alone knows the file.
    /// let mut x = unsafe { Npy::<f32>::map_mut(&path)? };
    /// x[1].copy_from_slice(&[1.0, 2.0]);
    /// x.flush()?;
    /// x.grow(1)?;
    /// assert_eq!(x.shape(), [4, 2]);
    /// assert_eq!(Npy::<f32>::read(&path)?.as_slice(), [0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0, 0.0]);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "r+")]
    #[doc(alias = "open_memmap")]
    pub unsafe fn map_mut(path: impl AsRef<Path>) -> Result<Npy<T, MappingMut>> {
        // SAFETY: the caller accepts the same contract.
        unsafe { NpyAny::map_mut(path) }?.into_typed()
    }

    /// Maps a file privately, for writing into memory; the file stays as it is. NumPy's mode `c`.
    ///
    /// # Safety
    ///
    /// The contract of [`MappingMut`]: until it is gone nobody else changes the mapped rows, or cuts the file below
    /// their end.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::map_cow`] and [`NpyAny::into_typed`].
    #[doc(alias = "copyonwrite")]
    pub unsafe fn map_cow(path: impl AsRef<Path>) -> Result<Npy<T, MappingMut>> {
        // SAFETY: the caller accepts the same contract.
        unsafe { NpyAny::map_cow(path) }?.into_typed()
    }

    /// Maps a file that the kernel keeps from being changed: a memfd sealed against writing and shrinking, or a file
    /// protected by fs-verity.
    ///
    /// # Errors
    ///
    /// As [`map`](Self::map); [`Error::NotImmutable`] for every other file.
    pub fn map_immutable(file: &File) -> Result<Self> {
        NpyAny::map_immutable(file)?.into_typed()
    }
}
