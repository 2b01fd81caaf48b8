//! Whole arrays to files and streams. Knows headers, elements and new files.

use std::fs::{self, File};
use std::io::{Cursor, Write};
use std::path::Path;

use crate::element::Element;
use crate::storage::{Bytes, NewFile, io_error, is_descriptor, write_error};
use crate::stored::Stored;
use crate::{ByteOrder, DType, Error, Header, NpyAny, Result, WriteOptions};

/// Bytes of text that are encoded at a time.
const TEXT_BLOCK: usize = 128 * 1024;

/// Saves an array as `np.save` does, byte for byte: `elements` in C order, as a file of this shape.
///
/// An array type adds its axes to the shape: ten `[f32; 3]` of shape `[10]` become a file of shape (10, 3). A file of
/// that name is replaced, at once and when the new one is whole: whoever has it open or mapped keeps the old one, and
/// whoever is killed before leaves it as it was. The mode of the file stays; it need not be writable, but the folder.
/// What isn't a regular file, a pipe or a device, is written to, and so is what a descriptor leads to (`/dev/stdout`): at
/// its end, if that is a file.
///
/// # Errors
///
/// [`Error::BufferLength`](crate::Error::BufferLength) if `elements` don't fill the shape;
/// [`Error::Locked`](crate::Error::Locked) if somebody is appending to the file that was to be replaced;
/// [`Error::NoSpace`](crate::Error::NoSpace), [`Error::Io`](crate::Error::Io); as [`Header::new`].
///
/// # Example
///
/// ```
/// use npymap::Npy;
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// npymap::save(&path, [2, 3], &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// assert_eq!(Npy::<f64>::read(&path)?[[1, 0]], 4.0);
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn save<T: Element>(path: impl AsRef<Path>, shape: impl Into<Vec<usize>>, elements: &[T]) -> Result<()> {
    WriteOptions::new().save(path, shape, elements)
}

/// Writes an array to a stream: what [`save`] writes to a file.
///
/// # Errors
///
/// As [`save`].
pub fn write_to<T: Element>(writer: impl Write, shape: impl Into<Vec<usize>>, elements: &[T]) -> Result<()> {
    WriteOptions::new().write_to(writer, shape, elements)
}

/// Saves what an iterator gives as the rows of a file, and returns how many there were: of shape `(n,)`, or `(n, 3)` for
/// `[f32; 3]`. Takes memory for some of them at a time.
///
/// # Errors
///
/// As [`save`].
///
/// # Example
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("squares.npy");
/// let rows = npymap::save_iter(&path, (0..1000_u64).map(|i| [i, i * i]))?;
/// assert_eq!((rows, npymap::NpyAny::read(&path)?.shape()), (1000, [1000, 2].as_slice()));
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn save_iter<T: Element>(path: impl AsRef<Path>, rows: impl IntoIterator<Item = T>) -> Result<usize> {
    WriteOptions::new().save_iter(path, rows)
}

/// Saves texts as NumPy does: as `<U` of the longest, in characters.
///
/// # Errors
///
/// [`Error::TextEndsInNul`](crate::Error::TextEndsInNul), for such NULs would be lost; as [`save`].
///
/// # Example
///
/// ```
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("names.npy");
/// npymap::save_text(&path, [3], &["north", "süd", ""])?;
/// let names = npymap::NpyAny::read(&path)?;
/// assert_eq!(names.dtype().descr(), "'<U5'");
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn save_text(path: impl AsRef<Path>, shape: impl Into<Vec<usize>>, texts: &[impl AsRef<str>]) -> Result<()> {
    WriteOptions::new().save_text(path, shape, texts)
}

impl WriteOptions {
    /// Saves an array, as [`save`] does.
    ///
    /// # Errors
    ///
    /// As [`save`]; [`Error::AlreadyExists`](crate::Error::AlreadyExists) if it was to be
    /// [new](Self::create_new); [`Error::FortranOrder`](crate::Error::FortranOrder) for an array type in Fortran order.
    pub fn save<T: Element>(&self, path: impl AsRef<Path>, shape: impl Into<Vec<usize>>, elements: &[T]) -> Result<()> {
        let whole = self.describe(shape.into(), elements)?;
        self.write_file(path.as_ref(), |file| whole.write(file))
    }

    /// Writes an array to a stream, as [`write_to`] does.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn write_to<T: Element>(
        &self,
        mut writer: impl Write,
        shape: impl Into<Vec<usize>>,
        elements: &[T],
    ) -> Result<()> {
        self.describe(shape.into(), elements)?.write(&mut Stream(&mut writer))
    }

    /// Saves what an iterator gives, as [`save_iter`] does.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn save_iter<T: Element>(&self, path: impl AsRef<Path>, rows: impl IntoIterator<Item = T>) -> Result<usize> {
        let path = path.as_ref();
        if self.is_special(path) {
            // Nothing can be counted there afterwards.
            let mut whole = self.row_writer::<T, _>(Cursor::new(Vec::new()), [])?;
            rows.into_iter().try_for_each(|row| whole.push(&row))?;
            let count = whole.rows();
            let bytes = whole.finish()?.into_inner();
            return self.write_file(path, |file| file.write(&bytes)).map(|()| count);
        }
        let new = NewFile::create(path)?;
        let file = new.file().file();
        let named = |error, needed| match error {
            Error::Io { operation, source, .. } => write_error(operation, file, Some(path), needed)(source),
            error => error,
        };
        let mut writer = self.row_writer::<T, _>(file, []).map_err(|error| named(error, 1))?;
        for row in rows {
            writer.push(&row).map_err(|error| named(error, writer.unwritten()))?;
        }
        let count = writer.rows();
        writer.flush().map_err(|error| named(error, writer.unwritten()))?;
        new.publish(self.taken(), self.durable)?;
        Ok(count)
    }

    /// Saves texts, as [`save_text`] does, or as the `S` or `U` of any length that is [given](Self::dtype).
    ///
    /// # Errors
    ///
    /// As [`save_text`]; [`Error::TextTooLong`](crate::Error::TextTooLong),
    /// [`Error::NotText`](crate::Error::NotText).
    pub fn save_text(
        &self,
        path: impl AsRef<Path>,
        shape: impl Into<Vec<usize>>,
        texts: &[impl AsRef<str>],
    ) -> Result<()> {
        let longest = texts.iter().map(|text| text.as_ref().chars().count()).max().unwrap_or(0);
        // NumPy makes room for one character where there is none.
        let longest = DType::Str(ByteOrder::Little, longest.max(1));
        let dtype = self.dtype.clone().unwrap_or(longest);
        let (header, head) = self.header(&dtype, shape.into())?;
        if header.size() != texts.len() {
            return Err(Error::BufferLength { found: texts.len(), wanted: header.size() });
        }
        let itemsize = dtype.itemsize();
        let per_block = (TEXT_BLOCK / itemsize.max(1)).max(1);
        self.write_file(path.as_ref(), |file| {
            file.write(&head)?;
            let mut block = vec![0; per_block.min(texts.len()) * itemsize];
            for texts in texts.chunks(per_block) {
                let block = &mut block[..texts.len() * itemsize];
                for (at, text) in texts.iter().enumerate() {
                    dtype.write_text(text.as_ref(), &mut block[at * itemsize..][..itemsize])?;
                }
                file.write(block)?;
            }
            Ok(())
        })
    }

    /// What an array of these elements is written as, if they fill the shape.
    fn describe<'a, T: Element>(&self, shape: Vec<usize>, elements: &'a [T]) -> Result<Whole<'a, T>> {
        let stored = Stored::of::<T>(self.dtype.as_ref())?;
        stored.check_len(&shape, elements.len())?;
        let (header, head) = self.header(stored.dtype(), stored.shape(shape, self.order)?)?;
        header.refuse_objects()?;
        Ok(Whole { head, stored, elements })
    }

    /// Whether a name is that of something to write to that is no file: a pipe, a device, a descriptor.
    fn is_special(&self, path: &Path) -> bool {
        let is_special = |there: fs::Metadata| !there.is_dir() && (!there.is_file() || is_descriptor(path));
        !self.create_new && fs::metadata(path).is_ok_and(is_special)
    }

    /// Writes a file that gets its name when it is whole.
    pub(crate) fn write_file(&self, path: &Path, write: impl FnOnce(&mut dyn Sink) -> Result<()>) -> Result<()> {
        if self.is_special(path) {
            // What a descriptor leads to may be a file, with something in it.
            let file = File::options().append(true).open(path).map_err(io_error("open", Some(path)))?;
            return write(&mut Named { file: &file, path });
        }
        let new = NewFile::create(path)?;
        write(&mut Named { file: new.file().file(), path })?;
        new.publish(self.taken(), self.durable).map(drop)
    }
}

impl<B: Bytes> NpyAny<B> {
    /// Saves the array as `np.save` does, byte for byte, in the order in which it is stored; a file of that name is
    /// replaced, as [`save`] says.
    ///
    /// # Errors
    ///
    /// As [`save`].
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        let head = self.numpy_header()?;
        WriteOptions::new().write_file(path.as_ref(), |file| {
            file.write(&head)?;
            file.write(self.bytes())
        })
    }

    /// Writes the array to a stream: what [`save`](Self::save) writes to a file.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn write_to(&self, mut writer: impl Write) -> Result<()> {
        let head = self.numpy_header()?;
        let mut stream = Stream(&mut writer);
        stream.write(&head)?;
        stream.write(self.bytes())
    }

    fn numpy_header(&self) -> Result<Vec<u8>> {
        Header::new(self.dtype().clone(), self.shape(), self.order())?.to_bytes()
    }
}

/// An array that is about to be written.
struct Whole<'a, T> {
    head: Vec<u8>,
    stored: Stored,
    elements: &'a [T],
}

impl<T: Element> Whole<'_, T> {
    fn write(&self, out: &mut dyn Sink) -> Result<()> {
        out.write(&self.head)?;
        self.stored.encode(self.elements, |bytes| out.write(bytes))
    }
}

/// Where bytes go, one after another, with errors that say where that was.
pub(crate) trait Sink {
    fn write(&mut self, bytes: &[u8]) -> Result<()>;
}

/// A stream, which has no name.
struct Stream<'a, W>(&'a mut W);

impl<W: Write> Sink for Stream<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.0.write_all(bytes).map_err(io_error("write", None))
    }
}

/// A file, whose file system may be full.
struct Named<'a> {
    file: &'a File,
    path: &'a Path,
}

impl Sink for Named<'_> {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        let failed = write_error("write", self.file, Some(self.path), bytes.len() as u64);
        let mut file = self.file;
        file.write_all(bytes).map_err(failed)
    }
}

/// Saves an `ndarray` array, as `np.save` would save the same array of NumPy: in C order if it lies in memory so, in
/// Fortran order if it lies so, else in C order.
///
/// Nothing is copied, but for arrays of other strides, some of whose elements are gathered at a time.
///
/// # Errors
///
/// As [`save`].
///
/// # Example
///
/// ```
/// use ndarray::{Array2, array};
/// use npymap::{NpyAny, Order};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// let x: Array2<f32> = array![[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]];
/// npymap::save_ndarray(&path, &x.t())?;
/// let back = NpyAny::read(&path)?;
/// assert_eq!((back.shape(), back.order()), ([3, 2].as_slice(), Order::Fortran));
/// # Ok::<(), npymap::Error>(())
/// ```
#[cfg(feature = "ndarray")]
pub fn save_ndarray<T, S, D>(path: impl AsRef<Path>, array: &ndarray::ArrayBase<S, D>) -> Result<()>
where
    T: Element,
    S: ndarray::Data<Elem = T>,
    D: ndarray::Dimension,
{
    WriteOptions::new().save_ndarray(path, array)
}

#[cfg(feature = "ndarray")]
impl WriteOptions {
    /// Saves an `ndarray` array, as [`save_ndarray`] does; the order of the array counts, not that of the options.
    ///
    /// # Errors
    ///
    /// As [`save`](Self::save).
    pub fn save_ndarray<T, S, D>(&self, path: impl AsRef<Path>, array: &ndarray::ArrayBase<S, D>) -> Result<()>
    where
        T: Element,
        S: ndarray::Data<Elem = T>,
        D: ndarray::Dimension,
    {
        use crate::Order;

        /// Elements that are gathered at a time.
        const GATHERED: usize = 16 * 1024;

        let shape = array.shape().to_vec();
        let in_order = |order| self.clone().order(order);
        if let Some(elements) = array.as_slice() {
            return in_order(Order::C).save(path, shape, elements);
        }
        let transposed = array.t();
        if let Some(elements) = transposed.as_slice() {
            return in_order(Order::Fortran).save(path, shape, elements);
        }
        let stored = Stored::of::<T>(self.dtype.as_ref())?;
        let options = in_order(Order::C);
        let (header, head) = options.header(stored.dtype(), stored.shape(shape, Order::C)?)?;
        header.refuse_objects()?;
        options.write_file(path.as_ref(), |file| {
            file.write(&head)?;
            let mut gathered = Vec::with_capacity(GATHERED.min(array.len()));
            let mut elements = array.iter().copied();
            loop {
                gathered.clear();
                gathered.extend(elements.by_ref().take(GATHERED));
                if gathered.is_empty() {
                    return Ok(());
                }
                stored.encode(&gathered, |bytes| file.write(bytes))?;
            }
        })
    }
}
