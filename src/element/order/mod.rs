//! Elements of a stated byte order at any alignment: numbers by zerocopy here, other types in the files beside.
#![expect(unsafe_code, reason = "says of zerocopy's plain types that they are plain")]

use alloc::string::String;

use zerocopy::{BigEndian, FromBytes, Immutable, IntoBytes, KnownLayout, LittleEndian, Unaligned};

mod scalar;
mod string;

use super::record::InPlace;
use super::{Element, ElementMut, bytewise, check_lengths, mismatch, partial, swapped};
use crate::{ByteOrder, DType, Result};

/// Big-endian elements, of alignment 1: they view a big-endian file in place, at any offset.
///
/// `get()` gives the native value, `F64::new(1.5)` makes one of it; [`Str`](be::Str) is text.
pub mod be {
    pub use super::scalar::big::{Complex64, Complex128, ComplexLongDouble, Datetime64, F16, LongDouble, Timedelta64};
    pub use super::string::big::Str;
    pub use zerocopy::big_endian::{F32, F64, I16, I32, I64, U16, U32, U64};
}

/// Little-endian elements, of alignment 1: they view a file in place at any offset, on any machine.
///
/// `get()` gives the native value, `F64::new(1.5)` makes one of it; [`Str`](le::Str) is text.
pub mod le {
    pub use super::scalar::little::{
        Complex64, Complex128, ComplexLongDouble, Datetime64, F16, LongDouble, Timedelta64,
    };
    pub use super::string::little::Str;
    pub use zerocopy::little_endian::{F32, F64, I16, I32, I64, U16, U32, U64};
}

/// What the impls below have in common.
trait Ordered: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned {}
impl<T: FromBytes + IntoBytes + Immutable + KnownLayout + Unaligned> Ordered for T {}

fn zero<T: Ordered>() -> T {
    T::new_zeroed()
}

#[inline]
fn view<T: Element + Ordered>(bytes: &[u8]) -> Result<&[T]> {
    <[T]>::ref_from_bytes(bytes).map_err(|_| partial::<T>(bytes))
}

fn view_mut<T: Element + Ordered>(bytes: &mut [u8]) -> Result<&mut [T]> {
    if !bytes.len().is_multiple_of(size_of::<T>()) {
        return Err(partial::<T>(bytes));
    }
    <[T]>::mut_from_bytes(bytes).map_err(|error| partial::<T>(error.into_src()))
}

macro_rules! ordered {
    ($($type:ident $dtype:ident $($also:ident)?),+) => {$(
        ordered!(@impl $type, BigEndian, Big, "npymap::be::", $dtype $($also)?);
        ordered!(@impl $type, LittleEndian, Little, "npymap::le::", $dtype $($also)?);
    )+};
    (@impl $type:ident, $marker:ident, $order:ident, $module:literal, $dtype:ident $($also:ident)?) => {
        impl Element for zerocopy::byteorder::$type<$marker> {
            const ANY_BYTES: bool = true;

            fn name() -> String {
                concat!($module, stringify!($type)).into()
            }

            fn dtype() -> DType {
                DType::$dtype(ByteOrder::$order)
            }

            fn check(dtype: &DType) -> Result<()> {
                match ordered!(@stored dtype, $dtype $($also)?)? {
                    ByteOrder::$order => Ok(()),
                    order => Err(swapped::<Self>(dtype, order)),
                }
            }

            fn decode(dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
                let order = ordered!(@stored dtype, $dtype $($also)?)?;
                check_lengths(size_of::<Self>(), bytes.len(), out.len())?;
                out.copy_from_slice(view(bytes)?);
                if order != ByteOrder::$order {
                    bytewise::swap::<{ size_of::<Self>() }>(out.as_mut_bytes());
                }
                Ok(())
            }

            fn encode(dtype: &DType, elements: &[Self], out: &mut [u8]) -> Result<()> {
                let order = ordered!(@stored dtype, $dtype $($also)?)?;
                check_lengths(size_of::<Self>(), out.len(), elements.len())?;
                out.copy_from_slice(elements.as_bytes());
                if order != ByteOrder::$order {
                    bytewise::swap::<{ size_of::<Self>() }>(out);
                }
                Ok(())
            }

            #[inline]
            fn view(bytes: &[u8]) -> Result<&[Self]> {
                view(bytes)
            }

            #[inline]
            fn read(bytes: &[u8]) -> Result<Self> {
                Self::read_from_bytes(bytes).map_err(|_| partial::<Self>(bytes))
            }

            fn write(&self, out: &mut [u8]) {
                out.copy_from_slice(self.as_bytes());
            }

            fn as_stored(elements: &[Self]) -> Option<&[u8]> {
                Some(elements.as_bytes())
            }
        }

        // SAFETY: zerocopy makes this type of any bytes (`FromBytes`) and any bytes of it (`IntoBytes`: no padding), and
        // it has no interior mutability (`Immutable`); `zero` demands all three.
        unsafe impl InPlace for zerocopy::byteorder::$type<$marker> {
            const PADDED: bool = false;

            fn zero() -> Self {
                zero()
            }
        }

        impl ElementMut for zerocopy::byteorder::$type<$marker> {
            fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
                view_mut(bytes)
            }
        }
    };
    // In which byte order a dtype stores such numbers.
    (@stored $found:ident, $dtype:ident $($also:ident)?) => {
        match *$found {
            DType::$dtype(order) => Ok(order),
            $(DType::Datetime64(order, _) | DType::$also(order, _) => Ok(order),)?
            _ => Err(mismatch::<Self>($found, &Self::dtype())),
        }
    };
}

ordered!(
    I16 Int16, U16 UInt16, I32 Int32, U32 UInt32, I64 Int64 Timedelta64, U64 UInt64, F32 Float32, F64 Float64
);
