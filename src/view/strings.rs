//! Strings of whatever length a file has, as text. Knows what `field.rs` knows of places, and the two encodings.

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;
use core::iter::FusedIterator;

use super::places::{Places, within};
use crate::element::text::{decode_ucs4, trim, utf8};
use crate::format::{Layout, shape_repr};
use crate::{DType, Error, Result};

/// The strings of an array, or of one field of its records, as text: `S` and `U` of any length, in either byte order.
///
/// Made by [`NpyAny::strings`](crate::NpyAny::strings). It borrows the array's bytes; a text of `S` is borrowed from
/// them, one of `U` is decoded. NULs at a string's end are padding, and no part of the text. Strings are counted in C
/// order, the last index fastest.
///
/// # Example
///
/// ```
/// use npymap::NpyAny;
///
/// let events = NpyAny::read("examples/data/events.npy")?;
/// let sensors = events.strings(&["sensor"])?;
/// assert_eq!(sensors.get(2)?, "café");
/// let north = sensors.iter().filter(|name| name.as_ref().is_ok_and(|name| name == "north")).count();
/// assert!(north > 0 && north < sensors.len());
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone)]
pub struct Strings<'a> {
    bytes: &'a [u8],
    strings: Texts<'a>,
}

/// Where strings lie and how they are encoded, whoever holds the bytes.
#[derive(Clone)]
pub(super) struct Texts<'a> {
    pub(super) places: Places,
    /// A [`DType::Bytes`] or a [`DType::Str`].
    pub(super) dtype: &'a DType,
}

impl<'a> Texts<'a> {
    pub(super) fn new(dtype: &'a DType, layout: &Layout, path: &[&str]) -> Result<Self> {
        let mut located = dtype.locate(path)?;
        located.enter_subarrays();
        if !matches!(located.dtype, DType::Bytes(_) | DType::Str(..)) {
            let found = located.dtype.descr();
            return Err(within(Error::NotText { field: Vec::new(), found }, path.iter().copied()));
        }
        Ok(Self { dtype: located.dtype, places: Places::of(layout, located, path) })
    }

    /// The text of string `i`, whose bytes these are.
    fn text<'b>(&self, i: usize, bytes: &'b [u8]) -> Result<Cow<'b, str>> {
        if let DType::Bytes(_) = self.dtype {
            return utf8(trim(bytes)).map(Cow::Borrowed).map_err(|error| self.places.within(error, i));
        }
        let mut text = String::new();
        self.decode(i, bytes, &mut text)?;
        Ok(Cow::Owned(text))
    }

    /// Appends the text of string `i`, whose bytes these are.
    pub(super) fn decode(&self, i: usize, bytes: &[u8], out: &mut String) -> Result<()> {
        let decoded = match self.dtype {
            DType::Str(order, _) => decode_ucs4(bytes, *order, out),
            _ => utf8(trim(bytes)).map(|text| out.push_str(text)),
        };
        decoded.map_err(|error| self.places.within(error, i))
    }

    /// The place of string `i`.
    pub(super) fn place(&self, i: usize) -> Result<usize> {
        self.places.find(i, "strings")
    }
}

impl<'a> Strings<'a> {
    pub(crate) fn new(bytes: &'a [u8], dtype: &'a DType, layout: &Layout, path: &[&str]) -> Result<Self> {
        Ok(Self { bytes, strings: Texts::new(dtype, layout, path)? })
    }

    /// Returns the lengths of the axes: those of the array, then those of subarrays that the path leads through.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.strings.places.shape()
    }

    /// Returns the type of one string, a [`DType::Bytes`] or a [`DType::Str`].
    #[must_use]
    pub fn dtype(&self) -> &'a DType {
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
    /// [`Error::InvalidUtf8`] for `S`, [`Error::InvalidChar`] for `U` if it is no text; [`Error::OutOfBounds`].
    pub fn get(&self, i: usize) -> Result<Cow<'a, str>> {
        self.strings.text(i, self.stored(self.strings.place(i)?))
    }

    /// Puts the text of string `i` into a string that can be used again, in place of what it held.
    ///
    /// # Errors
    ///
    /// As [`get`](Self::get).
    pub fn read_into(&self, i: usize, text: &mut String) -> Result<()> {
        let bytes = self.stored(self.strings.place(i)?);
        text.clear();
        self.strings.decode(i, bytes, text)
    }

    /// Returns the bytes of string `i`: those of `S` without the NULs at their end, those of `U` as they are stored.
    #[must_use]
    pub fn bytes(&self, i: usize) -> Option<&'a [u8]> {
        let bytes = self.stored(self.strings.places.get(i)?);
        Some(if let DType::Bytes(_) = self.strings.dtype { trim(bytes) } else { bytes })
    }

    /// Iterates over the texts in C order.
    #[must_use]
    pub fn iter(&self) -> StringsIter<'_, 'a> {
        StringsIter { strings: self, front: 0, back: self.len() }
    }

    fn stored(&self, place: usize) -> &'a [u8] {
        &self.bytes[place..place + self.strings.dtype.itemsize()]
    }
}

impl<'s, 'a> IntoIterator for &'s Strings<'a> {
    type Item = Result<Cow<'a, str>>;
    type IntoIter = StringsIter<'s, 'a>;

    fn into_iter(self) -> StringsIter<'s, 'a> {
        self.iter()
    }
}

impl fmt::Debug for Strings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Strings({} of '{}')", shape_repr(self.shape()), self.dtype())
    }
}

/// Iterates over the texts of [`Strings`] in C order.
#[derive(Clone, Debug)]
pub struct StringsIter<'s, 'a> {
    strings: &'s Strings<'a>,
    front: usize,
    back: usize,
}

impl<'a> Iterator for StringsIter<'_, 'a> {
    type Item = Result<Cow<'a, str>>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.front += 1;
        Some(self.strings.get(self.front - 1))
    }

    fn nth(&mut self, n: usize) -> Option<Self::Item> {
        self.front = self.front.saturating_add(n).min(self.back);
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        let remaining = self.back - self.front;
        (remaining, Some(remaining))
    }
}

impl DoubleEndedIterator for StringsIter<'_, '_> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front >= self.back {
            return None;
        }
        self.back -= 1;
        Some(self.strings.get(self.back))
    }
}

impl ExactSizeIterator for StringsIter<'_, '_> {}
impl FusedIterator for StringsIter<'_, '_> {}
