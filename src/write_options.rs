//! How files are written. Knows headers and no files.

use crate::format::{ALIGNMENT, Form};
#[cfg(feature = "std")]
use crate::storage::Taken;
use crate::{DType, Header, Order, Result};

/// How an array is written, where that is to differ from what `np.save` does.
///
/// # Example
///
/// ```
/// use npymap::{ByteOrder, DType, Order, WriteOptions};
///
/// # let folder = tempfile::tempdir().expect("a folder");
/// # let path = folder.path().join("x.npy");
/// let options = WriteOptions::new().dtype(DType::Float32(ByteOrder::Big)).order(Order::Fortran).create_new(true);
/// options.save(&path, [2, 3], &[1.0_f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
///
/// let x = npymap::NpyAny::read(&path)?;
/// assert_eq!((x.dtype().descr().as_str(), x.order()), ("'>f4'", Order::Fortran));
/// assert_eq!(x.value(&[1, 0])?.to_string(), "2.0");
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct WriteOptions {
    pub(crate) dtype: Option<DType>,
    pub(crate) order: Order,
    pub(crate) appendable: bool,
    pub(crate) align: usize,
    pub(crate) version: Option<(u8, u8)>,
    pub(crate) create_new: bool,
    pub(crate) durable: bool,
}

impl Default for WriteOptions {
    fn default() -> Self {
        Self {
            dtype: None,
            order: Order::C,
            appendable: false,
            align: ALIGNMENT,
            version: None,
            create_new: false,
            durable: true,
        }
    }
}

impl WriteOptions {
    /// Returns what `np.save` does; but files are durable.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the dtype that elements are written as, if not their own: in another byte order, or with a unit of time.
    #[must_use]
    pub fn dtype(mut self, dtype: DType) -> Self {
        self.dtype = Some(dtype);
        self
    }

    /// Sets the order in which elements are given and stored.
    #[must_use]
    pub fn order(mut self, order: Order) -> Self {
        self.order = order;
        self
    }

    /// Sets whether the header is made for appending, as [`Header::new_appendable`] makes it.
    ///
    /// Other headers have room for more digits too; this one can be rewritten under the eyes of readers.
    #[must_use]
    pub fn appendable(mut self, appendable: bool) -> Self {
        self.appendable = appendable;
        self
    }

    /// Sets what the offset of the data is a multiple of, in bytes: 64, which is NumPy's, or another power of two up to
    /// 4096, a page. Other numbers are rounded up to the next of these.
    ///
    /// A header made for appending takes whole pages anyway.
    #[must_use]
    pub fn align(mut self, bytes: usize) -> Self {
        self.align = bytes.clamp(ALIGNMENT, 4096).next_power_of_two();
        self
    }

    /// Sets the version of the format, 1.0, 2.0 or 3.0; without it, it is the lowest that can hold the header.
    #[must_use]
    pub fn version(mut self, version: (u8, u8)) -> Self {
        self.version = Some(version);
        self
    }

    /// Sets whether a file of that name must not be there: it is [`Error::AlreadyExists`](crate::Error::AlreadyExists) then, and otherwise replaced.
    #[must_use]
    pub fn create_new(mut self, create_new: bool) -> Self {
        self.create_new = create_new;
        self
    }

    /// Sets whether files and their names reach the disk before a call returns (`fsync`), which is the default.
    ///
    /// Without it, too, a name never leads to half a file while the machine runs.
    #[must_use]
    pub fn durable(mut self, durable: bool) -> Self {
        self.durable = durable;
        self
    }

    /// What is to become of a file that has the name already.
    #[cfg(feature = "std")]
    pub(crate) fn taken(&self) -> Taken {
        if self.create_new { Taken::Refuse } else { Taken::Replace }
    }

    /// How the header is laid out.
    pub(crate) fn form(&self) -> Form {
        if self.appendable { Form::Appendable } else { Form::Aligned(self.align) }
    }

    /// The header of an array, and its bytes.
    pub(crate) fn header(&self, dtype: &DType, shape: Vec<usize>) -> Result<(Header, Vec<u8>)> {
        Header::build(dtype, shape, self.order, self.form(), self.version)
    }
}
