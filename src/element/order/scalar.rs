//! Scalars of a stated byte order that zerocopy has no types for: half and long floats, complex numbers, times.
#![expect(unsafe_code, reason = "says of wrapped bytes that they are plain")]

use core::cmp::Ordering;
use core::fmt;
use core::hash::{Hash, Hasher};

use crate::element::bytewise::bytewise;
use crate::element::half_bits::{narrow, widen};
use crate::element::record::Time;
use crate::{ByteOrder, DType, Datetime64, DatetimeUnit, LongDouble, TimeUnit, Timedelta64};

const GENERIC: TimeUnit = TimeUnit::new(DatetimeUnit::Generic, 1);

/// One type: `$native` values go in and come out.
macro_rules! scalar {
    (
        $(#[$doc:meta])*
        $type:ident($inner:ty) as $native:ty, $module:literal, $order:ident, $dtype:expr, $variant:pat,
        width: $width:literal, get: $get:expr, new: $new:expr
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy)]
        #[repr(transparent)]
        pub struct $type($inner);

        impl $type {
            /// Makes one of a native value.
            #[must_use]
            pub fn new(value: $native) -> Self {
                let new: fn($native) -> $inner = $new;
                Self(new(value))
            }

            /// Returns the native value.
            #[must_use]
            pub fn get(self) -> $native {
                let get: fn($inner) -> $native = $get;
                get(self.0)
            }
        }

        bytewise!([] $type, $inner,
            name: concat!("npymap::", $module, "::", stringify!($type)),
            dtype: $dtype,
            order: |dtype| if let $variant = dtype { dtype.byte_order() } else { None },
            own: ByteOrder::$order,
            width: $width);

        impl From<$native> for $type {
            fn from(value: $native) -> Self {
                Self::new(value)
            }
        }

        impl From<$type> for $native {
            fn from(value: $type) -> Self {
                value.get()
            }
        }

        /// As the native values compare.
        impl PartialEq for $type {
            fn eq(&self, other: &Self) -> bool {
                self.get() == other.get()
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.get().fmt(f)
            }
        }
    };
}

/// Bytes as they are stored from bytes with the lowest first, and back.
fn stored<const N: usize>(order: ByteOrder, mut bytes: [u8; N]) -> [u8; N] {
    if order == ByteOrder::Big {
        bytes.reverse();
    }
    bytes
}

macro_rules! scalars {
    ($module:literal, $order:ident, $endian:ident, $char:literal) => {
        scalar!(
            #[doc = concat!("A half-precision number, `", $char, "f2`, at any alignment.")]
            ///
            /// `get` gives an `f32`, exactly; `new` rounds to the nearest, ties to even. With the feature `half` it
            /// converts from and to `half::f16`.
            F16(zerocopy::$endian::U16) as f32, $module, $order,
            DType::Float16(ByteOrder::$order), DType::Float16(_),
            width: 2, get: |bits| widen(bits.get()), new: |value| zerocopy::$endian::U16::new(narrow(value))
        );

        impl F16 {
            /// Makes one of its bits.
            #[must_use]
            pub const fn from_bits(bits: u16) -> Self {
                Self(zerocopy::$endian::U16::new(bits))
            }

            /// Returns the bits.
            #[must_use]
            pub const fn to_bits(self) -> u16 {
                self.0.get()
            }
        }

        #[cfg(feature = "half")]
        impl From<half::f16> for F16 {
            fn from(value: half::f16) -> Self {
                Self::from_bits(value.to_bits())
            }
        }

        #[cfg(feature = "half")]
        impl From<F16> for half::f16 {
            fn from(value: F16) -> Self {
                Self::from_bits(value.to_bits())
            }
        }

        scalar!(
            #[doc = concat!("A long double, `", $char, "f16`, at any alignment: x87's, as [`LongDouble`](crate::LongDouble) says.")]
            LongDouble([u8; 16]) as super::LongDouble, $module, $order,
            DType::LongDouble(ByteOrder::$order), DType::LongDouble(_),
            width: 16,
            get: |bytes| super::LongDouble::from_le_bytes(stored(ByteOrder::$order, bytes)),
            new: |value| stored(ByteOrder::$order, value.to_le_bytes())
        );

        scalar!(
            #[doc = concat!("A complex number of two `f32`, `", $char, "c8`, at any alignment.")]
            ///
            /// `get` gives the real and the imaginary part. With the feature `num-complex` it converts from and to
            /// `num_complex::Complex<f32>`.
            Complex64([zerocopy::$endian::F32; 2]) as [f32; 2], $module, $order,
            DType::Complex64(ByteOrder::$order), DType::Complex64(_),
            width: 4, get: |parts| parts.map(|part| part.get()), new: |parts| parts.map(zerocopy::$endian::F32::new)
        );

        scalar!(
            #[doc = concat!("A complex number of two `f64`, `", $char, "c16`, at any alignment.")]
            ///
            /// `get` gives the real and the imaginary part. With the feature `num-complex` it converts from and to
            /// `num_complex::Complex<f64>`.
            Complex128([zerocopy::$endian::F64; 2]) as [f64; 2], $module, $order,
            DType::Complex128(ByteOrder::$order), DType::Complex128(_),
            width: 8, get: |parts| parts.map(|part| part.get()), new: |parts| parts.map(zerocopy::$endian::F64::new)
        );

        scalars!(@complex Complex64, f32);
        scalars!(@complex Complex128, f64);

        scalar!(
            #[doc = concat!("A complex number of two long doubles, `", $char, "c32`, at any alignment.")]
            ///
            /// `get` gives the real and the imaginary part.
            ComplexLongDouble([[u8; 16]; 2]) as [super::LongDouble; 2], $module, $order,
            DType::ComplexLongDouble(ByteOrder::$order), DType::ComplexLongDouble(_),
            width: 16,
            get: |parts| parts.map(|part| super::LongDouble::from_le_bytes(stored(ByteOrder::$order, part))),
            new: |parts| parts.map(|part| stored(ByteOrder::$order, part.to_le_bytes()))
        );

        scalar!(
            #[doc = concat!("A datetime64, `", $char, "M8`, at any alignment. The unit is in the array's dtype.")]
            Datetime64(zerocopy::$endian::I64) as super::Datetime64, $module, $order,
            DType::Datetime64(ByteOrder::$order, GENERIC), DType::Datetime64(..),
            width: 8,
            get: |count| super::Datetime64(count.get()),
            new: |time| zerocopy::$endian::I64::new(time.0)
        );

        scalar!(
            #[doc = concat!("A timedelta64, `", $char, "m8`, at any alignment. The unit is in the array's dtype.")]
            Timedelta64(zerocopy::$endian::I64) as super::Timedelta64, $module, $order,
            DType::Timedelta64(ByteOrder::$order, GENERIC), DType::Timedelta64(..),
            width: 8,
            get: |count| super::Timedelta64(count.get()),
            new: |time| zerocopy::$endian::I64::new(time.0)
        );

        impl PartialOrd for F16 {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                self.get().partial_cmp(&other.get())
            }
        }

        impl fmt::Display for F16 {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.get().fmt(f)
            }
        }

        scalars!(@time Datetime64);
        scalars!(@time Timedelta64);
    };
    (@time $type:ident) => {
        impl $type {
            /// "Not a time", NumPy's missing value.
            pub const NAT: Self = Self(I64::new(i64::MIN));

            /// Returns whether this is [`NAT`](Self::NAT).
            #[must_use]
            pub const fn is_nat(self) -> bool {
                self.0.get() == i64::MIN
            }
        }

        impl Eq for $type {}

        /// As the native values order: NaT comes first.
        impl Ord for $type {
            fn cmp(&self, other: &Self) -> Ordering {
                self.get().cmp(&other.get())
            }
        }

        impl PartialOrd for $type {
            fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
                Some(self.cmp(other))
            }
        }

        impl Hash for $type {
            fn hash<H: Hasher>(&self, state: &mut H) {
                self.get().hash(state);
            }
        }

        impl Time for $type {}
    };
    (@complex $type:ident, $part:ty) => {
        #[cfg(feature = "num-complex")]
        impl From<num_complex::Complex<$part>> for $type {
            fn from(value: num_complex::Complex<$part>) -> Self {
                Self::new([value.re, value.im])
            }
        }

        #[cfg(feature = "num-complex")]
        impl From<$type> for num_complex::Complex<$part> {
            fn from(value: $type) -> Self {
                let [re, im] = value.get();
                Self { re, im }
            }
        }
    };
}

pub mod big {
    //! Big-endian.
    use super::{ByteOrder, DType, GENERIC, Hash, Hasher, Ordering, Time, bytewise, fmt, narrow, stored, widen};
    use zerocopy::big_endian::I64;
    scalars!("be", Big, big_endian, ">");
}

pub mod little {
    //! Little-endian.
    use super::{ByteOrder, DType, GENERIC, Hash, Hasher, Ordering, Time, bytewise, fmt, narrow, stored, widen};
    use zerocopy::little_endian::I64;
    scalars!("le", Little, little_endian, "<");
}
