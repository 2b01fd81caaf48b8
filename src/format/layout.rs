//! Shape, order and itemsize: every length, offset and stride of an array, checked once, here.

use alloc::string::String;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::fmt::Write;
use core::ops::Range;

use crate::{Error, Result};

/// NumPy's limit on dimensions, `NPY_MAXDIMS` since 2.0.
pub(crate) const MAX_DIMENSIONS: usize = 64;

/// The order in which the elements of an array are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// Row-major: the last index runs fastest.
    C,
    /// Column-major: the first index runs fastest; `fortran_order: True` in a header.
    Fortran,
}

/// The extent of an array in memory.
///
/// INVARIANT: at most 64 dimensions, and the product of the non-zero ones, with and without `itemsize`, is at most
/// `isize::MAX`. Hence no product of any of the dimensions and the itemsize overflows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    shape: Vec<usize>,
    order: Order,
    itemsize: usize,
}

impl Layout {
    /// Checks the invariant.
    pub(crate) fn new(shape: Vec<usize>, order: Order, itemsize: usize) -> Result<Self> {
        if shape.len() > MAX_DIMENSIONS {
            return Err(Error::TooManyDimensions { found: shape.len(), limit: MAX_DIMENSIONS });
        }
        let nonzero = shape.iter().filter(|&&dim| dim != 0);
        let product = nonzero.copied().try_fold(itemsize.max(1), usize::checked_mul);
        if product.is_none_or(|bytes| isize::try_from(bytes).is_err()) {
            return Err(Error::ShapeTooLarge { shape: shape_repr(&shape), itemsize });
        }
        Ok(Self { shape, order, itemsize })
    }

    pub(crate) fn shape(&self) -> &[usize] {
        &self.shape
    }

    pub(crate) fn order(&self) -> Order {
        self.order
    }

    pub(crate) fn itemsize(&self) -> usize {
        self.itemsize
    }

    /// Elements in the array.
    pub(crate) fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Bytes of all elements.
    pub(crate) fn nbytes(&self) -> usize {
        self.len() * self.itemsize
    }

    /// The axis along which the file can grow, whose index moves through memory in the largest steps.
    pub(crate) fn growth_axis(&self) -> Option<usize> {
        match self.order {
            Order::C => (!self.shape.is_empty()).then_some(0),
            Order::Fortran => self.shape.len().checked_sub(1),
        }
    }

    /// Whether the elements lie in memory as they would in this order; arrays of fewer than two dimensions do in both.
    pub(crate) fn is_contiguous(&self, order: Order) -> bool {
        self.order == order || self.shape.len() < 2
    }

    /// How many rows (columns in Fortran order) there are: 1 for a 0-d array.
    pub(crate) fn rows(&self) -> usize {
        self.growth_axis().map_or(1, |axis| self.shape[axis])
    }

    /// Elements in one row (one column in Fortran order).
    pub(crate) fn row_len(&self) -> usize {
        let axis = self.growth_axis();
        let others = self.shape.iter().enumerate().filter(|&(k, _)| Some(k) != axis);
        others.map(|(_, dim)| dim).product()
    }

    /// Bytes in one row (one column in Fortran order).
    pub(crate) fn row_bytes(&self) -> usize {
        self.row_len() * self.itemsize
    }

    /// Bytes from one index to the next, axis by axis: NumPy's `strides`.
    pub(crate) fn strides(&self) -> Vec<usize> {
        let mut strides = alloc::vec![0; self.shape.len()];
        let mut step = self.itemsize;
        let mut place = |axis: usize| {
            strides[axis] = step;
            step *= self.shape[axis].max(1);
        };
        match self.order {
            Order::C => (0..self.shape.len()).rev().for_each(&mut place),
            Order::Fortran => (0..self.shape.len()).for_each(&mut place),
        }
        strides
    }

    /// The position in storage order of the element at `index`, or `None` outside of the array.
    pub(crate) fn position(&self, index: &[usize]) -> Option<usize> {
        if index.len() != self.shape.len() {
            return None;
        }
        let mut position = 0;
        let mut add = |axis: usize| {
            if index[axis] >= self.shape[axis] {
                return None;
            }
            position = position * self.shape[axis] + index[axis];
            Some(())
        };
        match self.order {
            Order::C => (0..index.len()).try_for_each(&mut add)?,
            Order::Fortran => (0..index.len()).rev().try_for_each(&mut add)?,
        }
        Some(position)
    }

    /// Refuses an operation that needs the rows (columns, if `order` is Fortran) in one piece each.
    pub(crate) fn check_order(&self, order: Order, operation: &'static str) -> Result<()> {
        if self.is_contiguous(order) {
            return Ok(());
        }
        let shape = shape_repr(&self.shape);
        Err(match order {
            Order::C => Error::FortranOrder { operation, shape },
            Order::Fortran => Error::COrder { operation, shape },
        })
    }

    /// The bytes of some rows (columns in Fortran order), counted from the first element.
    pub(crate) fn rows_bytes(&self, range: &Range<usize>, what: &'static str) -> Result<Range<usize>> {
        if self.shape.is_empty() {
            return Err(Error::Rank { found: 1, wanted: 0, shape: shape_repr(&self.shape) });
        }
        if range.start > range.end || range.end > self.rows() {
            return Err(Error::OutOfBounds { what, start: range.start, end: range.end, len: self.rows() });
        }
        Ok(range.start * self.row_bytes()..range.end * self.row_bytes())
    }

    /// The same layout with another number of rows (columns in Fortran order).
    pub(crate) fn with_rows(&self, rows: usize) -> Result<Self> {
        let mut shape = self.shape.clone();
        if let Some(axis) = self.growth_axis() {
            shape[axis] = rows;
        }
        Self::new(shape, self.order, self.itemsize)
    }
}

/// Prints a shape as Python prints a tuple: `()`, `(3,)`, `(3, 4)`.
pub(crate) fn shape_repr(shape: &[usize]) -> String {
    let mut text = String::from("(");
    for (axis, dim) in shape.iter().enumerate() {
        let separator = if axis == 0 { "" } else { ", " };
        // Writing to a String cannot fail.
        let _ = write!(text, "{separator}{dim}");
    }
    text.push_str(if shape.len() == 1 { ",)" } else { ")" });
    text
}

/// The positions in storage order of an array's elements, in C order: the last index fastest, as NumPy's `flat`.
#[derive(Clone, Debug)]
pub(crate) struct Positions {
    layout: Arc<Layout>,
    /// Elements from one index to the next, axis by axis.
    steps: Vec<usize>,
    index: Vec<usize>,
    position: usize,
    remaining: usize,
}

impl Positions {
    pub(crate) fn new(layout: Arc<Layout>) -> Self {
        let steps = Layout { itemsize: 1, ..(*layout).clone() }.strides();
        let index = alloc::vec![0; steps.len()];
        let remaining = layout.len();
        Self { layout, steps, index, position: 0, remaining }
    }
}

impl Iterator for Positions {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        self.remaining = self.remaining.checked_sub(1)?;
        let position = self.position;
        if self.layout.is_contiguous(Order::C) {
            self.position += 1;
            return Some(position);
        }
        for axis in (0..self.index.len()).rev() {
            self.index[axis] += 1;
            self.position += self.steps[axis];
            if self.index[axis] < self.layout.shape[axis] {
                break;
            }
            self.position -= self.index[axis] * self.steps[axis];
            self.index[axis] = 0;
        }
        Some(position)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.remaining, Some(self.remaining))
    }
}

impl ExactSizeIterator for Positions {}
