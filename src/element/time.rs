//! datetime64 and timedelta64 as counts; the unit is the dtype's.
#![expect(unsafe_code, reason = "tells bytemuck that a wrapper of i64 is as plain as i64")]

use bytemuck::{Pod, Zeroable};

use super::plain::plain;
use super::record::Time;
use crate::{ByteOrder, DType, DatetimeUnit, TimeUnit};

/// One datetime64: a count of units since 1970-01-01T00:00. The unit is in the array's dtype.
///
/// Orders as NumPy does but for NaT, which comes first here and compares unequal to itself there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Datetime64(pub i64);

/// One timedelta64: a count of units. The unit is in the array's dtype.
///
/// Orders as NumPy does but for NaT, which comes first here and compares unequal to itself there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Timedelta64(pub i64);

macro_rules! time {
    ($type:ident, $name:literal) => {
        impl $type {
            /// "Not a time", NumPy's missing value.
            pub const NAT: Self = Self(i64::MIN);

            /// Returns whether this is [`NAT`](Self::NAT).
            #[must_use]
            pub const fn is_nat(self) -> bool {
                self.0 == i64::MIN
            }
        }

        // SAFETY: the only field is an `i64`, of which all zeros is a value, and `repr(transparent)` makes the layouts
        // equal.
        unsafe impl Zeroable for $type {}

        // SAFETY: the only field is an `i64`, and `repr(transparent)` makes the layouts equal: any bits are a value,
        // there is no padding and no interior mutability, and the type is `Copy` and `'static`.
        unsafe impl Pod for $type {}

        plain!($type, $name, DType::$type(ByteOrder::NATIVE, TimeUnit { unit: DatetimeUnit::Generic, count: 1 }),
            order: |dtype| match *dtype { DType::$type(order, _) => Some(order), _ => None },
            swap: |value| Self(value.0.swap_bytes()));
    };
}

impl Time for Datetime64 {}
impl Time for Timedelta64 {}

time!(Datetime64, "npymap::Datetime64");
time!(Timedelta64, "npymap::Timedelta64");
