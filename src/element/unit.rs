//! Counts of one datetime unit as counts of another, exactly. Knows lengths and months, not types of times.

use alloc::format;
use alloc::string::{String, ToString};

use super::calendar::{civil, first_of_month};
use crate::{DatetimeUnit, Error, Result, TimeUnit};

/// Which of the two types a time has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Datetime,
    Timedelta,
}

impl Kind {
    /// Returns NumPy's name of the dtype: `datetime64[25s]`.
    pub(super) fn dtype(self, unit: TimeUnit) -> String {
        match self {
            Self::Datetime => format!("datetime64[{unit}]"),
            Self::Timedelta => format!("timedelta64[{unit}]"),
        }
    }
}

/// What one unit is made of.
enum Length {
    Months(i128),
    Attoseconds(i128),
}

const SECOND: i128 = 1_000_000_000_000_000_000;
const DAY: i128 = 86_400 * SECOND;

fn length(unit: DatetimeUnit) -> Option<Length> {
    Some(match unit {
        DatetimeUnit::Year => Length::Months(12),
        DatetimeUnit::Month => Length::Months(1),
        DatetimeUnit::Week => Length::Attoseconds(7 * DAY),
        DatetimeUnit::Day => Length::Attoseconds(DAY),
        DatetimeUnit::Hour => Length::Attoseconds(3600 * SECOND),
        DatetimeUnit::Minute => Length::Attoseconds(60 * SECOND),
        DatetimeUnit::Second => Length::Attoseconds(SECOND),
        DatetimeUnit::Millisecond => Length::Attoseconds(SECOND / 1000),
        DatetimeUnit::Microsecond => Length::Attoseconds(SECOND / 1_000_000),
        DatetimeUnit::Nanosecond => Length::Attoseconds(SECOND / 1_000_000_000),
        DatetimeUnit::Picosecond => Length::Attoseconds(SECOND / 1_000_000_000_000),
        DatetimeUnit::Femtosecond => Length::Attoseconds(1000),
        DatetimeUnit::Attosecond => Length::Attoseconds(1),
        DatetimeUnit::Generic => return None,
    })
}

/// A count in another unit, rounded towards minus infinity.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Converted {
    pub(super) count: i128,
    /// Whether nothing was rounded away.
    pub(super) exact: bool,
}

/// Converts a count, of 64 bits or of nanoseconds in 94, between units; `None` where the result is beyond 64 bits by far.
///
/// # Errors
///
/// [`Error::TimeConversion`], whatever the count.
pub(super) fn convert(kind: Kind, count: i128, from: TimeUnit, to: TimeUnit) -> Result<Option<Converted>> {
    let refused = |reason: String| Error::TimeConversion { from: kind.dtype(from), to: kind.dtype(to), reason };
    if let Some(zero) = [from, to].into_iter().find(|unit| unit.count == 0) {
        return Err(refused(format!("a step of {zero} has no length")));
    }
    let lengthless = || refused("a generic unit has no length; say what the counts mean".to_string());
    // 64 bits and the 32 of a multiple, or jiff's 94 of single nanoseconds: months and days of so many stay below 128.
    let steps = count.saturating_mul(from.count.into());
    let per = i128::from(to.count);
    Ok(match (length(from.unit).ok_or_else(lengthless)?, length(to.unit).ok_or_else(lengthless)?) {
        (Length::Months(had), Length::Months(wanted)) => Some(floor(steps.saturating_mul(had), wanted * per)),
        (Length::Attoseconds(had), Length::Attoseconds(wanted)) => scale(steps, had, wanted, per),
        _ if kind == Kind::Timedelta => {
            return Err(refused("months and years have no fixed length; NumPy takes an average".to_string()));
        }
        (Length::Months(had), Length::Attoseconds(wanted)) => scale(first_of_month(steps * had), DAY, wanted, per),
        (Length::Attoseconds(had), Length::Months(wanted)) => scale(steps, had, DAY, 1).map(|days| {
            let (year, month, day) = civil(days.count);
            let months = floor((year - 1970) * 12 + month - 1, wanted * per);
            Converted { exact: days.exact && day == 1 && months.exact, ..months }
        }),
    })
}

/// Counts of `had` as counts of `per` times `wanted`, of which lengths one divides the other.
fn scale(steps: i128, had: i128, wanted: i128, per: i128) -> Option<Converted> {
    if had >= wanted {
        Some(floor(steps.checked_mul(had / wanted)?, per))
    } else {
        Some(floor(steps, wanted / had * per))
    }
}

/// Divides by a positive number.
fn floor(count: i128, by: i128) -> Converted {
    Converted { count: count.div_euclid(by), exact: count.rem_euclid(by) == 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn days_and_months_agree_with_a_month_by_month_count() {
        let leap = |year: i128| (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
        let mut day = -25_567; // 1900-01-01
        for month in -840_i128..9600 {
            let (year, of_year) = (1970 + month.div_euclid(12), month.rem_euclid(12) + 1);
            assert_eq!((first_of_month(month), civil(day)), (day, (year, of_year, 1)), "{year}-{of_year}");
            day += match of_year {
                2 => 28 + i128::from(leap(year)),
                4 | 6 | 9 | 11 => 30,
                _ => 31,
            };
            assert_eq!(civil(day - 1).1, of_year, "{year}-{of_year}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn the_largest_counts_of_every_pair_of_units_are_converted_without_panic() {
        use DatetimeUnit as Unit;
        let units = [
            Unit::Year,
            Unit::Month,
            Unit::Week,
            Unit::Day,
            Unit::Hour,
            Unit::Minute,
            Unit::Second,
            Unit::Millisecond,
            Unit::Microsecond,
            Unit::Nanosecond,
            Unit::Picosecond,
            Unit::Femtosecond,
            Unit::Attosecond,
            Unit::Generic,
        ];
        let units = || units.into_iter().flat_map(|unit| [0, 1, u32::MAX].map(|count| TimeUnit { unit, count }));
        for (from, to) in units().flat_map(|from| units().map(move |to| (from, to))) {
            for count in [i64::MIN.into(), i64::MAX.into(), -1, 0, 1] {
                for kind in [Kind::Datetime, Kind::Timedelta] {
                    let usable = |unit: TimeUnit| unit.count > 0 && unit.unit != Unit::Generic;
                    let calendar = |unit: TimeUnit| matches!(unit.unit, Unit::Year | Unit::Month);
                    let fine = usable(from) && usable(to) && (kind == Kind::Datetime || calendar(from) == calendar(to));
                    let converted = convert(kind, count, from, to);
                    assert_eq!(converted.is_ok(), fine, "{kind:?} {from} {to}");
                    if let (Ok(Some(Converted { count: result, .. })), 0) = (converted, count) {
                        assert_eq!(result, 0);
                    }
                }
            }
        }
    }
}
