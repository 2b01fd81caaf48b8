//! The proleptic Gregorian calendar, and the texts of datetime64 and timedelta64 in every unit. Knows nothing of arrays.

use alloc::format;
use alloc::string::String;

use crate::{DatetimeUnit, TimeUnit};

/// NumPy's "not a time".
pub(crate) const NAT: i64 = i64::MIN;

/// Writes a datetime64 as ISO 8601 down to its unit, as NumPy does: `2020`, `2020-01`, `2020-01-01T00:00`, `NaT`.
///
/// The arithmetic wraps where NumPy 2.4's does (years and days at the very ends of 64 bits, multiples that don't
/// fit), so that the texts agree. NumPy refuses to print a datetime without a unit; here it is printed as a count.
pub(crate) fn datetime(count: i64, time: TimeUnit) -> String {
    if count == NAT {
        return "NaT".into();
    }
    let count = count.wrapping_mul(i64::from(time.count));
    let (per_day, fraction) = match time.unit {
        DatetimeUnit::Generic => return timedelta(count, time),
        DatetimeUnit::Year => return format!("{:04}", count.wrapping_add(1970)),
        DatetimeUnit::Month => return format!("{:04}-{:02}", count.div_euclid(12) + 1970, count.rem_euclid(12) + 1),
        DatetimeUnit::Week => return date(count.wrapping_mul(7)),
        DatetimeUnit::Day => return date(count),
        DatetimeUnit::Hour => (24, 0),
        DatetimeUnit::Minute => (24 * 60, 0),
        DatetimeUnit::Second => (SECONDS, 0),
        DatetimeUnit::Millisecond => (SECONDS, 3),
        DatetimeUnit::Microsecond => (SECONDS, 6),
        DatetimeUnit::Nanosecond => (SECONDS, 9),
        DatetimeUnit::Picosecond => (SECONDS, 12),
        DatetimeUnit::Femtosecond => (SECONDS, 15),
        DatetimeUnit::Attosecond => (SECONDS, 18),
    };
    const SECONDS: i64 = 24 * 60 * 60;
    let per_second = 10_i64.pow(fraction);
    let (whole, rest) = (count.div_euclid(per_second), count.rem_euclid(per_second));
    let (day, time_of_day) = (date(whole.div_euclid(per_day)), whole.rem_euclid(per_day));
    match per_day {
        24 => format!("{day}T{time_of_day:02}"),
        1440 => format!("{day}T{:02}:{:02}", time_of_day / 60, time_of_day % 60),
        _ => {
            let (hour, minute, second) = (time_of_day / 3600, time_of_day / 60 % 60, time_of_day % 60);
            let day = format!("{day}T{hour:02}:{minute:02}:{second:02}");
            if fraction == 0 {
                return day;
            }
            let width = usize::try_from(fraction).unwrap_or(0);
            format!("{day}.{rest:0width$}")
        }
    }
}

/// Writes a timedelta64 as NumPy's `str` does the scalar: `21 days`, `NaT`.
pub(crate) fn timedelta(count: i64, time: TimeUnit) -> String {
    if count == NAT {
        return "NaT".into();
    }
    let name = match time.unit {
        DatetimeUnit::Year => "years",
        DatetimeUnit::Month => "months",
        DatetimeUnit::Week => "weeks",
        DatetimeUnit::Day => "days",
        DatetimeUnit::Hour => "hours",
        DatetimeUnit::Minute => "minutes",
        DatetimeUnit::Second => "seconds",
        DatetimeUnit::Millisecond => "milliseconds",
        DatetimeUnit::Microsecond => "microseconds",
        DatetimeUnit::Nanosecond => "nanoseconds",
        DatetimeUnit::Picosecond => "picoseconds",
        DatetimeUnit::Femtosecond => "femtoseconds",
        DatetimeUnit::Attosecond => "attoseconds",
        DatetimeUnit::Generic => "generic time units",
    };
    format!("{} {name}", count.wrapping_mul(i64::from(time.count)))
}

/// Writes the date of a day counted from 1970-01-01.
fn date(day: i64) -> String {
    // NumPy counts from 2000-01-01, and this step wraps as its does.
    let (year, month, day) = civil(i128::from(day.wrapping_sub(JANUARY_2000)) + i128::from(JANUARY_2000));
    format!("{year:04}-{month:02}-{day:02}")
}

/// Days from 1970-01-01 to 2000-01-01.
const JANUARY_2000: i64 = 10_957;

/// Days from 1970-01-01 to 2000-03-01. Counted from there, the leap day ends a year, four years, a century and a cycle.
const MARCH_2000: i128 = 11_017;

/// Days in 400 years.
const CYCLE: i128 = 146_097;

/// Returns the year, the month from 1 and the day from 1 of a day counted from 1970-01-01.
pub(super) fn civil(day: i128) -> (i128, i128, i128) {
    let from_2000 = day - MARCH_2000;
    let (cycle, mut day) = (from_2000.div_euclid(CYCLE), from_2000.rem_euclid(CYCLE));
    let century = (day / 36_524).min(3);
    day -= century * 36_524;
    let four = day / 1461;
    day -= four * 1461;
    let one = (day / 365).min(3);
    day -= one * 365;
    // Months from March on have 31, 30, 31, 30, 31 days, over and over.
    let month = (day * 5 + 2) / 153;
    let day_of_month = day - (month * 153 + 2) / 5 + 1;
    let year = cycle * 400 + century * 100 + four * 4 + one + 2000;
    // A year of March to February.
    (if month < 10 { year } else { year + 1 }, (month + 2) % 12 + 1, day_of_month)
}

/// Returns the first day of a month counted from 1970-01, as a count from 1970-01-01.
pub(super) fn first_of_month(month: i128) -> i128 {
    // From 2000-03 on, as in `civil`.
    let from_2000 = month - 30 * 12 - 2;
    let (year, month) = (from_2000.div_euclid(12), from_2000.rem_euclid(12));
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    MARCH_2000 + 365 * year + leap_days + (month * 153 + 2) / 5
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(count: i64, unit: DatetimeUnit) -> String {
        datetime(count, TimeUnit { unit, count: 1 })
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn dates_are_those_of_a_day_by_day_count() {
        let leap = |year: i64| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let (mut year, mut month, mut day) = (1559, 4, 26);
        for count in -150_000_i64..150_000 {
            assert_eq!(date(count), format!("{year:04}-{month:02}-{day:02}"));
            let days = match month {
                2 => 28 + i64::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            day += 1;
            if day > days {
                (month, day) = (month + 1, 1);
            }
            if month > 12 {
                (year, month) = (year + 1, 1);
            }
        }
    }

    #[test]
    fn every_unit_prints_down_to_itself() {
        assert_eq!(at(-1, DatetimeUnit::Year), "1969");
        assert_eq!(at(-1971, DatetimeUnit::Year), "-001");
        assert_eq!(at(-1, DatetimeUnit::Month), "1969-12");
        assert_eq!(at(-1, DatetimeUnit::Week), "1969-12-25");
        assert_eq!(at(-1, DatetimeUnit::Hour), "1969-12-31T23");
        assert_eq!(at(-1, DatetimeUnit::Minute), "1969-12-31T23:59");
        assert_eq!(at(12345678901, DatetimeUnit::Second), "2361-03-21T19:15:01");
        assert_eq!(at(-1, DatetimeUnit::Millisecond), "1969-12-31T23:59:59.999");
        assert_eq!(at(i64::MAX, DatetimeUnit::Nanosecond), "2262-04-11T23:47:16.854775807");
        assert_eq!(at(1 - i64::MAX - 1, DatetimeUnit::Attosecond), "1969-12-31T23:59:50.776627963145224193");
        assert_eq!(at(NAT, DatetimeUnit::Day), "NaT");
    }

    #[test]
    fn ends_of_the_range_wrap_as_numpy_2_4_does() {
        assert_eq!(at(i64::MAX, DatetimeUnit::Year), "-9223372036854773839");
        assert_eq!(at(-i64::MAX, DatetimeUnit::Month), "-768614336404562681-06");
        assert_eq!(at(-i64::MAX, DatetimeUnit::Day), "25252734927768524-07-29");
        assert_eq!(at(i64::MAX, DatetimeUnit::Week), "25252734927768524-07-21");
        let seven = |unit| TimeUnit { unit, count: 7 };
        assert_eq!(datetime(-i64::MAX, seven(DatetimeUnit::Hour)), "-1052197288654970-03-24T23");
        assert_eq!(timedelta(-i64::MAX, seven(DatetimeUnit::Day)), "-9223372036854775801 days");
    }
}
