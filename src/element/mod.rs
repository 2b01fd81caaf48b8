//! Which Rust type is which dtype, and how bytes become one. Knows slices, not files or shapes.

mod array;
mod boolean;
mod bytewise;
pub(crate) mod calendar;
#[cfg(feature = "num-complex")]
mod complex;
mod fixed;
#[cfg(feature = "half")]
mod half;
pub(crate) mod half_bits;
#[cfg(feature = "jiff")]
mod jiff;
mod long_double;
mod order;
mod plain;
pub(crate) mod real;
pub mod record;
mod rust_type;
pub(crate) mod text;
mod time;
mod unit;

pub use fixed::{FixedBytes, Void};
pub use long_double::LongDouble;
pub use order::{be, le};
pub use time::{Datetime64, Timedelta64};

use alloc::borrow::Cow;
use alloc::string::String;
use alloc::vec::Vec;

use crate::{ByteOrder, DType, Error, Result};

/// A Rust type that a file's elements can be viewed, read and written as.
///
/// Implemented for `bool`, the integers, `f32`, `f64`, [`Datetime64`], [`Timedelta64`], [`FixedBytes`], [`Void`], the
/// byte-order types of [`le`] and [`be`] (text, half and long floats and complex numbers among them), arrays `[T; N]`
/// of them (the last axes of a file, or a subarray field; `[u8; N]` also views `|SN` and `|VN`), and with the features
/// of those names `half::f16`, `half::bf16` and `num_complex::Complex`.
///
/// The trait is safe: an implementation that lies gives wrong values, never undefined behaviour, because
/// [`view`](Self::view) can only return what safe code makes of the bytes.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no element of an array",
    note = "derive it for a `#[repr(C)]`, `#[repr(C, packed)]` or `#[repr(transparent)]` struct: `#[derive(npymap::Element)]` (feature `derive`)"
)]
pub trait Element: Copy + Send + Sync + 'static {
    /// Whether any bytes are a value, so that views need not look at them.
    #[doc(hidden)]
    const ANY_BYTES: bool = false;

    /// Returns the type's name for error messages: `f64`.
    fn name() -> String;

    /// Returns the dtype that this type is written as.
    fn dtype() -> DType;

    /// Checks that elements stored as `dtype` can be viewed in place as this type.
    ///
    /// # Errors
    ///
    /// [`Error::DType`] for another dtype, [`Error::ByteOrder`] if nothing but the byte order is in the way.
    fn check(dtype: &DType) -> Result<()>;

    /// Returns the bytes as elements, in place.
    ///
    /// # Errors
    ///
    /// [`Error::Misaligned`], [`Error::PartialElement`], and [`Error::InvalidBool`] where a byte is no `bool`.
    fn view(bytes: &[u8]) -> Result<&[Self]>;

    /// Returns the one element that `bytes` hold, at any alignment.
    ///
    /// # Errors
    ///
    /// [`Error::PartialElement`] if `bytes` has another length than the element, [`Error::InvalidBool`].
    fn read(bytes: &[u8]) -> Result<Self>;

    /// Writes the element into `out`; padding becomes zero.
    ///
    /// # Panics
    ///
    /// If `out` has another length than the element.
    fn write(&self, out: &mut [u8]);

    /// Copies elements stored as `dtype`, in any byte order and at any alignment; fields at any offsets.
    ///
    /// `bytes` holds as many elements as `out`.
    ///
    /// # Errors
    ///
    /// [`Error::DType`] for a dtype that differs in more than byte order, [`Error::FieldName`];
    /// [`Error::BufferLength`]; [`Error::InvalidBool`] with the index in `out`.
    fn decode(dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
        Self::check(dtype)?;
        decode_each(dtype.itemsize(), bytes, out, Self::read)
    }

    /// Writes elements as `dtype` stores them, the inverse of [`decode`](Self::decode); padding becomes zero.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    fn encode(dtype: &DType, elements: &[Self], out: &mut [u8]) -> Result<()> {
        Self::check(dtype)?;
        encode_each(dtype.itemsize(), elements, out, |element, out| {
            element.write(out);
            Ok(())
        })
    }

    /// Returns the bytes of elements as every dtype that passes [`check`](Self::check) stores them, if they lie in
    /// memory like that, and have no padding.
    #[doc(hidden)]
    fn as_stored(elements: &[Self]) -> Option<&[u8]> {
        let _ = elements;
        None
    }

    /// Like [`check`](Self::check) for an array of `n` of this type.
    #[doc(hidden)]
    fn check_array(n: usize, dtype: &DType) -> Result<()> {
        element_of_subarray::<Self>(n, dtype).and_then(|element| Self::check(&element))
    }

    /// Like [`decode`](Self::decode) for arrays of `n` of this type; `out` holds their elements.
    #[doc(hidden)]
    fn decode_array(n: usize, dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
        Self::decode(&*element_of_subarray::<Self>(n, dtype)?, bytes, out)
    }

    /// Like [`encode`](Self::encode) for arrays of `n` of this type; `elements` are theirs.
    #[doc(hidden)]
    fn encode_array(n: usize, dtype: &DType, elements: &[Self], out: &mut [u8]) -> Result<()> {
        Self::encode(&*element_of_subarray::<Self>(n, dtype)?, elements, out)
    }

    /// Like [`view`](Self::view) without looking at the values again.
    ///
    /// # Safety
    ///
    /// `view` has succeeded on bytes of the same contents, or on bytes that contain such on element boundaries, at an
    /// address that is as well aligned.
    #[doc(hidden)]
    #[expect(unsafe_code, reason = "declares the contract; only bool relies on it")]
    unsafe fn view_again(bytes: &[u8]) -> &[Self] {
        match Self::view(bytes) {
            Ok(elements) => elements,
            Err(error) => unreachable!("viewed before, and no longer: {error}"),
        }
    }
}

/// An [`Element`] without padding, which can be viewed for writing.
///
/// `bool` is one: the bytes are checked when the view is made, and only valid ones can be stored through it.
pub trait ElementMut: Element {
    /// Returns the bytes as elements, in place and writable.
    ///
    /// # Errors
    ///
    /// As [`Element::view`].
    fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]>;
}

/// Copies element by element, each from `itemsize` bytes.
fn decode_each<T: Element>(
    itemsize: usize,
    bytes: &[u8],
    out: &mut [T],
    mut read: impl FnMut(&[u8]) -> Result<T>,
) -> Result<()> {
    check_lengths(itemsize, bytes.len(), out.len())?;
    for (index, (slot, bytes)) in out.iter_mut().zip(bytes.chunks_exact(itemsize.max(1))).enumerate() {
        *slot = read(bytes).map_err(|error| at_element::<T>(error, index))?;
    }
    Ok(())
}

/// Writes element by element, each into `itemsize` bytes.
fn encode_each<T: Element>(
    itemsize: usize,
    elements: &[T],
    out: &mut [u8],
    mut write: impl FnMut(&T, &mut [u8]) -> Result<()>,
) -> Result<()> {
    check_lengths(itemsize, out.len(), elements.len())?;
    elements.iter().zip(out.chunks_exact_mut(itemsize.max(1))).try_for_each(|(element, out)| write(element, out))
}

/// Checks that so many bytes are so many elements.
fn check_lengths(itemsize: usize, bytes: usize, elements: usize) -> Result<()> {
    if elements.checked_mul(itemsize) == Some(bytes) {
        return Ok(());
    }
    // Somebody's own element may take no bytes; then there are none to divide.
    Err(Error::BufferLength { found: elements, wanted: bytes / itemsize.max(1) })
}

/// Moves the index of an error that was counted from the start of element `position`: an array type is as many
/// elements of the file as it has parts.
pub(crate) fn at_element<T: Element>(error: Error, position: usize) -> Error {
    let parts = match T::dtype() {
        DType::Subarray(_, shape) => shape.iter().fold(1, |parts: usize, &dim| parts.saturating_mul(dim)),
        _ => 1,
    };
    error.at_index(position.saturating_mul(parts))
}

/// Takes the first dimension, which must be `n`, off a subarray dtype.
fn element_of_subarray<T: Element>(n: usize, dtype: &DType) -> Result<Cow<'_, DType>> {
    let DType::Subarray(base, shape) = dtype else {
        return Err(mismatch::<T>(dtype, &DType::Subarray(T::dtype().into(), [n].into())));
    };
    match shape.as_slice() {
        // (2,) of (3,) of a type is (2, 3) of it.
        [] => element_of_subarray::<T>(n, base),
        &[first] if first == n => Ok(Cow::Borrowed(base)),
        &[first, ref rest @ ..] if first == n => Ok(Cow::Owned(DType::Subarray(base.clone(), rest.into()))),
        _ => Err(mismatch::<T>(dtype, &DType::Subarray(T::dtype().into(), [n].into()))),
    }
}

/// The error for a file of dtype `found` that was asked for as `T`, which is `wanted`.
pub(crate) fn mismatch<T: Element>(found: &DType, wanted: &DType) -> Error {
    Error::DType {
        field: Vec::new(),
        found: found.descr(),
        element: T::name(),
        wanted: wanted.descr(),
        instead: advice(found),
    }
}

/// The error for a file whose dtype is `T` in the byte order that isn't the machine's.
fn swapped<T: Element>(found: &DType, order: ByteOrder) -> Error {
    Error::ByteOrder {
        field: Vec::new(),
        found: found.descr(),
        order: order.name(),
        element: T::name(),
        instead: found.rust_type().unwrap_or_else(|| "raw bytes".into()),
    }
}

/// The error for an address that isn't aligned, or a length that isn't a multiple of the size.
fn cast_error<T: Element>(bytes: &[u8]) -> Error {
    let align = align_of::<T>();
    match bytes.as_ptr().addr() % align {
        0 => partial::<T>(bytes),
        excess => Error::Misaligned { excess, align, element: T::name() },
    }
}

/// The error for bytes that are no whole number of elements, or not the one that was asked for.
fn partial<T: Element>(bytes: &[u8]) -> Error {
    Error::PartialElement { bytes: bytes.len(), size: size_of::<T>(), element: T::name() }
}

/// What to write instead of a type that a dtype isn't.
fn advice(dtype: &DType) -> Option<String> {
    match dtype {
        DType::Struct(_) => Some("a struct that derives npymap::Element, as npymap schema prints it,".into()),
        _ => dtype.rust_type(),
    }
}

#[cfg(test)]
mod tests;
