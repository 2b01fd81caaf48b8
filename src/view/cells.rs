//! Fields that can be written, several at once: over cells, which may be shared. Knows what `field.rs` knows.

use alloc::string::String;
use alloc::vec::Vec;
use core::cell::Cell;
use core::fmt;

use super::field::Values;
use super::strings::Texts;
use crate::element::Element;
use crate::format::{Layout, shape_repr};
use crate::{DType, Error, Result};

/// Values up to this size are copied by way of the stack.
const SMALL: usize = 64;

/// An array whose fields can be written, several of them at the same time.
///
/// Made by [`NpyAny::fields_mut`](crate::NpyAny::fields_mut), which borrows the array for itself.
///
/// # Example
///
/// ```
/// use npymap::NpyAny;
///
/// let mut events = NpyAny::read("examples/data/events.npy")?;
/// let fields = events.fields_mut();
/// let (value, valid) = (fields.field::<f64>(&["value"])?, fields.field::<bool>(&["valid"])?);
/// for i in 0..value.len() {
///     valid.set(i, value.get(i)? > 19.7)?;
/// }
/// assert_eq!(events.field::<bool>(&["valid"])?.iter().take(2).collect::<Vec<_>>(), [false, true]);
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone, Copy)]
pub struct FieldsMut<'a> {
    cells: &'a [Cell<u8>],
    dtype: &'a DType,
    layout: &'a Layout,
}

impl<'a> FieldsMut<'a> {
    pub(crate) fn new(bytes: &'a mut [u8], dtype: &'a DType, layout: &'a Layout) -> Self {
        Self { cells: Cell::from_mut(bytes).as_slice_of_cells(), dtype, layout }
    }

    /// Returns the field that a path of names or titles leads to, as [`NpyAny::field`](crate::NpyAny::field) does.
    ///
    /// The same field may be had more than once, also as another type.
    ///
    /// # Errors
    ///
    /// [`Error::NoField`]; [`Error::DType`] and the other errors of a dtype that isn't `T`'s.
    pub fn field<T: Element>(&self, path: &[&str]) -> Result<FieldMut<'a, T>> {
        Ok(FieldMut { cells: self.cells, values: Values::new(self.dtype, self.layout, path)? })
    }

    /// Returns the strings that a path of names or titles leads to, as [`NpyAny::strings`](crate::NpyAny::strings)
    /// does.
    ///
    /// # Errors
    ///
    /// [`Error::NoField`]; [`Error::NotText`].
    pub fn strings(&self, path: &[&str]) -> Result<StringsMut<'a>> {
        Ok(StringsMut { cells: self.cells, strings: Texts::new(self.dtype, self.layout, path)? })
    }
}

impl fmt::Debug for FieldsMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldsMut({} of '{}')", shape_repr(self.layout.shape()), self.dtype)
    }
}

/// One field of all records of an array, for reading and writing.
///
/// Made by [`FieldsMut::field`]. Values are counted in C order. Other fields of the array, and this one, can be
/// written in between: each value is checked when it is read.
#[derive(Clone)]
pub struct FieldMut<'a, T> {
    cells: &'a [Cell<u8>],
    values: Values<'a, T>,
}

impl<T: Element> FieldMut<'_, T> {
    /// Returns the lengths of the axes: those of the array, then those of subarrays that the path leads through.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.values.shape()
    }

    /// Returns the type of one value as the file has it.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        self.values.dtype()
    }

    /// Returns the number of values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.values.len()
    }

    /// Returns whether there are no values.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns value `i`, counted in C order.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`]; [`Error::InvalidBool`] where a `bool` was overwritten with something else.
    pub fn get(&self, i: usize) -> Result<T> {
        let cells = self.cells_of(i)?;
        buffered(cells.len(), |bytes| {
            cells.iter().zip(&mut *bytes).for_each(|(cell, byte)| *byte = cell.get());
            self.values.read(bytes).map_err(|error| self.values.places.within(error, i))
        })
    }

    /// Writes value `i`, counted in C order.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfBounds`].
    pub fn set(&self, i: usize, value: T) -> Result<()> {
        let cells = self.cells_of(i)?;
        buffered(cells.len(), |bytes| {
            self.values.write(value, bytes)?;
            cells.iter().zip(&*bytes).for_each(|(cell, byte)| cell.set(*byte));
            Ok(())
        })
    }

    /// Copies all values, in C order.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`]; as [`get`](Self::get).
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let out_of_memory = |_| Error::OutOfMemory { bytes: self.len().saturating_mul(size_of::<T>()) };
        values.try_reserve_exact(self.len()).map_err(out_of_memory)?;
        for i in 0..self.len() {
            values.push(self.get(i)?);
        }
        Ok(values)
    }

    /// Writes all values, in C order.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] if there are not exactly [`len`](Self::len) of them; nothing is written then.
    pub fn copy_from(&self, values: &[T]) -> Result<()> {
        if values.len() != self.len() {
            return Err(Error::BufferLength { found: values.len(), wanted: self.len() });
        }
        values.iter().enumerate().try_for_each(|(i, value)| self.set(i, *value))
    }

    /// Writes one value everywhere.
    ///
    /// # Errors
    ///
    /// None that the field's making hasn't found already.
    pub fn fill(&self, value: T) -> Result<()> {
        (0..self.len()).try_for_each(|i| self.set(i, value))
    }

    fn cells_of(&self, i: usize) -> Result<&[Cell<u8>]> {
        let place = self.values.places.find(i, "values")?;
        Ok(&self.cells[place..place + self.values.size()])
    }
}

impl<T: Element> fmt::Debug for FieldMut<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldMut<{}>({} of '{}')", T::name(), shape_repr(self.shape()), self.dtype())
    }
}

/// The strings of an array, or of one field of its records, for reading and writing.
///
/// Made by [`FieldsMut::strings`]. Strings are counted in C order.
#[derive(Clone)]
pub struct StringsMut<'a> {
    cells: &'a [Cell<u8>],
    strings: Texts<'a>,
}

impl StringsMut<'_> {
    /// Returns the lengths of the axes: those of the array, then those of subarrays that the path leads through.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.strings.places.shape()
    }

    /// Returns the type of one string, a [`DType::Bytes`] or a [`DType::Str`].
    #[must_use]
    pub fn dtype(&self) -> &DType {
        self.strings.dtype
    }

    /// Returns the number of strings.
    #[must_use]
    pub fn len(&self) -> usize {
        self.strings.places.len()
    }

    /// Returns whether there are no strings.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the text of string `i`, counted in C order.
    ///
    /// # Errors
    ///
    /// As [`Strings::get`](crate::Strings::get).
    pub fn get(&self, i: usize) -> Result<String> {
        let cells = self.cells_of(i)?;
        buffered(cells.len(), |bytes| {
            cells.iter().zip(&mut *bytes).for_each(|(cell, byte)| *byte = cell.get());
            let mut text = String::new();
            self.strings.decode(i, bytes, &mut text)?;
            Ok(text)
        })
    }

    /// Writes string `i`, counted in C order; NULs fill what is left.
    ///
    /// NumPy cuts what is too long; here it is an error, and nothing is written.
    ///
    /// # Errors
    ///
    /// [`Error::TextTooLong`], [`Error::TextEndsInNul`]; [`Error::OutOfBounds`].
    pub fn set(&self, i: usize, text: &str) -> Result<()> {
        let cells = self.cells_of(i)?;
        buffered(cells.len(), |bytes| {
            self.strings.dtype.write_text(text, bytes)?;
            cells.iter().zip(&*bytes).for_each(|(cell, byte)| cell.set(*byte));
            Ok(())
        })
    }

    fn cells_of(&self, i: usize) -> Result<&[Cell<u8>]> {
        let place = self.strings.place(i)?;
        Ok(&self.cells[place..place + self.strings.dtype.itemsize()])
    }
}

impl fmt::Debug for StringsMut<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "StringsMut({} of '{}')", shape_repr(self.shape()), self.dtype())
    }
}

/// Lends `len` bytes of zeros.
fn buffered<R>(len: usize, with: impl FnOnce(&mut [u8]) -> R) -> R {
    match [0; SMALL].get_mut(..len) {
        Some(bytes) => with(bytes),
        None => with(&mut alloc::vec![0; len]),
    }
}
