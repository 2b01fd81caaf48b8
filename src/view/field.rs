//! One field of every record of an array, or of whatever lies at regular places, as values. Knows bytes, dtypes and
//! strides; it gives values, never references, so that alignment doesn't matter.

use alloc::borrow::Cow;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use super::places::{Places, within};
use crate::element::{Element, mismatch};
use crate::format::{Layout, Located, shape_repr};
use crate::{DType, Error, Result};

/// One field of all records of an array, as values of type `T`: NumPy's `a['name']`.
///
/// Made by [`NpyAny::field`](crate::NpyAny::field). It borrows the array's bytes and copies nothing: values are read
/// from where they lie, at any alignment and in either byte order. Values are counted in C order, the last index
/// fastest, whatever the order of the array.
///
/// # Example
///
/// ```
/// use npymap::NpyAny;
///
/// let events = NpyAny::read("examples/data/events.npy")?;
/// let values = events.field::<f64>(&["value"])?;
/// assert_eq!(values.len(), events.size());
/// assert_eq!((values.get(0), values.get(1)), (Some(19.596), Some(19.794)));
/// let mean = values.iter().sum::<f64>() / values.len() as f64;
/// assert!((15.0..25.0).contains(&mean));
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone)]
pub struct Field<'a, T> {
    /// INVARIANT: unless `T::ANY_BYTES`, the value at each place was read once without an error.
    bytes: &'a [u8],
    values: Values<'a, T>,
}

/// What the values at regular places are, whoever holds the bytes.
#[derive(Clone)]
pub(super) struct Values<'a, T> {
    pub(super) places: Places,
    /// What lies at each place: `T::check` or `T::decode` takes it.
    dtype: Cow<'a, DType>,
    size: usize,
    /// Some value to decode over, if the bytes aren't read as they are.
    foreign: Option<T>,
}

impl<'a, T: Element> Values<'a, T> {
    /// The values that a path leads to in every element of an array.
    ///
    /// `T` is the type that the path leads to, or what that is a subarray of, whose dimensions are then added to
    /// those of the array.
    pub(super) fn new(dtype: &'a DType, layout: &Layout, path: &[&str]) -> Result<Self> {
        let located = dtype.locate(path)?;
        let (dtype, located) = Self::fit(located).map_err(|error| within(error, path.iter().copied()))?;
        let size = dtype.itemsize();
        let foreign = if T::check(&dtype).is_ok() { None } else { Some(T::read(&alloc::vec![0; size_of::<T>()])?) };
        Ok(Self { places: Places::of(layout, located, path), dtype, size, foreign })
    }

    /// Chooses how many dimensions of a subarray `T` has for itself: as many as it can.
    fn fit(mut located: Located<'a>) -> Result<(Cow<'a, DType>, Located<'a>)> {
        let whole = located.dtype;
        let error = match can_read::<T>(whole) {
            Ok(()) => return Ok((Cow::Borrowed(whole), located)),
            Err(error) => error,
        };
        let on_the_way = located.steps.len();
        located.enter_subarrays();
        let base = located.dtype;
        for taken in (0..located.steps.len().saturating_sub(on_the_way)).rev() {
            let first = located.steps.len() - taken;
            let dims: Vec<usize> = located.steps.iter().skip(first).map(|&(dim, _)| dim).collect();
            let dtype = if dims.is_empty() {
                Cow::Borrowed(base)
            } else {
                Cow::Owned(DType::Subarray(base.clone().into(), dims))
            };
            if can_read::<T>(&dtype).is_ok() {
                located.steps.truncate(first);
                return Ok((dtype, located));
            }
        }
        // An array type was to be the subarray; any other its elements.
        Err(match T::dtype() {
            wanted @ DType::Subarray(..) if matches!(&error, Error::DType { field, .. } if field.is_empty()) => {
                mismatch::<T>(whole, &wanted)
            }
            DType::Subarray(..) => error,
            _ => can_read::<T>(base).err().unwrap_or(error),
        })
    }

    pub(super) fn shape(&self) -> &[usize] {
        self.places.shape()
    }

    pub(super) fn strides(&self) -> &[usize] {
        self.places.strides()
    }

    pub(super) fn dtype(&self) -> &DType {
        &self.dtype
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    /// Bytes that a value takes where it lies.
    pub(super) fn size(&self) -> usize {
        self.size
    }

    /// Makes a value of its bytes.
    #[inline]
    pub(super) fn read(&self, bytes: &[u8]) -> Result<T> {
        match self.foreign {
            None => T::read(bytes),
            Some(any) => {
                let mut value = [any];
                T::decode(&self.dtype, bytes, &mut value)?;
                let [value] = value;
                Ok(value)
            }
        }
    }

    /// Writes a value as it is stored.
    pub(super) fn write(&self, value: T, out: &mut [u8]) -> Result<()> {
        match self.foreign {
            None => {
                value.write(out);
                Ok(())
            }
            Some(_) => T::encode(&self.dtype, &[value], out),
        }
    }
}

/// Checks that `T` can be read from this dtype in either byte order.
fn can_read<T: Element>(dtype: &DType) -> Result<()> {
    T::check(dtype).or_else(|error| T::decode(dtype, &[], &mut []).map_err(|_| error))
}

impl<'a, T: Element> Field<'a, T> {
    pub(crate) fn new(bytes: &'a [u8], dtype: &'a DType, layout: &Layout, path: &[&str]) -> Result<Self> {
        let field = Self { bytes, values: Values::new(dtype, layout, path)? };
        if !T::ANY_BYTES {
            // Nobody changes the bytes while they are borrowed, so that what can be read now can be read later.
            for (index, value) in field.try_iter().enumerate() {
                value.map_err(|error| field.values.places.within(error, index))?;
            }
        }
        Ok(field)
    }

    /// Returns the lengths of the axes: those of the array, then those of subarrays that the path leads through.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.values.shape()
    }

    /// Returns the bytes from one index to the next, axis by axis.
    #[must_use]
    pub fn strides(&self) -> &[usize] {
        self.values.strides()
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

    /// Returns value `i`, counted in C order, or `None` beyond the last.
    #[must_use]
    #[inline]
    pub fn get(&self, i: usize) -> Option<T> {
        self.values.places.get(i).map(|place| self.value(place))
    }

    /// Returns the value at `index`, one number an axis of [`shape`](Self::shape), or `None` outside of it.
    #[must_use]
    pub fn at(&self, index: &[usize]) -> Option<T> {
        self.values.places.at(index).map(|place| self.value(place))
    }

    /// Iterates over the values in C order.
    #[must_use]
    pub fn iter(&self) -> FieldIter<'_, 'a, T> {
        FieldIter { field: self, front: 0, back: self.len() }
    }

    /// Copies all values, in C order.
    ///
    /// # Errors
    ///
    /// [`Error::OutOfMemory`].
    pub fn to_vec(&self) -> Result<Vec<T>> {
        let mut values = Vec::new();
        let out_of_memory = |_| Error::OutOfMemory { bytes: self.len().saturating_mul(size_of::<T>()) };
        values.try_reserve_exact(self.len()).map_err(out_of_memory)?;
        for (first, stride, count) in self.values.places.runs() {
            values.extend((0..count).map(|i| self.value(first + i * stride)));
        }
        Ok(values)
    }

    /// Copies all values, in C order, over `out`.
    ///
    /// # Errors
    ///
    /// [`Error::BufferLength`] if `out` has not exactly [`len`](Self::len) elements.
    pub fn copy_to(&self, out: &mut [T]) -> Result<()> {
        if out.len() != self.len() {
            return Err(Error::BufferLength { found: out.len(), wanted: self.len() });
        }
        let mut rest = out;
        for (first, stride, count) in self.values.places.runs() {
            let (run, others) = rest.split_at_mut(count);
            run.iter_mut().enumerate().for_each(|(i, slot)| *slot = self.value(first + i * stride));
            rest = others;
        }
        Ok(())
    }

    /// Calls `visit` for each value in C order.
    #[inline]
    fn each(&self, mut visit: impl FnMut(T)) {
        for (first, stride, count) in self.values.places.runs() {
            for i in 0..count {
                visit(self.value(first + i * stride));
            }
        }
    }

    #[inline]
    fn value(&self, place: usize) -> T {
        match self.read(place) {
            Ok(value) => value,
            Err(error) => unreachable!("read before, and no longer: {error}"),
        }
    }

    #[inline]
    fn read(&self, place: usize) -> Result<T> {
        self.values.read(&self.bytes[place..place + self.values.size()])
    }

    fn try_iter(&self) -> impl Iterator<Item = Result<T>> {
        let places = self.values.places.runs();
        places.flat_map(move |(first, stride, count)| (0..count).map(move |i| self.read(first + i * stride)))
    }
}

impl<'f, 'a, T: Element> IntoIterator for &'f Field<'a, T> {
    type Item = T;
    type IntoIter = FieldIter<'f, 'a, T>;

    fn into_iter(self) -> FieldIter<'f, 'a, T> {
        self.iter()
    }
}

impl<T: Element> fmt::Debug for Field<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Field<{}>({} of '{}')", T::name(), shape_repr(self.shape()), self.dtype())
    }
}

/// Iterates over the values of a [`Field`] in C order.
#[derive(Clone)]
pub struct FieldIter<'f, 'a, T> {
    field: &'f Field<'a, T>,
    front: usize,
    back: usize,
}

impl<T: Element> Iterator for FieldIter<'_, '_, T> {
    type Item = T;

    #[inline]
    fn next(&mut self) -> Option<T> {
        if self.front >= self.back {
            return None;
        }
        let value = self.field.get(self.front);
        self.front += 1;
        value
    }

    fn nth(&mut self, n: usize) -> Option<T> {
        self.front = self.front.saturating_add(n).min(self.back);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.back - self.front;
        (remaining, Some(remaining))
    }

    /// Goes through the values run by run, without a look at where one ends.
    #[inline]
    fn fold<A, F: FnMut(A, T) -> A>(self, init: A, mut visit: F) -> A {
        let mut state = Some(init);
        let mut step = |value| state = state.take().map(|before| visit(before, value));
        if self.front == 0 && self.back == self.field.len() {
            self.field.each(&mut step);
        } else {
            (self.front..self.back).filter_map(|i| self.field.get(i)).for_each(&mut step);
        }
        match state {
            Some(state) => state,
            None => unreachable!("each step puts back what it takes"),
        }
    }
}

impl<T: Element> DoubleEndedIterator for FieldIter<'_, '_, T> {
    fn next_back(&mut self) -> Option<T> {
        if self.front >= self.back {
            return None;
        }
        self.back -= 1;
        self.field.get(self.back)
    }
}

impl<T: Element> ExactSizeIterator for FieldIter<'_, '_, T> {}
impl<T: Element> FusedIterator for FieldIter<'_, '_, T> {}

impl<T> fmt::Debug for FieldIter<'_, '_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "FieldIter({}..{})", self.front, self.back)
    }
}
