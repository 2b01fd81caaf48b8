//! Numbers in the machine's byte order: casts and copies by bytemuck.

use bytemuck::Pod;

use super::{Element, ElementMut, cast_error, check_subarray, decode_each, mismatch, swapped};
use crate::{ByteOrder, DType, Error, Result};

/// Casts, checking address and length.
pub(super) fn view<T: Element + Pod>(bytes: &[u8]) -> Result<&[T]> {
    bytemuck::try_cast_slice(bytes).map_err(|_| cast_error::<T>(bytes))
}

/// Casts, checking address and length.
pub(super) fn view_mut<T: Element + Pod>(bytes: &mut [u8]) -> Result<&mut [T]> {
    // The length and the address are checked first: the borrow checker wants no look at `bytes` after the cast failed.
    if bytes.len() % size_of::<T>() != 0 || bytes.as_ptr().addr() % align_of::<T>() != 0 {
        return Err(cast_error::<T>(bytes));
    }
    Ok(bytemuck::cast_slice_mut(bytes))
}

/// Reads one element from exactly its bytes.
pub(super) fn read<T: Element + Pod>(bytes: &[u8]) -> Result<T> {
    let wrong = |_| Error::PartialElement { bytes: bytes.len(), size: size_of::<T>(), element: T::NAME };
    bytemuck::try_pod_read_unaligned(bytes).map_err(wrong)
}

/// Copies elements, turning their bytes round if `order` isn't the machine's.
pub(super) fn copy<T: Element + Pod>(order: Option<ByteOrder>, bytes: &[u8], out: &mut [T], swap: fn(T) -> T) -> Result<()> {
    if order.is_none_or(|order| order == ByteOrder::NATIVE) {
        let wanted = bytes.len() / size_of::<T>();
        let target: &mut [u8] = bytemuck::cast_slice_mut(out);
        if target.len() != bytes.len() {
            return Err(Error::BufferLength { found: target.len() / size_of::<T>(), wanted });
        }
        target.copy_from_slice(bytes);
        return Ok(());
    }
    decode_each(bytes, out, |_, bytes| read(bytes).map(swap))
}

/// Implements the traits for a number with a byte order.
macro_rules! number {
    ($type:ty, $name:literal, $($dtype:ident)|+, $swap:expr) => {
        impl Element for $type {
            const NAME: &'static str = $name;

            fn dtype() -> DType {
                number!(@first ByteOrder::NATIVE, $($dtype)|+)
            }

            fn check(dtype: &DType) -> Result<()> {
                match *dtype {
                    $(DType::$dtype(order))|+ if order == ByteOrder::NATIVE => Ok(()),
                    $(DType::$dtype(order))|+ => Err(swapped::<Self>(dtype, order)),
                    _ => Err(mismatch::<Self>(dtype, &Self::dtype())),
                }
            }

            fn view(bytes: &[u8]) -> Result<&[Self]> {
                $crate::element::native::view(bytes)
            }

            fn read(bytes: &[u8]) -> Result<Self> {
                $crate::element::native::read(bytes)
            }

            fn write(&self, out: &mut [u8]) {
                out.copy_from_slice(bytemuck::bytes_of(self));
            }

            fn decode(dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
                match *dtype {
                    $(DType::$dtype(order))|+ => $crate::element::native::copy(Some(order), bytes, out, $swap),
                    _ => Err(mismatch::<Self>(dtype, &Self::dtype())),
                }
            }
        }

        impl ElementMut for $type {
            fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
                $crate::element::native::view_mut(bytes)
            }
        }
    };
    (@first $order:expr, $first:ident $(| $rest:ident)*) => { DType::$first($order) };
}
pub(super) use number;

number!(i16, "i16", Int16, i16::swap_bytes);
number!(u16, "u16", UInt16, u16::swap_bytes);
number!(i32, "i32", Int32, i32::swap_bytes);
number!(u32, "u32", UInt32, u32::swap_bytes);
number!(i64, "i64", Int64, i64::swap_bytes);
number!(u64, "u64", UInt64, u64::swap_bytes);
number!(f32, "f32", Float32, |value| f32::from_bits(value.to_bits().swap_bytes()));
number!(f64, "f64", Float64, |value| f64::from_bits(value.to_bits().swap_bytes()));

impl Element for i8 {
    const NAME: &'static str = "i8";

    fn dtype() -> DType {
        DType::Int8
    }

    fn check(dtype: &DType) -> Result<()> {
        if *dtype == DType::Int8 { Ok(()) } else { Err(mismatch::<Self>(dtype, &DType::Int8)) }
    }

    fn view(bytes: &[u8]) -> Result<&[Self]> {
        view(bytes)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        read(bytes)
    }

    fn write(&self, out: &mut [u8]) {
        out.copy_from_slice(bytemuck::bytes_of(self));
    }

    fn decode(dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
        Self::check(dtype)?;
        copy(None, bytes, out, |value| value)
    }
}

impl ElementMut for i8 {
    fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
        view_mut(bytes)
    }
}

impl Element for u8 {
    const NAME: &'static str = "u8";

    fn dtype() -> DType {
        DType::UInt8
    }

    fn check(dtype: &DType) -> Result<()> {
        if *dtype == DType::UInt8 { Ok(()) } else { Err(mismatch::<Self>(dtype, &DType::UInt8)) }
    }

    fn view(bytes: &[u8]) -> Result<&[Self]> {
        Ok(bytes)
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        read(bytes)
    }

    fn write(&self, out: &mut [u8]) {
        out.copy_from_slice(bytemuck::bytes_of(self));
    }

    fn decode(_: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
        // Any dtype of one-byte parts may arrive here, by way of `[u8; N]`; `check_array` has looked at it.
        copy(None, bytes, out, |value| value)
    }

    /// Fixed bytes: `|S5` and `|V5` are `[u8; 5]` as well.
    fn check_array(n: usize, dtype: &DType) -> Result<()> {
        match *dtype {
            DType::Bytes(size) | DType::Void(size) if size == n => Ok(()),
            _ => check_subarray::<Self>(n, dtype),
        }
    }
}

impl ElementMut for u8 {
    fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
        Ok(bytes)
    }
}
