//! datetime64 and timedelta64 as times of `jiff`, and back. Knows nothing of time zones: NumPy's datetimes have none.

use alloc::string::{String, ToString};

use ::jiff::civil::DateTime;
use ::jiff::{SignedDuration, Timestamp};

use super::time::narrow;
use super::unit::{self, Kind};
use crate::{Datetime64, DatetimeUnit, Error, Result, TimeUnit, Timedelta64};

const NANOSECOND: TimeUnit = TimeUnit::new(DatetimeUnit::Nanosecond, 1);

const EPOCH: DateTime = DateTime::constant(1970, 1, 1, 0, 0, 0, 0);

/// The time in nanoseconds, exactly, as one of jiff's; NaT is `None`.
fn read<T>(
    (kind, count, unit): (Kind, i64, TimeUnit),
    (name, range): (&str, [T; 2]),
    make: impl FnOnce(i128) -> Option<T>,
) -> Result<Option<T>>
where
    T: ToString,
{
    let converted = unit::convert(kind, count.into(), unit, NANOSECOND)?;
    if count == i64::MIN {
        return Ok(None);
    }
    let (value, from, to) = (|| count.to_string(), || kind.dtype(unit), || String::from(name));
    if converted.is_some_and(|converted| !converted.exact) {
        return Err(Error::TimeInexact { value: value(), from: from(), to: to() });
    }
    let made = converted.and_then(|converted| make(converted.count));
    made.map(Some).ok_or_else(|| {
        let [min, max] = range.map(|end| end.to_string());
        Error::TimeOverflow { value: value(), from: from(), to: to(), range: min + " to " + &max }
    })
}

/// The count of `unit` that so many nanoseconds are, exactly.
fn write(kind: Kind, nanoseconds: i128, unit: TimeUnit, name: &str, value: &impl ToString) -> Result<i64> {
    let converted = unit::convert(kind, nanoseconds, NANOSECOND, unit)?;
    narrow(converted, true, kind, unit, || (value.to_string(), name.into()))
}

/// With the feature `jiff`. Conversions are exact both ways: what would be rounded is an error. To round, use
/// [`convert`](Self::convert) before reading, and jiff's `round` before writing.
impl Datetime64 {
    /// Returns the time as a timestamp, taking it as UTC; NaT is `None`.
    ///
    /// # Errors
    ///
    /// [`TimeConversion`](Error::TimeConversion) for a unit that is generic or counts zero,
    /// [`TimeInexact`](Error::TimeInexact) where it is finer than nanoseconds and the time is, too,
    /// [`TimeOverflow`](Error::TimeOverflow) beyond jiff's years from -9999 to 9999.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{Datetime64, DatetimeUnit};
    ///
    /// let time = Datetime64(1_600_000_000).to_timestamp(DatetimeUnit::Second.into())?;
    /// assert_eq!(time.unwrap().to_string(), "2020-09-13T12:26:40Z");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn to_timestamp(self, unit: TimeUnit) -> Result<Option<Timestamp>> {
        let target = ("jiff::Timestamp", [Timestamp::MIN, Timestamp::MAX]);
        read((Kind::Datetime, self.0, unit), target, |nanoseconds| Timestamp::from_nanosecond(nanoseconds).ok())
    }

    /// Makes the time of a timestamp, in UTC.
    ///
    /// # Errors
    ///
    /// [`TimeConversion`](Error::TimeConversion) for a unit that is generic or counts zero,
    /// [`TimeInexact`](Error::TimeInexact) where it is coarser than the time,
    /// [`TimeOverflow`](Error::TimeOverflow) where the count doesn't fit into 64 bits: nanoseconds reach to 2262.
    ///
    /// # Examples
    ///
    /// ```
    /// use jiff::Timestamp;
    /// use npymap::{Datetime64, DatetimeUnit};
    ///
    /// let time = Timestamp::constant(0, -500_000_000); // 1969-12-31T23:59:59.5Z
    /// assert_eq!(Datetime64::from_timestamp(time, DatetimeUnit::Millisecond.into())?, Datetime64(-500));
    /// assert!(Datetime64::from_timestamp(time, DatetimeUnit::Second.into()).is_err());
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn from_timestamp(time: Timestamp, unit: TimeUnit) -> Result<Self> {
        write(Kind::Datetime, time.as_nanosecond(), unit, "jiff::Timestamp", &time).map(Self)
    }

    /// Returns the time as a date and a time of day without a time zone, which is what NumPy's are; NaT is `None`.
    ///
    /// # Errors
    ///
    /// Those of [`to_timestamp`](Self::to_timestamp).
    ///
    /// # Examples
    ///
    /// ```
    /// use jiff::civil::date;
    /// use npymap::{Datetime64, DatetimeUnit};
    ///
    /// let time = Datetime64(600).to_civil(DatetimeUnit::Month.into())?;
    /// assert_eq!(time, Some(date(2020, 1, 1).at(0, 0, 0, 0)));
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn to_civil(self, unit: TimeUnit) -> Result<Option<DateTime>> {
        let target = ("jiff::civil::DateTime", [DateTime::MIN, DateTime::MAX]);
        read((Kind::Datetime, self.0, unit), target, |nanoseconds| {
            EPOCH.checked_add(SignedDuration::try_from_nanos_i128(nanoseconds)?).ok()
        })
    }

    /// Makes the time of a date and a time of day.
    ///
    /// # Errors
    ///
    /// Those of [`from_timestamp`](Self::from_timestamp).
    pub fn from_civil(time: DateTime, unit: TimeUnit) -> Result<Self> {
        let nanoseconds = time.duration_since(EPOCH).as_nanos();
        write(Kind::Datetime, nanoseconds, unit, "jiff::civil::DateTime", &time).map(Self)
    }
}

/// With the feature `jiff`. Conversions are exact both ways: what would be rounded is an error. To round, use
/// [`convert`](Self::convert) before reading, and jiff's `round` before writing.
impl Timedelta64 {
    /// Returns the time as a duration; NaT is `None`.
    ///
    /// # Errors
    ///
    /// [`TimeConversion`](Error::TimeConversion) for a unit that is generic, counts zero, or is of years or months,
    /// [`TimeInexact`](Error::TimeInexact) where it is finer than nanoseconds and the time is, too,
    /// [`TimeOverflow`](Error::TimeOverflow) beyond 64 bits of seconds.
    ///
    /// # Examples
    ///
    /// ```
    /// use jiff::SignedDuration;
    /// use npymap::{DatetimeUnit, Timedelta64};
    ///
    /// let unit = DatetimeUnit::Millisecond.into();
    /// assert_eq!(Timedelta64(-1500).to_duration(unit)?, Some(SignedDuration::from_millis(-1500)));
    /// assert_eq!(Timedelta64::from_duration(SignedDuration::from_secs(2), unit)?, Timedelta64(2000));
    /// assert_eq!(Timedelta64::NAT.to_duration(unit)?, None);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn to_duration(self, unit: TimeUnit) -> Result<Option<SignedDuration>> {
        let target = ("jiff::SignedDuration", [SignedDuration::MIN, SignedDuration::MAX]);
        read((Kind::Timedelta, self.0, unit), target, SignedDuration::try_from_nanos_i128)
    }

    /// Makes the time of a duration.
    ///
    /// # Errors
    ///
    /// [`TimeConversion`](Error::TimeConversion) for a unit that is generic, counts zero, or is of years or months,
    /// [`TimeInexact`](Error::TimeInexact) where it is coarser than the duration,
    /// [`TimeOverflow`](Error::TimeOverflow) where the count doesn't fit into 64 bits.
    pub fn from_duration(duration: SignedDuration, unit: TimeUnit) -> Result<Self> {
        write(Kind::Timedelta, duration.as_nanos(), unit, "jiff::SignedDuration", &duration).map(Self)
    }
}
