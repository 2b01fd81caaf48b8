//! Numbers in the machine's byte order: casts and copies by bytemuck.

use bytemuck::{NoUninit, Pod};

use super::{Element, cast_error, check_lengths, decode_each, element_of_subarray, encode_each, partial};
use crate::{ByteOrder, DType, Result};

/// Casts, checking address and length.
#[inline]
pub(super) fn view<T: Element + Pod>(bytes: &[u8]) -> Result<&[T]> {
    bytemuck::try_cast_slice(bytes).map_err(|_| cast_error::<T>(bytes))
}

/// Casts, checking address and length.
pub(super) fn view_mut<T: Element + Pod>(bytes: &mut [u8]) -> Result<&mut [T]> {
    view::<T>(bytes)?;
    Ok(bytemuck::cast_slice_mut(bytes))
}

/// Reads one element from exactly its bytes.
#[inline]
pub(super) fn read<T: Element + Pod>(bytes: &[u8]) -> Result<T> {
    bytemuck::try_pod_read_unaligned(bytes).map_err(|_| partial::<T>(bytes))
}

/// Turns the bytes of a value round if its own dtype has an order that isn't the machine's, as bfloat16's may.
#[inline]
pub(super) fn ordered<T>(value: T, order: Option<ByteOrder>, swap: fn(T) -> T) -> T {
    if order.is_none_or(|order| order == ByteOrder::NATIVE) { value } else { swap(value) }
}

/// Copies elements stored in byte order `order`.
pub(super) fn copy<T: Element + Pod>(order: ByteOrder, bytes: &[u8], out: &mut [T], swap: fn(T) -> T) -> Result<()> {
    if order != ByteOrder::NATIVE {
        return decode_each(size_of::<T>(), bytes, out, |bytes| read(bytes).map(swap));
    }
    check_lengths(size_of::<T>(), bytes.len(), out.len())?;
    bytemuck::cast_slice_mut(out).copy_from_slice(bytes);
    Ok(())
}

/// Writes elements in byte order `order`.
pub(super) fn put<T: Element + NoUninit>(
    order: ByteOrder,
    elements: &[T],
    out: &mut [u8],
    swap: fn(T) -> T,
) -> Result<()> {
    if order != ByteOrder::NATIVE {
        return encode_each(size_of::<T>(), elements, out, |&element, out| {
            out.copy_from_slice(bytemuck::bytes_of(&swap(element)));
            Ok(())
        });
    }
    check_lengths(size_of::<T>(), out.len(), elements.len())?;
    out.copy_from_slice(bytemuck::cast_slice(elements));
    Ok(())
}

/// Implements the traits for a type that bytemuck may cast.
///
/// `order` tells of a dtype in which byte order it stores this type, or `None` if it is another type. `swap` turns the
/// bytes of a value round. Methods may be added.
macro_rules! plain {
    ($type:ty, $name:literal, $dtype:expr, order: $order:expr, swap: $swap:expr $(, $($more:tt)+)?) => {
        impl $crate::Element for $type {
            const ANY_BYTES: bool = true;

            fn name() -> alloc::string::String {
                $name.into()
            }

            fn dtype() -> $crate::DType {
                $dtype
            }

            fn check(dtype: &$crate::DType) -> $crate::Result<()> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                match order(dtype) {
                    Some($crate::ByteOrder::NATIVE) => Ok(()),
                    Some(order) => Err($crate::element::swapped::<Self>(dtype, order)),
                    None => Err($crate::element::mismatch::<Self>(dtype, &$dtype)),
                }
            }

            #[inline]
            fn view(bytes: &[u8]) -> $crate::Result<&[Self]> {
                $crate::element::plain::view(bytes)
            }

            #[inline]
            fn read(bytes: &[u8]) -> $crate::Result<Self> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                let swap: fn(Self) -> Self = $swap;
                let value = $crate::element::plain::read(bytes)?;
                Ok($crate::element::plain::ordered(value, order(&$dtype), swap))
            }

            fn write(&self, out: &mut [u8]) {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                let swap: fn(Self) -> Self = $swap;
                let value = $crate::element::plain::ordered(*self, order(&$dtype), swap);
                out.copy_from_slice(bytemuck::bytes_of(&value));
            }

            fn decode(dtype: &$crate::DType, bytes: &[u8], out: &mut [Self]) -> $crate::Result<()> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                let order = order(dtype).ok_or_else(|| $crate::element::mismatch::<Self>(dtype, &$dtype))?;
                $crate::element::plain::copy(order, bytes, out, $swap)
            }

            fn encode(dtype: &$crate::DType, elements: &[Self], out: &mut [u8]) -> $crate::Result<()> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                let order = order(dtype).ok_or_else(|| $crate::element::mismatch::<Self>(dtype, &$dtype))?;
                $crate::element::plain::put(order, elements, out, $swap)
            }

            #[inline]
            fn as_stored(elements: &[Self]) -> Option<&[u8]> {
                Some(bytemuck::cast_slice(elements))
            }

            $($($more)+)?
        }

        // SAFETY: bytemuck may cast bytes to this type (`Pod`): any bytes are a value, there is no padding, and no
        // interior mutability.
        #[expect(unsafe_code, reason = "says of bytemuck's plain types that they are plain")]
        unsafe impl $crate::element::record::InPlace for $type {
            const PADDED: bool = false;

            fn zero() -> Self {
                fn pod<T: bytemuck::Pod>() -> T {
                    bytemuck::Zeroable::zeroed()
                }
                pod()
            }
        }

        impl $crate::ElementMut for $type {
            fn view_mut(bytes: &mut [u8]) -> $crate::Result<&mut [Self]> {
                $crate::element::plain::view_mut(bytes)
            }
        }
    };
}
pub(super) use plain;

macro_rules! number {
    ($type:ty, $name:literal, $dtype:ident, $swap:expr) => {
        plain!($type, $name, DType::$dtype(ByteOrder::NATIVE),
            order: |dtype| match *dtype { DType::$dtype(order) => Some(order), _ => None },
            swap: $swap);
    };
}

number!(i16, "i16", Int16, i16::swap_bytes);
number!(u16, "u16", UInt16, u16::swap_bytes);
number!(i32, "i32", Int32, i32::swap_bytes);
number!(u32, "u32", UInt32, u32::swap_bytes);
number!(i64, "i64", Int64, i64::swap_bytes);
number!(u64, "u64", UInt64, u64::swap_bytes);
number!(f32, "f32", Float32, |value| f32::from_bits(value.to_bits().swap_bytes()));
number!(f64, "f64", Float64, |value| f64::from_bits(value.to_bits().swap_bytes()));

plain!(i8, "i8", DType::Int8,
    order: |dtype| (*dtype == DType::Int8).then_some(ByteOrder::NATIVE),
    swap: |value| value);

// In arrays, bytes are also the parts of `|S5` and `|V5`: `[u8; 5]` views those.
plain!(u8, "u8", DType::UInt8,
order: |dtype| (*dtype == DType::UInt8).then_some(ByteOrder::NATIVE),
swap: |value| value,
fn check_array(n: usize, dtype: &DType) -> Result<()> {
    match *dtype {
        DType::Bytes(size) | DType::Void(size) if size == n => Ok(()),
        _ => element_of_subarray::<Self>(n, dtype).and_then(|element| Self::check(&element)),
    }
}

fn decode_array(n: usize, dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
    Self::check_array(n, dtype)?;
    copy(ByteOrder::NATIVE, bytes, out, |value| value)
}

fn encode_array(n: usize, dtype: &DType, elements: &[Self], out: &mut [u8]) -> Result<()> {
    Self::check_array(n, dtype)?;
    put(ByteOrder::NATIVE, elements, out, |value| value)
});
