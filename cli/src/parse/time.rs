//! Times as ISO 8601 writes them, to counts of a unit. Knows the calendar, and nothing of columns.

use npymap::{DatetimeUnit, TimeUnit};

/// How many of its unit lie between 1970 and a time as ISO 8601 writes it, in UTC: `2026-12-01T06:30:00.5`, and its
/// beginnings. `None` for what is no time, and for one between two steps of the unit.
pub fn datetime(text: &str, unit: TimeUnit) -> Option<i64> {
    let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
    let rest = rest.strip_suffix('Z').unwrap_or(rest);
    let (date, time) = rest.split_once(['T', ' ']).unwrap_or((rest, ""));
    let mut date = date.split('-');
    let year = number(date.next()?)?;
    let year = if negative { -year } else { year };
    let month = date.next().map_or(Some(1), number)?;
    let day = date.next().map_or(Some(1), number)?;
    if date.next().is_some() || !(1..=12).contains(&month) || !(1..=days_of(year, month)).contains(&day) {
        return None;
    }
    let (clock, fraction) = time.split_once('.').unwrap_or((time, ""));
    let mut clock = if clock.is_empty() { None } else { Some(clock.split(':')) };
    let mut part = |most: i128| match clock.as_mut().and_then(Iterator::next) {
        Some(text) => number(text).filter(|value| *value <= most),
        None => Some(0),
    };
    let (hour, minute, second) = (part(23)?, part(59)?, part(59)?);
    if clock.is_some_and(|mut clock| clock.next().is_some()) || fraction.len() > 18 {
        return None;
    }
    let attoseconds = if fraction.is_empty() { 0 } else { number(&format!("{fraction:0<18}"))? };
    let months = (year - 1970) * 12 + month - 1;
    let is_start = |day: i128| day == 1 && (hour, minute, second, attoseconds) == (0, 0, 0, 0);
    let multiple = i128::from(unit.count);
    // NumPy allows steps of no units.
    let steps = |value: i128, step: i128| if step > 0 && value % step == 0 { Some(value / step) } else { None };
    let seconds = (days(year, month, day) * 24 + hour) * 3600 + minute * 60 + second;
    let count = match unit.unit {
        DatetimeUnit::Generic => return None,
        DatetimeUnit::Year => steps(months, 12 * multiple).filter(|_| is_start(day)),
        DatetimeUnit::Month => steps(months, multiple).filter(|_| is_start(day)),
        unit => {
            const ATTO: i128 = 1_000_000_000_000_000_000;
            let (per_unit, of_second) = match unit {
                DatetimeUnit::Week => (604_800, 1),
                DatetimeUnit::Day => (86_400, 1),
                DatetimeUnit::Hour => (3_600, 1),
                DatetimeUnit::Minute => (60, 1),
                DatetimeUnit::Second => (1, 1),
                DatetimeUnit::Millisecond => (1, 1_000),
                DatetimeUnit::Microsecond => (1, 1_000_000),
                DatetimeUnit::Nanosecond => (1, 1_000_000_000),
                DatetimeUnit::Picosecond => (1, 1_000_000_000_000),
                DatetimeUnit::Femtosecond => (1, 1_000_000_000_000_000),
                _ => (1, ATTO),
            };
            let within = steps(attoseconds, ATTO / of_second)?;
            steps(seconds.checked_mul(of_second)?.checked_add(within)?, per_unit * multiple)
        }
    };
    // The least is NaT.
    count.and_then(|count| i64::try_from(count).ok()).filter(|&count| count != i64::MIN)
}

fn number(text: &str) -> Option<i128> {
    let is_number = !text.is_empty() && text.len() <= 25 && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok()).flatten()
}

fn is_leap(year: i128) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of(year: i128, month: i128) -> i128 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Days between 1970 and a date of the proleptic Gregorian calendar, years counted from March.
fn days(year: i128, month: i128, day: i128) -> i128 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year.rem_euclid(400);
    let of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}
