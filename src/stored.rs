//! What elements of a Rust type are written as. Knows elements and headers, and no files.

use crate::element::Element;
use crate::format::{Form, Layout, shape_repr};
use crate::{DType, Error, Header, Order, Result};

/// Bytes that are encoded at a time: few enough to stay in a fast cache until they are written.
const BLOCK: usize = 128 * 1024;

/// What elements of a Rust type are written as: an array type is the last axes of an array.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// The dtype of one value of the Rust type.
    element: DType,
    /// The dtype of the file.
    dtype: DType,
    /// The axes that one value takes.
    axes: Vec<usize>,
    /// Whether values that have no padding lie in memory as they do in the file.
    in_place: bool,
}

impl Stored {
    /// Finds it for `T`, with the dtype that is asked for instead of its own.
    pub(crate) fn of<T: Element>(asked: Option<&DType>) -> Result<Self> {
        let own = T::dtype();
        let element = match (asked, own) {
            (None, own) => own,
            (Some(asked), own) => {
                let of_parts = match own {
                    DType::Subarray(_, shape) => DType::Subarray(asked.clone().into(), shape),
                    _ => asked.clone(),
                };
                match can_encode::<T>(asked) {
                    Ok(()) => asked.clone(),
                    Err(error) => can_encode::<T>(&of_parts).map(|()| of_parts).map_err(|_| error)?,
                }
            }
        };
        let (dtype, axes) = match element.clone() {
            DType::Subarray(base, shape) => (*base, shape),
            dtype => (dtype, Vec::new()),
        };
        Ok(Self::new::<T>(element, dtype, axes))
    }

    /// Finds it for `T` in a file of this dtype, whose rows have the shape `row_shape`.
    ///
    /// Returns how many values make a row, too.
    pub(crate) fn in_file<T: Element>(header: &Header) -> Result<(Self, usize)> {
        let (element, layout) = crate::any::fold::<T>(header.dtype(), header.layout(), can_encode::<T>)?;
        let (row_shape, of_file) = (layout.shape().len(), header.shape());
        let axes = of_file[row_shape.min(of_file.len())..].to_vec();
        if layout.shape().is_empty() {
            // An array type has taken the axis that grows.
            return Err(Error::Fold { shape: shape_repr(of_file), wanted: shape_repr(&axes), element: T::name() });
        }
        Ok((Self::new::<T>(element, header.dtype().clone(), axes), layout.row_len()))
    }

    fn new<T: Element>(element: DType, dtype: DType, axes: Vec<usize>) -> Self {
        let in_place = T::check(&element).is_ok();
        Self { element, dtype, axes, in_place }
    }

    /// The dtype of the file.
    pub(crate) fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// The shape of a file whose values of the Rust type have this one.
    pub(crate) fn shape(&self, mut shape: Vec<usize>, order: Order) -> Result<Vec<usize>> {
        if !self.axes.is_empty() && order == Order::Fortran && !shape.is_empty() {
            return Err(Error::FortranOrder { operation: "an array type", shape: shape_repr(&shape) });
        }
        shape.extend(&self.axes);
        Ok(shape)
    }

    /// Checks that so many values fill a shape.
    pub(crate) fn check_len(&self, shape: &[usize], len: usize) -> Result<()> {
        let wanted = Layout::new(shape.to_vec(), Order::C, self.element.itemsize())?.len();
        if wanted == len { Ok(()) } else { Err(Error::BufferLength { found: len, wanted }) }
    }

    /// The header of an array without rows, each of which is to have the shape `row_shape` in values of the Rust type;
    /// its bytes, and how many values make a row.
    pub(crate) fn growing_header(
        &self,
        row_shape: Vec<usize>,
        order: Order,
        form: Form,
        version: Option<(u8, u8)>,
    ) -> Result<(Header, Vec<u8>, usize)> {
        let row_len = Layout::new(row_shape.clone(), Order::C, self.element.itemsize())?.len();
        let mut shape = row_shape;
        let growth_axis = if order == Order::Fortran { shape.len() } else { 0 };
        shape.insert(growth_axis, 0);
        // A column of one value is a row.
        let order = if shape.len() < 2 { Order::C } else { order };
        let (header, head) = Header::build(&self.dtype, self.shape(shape, order)?, order, form, version)?;
        header.refuse_objects()?;
        Ok((header, head, row_len))
    }

    /// The bytes of values as the file stores them, if they lie in memory so.
    pub(crate) fn in_place<'a, T: Element>(&self, elements: &'a [T]) -> Option<&'a [u8]> {
        if self.in_place { T::as_stored(elements) } else { None }
    }

    /// Puts values as the file stores them at the end of a buffer, which stays as it was on an error.
    #[inline]
    pub(crate) fn encode_onto<T: Element>(&self, elements: &[T], buffer: &mut Vec<u8>) -> Result<()> {
        if let Some(bytes) = self.in_place(elements) {
            buffer.extend_from_slice(bytes);
            return Ok(());
        }
        let len = buffer.len();
        buffer.resize(len + elements.len() * self.element.itemsize(), 0);
        let encoded = T::encode(&self.element, elements, &mut buffer[len..]);
        if encoded.is_err() {
            buffer.truncate(len);
        }
        encoded
    }

    /// Hands values out as the file stores them, in place or block by block.
    pub(crate) fn encode<T: Element>(&self, elements: &[T], mut sink: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        if let Some(bytes) = self.in_place(elements) {
            return sink(bytes);
        }
        let itemsize = self.element.itemsize();
        let per_block = (BLOCK / itemsize.max(1)).max(1);
        let mut buffer = Vec::with_capacity(per_block.min(elements.len()) * itemsize);
        elements.chunks(per_block).try_for_each(|block| {
            buffer.clear();
            self.encode_onto(block, &mut buffer)?;
            sink(&buffer)
        })
    }
}

/// Checks that `T` can be written as elements of this dtype.
fn can_encode<T: Element>(dtype: &DType) -> Result<()> {
    T::encode(dtype, &[], &mut [])
}
