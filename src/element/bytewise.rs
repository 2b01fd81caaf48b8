//! Own element types that are nothing but their bytes in a stated order, at any alignment. Knows casts and copies; the
//! types themselves are in `fixed.rs` and `order/`.

use zerocopy::{FromBytes, Immutable, IntoBytes, Unaligned};

use super::partial;
use super::record::{InPlace, view};
use crate::Result;

/// What may be wrapped: all that casting relies on.
pub(super) trait Bytes: FromBytes + IntoBytes + Immutable + Unaligned {}
impl<T: FromBytes + IntoBytes + Immutable + Unaligned> Bytes for T {}

/// The value of zero bytes.
pub(super) fn zero<T: Bytes>() -> T {
    T::new_zeroed()
}

/// Reads one element from exactly its bytes.
#[inline]
pub(super) fn read<T: InPlace>(bytes: &[u8]) -> Result<T> {
    match *view(bytes)? {
        [element] => Ok(element),
        _ => Err(partial::<T>(bytes)),
    }
}

/// Turns the bytes of each part of `WIDTH` bytes round.
pub(super) fn swap<const WIDTH: usize>(bytes: &mut [u8]) {
    bytes.as_chunks_mut::<WIDTH>().0.iter_mut().for_each(|part| part.reverse());
}

/// Implements the traits for a type whose only field has `$inner`.
///
/// `order` tells of a dtype in which byte order it stores this type, or `None` if it is another type; `own` is the
/// type's own. In the other order each part of `width` bytes is turned round.
macro_rules! bytewise {
    (
        [$($generics:tt)*] $type:ty, $inner:ty, name: $name:expr, dtype: $dtype:expr,
        order: $order:expr, own: $own:expr, width: $width:literal
    ) => {
        impl<$($generics)*> $crate::Element for $type {
            const ANY_BYTES: bool = true;

            fn name() -> alloc::string::String {
                $name.into()
            }

            fn dtype() -> $crate::DType {
                const {
                    assert!(size_of::<Self>() > 0, "an element of no bytes: there is no telling how many a file holds");
                }
                $dtype
            }

            fn check(dtype: &$crate::DType) -> $crate::Result<()> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                match order(dtype) {
                    Some(order) if order == $own => Ok(()),
                    Some(order) => Err($crate::element::swapped::<Self>(dtype, order)),
                    None => Err($crate::element::mismatch::<Self>(dtype, &Self::dtype())),
                }
            }

            #[inline]
            fn view(bytes: &[u8]) -> $crate::Result<&[Self]> {
                $crate::element::record::view(bytes)
            }

            #[inline]
            fn read(bytes: &[u8]) -> $crate::Result<Self> {
                $crate::element::bytewise::read(bytes)
            }

            fn write(&self, out: &mut [u8]) {
                out.copy_from_slice(zerocopy::IntoBytes::as_bytes(&self.0));
            }

            #[inline]
            fn as_stored(elements: &[Self]) -> Option<&[u8]> {
                $crate::element::record::as_stored(elements)
            }

            fn decode(dtype: &$crate::DType, bytes: &[u8], out: &mut [Self]) -> $crate::Result<()> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                let order = order(dtype).ok_or_else(|| $crate::element::mismatch::<Self>(dtype, &Self::dtype()))?;
                $crate::element::check_lengths(size_of::<Self>(), bytes.len(), out.len())?;
                out.copy_from_slice(<Self as $crate::Element>::view(bytes)?);
                if order != $own {
                    for element in out {
                        $crate::element::bytewise::swap::<$width>(zerocopy::IntoBytes::as_mut_bytes(&mut element.0));
                    }
                }
                Ok(())
            }

            fn encode(dtype: &$crate::DType, elements: &[Self], out: &mut [u8]) -> $crate::Result<()> {
                let order: fn(&$crate::DType) -> Option<$crate::ByteOrder> = $order;
                let order = order(dtype).ok_or_else(|| $crate::element::mismatch::<Self>(dtype, &Self::dtype()))?;
                $crate::element::encode_each(size_of::<Self>(), elements, out, |element, out| {
                    element.write(out);
                    Ok(())
                })?;
                if order != $own {
                    $crate::element::bytewise::swap::<$width>(out);
                }
                Ok(())
            }
        }

        // SAFETY: the type has one field, and no bytes beside it (asserted in `zero`; `Bytes` says that the field takes
        // any address). zerocopy makes the field of any bytes (`FromBytes`) and any bytes of it (`IntoBytes`: no
        // padding), and it has no interior mutability (`Immutable`); `bytewise::zero` demands all of these.
        unsafe impl<$($generics)*> $crate::element::record::InPlace for $type {
            const PADDED: bool = false;

            fn zero() -> Self {
                const { assert!(size_of::<Self>() == size_of::<$inner>() && align_of::<Self>() == 1) };
                Self($crate::element::bytewise::zero::<$inner>())
            }
        }

        impl<$($generics)*> $crate::ElementMut for $type {
            #[inline]
            fn view_mut(bytes: &mut [u8]) -> $crate::Result<&mut [Self]> {
                $crate::element::record::view_mut(bytes)
            }
        }

        impl<$($generics)*> Default for $type {
            fn default() -> Self {
                <Self as $crate::element::record::InPlace>::zero()
            }
        }
    };
}
pub(super) use bytewise;
