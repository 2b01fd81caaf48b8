//! The face of the crate: an array of one element type. Knows that its bytes were checked, and relies on it.
#![expect(unsafe_code, reason = "views bytes that were checked when the array was made")]

use alloc::sync::Arc;
use core::fmt;
use core::marker::PhantomData;
use core::ops::{Deref, Index, IndexMut, Range};

use crate::any::{fold, position};
use crate::element::{Element, ElementMut};
use crate::format::{Layout, Positions};
use crate::storage::{Bytes, BytesClone, BytesMut, Mapping};
use crate::view::{Rows, RowsMut};
use crate::{NpyAny, Order, Result};

/// What the addresses of a mapping and of `Aligned` memory are multiples of, both.
#[cfg(feature = "mmap")]
const ALIGN_CHECKED: usize = 64;

/// An array with elements of type `T`, over bytes that it owns or borrows: checked once when it is made, infallible
/// and free of copies afterwards.
///
/// `x[i]` is row `i` as a slice; `x[[i, j]]` is one element. [`as_slice`](Self::as_slice) is everything, in the order
/// in which it is stored. It derefs to [`NpyAny`] for shape, dtype and header.
///
/// All ways to make one are functions of `Npy<T>`: `Npy::<f32>::read` gives an `Npy<f32, Aligned>`.
///
/// Over a [`Mapping`], which is what `Npy<f32>` means, it is a handle that can be kept in a struct, cloned cheaply
/// and shared between threads.
///
/// # Example
///
/// ```
/// use npymap::Npy;
///
/// // SAFETY: this file belongs to the package; nobody writes to it.
/// let x = unsafe { Npy::<f32>::map("examples/data/measurements.npy")? };
/// assert_eq!(x.shape(), [1000, 3]);
/// assert_eq!(x[17].len(), 3);
/// assert_eq!(x[[17, 2]], x[17][2]);
/// let mean = x.as_slice().iter().sum::<f32>() / x.size() as f32;
/// assert!((20.0..21.0).contains(&mean));
/// # Ok::<(), npymap::Error>(())
/// ```
pub struct Npy<T, B = Mapping> {
    /// INVARIANT: `T::view` has succeeded on `any.bytes()`, or on bytes that contain them on element boundaries, or on
    /// those that they are a clone of, or there are none; since then they were written through `&mut [T]` or by
    /// `T::encode` only.
    any: NpyAny<B>,
    /// The layout with the axes of an array type taken off.
    layout: Arc<Layout>,
    /// `row_len` of the layout, and as many rows as `x[i]` finds: none if they aren't contiguous.
    row_len: usize,
    rows: usize,
    element: PhantomData<T>,
}

/// A clone over `&[u8]`, `Arc<[u8]>` or a [`Mapping`] shares the bytes; one over [`Aligned`](crate::Aligned) copies them.
impl<T, B: BytesClone> Clone for Npy<T, B> {
    fn clone(&self) -> Self {
        Self { any: self.any.clone(), layout: self.layout.clone(), ..*self }
    }
}

impl<T: Element> Npy<T> {
    /// Views the `.npy` file that `bytes` hold from their start; more may follow it.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::from_bytes`] and [`NpyAny::into_typed`].
    pub fn from_bytes<B: Bytes>(bytes: B) -> Result<Npy<T, B>> {
        NpyAny::from_bytes(bytes)?.into_typed()
    }
}

impl<T: Element, B: Bytes> Npy<T, B> {
    /// Checks that the array has elements of type `T`.
    pub(crate) fn new(any: NpyAny<B>) -> Result<Self> {
        let (_, layout) = fold::<T>(any.dtype(), any.layout(), T::check)?;
        // Zero bytes may lie anywhere, also where no `T` could.
        if !any.bytes().is_empty() {
            T::view(any.bytes())?;
        }
        Ok(Self::with_layout(any, layout))
    }

    /// Takes an array that fulfils the invariant.
    fn with_layout(any: NpyAny<B>, layout: Arc<Layout>) -> Self {
        let mut array = Self { any, row_len: 0, rows: 0, layout: layout.clone(), element: PhantomData };
        array.set_layout(layout);
        array
    }

    fn set_layout(&mut self, layout: Arc<Layout>) {
        self.rows = if layout.is_contiguous(Order::C) { layout.rows() } else { 0 };
        self.row_len = layout.row_len();
        self.layout = layout;
    }

    /// Returns all elements, in the order in which they are stored: the last index fastest, or the first if the
    /// array is in Fortran order.
    #[must_use]
    #[inline]
    pub fn as_slice(&self) -> &[T] {
        let bytes = self.any.bytes();
        if bytes.is_empty() {
            return &[];
        }
        // SAFETY: by the invariant `T::view` has succeeded on these bytes, or on bytes that contain them on element
        // boundaries, or on those that they are a clone of (`BytesClone`: of the same contents, at the same address or
        // at a multiple of 64 as well). `Bytes` promises that address and contents have stayed between uses by `&mut`.
        // The only such uses that this type allows are `as_mut_slice`, which gives out `&mut [T]`, through which only
        // values of `T` can be stored; `copy_rows_from`, which stores values of `T` as `T` does; and changes of a
        // mapping's length, which view anew what has come.
        unsafe { T::view_again(bytes) }
    }

    /// Returns all elements for writing, in the order in which they are stored.
    ///
    /// For `bool` it takes one pass over the data.
    #[must_use]
    pub fn as_mut_slice(&mut self) -> &mut [T]
    where
        T: ElementMut,
        B: BytesMut,
    {
        let bytes = self.any.bytes_mut();
        if bytes.is_empty() {
            return &mut [];
        }
        match T::view_mut(bytes) {
            Ok(elements) => elements,
            Err(error) => unreachable!("viewed before, and no longer: {error}"),
        }
    }

    /// Copies elements into rows (columns in Fortran order) from row `first` on; padding becomes zero.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::copy_rows_from`].
    pub fn copy_rows_from(&mut self, first: usize, elements: &[T]) -> Result<()>
    where
        B: BytesMut,
    {
        self.any.copy_rows_from(first, elements)
    }

    /// Returns the address of the first element, for code that speaks in raw parts: with [`shape`](NpyAny::shape),
    /// [`strides`](NpyAny::strides) and [`dtype`](NpyAny::dtype) it describes the array.
    ///
    /// It is good as long as the array is borrowed, for [`size`](NpyAny::size) elements.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.as_slice().as_ptr()
    }

    /// Returns row `i`, or `None` beyond the last, and on an array of two or more dimensions in Fortran order.
    ///
    /// A row is what one index along the first axis covers; its elements are contiguous.
    #[must_use]
    #[inline]
    pub fn get(&self, i: usize) -> Option<&[T]> {
        if i >= self.rows {
            return None;
        }
        self.as_slice().get(i * self.row_len..(i + 1) * self.row_len)
    }

    /// Returns the element at `index`, one number an axis, in either order; `None` outside of the array.
    #[must_use]
    pub fn at(&self, index: &[usize]) -> Option<&T> {
        self.layout.position(index).and_then(|position| self.as_slice().get(position))
    }

    /// Iterates over the rows: what one index along the first axis covers.
    ///
    /// A 0-d array has one row.
    ///
    /// # Errors
    ///
    /// [`Error::FortranOrder`](crate::Error::FortranOrder) if the array has two or more dimensions in that order.
    pub fn rows(&self) -> Result<Rows<'_, T>> {
        self.layout.check_order(Order::C, "rows")?;
        Ok(Rows::new(self.as_slice(), self.row_len, self.layout.rows()))
    }

    /// Iterates over the columns of an array in Fortran order: what one index along the last axis covers.
    ///
    /// # Errors
    ///
    /// [`Error::COrder`](crate::Error::COrder) if the array has two or more dimensions in that order.
    pub fn cols(&self) -> Result<Rows<'_, T>> {
        self.layout.check_order(Order::Fortran, "cols")?;
        Ok(Rows::new(self.as_slice(), self.row_len, self.layout.rows()))
    }

    /// Iterates over the rows for writing, as [`rows`](Self::rows) does for reading.
    ///
    /// They may be sent to other threads, all at once: `for (i, row) in x.rows_mut()?.enumerate()`.
    ///
    /// # Errors
    ///
    /// [`Error::FortranOrder`](crate::Error::FortranOrder) if the array has two or more dimensions in that order.
    pub fn rows_mut(&mut self) -> Result<RowsMut<'_, T>>
    where
        T: ElementMut,
        B: BytesMut,
    {
        self.layout.check_order(Order::C, "rows_mut")?;
        Ok(self.parts_mut(1))
    }

    /// Iterates over the columns of an array in Fortran order for writing, as [`cols`](Self::cols) does for reading.
    ///
    /// # Errors
    ///
    /// [`Error::COrder`](crate::Error::COrder) if the array has two or more dimensions in that order.
    pub fn cols_mut(&mut self) -> Result<RowsMut<'_, T>>
    where
        T: ElementMut,
        B: BytesMut,
    {
        self.layout.check_order(Order::Fortran, "cols_mut")?;
        Ok(self.parts_mut(1))
    }

    /// Iterates over chunks of `rows` rows for writing, the last perhaps of fewer: what threads fill an array by.
    ///
    /// # Errors
    ///
    /// As [`rows_mut`](Self::rows_mut).
    ///
    /// # Panics
    ///
    /// If `rows` is 0.
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::Draft;
    ///
    /// # let folder = tempfile::tempdir().expect("a folder");
    /// # let path = folder.path().join("squares.npy");
    /// let mut x = Draft::<u64>::new(&path, [1000, 2])?;
    /// std::thread::scope(|threads| {
    ///     for (k, chunk) in x.chunks_mut(250)?.enumerate() {
    ///         threads.spawn(move || chunk.iter_mut().zip(500 * k as u64..).for_each(|(x, i)| *x = i * i));
    ///     }
    ///     Ok::<(), npymap::Error>(())
    /// })?;
    /// x.publish()?;
    /// assert_eq!(npymap::Npy::<u64>::read(&path)?[[999, 1]], 1999 * 1999);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn chunks_mut(&mut self, rows: usize) -> Result<RowsMut<'_, T>>
    where
        T: ElementMut,
        B: BytesMut,
    {
        assert!(rows > 0, "chunks of no rows");
        self.layout.check_order(Order::C, "chunks_mut")?;
        Ok(self.parts_mut(rows))
    }

    fn parts_mut(&mut self, rows: usize) -> RowsMut<'_, T>
    where
        T: ElementMut,
        B: BytesMut,
    {
        let (row_len, count) = (self.row_len, self.layout.rows());
        RowsMut::new(self.as_mut_slice(), row_len.saturating_mul(rows), count.div_ceil(rows))
    }

    /// Iterates over the elements in C order, the last index fastest, whatever the order in memory.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &T> {
        let elements = self.as_slice();
        Positions::new(self.layout.clone()).map(|position| &elements[position])
    }

    /// Returns rows `range` as an array of its own, over the same bytes; over a copy of them where the bytes are an
    /// [`Aligned`](crate::Aligned), which has one owner.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::slice_rows`].
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
    /// As [`NpyAny::slice_cols`].
    pub fn slice_cols(&self, range: Range<usize>) -> Result<Self>
    where
        B: BytesClone,
    {
        self.layout.check_order(Order::Fortran, "slice_cols")?;
        self.slice(range, "columns")
    }

    /// Rows or columns lie on element boundaries of the whole, so that the invariant holds for them.
    fn slice(&self, range: Range<usize>, what: &'static str) -> Result<Self>
    where
        B: BytesClone,
    {
        // An array type may have taken the only axis: then there are no rows of it.
        self.layout.rows_bytes(&range, what)?;
        let layout = Arc::new(self.layout.with_rows(range.len())?);
        Ok(Self::with_layout(self.any.slice(range, what)?, layout))
    }

    /// The layout of the elements of this type.
    pub(crate) fn own_layout(&self) -> &Layout {
        &self.layout
    }

    /// Elements in a row.
    pub(crate) fn row_len(&self) -> usize {
        self.row_len
    }

    /// What owns the bytes, for what leaves them as they are.
    #[cfg(feature = "std")]
    pub(crate) fn owner_mut(&mut self) -> &mut B {
        self.any.owner_mut()
    }

    /// Changes the length of a mapped array by `resize`, and checks what has come.
    #[cfg(feature = "mmap")]
    pub(crate) fn resize_by(&mut self, resize: impl FnOnce(&mut NpyAny<B>) -> Result<()>) -> Result<()> {
        if self.layout.shape().is_empty() && self.any.ndim() > 0 {
            // An array type has taken the axis that changes.
            return fold::<T>(self.any.dtype(), &Arc::new(self.any.layout().with_rows(0)?), T::check).map(drop);
        }
        // Zeros, where the first that come are going to lie: where they are no `T`, nothing is to be changed.
        let start = self.any.header().data_offset() % ALIGN_CHECKED;
        let zeros = crate::Aligned::zeroed(start + size_of::<T>())?;
        T::view(&zeros[start..])?;
        let before = self.any.header().clone();
        let resized = resize(&mut self.any);
        let new = self.any.bytes().get(before.nbytes()..).unwrap_or_default();
        let checked = if new.is_empty() { Ok(()) } else { T::view(new).map(drop) };
        let folded = checked.and_then(|()| fold::<T>(self.any.dtype(), self.any.layout(), T::check));
        match folded {
            Ok((_, layout)) => {
                self.set_layout(layout);
                resized
            }
            Err(error) => {
                // What has come is no `T`: the array stays what it was.
                self.any.set_header(before);
                Err(error)
            }
        }
    }

    /// Gives the array back without its type.
    #[must_use]
    pub fn into_any(self) -> NpyAny<B> {
        self.any
    }

    #[cfg(feature = "ndarray")]
    pub(crate) fn folded(&self) -> &Layout {
        &self.layout
    }
}

impl<T, B> Deref for Npy<T, B> {
    type Target = NpyAny<B>;

    fn deref(&self) -> &NpyAny<B> {
        &self.any
    }
}

/// Row `i`, as [`get`](Npy::get) returns it.
///
/// # Panics
///
/// Beyond the last row, and on an array of two or more dimensions in Fortran order.
impl<T: Element, B: Bytes> Index<usize> for Npy<T, B> {
    type Output = [T];

    #[inline]
    fn index(&self, i: usize) -> &[T] {
        self.get(i).unwrap_or_else(|| no_row(&self.layout, i))
    }
}

/// Row `i` for writing.
///
/// # Panics
///
/// Beyond the last row, and on an array of two or more dimensions in Fortran order.
impl<T: ElementMut, B: BytesMut> IndexMut<usize> for Npy<T, B> {
    fn index_mut(&mut self, i: usize) -> &mut [T] {
        if i >= self.rows {
            no_row(&self.layout, i);
        }
        let row = i * self.row_len..(i + 1) * self.row_len;
        &mut self.as_mut_slice()[row]
    }
}

/// The element at an index of one number an axis, as [`at`](Npy::at) returns it.
///
/// # Panics
///
/// Outside of the array.
impl<T: Element, B: Bytes, const N: usize> Index<[usize; N]> for Npy<T, B> {
    type Output = T;

    fn index(&self, index: [usize; N]) -> &T {
        self.at(&index).unwrap_or_else(|| no_element(&self.layout, &index))
    }
}

/// The element at an index of one number an axis, for writing.
///
/// # Panics
///
/// Outside of the array.
impl<T: ElementMut, B: BytesMut, const N: usize> IndexMut<[usize; N]> for Npy<T, B> {
    fn index_mut(&mut self, index: [usize; N]) -> &mut T {
        let position = self.layout.position(&index).unwrap_or_else(|| no_element(&self.layout, &index));
        &mut self.as_mut_slice()[position]
    }
}

#[cold]
#[expect(clippy::panic, reason = "an index out of bounds is the caller's error")]
fn no_row(layout: &Layout, i: usize) -> ! {
    match layout.check_order(Order::C, "x[i]") {
        Err(error) => panic!("{error}"),
        Ok(()) => panic!("row {i} is outside of 0..{}", layout.rows()),
    }
}

#[cold]
#[expect(clippy::panic, reason = "an index out of bounds is the caller's error")]
fn no_element(layout: &Layout, index: &[usize]) -> ! {
    match position(layout, index) {
        Err(error) => panic!("{error}"),
        Ok(position) => panic!("element {position} of an array without bytes"),
    }
}

impl<T: Element, B: Bytes> fmt::Debug for Npy<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Npy<{}>: {:?}", T::name(), self.any)
    }
}

/// Prints the array as NumPy's `str()` does, long ones abridged.
impl<T: Element, B: Bytes> fmt::Display for Npy<T, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.any.fmt(f)
    }
}
