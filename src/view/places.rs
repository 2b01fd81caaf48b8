//! Where the values of a strided view lie. Knows lengths and strides, which its maker has checked, the names that led
//! there, and no bytes.

use alloc::string::String;
use alloc::vec::Vec;

use crate::format::{Layout, Located};
use crate::{Error, Result};

/// The places of values in C order, the last index fastest, each so many bytes into an array.
///
/// INVARIANT: `offset`, and every sum of it and an index below its length times the stride for each axis, plus `size`,
/// is at most the bytes of the array, if no axis has length 0.
#[derive(Clone, Debug)]
pub(super) struct Places {
    shape: Vec<usize>,
    strides: Vec<usize>,
    /// Lengths and strides with axes that one stride covers put together; never empty.
    steps: Vec<(usize, usize)>,
    offset: usize,
    len: usize,
    /// The names that led to the values, for errors.
    path: Vec<String>,
}

impl Places {
    /// What `path` led to in every element of an array.
    pub(super) fn of(layout: &Layout, located: Located<'_>, path: &[&str]) -> Self {
        let outer = layout.shape().iter().copied().zip(layout.strides());
        let places = Self::new(outer.chain(located.steps), located.offset);
        Self { path: path.iter().map(|&name| name.into()).collect(), ..places }
    }

    /// Places of axes of the lengths and strides given, the first value `offset` bytes into the array.
    fn new(axes: impl Iterator<Item = (usize, usize)>, offset: usize) -> Self {
        let (shape, strides): (Vec<usize>, Vec<usize>) = axes.unzip();
        let len = if shape.contains(&0) { 0 } else { shape.iter().fold(1, |len: usize, &dim| len.saturating_mul(dim)) };
        let mut steps: Vec<(usize, usize)> = Vec::new();
        for (&dim, &stride) in shape.iter().zip(&strides).filter(|&(&dim, _)| dim != 1) {
            match steps.last_mut() {
                Some((outer, outer_stride)) if Some(*outer_stride) == stride.checked_mul(dim) => {
                    (*outer, *outer_stride) = (outer.saturating_mul(dim), stride);
                }
                _ => steps.push((dim, stride)),
            }
        }
        if steps.is_empty() {
            steps.push((1, 0));
        }
        Self { shape, strides, steps, offset, len, path: Vec::new() }
    }

    pub(super) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(super) fn strides(&self) -> &[usize] {
        &self.strides
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// The place of value `i`.
    #[inline]
    pub(super) fn get(&self, i: usize) -> Option<usize> {
        if i >= self.len {
            return None;
        }
        if let [(_, stride)] = *self.steps {
            return Some(self.offset + i * stride);
        }
        let (mut rest, mut place) = (i, self.offset);
        for &(dim, stride) in self.steps.iter().rev() {
            place += rest % dim * stride;
            rest /= dim;
        }
        Some(place)
    }

    /// The place of value `i`, or the error that there is none; `what` is counted.
    pub(super) fn find(&self, i: usize, what: &'static str) -> Result<usize> {
        self.get(i).ok_or(Error::OutOfBounds { what, start: i, end: i.saturating_add(1), len: self.len })
    }

    /// Says of an error of value `i` where it is.
    pub(super) fn within(&self, error: Error, i: usize) -> Error {
        within(error, self.path.iter().map(String::as_str)).at_index(i)
    }

    /// The place of the value at an index of one number an axis.
    pub(super) fn at(&self, index: &[usize]) -> Option<usize> {
        if index.len() != self.shape.len() || index.iter().zip(&self.shape).any(|(i, dim)| i >= dim) {
            return None;
        }
        Some(self.offset + index.iter().zip(&self.strides).map(|(i, stride)| i * stride).sum::<usize>())
    }

    /// Places at one stride, together all places in order: the first, the stride, and how many.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, usize, usize)> + '_ {
        let &(dim, stride) = self.steps.last().unwrap_or(&(1, 0));
        let runs = self.len.checked_div(dim).unwrap_or(0);
        (0..runs).filter_map(move |run| self.get(run * dim).map(|first| (first, stride, dim)))
    }
}

/// Says of an error which field it is in.
pub(super) fn within<'a>(error: Error, path: impl DoubleEndedIterator<Item = &'a str>) -> Error {
    path.rev().fold(error, Error::in_field)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every index, the slow and obvious way.
    fn all(shape: &[usize], strides: &[usize], offset: usize) -> Vec<usize> {
        match (shape, strides) {
            ([dim, shape @ ..], [stride, strides @ ..]) => {
                (0..*dim).flat_map(|i| all(shape, strides, offset + i * stride)).collect()
            }
            _ => [offset].into(),
        }
    }

    #[test]
    fn places_are_those_of_all_indices_in_c_order() {
        let cases: [(&[usize], &[usize]); 8] = [
            (&[], &[]),
            (&[5], &[12]),
            (&[2, 3], &[36, 12]),
            (&[2, 3], &[12, 24]),
            (&[2, 3, 4], &[60, 20, 4]),
            (&[2, 1, 3], &[9, 5, 3]),
            (&[3, 0, 2], &[4, 4, 4]),
            (&[1 << 20, 300, 2], &[0, 0, 0]),
        ];
        for (shape, strides) in cases {
            let places = Places::new(shape.iter().copied().zip(strides.iter().copied()), 7);
            if places.len() > 1000 {
                assert_eq!((places.len(), places.get(1 << 29), places.get(600 << 20)), (600 << 20, Some(7), None));
                continue;
            }
            let wanted = all(shape, strides, 7);
            let got: Vec<usize> = (0..places.len()).map(|i| places.get(i).unwrap()).collect();
            assert_eq!(got, wanted, "{shape:?}");
            assert_eq!(places.get(places.len()), None);
            let run = |(first, stride, n): (usize, usize, usize)| (0..n).map(move |i| first + i * stride);
            assert_eq!(places.runs().flat_map(run).collect::<Vec<_>>(), wanted, "{shape:?}");
        }
        let places = Places::new([(2, 12), (3, 24)].into_iter(), 1);
        assert_eq!((places.at(&[1, 2]), places.at(&[2, 0]), places.at(&[0])), (Some(61), None, None));
    }
}
