//! The contiguous outer units of an array.

use core::iter::FusedIterator;
use core::ops::Index;

/// The rows of an array in C order, or the columns of one in Fortran order: slices of equal length, one after another.
///
/// An iterator, and indexable: `rows[i]` counts from the first row, however many the iterator has given out.
#[derive(Debug)]
pub struct Rows<'a, T> {
    elements: &'a [T],
    row_len: usize,
    count: usize,
    front: usize,
    back: usize,
}

impl<T> Clone for Rows<'_, T> {
    fn clone(&self) -> Self {
        Self { ..*self }
    }
}

impl<'a, T> Rows<'a, T> {
    /// `count` rows of `row_len` elements.
    pub(crate) fn new(elements: &'a [T], row_len: usize, count: usize) -> Self {
        Self { elements, row_len, count, front: 0, back: count }
    }

    /// Returns row `i`, or `None` beyond the last.
    #[must_use]
    pub fn get(&self, i: usize) -> Option<&'a [T]> {
        if i >= self.count {
            return None;
        }
        // Rows without elements all start at 0.
        self.elements.get(i * self.row_len..(i + 1) * self.row_len)
    }
}

impl<T> Index<usize> for Rows<'_, T> {
    type Output = [T];

    fn index(&self, i: usize) -> &[T] {
        assert!(i < self.count, "row {i} of {}", self.count);
        &self.elements[i * self.row_len..(i + 1) * self.row_len]
    }
}

impl<'a, T> Iterator for Rows<'a, T> {
    type Item = &'a [T];

    fn next(&mut self) -> Option<&'a [T]> {
        self.nth(0)
    }

    fn nth(&mut self, n: usize) -> Option<&'a [T]> {
        self.front = self.front.saturating_add(n).min(self.back);
        if self.front == self.back {
            return None;
        }
        let row = self.get(self.front);
        self.front += 1;
        row
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.back - self.front, Some(self.back - self.front))
    }
}

impl<T> DoubleEndedIterator for Rows<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        if self.front == self.back {
            return None;
        }
        self.back -= 1;
        self.get(self.back)
    }
}

impl<T> ExactSizeIterator for Rows<'_, T> {}
impl<T> FusedIterator for Rows<'_, T> {}

/// The rows of an array in C order, or the columns of one in Fortran order, or chunks of rows, for writing: slices one
/// after another that don't overlap, which threads may write to at the same time.
#[derive(Debug)]
pub struct RowsMut<'a, T> {
    elements: &'a mut [T],
    len: usize,
    count: usize,
}

impl<'a, T> RowsMut<'a, T> {
    /// `count` parts of `len` elements, the last perhaps of fewer.
    pub(crate) fn new(elements: &'a mut [T], len: usize, count: usize) -> Self {
        Self { elements, len, count }
    }
}

impl<'a, T> Iterator for RowsMut<'a, T> {
    type Item = &'a mut [T];

    fn next(&mut self) -> Option<&'a mut [T]> {
        self.count = self.count.checked_sub(1)?;
        let elements = core::mem::take(&mut self.elements);
        let (row, rest) = elements.split_at_mut(self.len.min(elements.len()));
        self.elements = rest;
        Some(row)
    }

    fn nth(&mut self, n: usize) -> Option<&'a mut [T]> {
        let skipped = n.min(self.count);
        self.count -= skipped;
        let elements = core::mem::take(&mut self.elements);
        let at = self.len.saturating_mul(skipped).min(elements.len());
        self.elements = &mut elements[at..];
        self.next()
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.count, Some(self.count))
    }
}

impl<T> DoubleEndedIterator for RowsMut<'_, T> {
    fn next_back(&mut self) -> Option<Self::Item> {
        self.count = self.count.checked_sub(1)?;
        let elements = core::mem::take(&mut self.elements);
        let (rest, row) = elements.split_at_mut(self.len.saturating_mul(self.count).min(elements.len()));
        self.elements = rest;
        Some(row)
    }
}

impl<T> ExactSizeIterator for RowsMut<'_, T> {}
impl<T> FusedIterator for RowsMut<'_, T> {}
