//! An array whose dtype is known at run time. Knows a header and the bytes after it.

use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt;
use core::ops::Range;

use crate::element::{Element, at_element};
use crate::format::{Layout, Positions, shape_repr};
use crate::storage::{Bytes, BytesClone, BytesMut, Mapping};
use crate::view::{Field, FieldsMut, PrintOptions, Strings, Value, array2string};
use crate::{DType, Error, Header, Npy, Order, Result};

/// Bytes that are converted at a time: few enough to stay in the fastest cache between two passes.
const BLOCK: usize = 16 * 1024;

/// An array of any dtype, over bytes that it owns or borrows.
///
/// Says what it holds ([`dtype`](Self::dtype), [`shape`](Self::shape)) and gives it out element by element
/// ([`value`](Self::value), [`iter`](Self::iter)), as a copy ([`to_vec`](Self::to_vec)), or typed and in place
/// ([`typed`](Self::typed), [`into_typed`](Self::into_typed)).
///
/// # Example
///
/// ```
/// use npymap::NpyAny;
///
/// let x = NpyAny::read("examples/data/measurements.npy")?;
/// assert_eq!((x.dtype().to_string().as_str(), x.shape()), ("<f4", [1000, 3].as_slice()));
/// let celsius: Vec<f32> = x.to_vec()?;
/// assert_eq!(celsius.len(), 3000);
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone)]
pub struct NpyAny<B = Mapping> {
    header: Arc<Header>,
    layout: Arc<Layout>,
    bytes: B,
    /// Where in `bytes` the elements are: `layout.nbytes()` of them.
    ///
    /// INVARIANT: `bytes.as_bytes()` reaches to its end.
    range: Range<usize>,
}

impl NpyAny {
    /// Views the `.npy` file that `bytes` hold from their start; more may follow it.
    ///
    /// # Errors
    ///
    /// As [`Header::parse`]; [`Error::DataTruncated`], [`Error::Object`]; [`Error::UnfinishedPublish`] if the bytes
    /// were taken while a writer changed the count of rows.
    pub fn from_bytes<B: Bytes>(bytes: B) -> Result<NpyAny<B>> {
        crate::ReadOptions::new().from_bytes(bytes)
    }
}

impl<B: Bytes> NpyAny<B> {
    /// An array whose data start `start` bytes into `bytes`.
    pub(crate) fn new(header: Header, bytes: B, start: usize) -> Result<Self> {
        header.refuse_objects()?;
        let held = bytes.as_bytes().len().saturating_sub(start);
        if held < header.nbytes() {
            return Err(header.truncated(held as u64));
        }
        let range = start..start + header.nbytes();
        Ok(Self { layout: header.layout().clone(), header: Arc::new(header), bytes, range })
    }

    /// Returns the header of the file. On a part of it ([`slice_rows`](Self::slice_rows)) it is still that of the
    /// whole.
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
        self.layout.shape()
    }

    /// Returns the number of axes, NumPy's `ndim`.
    #[must_use]
    pub fn ndim(&self) -> usize {
        self.shape().len()
    }

    /// Returns the order in which the elements are stored.
    #[must_use]
    pub fn order(&self) -> Order {
        self.layout.order()
    }

    /// Returns the bytes of one element.
    #[must_use]
    pub fn itemsize(&self) -> usize {
        self.layout.itemsize()
    }

    /// Returns the number of elements, NumPy's `size`.
    #[must_use]
    pub fn size(&self) -> usize {
        self.layout.len()
    }

    /// Returns the bytes from one index to the next, axis by axis, NumPy's `strides`.
    #[must_use]
    pub fn strides(&self) -> Vec<usize> {
        self.layout.strides()
    }

    /// Returns the bytes of the elements, as they are stored.
    #[must_use]
    #[inline]
    pub fn bytes(&self) -> &[u8] {
        // The invariant makes the range exist.
        &self.bytes.as_bytes()[self.range.clone()]
    }

    /// Returns the bytes of the elements for writing.
    pub fn bytes_mut(&mut self) -> &mut [u8]
    where
        B: BytesMut,
    {
        &mut self.bytes.as_bytes_mut()[self.range.clone()]
    }

    /// Returns the array with elements of type `T`, borrowing the bytes.
    ///
    /// # Errors
    ///
    /// As [`into_typed`](Self::into_typed).
    pub fn typed<T: Element>(&self) -> Result<Npy<T, &[u8]>> {
        let (bytes, range) = (self.bytes(), 0..self.range.len());
        let view = NpyAny { header: self.header.clone(), layout: self.layout.clone(), bytes, range };
        view.into_typed()
    }

    /// Turns the array into one with elements of type `T`, in place.
    ///
    /// An array type takes the last axes for itself: a file of shape `(n, 3)` has `n` elements of `[f32; 3]`.
    /// For `bool` it takes one pass over the data, for other types none.
    ///
    /// # Errors
    ///
    /// [`Error::DType`], [`Error::ByteOrder`], [`Error::Misaligned`], [`Error::InvalidBool`]; [`Error::Fold`] or
    /// [`Error::FortranOrder`] if the last axes aren't those of the array type.
    pub fn into_typed<T: Element>(self) -> Result<Npy<T, B>> {
        Npy::new(self)
    }

    /// Copies all elements in the order in which they are stored, in any byte order and at any alignment.
    ///
    /// In an array of Fortran order the first index runs fastest; [`iter`](Self::iter) goes in C order.
    ///
    /// # Errors
    ///
    /// As [`into_typed`](Self::into_typed), without [`Error::Misaligned`] and [`Error::ByteOrder`];
    /// [`Error::OutOfMemory`].
    pub fn to_vec<T: Element>(&self) -> Result<Vec<T>> {
        let (dtype, layout) = fold::<T>(self.dtype(), &self.layout, can_decode::<T>)?;
        let mut elements = Vec::new();
        decode_onto(&dtype, self.bytes(), layout.len(), &mut elements)?;
        Ok(elements)
    }

    /// Returns the element at `index`, one number an axis.
    ///
    /// # Errors
    ///
    /// [`Error::Rank`], [`Error::OutOfBounds`]; [`Error::InvalidBool`] and [`Error::InvalidChar`] where the bytes are
    /// no value.
    pub fn value(&self, index: &[usize]) -> Result<Value> {
        let position = position(&self.layout, index)?;
        self.value_at(position)
    }

    /// Iterates over the elements in C order, the last index fastest, whatever the order in memory.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = Result<Value>> + '_ {
        Positions::new(self.layout.clone()).map(|position| self.value_at(position))
    }

    fn value_at(&self, position: usize) -> Result<Value> {
        let first = position * self.itemsize();
        self.dtype().value(&self.bytes()[first..first + self.itemsize()]).map_err(|error| error.at_index(position))
    }

    /// Returns one field of all records, as values: NumPy's `a['outer']['inner']` is `field(&["outer", "inner"])`.
    ///
    /// The path is made of names or titles. Nothing is copied: values are read from where they lie, at any alignment
    /// and in either byte order. A subarray is an array type, `[i32; 10]`, or its dimensions come after those of the
    /// array, as in NumPy. An empty path leads to the elements themselves. [`DType::fields`] lists the paths.
    ///
    /// For `bool` it takes one pass over the field, for other types none.
    ///
    /// # Errors
    ///
    /// [`Error::NoField`]; [`Error::DType`] and the other errors of a dtype that isn't `T`'s; [`Error::InvalidBool`].
    pub fn field<T: Element>(&self, path: &[&str]) -> Result<Field<'_, T>> {
        Field::new(self.bytes(), self.dtype(), &self.layout, path)
    }

    /// Returns the strings that a path of names or titles leads to as text; an empty path leads to the elements.
    ///
    /// They are of whatever length the file has, in either byte order, and are looked at when they are asked for.
    ///
    /// # Errors
    ///
    /// [`Error::NoField`]; [`Error::NotText`] for anything but `S` and `U`.
    pub fn strings(&self, path: &[&str]) -> Result<Strings<'_>> {
        Strings::new(self.bytes(), self.dtype(), &self.layout, path)
    }

    /// Copies elements into rows (columns in Fortran order) from row `first` on, in the array's byte order and at any
    /// alignment: the inverse of [`to_vec`](Self::to_vec). `elements` are whole rows; padding becomes zero.
    ///
    /// # Errors
    ///
    /// As [`to_vec`](Self::to_vec); [`Error::OutOfBounds`]; [`Error::BufferLength`] for a part of a row.
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::{ByteOrder, DType, DraftAny, NpyAny};
    ///
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("big_endian.npy");
    /// let mut x = DraftAny::new(&path, DType::Float64(ByteOrder::Big), [3, 2])?;
    /// x.copy_rows_from(1, &[1.0, 2.0, 3.0, 4.0])?;
    /// x.publish()?;
    /// assert_eq!(NpyAny::read(&path)?.to_vec::<f64>()?, [0.0, 0.0, 1.0, 2.0, 3.0, 4.0]);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn copy_rows_from<T: Element>(&mut self, first: usize, elements: &[T]) -> Result<()>
    where
        B: BytesMut,
    {
        let (dtype, layout) = fold::<T>(self.dtype(), &self.layout, can_decode::<T>)?;
        let rows = whole_rows(elements.len(), layout.row_len())?;
        let bytes = layout.rows_bytes(&(first..first.saturating_add(rows)), "rows")?;
        T::encode(&dtype, elements, &mut self.bytes_mut()[bytes])
    }

    /// Lends the array out for writing to its fields.
    pub fn fields_mut(&mut self) -> FieldsMut<'_>
    where
        B: BytesMut,
    {
        let bytes = &mut self.bytes.as_bytes_mut()[self.range.clone()];
        FieldsMut::new(bytes, self.header.dtype(), &self.layout)
    }

    /// Returns rows `range` as an array of its own, over the same bytes; over a copy of them where the bytes are an
    /// [`Aligned`](crate::Aligned), which has one owner.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::FortranOrder`]; [`Error::Rank`] on a 0-d array.
    pub fn slice_rows(&self, range: Range<usize>) -> Result<Self>
    where
        B: BytesClone,
    {
        self.layout.check_order(Order::C, "slice_rows")?;
        self.slice(range, "rows")
    }

    /// Returns columns `range`, the last axis of an array in Fortran order, as an array of its own, as
    /// [`slice_rows`](Self::slice_rows) returns rows.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::COrder`]; [`Error::Rank`] on a 0-d array.
    pub fn slice_cols(&self, range: Range<usize>) -> Result<Self>
    where
        B: BytesClone,
    {
        self.layout.check_order(Order::Fortran, "slice_cols")?;
        self.slice(range, "columns")
    }

    pub(crate) fn slice(&self, range: Range<usize>, what: &'static str) -> Result<Self>
    where
        B: BytesClone,
    {
        let bytes = self.layout.rows_bytes(&range, what)?;
        let len = bytes.len();
        let layout = Arc::new(self.layout.with_rows(range.len())?);
        let (bytes, start) = self.bytes.part(self.range.start + bytes.start..self.range.start + bytes.end)?;
        Ok(Self { header: self.header.clone(), layout, bytes, range: start..start + len })
    }

    /// An array of some rows (columns in Fortran order) of a file, whose bytes these are.
    #[cfg(feature = "std")]
    pub(crate) fn of_rows(header: Header, rows: usize, bytes: B) -> Result<Self> {
        header.refuse_objects()?;
        let layout = header.layout().with_rows(rows)?;
        if bytes.as_bytes().len() != layout.nbytes() {
            return Err(header.truncated(bytes.as_bytes().len() as u64));
        }
        Ok(Self { range: 0..layout.nbytes(), layout: Arc::new(layout), header: Arc::new(header), bytes })
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// What owns the bytes.
    pub(crate) fn owner(&self) -> &B {
        &self.bytes
    }

    /// Where the array's bytes start among those that the owner has.
    pub(crate) fn start_of_bytes(&self) -> usize {
        self.range.start
    }

    /// What owns the bytes, all of which belong to the array: nothing else may be put in its place that doesn't reach as
    /// far, unless the header follows.
    #[cfg(feature = "std")]
    pub(crate) fn owner_mut(&mut self) -> &mut B {
        &mut self.bytes
    }

    /// Takes another header over, whose bytes the owner has from its first on; none if it doesn't.
    #[cfg(feature = "mmap")]
    pub(crate) fn set_header(&mut self, header: Header) {
        let reaches = self.bytes.as_bytes().len() >= header.nbytes();
        self.range = if reaches { 0..header.nbytes() } else { 0..0 };
        self.layout = header.layout().clone();
        self.header = Arc::new(header);
    }
}

/// Prints the array as NumPy's `str()` does, long ones abridged.
impl<B: Bytes> fmt::Display for NpyAny<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match array2string(self.dtype(), self.shape(), &PrintOptions::default(), |index| self.value(index)) {
            Ok(text) => f.write_str(&text),
            Err(error) => write!(f, "<{error}>"),
        }
    }
}

impl<B: Bytes> fmt::Debug for NpyAny<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NpyAny({} of '{}', {:?} order)", shape_repr(self.shape()), self.dtype(), self.order())
    }
}

/// Where the element at `index` is, counted in storage order.
pub(crate) fn position(layout: &Layout, index: &[usize]) -> Result<usize> {
    let shape = layout.shape();
    layout.position(index).ok_or_else(|| {
        if index.len() != shape.len() {
            return Error::Rank { found: index.len(), wanted: shape.len(), shape: shape_repr(shape) };
        }
        let axis = (0..shape.len()).find(|&axis| index[axis] >= shape[axis]).unwrap_or(0);
        let start = index.get(axis).copied().unwrap_or(0);
        Error::OutOfBounds {
            what: "index",
            start,
            end: start.saturating_add(1),
            len: shape.get(axis).copied().unwrap_or(0),
        }
    })
}

/// Finds the elements that `T` sees: those of the array, or if `T` is an array type, subarrays made of its last axes.
///
/// Returns their dtype, which has passed `check`, and the layout of the axes that are left.
pub(crate) fn fold<T: Element>(
    dtype: &DType,
    layout: &Arc<Layout>,
    check: impl Fn(&DType) -> Result<()>,
) -> Result<(DType, Arc<Layout>)> {
    let unfolded = match check(dtype) {
        Ok(()) => return Ok((dtype.clone(), layout.clone())),
        Err(error) => error,
    };
    let DType::Subarray(_, wanted) = T::dtype() else { return Err(unfolded) };
    let shape = layout.shape();
    // `[[u8; 3]; 2]` takes two axes of `|u1`, and one of `|S3`.
    for axes in 1..=wanted.len().min(shape.len()) {
        let (outer, inner) = shape.split_at(shape.len() - axes);
        let folded = DType::Subarray(dtype.clone().into(), inner.to_vec());
        match check(&folded) {
            Ok(()) => {
                layout.check_order(Order::C, "an array type")?;
                let itemsize = layout.itemsize() * inner.iter().product::<usize>();
                return Ok((folded, Arc::new(Layout::new(outer.to_vec(), Order::C, itemsize)?)));
            }
            // The axes are right, and the dtype isn't.
            Err(error) if inner == wanted.as_slice() => return Err(error),
            Err(_) => {}
        }
    }
    Err(Error::Fold { shape: shape_repr(shape), wanted: shape_repr(&wanted), element: T::name() })
}

/// How many rows of `row_len` elements so many elements are.
pub(crate) fn whole_rows(elements: usize, row_len: usize) -> Result<usize> {
    match row_len {
        0 if elements == 0 => Ok(0),
        _ if row_len > 0 && elements.is_multiple_of(row_len) => Ok(elements / row_len),
        _ => Err(Error::BufferLength { found: elements, wanted: (elements / row_len.max(1) + 1) * row_len }),
    }
}

/// Checks that `T` can be copied from elements of this dtype.
pub(crate) fn can_decode<T: Element>(dtype: &DType) -> Result<()> {
    T::decode(dtype, &[], &mut [])
}

/// Appends `count` elements stored as `dtype` to `elements`.
pub(crate) fn decode_onto<T: Element>(dtype: &DType, bytes: &[u8], count: usize, elements: &mut Vec<T>) -> Result<()> {
    let (stored, size) = (dtype.itemsize(), size_of::<T>());
    if stored == 0 || size == 0 || count == 0 {
        return Ok(());
    }
    let out_of_memory = |_| Error::OutOfMemory { bytes: count.saturating_mul(size) };
    elements.try_reserve_exact(count).map_err(out_of_memory)?;
    let mut fill = None;
    for block in bytes.chunks((BLOCK / stored).max(1) * stored) {
        let first = elements.len();
        let n = block.len() / stored;
        // The elements need a value before they are decoded over it, and any will do.
        let fill = match fill {
            Some(fill) => fill,
            // Records may be stored with other padding than theirs in memory.
            None if stored != size => *fill.insert(T::read(&alloc::vec![0; size])?),
            None => *fill.insert(T::read(&block[..size]).map_err(|error| at_element::<T>(error, first))?),
        };
        elements.resize(first + n, fill);
        T::decode(dtype, block, &mut elements[first..]).map_err(|error| at_element::<T>(error, first))?;
    }
    Ok(())
}
