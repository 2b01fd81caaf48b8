//! datetime64 and timedelta64 as counts; the unit is the dtype's, and every method that needs it takes it.
#![expect(unsafe_code, reason = "tells bytemuck that a wrapper of i64 is as plain as i64")]

use alloc::format;
use alloc::string::{String, ToString};
use core::fmt;

use bytemuck::{Pod, Zeroable};

use super::calendar;
use super::plain::plain;
use super::record::Time;
use super::unit::{self, Converted, Kind};
use crate::{ByteOrder, DType, DatetimeUnit, Error, Result, TimeUnit};

/// One datetime64: a count of units since 1970-01-01T00:00. The unit is in the array's dtype
/// ([`DType::time_unit`]), and the methods that need it take it.
///
/// NumPy's datetimes know no time zone and no leap seconds; by convention they are UTC.
///
/// Orders as NumPy does but for NaT, which comes first here and compares unequal to itself there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Datetime64(pub i64);

/// One timedelta64: a count of units. The unit is in the array's dtype ([`DType::time_unit`]), and the methods that
/// need it take it.
///
/// Orders as NumPy does but for NaT, which comes first here and compares unequal to itself there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(transparent)]
pub struct Timedelta64(pub i64);

macro_rules! time {
    ($type:ident, $name:literal, $kind:ident) => {
        impl $type {
            /// "Not a time", NumPy's missing value.
            pub const NAT: Self = Self(i64::MIN);

            /// Returns whether this is [`NAT`](Self::NAT).
            #[must_use]
            pub const fn is_nat(self) -> bool {
                self.0 == i64::MIN
            }

            /// Converts the time, if the new unit can express it; NaT stays NaT.
            ///
            /// # Errors
            ///
            /// Those of [`convert`](Self::convert), and [`TimeInexact`](Error::TimeInexact) where that would round.
            pub fn convert_exact(self, from: TimeUnit, to: TimeUnit) -> Result<Self> {
                self.converted(from, to, true)
            }

            fn converted(self, from: TimeUnit, to: TimeUnit, exactly: bool) -> Result<Self> {
                if from == to {
                    return Ok(self);
                }
                let converted = unit::convert(Kind::$kind, self.0.into(), from, to)?;
                if self.is_nat() {
                    return Ok(self);
                }
                narrow(converted, exactly, Kind::$kind, to, || (self.0.to_string(), Kind::$kind.dtype(from))).map(Self)
            }

            /// The count of a unit that isn't the array's; NaT is `None`.
            fn counted(self, from: TimeUnit, to: DatetimeUnit) -> Result<Option<i64>> {
                let converted = self.convert(from, to.into())?;
                Ok(if converted.is_nat() { None } else { Some(converted.0) })
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

time!(Datetime64, "npymap::Datetime64", Datetime);
time!(Timedelta64, "npymap::Timedelta64", Timedelta);

impl Datetime64 {
    /// Returns the time as text: ISO 8601 down to its unit, as NumPy's `str` of the scalar.
    ///
    /// NumPy refuses to print a datetime of a generic unit; here it is a count.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{DType, Datetime64};
    ///
    /// let unit = DType::from_descr("<M8[25s]")?.time_unit().unwrap();
    /// assert_eq!(Datetime64(5).display(unit).to_string(), "1970-01-01T00:02:05");
    /// assert_eq!(Datetime64::NAT.display(unit).to_string(), "NaT");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "datetime_as_string")]
    pub fn display(self, unit: TimeUnit) -> impl fmt::Display {
        Text(calendar::datetime, self.0, unit)
    }

    /// Converts the time to another unit as NumPy's `astype` does, rounding down; NaT stays NaT.
    ///
    /// Down is towards minus infinity, also before 1970. A year or a month is its first instant. Exact over the whole
    /// range: where NumPy wraps around without a word, here is an error. A conversion to the same unit returns the time
    /// as it is, a generic one too.
    ///
    /// # Errors
    ///
    /// [`TimeConversion`](Error::TimeConversion) where one of the units is generic or counts zero, NaT or not;
    /// [`TimeOverflow`](Error::TimeOverflow) where the result doesn't fit into 64 bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{Datetime64, TimeUnit};
    ///
    /// let [days, months]: [TimeUnit; 2] = ["D".parse()?, "M".parse()?];
    /// assert_eq!(Datetime64(-1).convert(days, months)?, Datetime64(-1)); // 1969-12-31, 1969-12
    /// assert_eq!(Datetime64(-1).convert(months, days)?, Datetime64(-31)); // 1969-12-01
    /// assert!(Datetime64(200_000).convert(days, "ns".parse()?).is_err()); // 2517-08-02 is beyond 2262
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "astype")]
    pub fn convert(self, from: TimeUnit, to: TimeUnit) -> Result<Self> {
        self.converted(from, to, false)
    }

    /// Returns the whole seconds since 1970-01-01T00:00, rounded down; NaT is `None`.
    ///
    /// # Errors
    ///
    /// Those of [`convert`](Self::convert).
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{Datetime64, DatetimeUnit};
    ///
    /// assert_eq!(Datetime64(-1).seconds(DatetimeUnit::Day.into())?, Some(-86_400));
    /// assert_eq!(Datetime64(-1).seconds(DatetimeUnit::Nanosecond.into())?, Some(-1));
    /// assert_eq!(Datetime64::NAT.seconds(DatetimeUnit::Day.into())?, None);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "unix")]
    pub fn seconds(self, unit: TimeUnit) -> Result<Option<i64>> {
        self.counted(unit, DatetimeUnit::Second)
    }

    /// Returns the whole nanoseconds since 1970-01-01T00:00, rounded down; NaT is `None`. They reach from 1677 to 2262.
    ///
    /// # Errors
    ///
    /// Those of [`convert`](Self::convert).
    pub fn nanoseconds(self, unit: TimeUnit) -> Result<Option<i64>> {
        self.counted(unit, DatetimeUnit::Nanosecond)
    }
}

impl Timedelta64 {
    /// Returns the time as text, as NumPy's `str` of the scalar: `75 seconds`, `NaT`.
    #[must_use]
    pub fn display(self, unit: TimeUnit) -> impl fmt::Display {
        Text(calendar::timedelta, self.0, unit)
    }

    /// Converts the time to another unit as NumPy's `astype` does, rounding down; NaT stays NaT.
    ///
    /// Down is towards minus infinity: -1 s is -1 min. Exact over the whole range: where NumPy wraps around without a
    /// word, here is an error. Years convert to months and back, but not to any other unit: they have no fixed length.
    /// (NumPy takes averages over 400 years, 365.2425 and 30.436875 days, if it is told to cast unsafely.) A conversion
    /// to the same unit returns the time as it is, a generic one too.
    ///
    /// # Errors
    ///
    /// [`TimeConversion`](Error::TimeConversion) where one of the units is generic or counts zero, or just one is of
    /// years or months, NaT or not; [`TimeOverflow`](Error::TimeOverflow) where the result doesn't fit into 64 bits.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{Timedelta64, TimeUnit};
    ///
    /// let [quarters, seconds]: [TimeUnit; 2] = ["15m".parse()?, "s".parse()?];
    /// assert_eq!(Timedelta64(3).convert(quarters, seconds)?, Timedelta64(2700));
    /// assert_eq!(Timedelta64(-1).convert(seconds, quarters)?, Timedelta64(-1));
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "astype")]
    pub fn convert(self, from: TimeUnit, to: TimeUnit) -> Result<Self> {
        self.converted(from, to, false)
    }

    /// Returns the whole seconds, rounded down; NaT is `None`.
    ///
    /// # Errors
    ///
    /// Those of [`convert`](Self::convert).
    #[doc(alias = "total_seconds")]
    pub fn seconds(self, unit: TimeUnit) -> Result<Option<i64>> {
        self.counted(unit, DatetimeUnit::Second)
    }

    /// Returns the whole nanoseconds, rounded down; NaT is `None`. They reach 292 years.
    ///
    /// # Errors
    ///
    /// Those of [`convert`](Self::convert).
    pub fn nanoseconds(self, unit: TimeUnit) -> Result<Option<i64>> {
        self.counted(unit, DatetimeUnit::Nanosecond)
    }
}

/// Takes what fits into an element: no more than 64 bits, and not the count that means NaT. `source` is the time and
/// its type, for errors.
pub(super) fn narrow(
    converted: Option<Converted>,
    exactly: bool,
    kind: Kind,
    to: TimeUnit,
    source: impl FnOnce() -> (String, String),
) -> Result<i64> {
    let count = converted.and_then(|converted| i64::try_from(converted.count).ok());
    match (count, converted) {
        (Some(count), Some(converted)) if count != i64::MIN => {
            if exactly && !converted.exact {
                let (value, from) = source();
                return Err(Error::TimeInexact { value, from, to: kind.dtype(to) });
            }
            Ok(count)
        }
        _ => {
            let (value, from) = source();
            Err(Error::TimeOverflow { value, from, to: kind.dtype(to), range: format!("64 bits of {to}") })
        }
    }
}

/// A count and what writes it.
struct Text(fn(i64, TimeUnit) -> String, i64, TimeUnit);

impl fmt::Display for Text {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(write, count, unit) = *self;
        f.pad(&write(count, unit))
    }
}
