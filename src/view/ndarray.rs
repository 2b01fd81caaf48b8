//! Views as arrays of the `ndarray` crate.

use ndarray::{ArrayView, ArrayViewMut, Dimension, IxDyn, ShapeBuilder};

use crate::element::{Element, ElementMut};
use crate::format::{Layout, shape_repr};
use crate::storage::{Bytes, BytesMut};
use crate::{Error, Npy, Order, Result};

impl<T: Element, B: Bytes> Npy<T, B> {
    /// Returns the array as an `ndarray` view, in place and in either order.
    ///
    /// The dimension is the caller's choice: `ArrayView2<f32>`, or `ArrayViewD<f32>` for any.
    ///
    /// # Errors
    ///
    /// [`Error::Rank`] if the array has another number of axes.
    ///
    /// # Example
    ///
    /// ```
    /// use ndarray::ArrayView2;
    /// use npymap::Npy;
    ///
    /// let x = Npy::<f32>::read("examples/data/measurements.npy")?;
    /// let view: ArrayView2<f32> = x.ndarray()?;
    /// assert_eq!(view.row(17).to_vec(), x[17]);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn ndarray<D: Dimension>(&self) -> Result<ArrayView<'_, T, D>> {
        let layout = self.folded();
        let view = ArrayView::from_shape(dimensions(layout).set_f(layout.order() == Order::Fortran), self.as_slice());
        view.ok().and_then(|view| view.into_dimensionality().ok()).ok_or_else(|| rank::<D>(layout))
    }

    /// Returns the array as a writable `ndarray` view, in place and in either order.
    ///
    /// # Errors
    ///
    /// [`Error::Rank`] if the array has another number of axes; [`Error::InvalidBool`] if `bool`s were overwritten.
    pub fn ndarray_mut<D: Dimension>(&mut self) -> Result<ArrayViewMut<'_, T, D>>
    where
        T: ElementMut,
        B: BytesMut,
    {
        let layout = self.folded().clone();
        let shape = dimensions(&layout).set_f(layout.order() == Order::Fortran);
        let view = ArrayViewMut::from_shape(shape, self.as_mut_slice());
        view.ok().and_then(|view| view.into_dimensionality().ok()).ok_or_else(|| rank::<D>(&layout))
    }
}

fn dimensions(layout: &Layout) -> IxDyn {
    IxDyn(layout.shape())
}

/// The layout of an array fits its elements, so that the number of axes is all that can be wrong.
fn rank<D: Dimension>(layout: &Layout) -> Error {
    let wanted = layout.shape().len();
    Error::Rank { found: D::NDIM.unwrap_or(wanted), wanted, shape: shape_repr(layout.shape()) }
}
