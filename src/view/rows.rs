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
