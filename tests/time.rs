//! Times and long doubles as NumPy converts them, and as jiff does.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod support;

use npymap::{DType, Datetime64, DatetimeUnit, Error, LongDouble, TimeUnit, Timedelta64};
use serde_json::Value;

fn unit(text: &str) -> TimeUnit {
    text.parse().unwrap()
}

fn lines(what: &str, default: u64) -> Vec<Value> {
    let [seed, cases] = support::seed_and_cases(default);
    let printed = support::python("convert_times", &[what, &cases, &seed]);
    let lines: Vec<_> = printed.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect();
    assert_eq!(lines.len().to_string(), cases);
    lines
}

#[test]
#[cfg_attr(miri, ignore = "runs Python")]
fn times_are_converted_as_numpy_does_and_where_it_wraps_there_is_an_error() {
    let (mut by_numpy, mut beyond, mut total) = (0, 0, 0);
    for case in lines("times", 6000) {
        let text = |at: usize| case[at].as_str().unwrap();
        let (count, from, to) = (case[1].as_i64().unwrap(), unit(text(2)), unit(text(3)));
        let (ours, shown) = match text(0) {
            "M" => {
                let time = Datetime64(count);
                (time.convert(from, to).map(|time| time.0), time.display(from).to_string())
            }
            _ => {
                let time = Timedelta64(count);
                (time.convert(from, to).map(|time| time.0), time.display(from).to_string())
            }
        };
        assert_eq!(shown, text(6), "{case}");
        match (text(4).parse::<i64>(), ours) {
            (Ok(exact), Ok(ours)) if exact != i64::MIN => assert_eq!(ours, exact, "{case}"),
            (Err(_) | Ok(i64::MIN), Err(Error::TimeOverflow { .. })) => beyond += 1,
            (_, ours) => panic!("{ours:?}: {case}"),
        }
        if let Some(numpys) = case[5].as_i64() {
            assert_eq!(numpys.to_string(), text(4), "NumPy itself: {case}");
            by_numpy += 1;
        }
        total += 1;
    }
    assert!(by_numpy > total / 4 && beyond > total / 10, "{by_numpy} by NumPy, {beyond} beyond 64 bits");
}

#[test]
#[cfg_attr(miri, ignore = "runs Python")]
fn long_doubles_and_doubles_are_converted_as_numpy_does_on_x86() {
    for case in lines("long_doubles", 4000) {
        let text = |at: usize| case[at].as_str().unwrap();
        let bytes = u128::from_str_radix(text(0), 16).unwrap().to_be_bytes();
        let value = LongDouble::from_le_bytes(bytes);
        assert_eq!(format!("{:016x}", value.to_f64().to_bits()), text(1), "{case}");
        let wide = LongDouble::from_f64(f64::from_bits(u64::from_str_radix(text(2), 16).unwrap()));
        let hexadecimal: String = wide.to_x87().iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(hexadecimal, text(3), "{case}");
    }
}

#[test]
fn rounding_is_towards_minus_infinity_and_a_month_is_its_first_instant() {
    let datetime = |count, from, to| Datetime64(count).convert(unit(from), unit(to)).unwrap().0;
    assert_eq!(datetime(-1, "s", "m"), -1);
    assert_eq!(datetime(-26, "s", "25s"), -2);
    assert_eq!(datetime(-1, "7s", "3s"), -3);
    assert_eq!(datetime(30, "D", "M"), 0);
    assert_eq!(datetime(-1, "D", "Y"), -1);
    assert_eq!(datetime(1, "Y", "W"), 52);
    assert_eq!(datetime(-1, "M", "W"), -5);
    assert_eq!(datetime(-9, "3M", "2Y"), -2);
    let timedelta = |count, from, to| Timedelta64(count).convert(unit(from), unit(to)).unwrap().0;
    assert_eq!(timedelta(-61, "s", "m"), -2);
    assert_eq!(timedelta(-13, "M", "Y"), -2);
    assert_eq!(timedelta(3, "Y", "M"), 36);
}

#[test]
fn the_ends_of_64_bits_are_converted_and_one_more_is_an_error() {
    let (days, seconds) = (unit("D"), unit("s"));
    let last = i64::MAX / 86_400;
    assert_eq!(Datetime64(last).convert(days, seconds).unwrap(), Datetime64(last * 86_400));
    assert_eq!(Datetime64(last + 1).convert(days, seconds).unwrap_err().kind(), "time_overflow");
    assert_eq!(Datetime64(-last - 1).seconds(days).unwrap_err().kind(), "time_overflow");
    // -2^63 means NaT, and is no time, not even where it is the right number.
    let half = i64::MIN / 2;
    assert_eq!(Timedelta64(half).convert(unit("2s"), seconds).unwrap_err().kind(), "time_overflow");
    assert_eq!(Timedelta64(half + 1).convert(unit("2s"), seconds).unwrap(), Timedelta64(i64::MIN + 2));
    // NumPy refuses the factor between these units, and multiplies by it before it divides.
    assert_eq!(Timedelta64(i64::MAX).convert(unit("as"), unit("h")).unwrap(), Timedelta64(0));
    let largest = unit("2147483647W");
    assert_eq!(Datetime64(i64::MAX).convert(largest, unit("as")).unwrap_err().kind(), "time_overflow");
    assert_eq!(Datetime64(i64::MAX).convert(largest, unit("2147483646W")).unwrap_err().kind(), "time_overflow");
    assert_eq!(Datetime64(i64::MAX - 1).convert(unit("2147483647Y"), unit("2147483647Y")).unwrap().0, i64::MAX - 1);
}

#[test]
fn nat_stays_nat_but_not_between_units_that_cannot_be_converted() {
    let (days, months) = (unit("D"), unit("M"));
    assert_eq!(Datetime64::NAT.convert(days, months).unwrap(), Datetime64::NAT);
    assert_eq!(Datetime64::NAT.seconds(days).unwrap(), None);
    assert_eq!(Timedelta64::NAT.nanoseconds(days).unwrap(), None);
    assert_eq!(Timedelta64::NAT.convert(days, months).unwrap_err().kind(), "time_conversion");
    assert_eq!(Datetime64::NAT.seconds(unit("generic")).unwrap_err().kind(), "time_conversion");
    assert_eq!(Datetime64(3).convert(unit("0s"), days).unwrap_err().kind(), "time_conversion");
    assert_eq!(Datetime64(3).convert(days, unit("0s")).unwrap_err().kind(), "time_conversion");
    assert_eq!(Datetime64(3).convert(unit("generic"), unit("generic")).unwrap(), Datetime64(3));
}

#[test]
fn exact_conversion_refuses_what_would_be_rounded() {
    let datetime = |count, from, to| Datetime64(count).convert_exact(unit(from), unit(to));
    assert_eq!(datetime(-120, "s", "m").unwrap(), Datetime64(-2));
    assert_eq!(datetime(31, "D", "M").unwrap(), Datetime64(1));
    for (count, from, to) in [(-121, "s", "m"), (32, "D", "M"), (31 * 24 + 1, "h", "M"), (13, "M", "Y"), (1, "s", "D")]
    {
        assert_eq!(datetime(count, from, to).unwrap_err().kind(), "time_inexact", "{count} {from} {to}");
    }
    assert_eq!(Datetime64::NAT.convert_exact(unit("s"), unit("m")).unwrap(), Datetime64::NAT);
}

#[test]
fn units_are_read_and_written_as_numpy_writes_them() {
    for text in ["Y", "25s", "generic", "2147483647as", "0D"] {
        assert_eq!(unit(text).to_string(), text);
    }
    assert_eq!(unit("[25s]"), TimeUnit::new(DatetimeUnit::Second, 25));
    assert_eq!(unit("D/24"), DatetimeUnit::Hour.into());
    assert_eq!(format!("{:>4}|", unit("ns")), "  ns|");
    for text in ["", "[]", "[ns", "B", "-1s", "2147483648s", "s/7x"] {
        assert_eq!(text.parse::<TimeUnit>().unwrap_err().kind(), "time_unit", "{text}");
    }
    assert_eq!(DType::from_descr(">m8[7D]").unwrap().time_unit(), Some(unit("7D")));
    assert_eq!(DType::Int8.time_unit(), None);
}

#[cfg(feature = "jiff")]
mod jiff {
    use ::jiff::civil::{DateTime, date};
    use ::jiff::{SignedDuration, Timestamp};
    use npymap::{Datetime64, Timedelta64};

    use super::unit;

    #[test]
    fn datetimes_are_timestamps_in_utc_and_civil_times_both_ways() {
        for (count, of, text) in [
            (-1, "s", "1969-12-31T23:59:59"),
            (601, "M", "2020-02-01T00:00:00"),
            (-11_969, "Y", "-009999-01-01T00:00:00"),
            (12, "25s", "1970-01-01T00:05:00"),
            (-1, "ns", "1969-12-31T23:59:59.999999999"),
            (1_500_000_000, "as", "1970-01-01T00:00:00.0000000015"),
            (3_000_000_000, "as", "1970-01-01T00:00:00.000000003"),
        ] {
            let civil: Option<DateTime> = text.parse().ok();
            let ours = Datetime64(count).to_civil(unit(of));
            let Some(civil) = civil else {
                assert_eq!(ours.unwrap_err().kind(), "time_inexact", "{text}");
                continue;
            };
            assert_eq!(ours.unwrap(), Some(civil), "{text}");
            assert_eq!(Datetime64::from_civil(civil, unit(of)).unwrap(), Datetime64(count), "{text}");
            // The first two days of jiff's years are civil times only.
            let Ok(timestamp) = format!("{text}Z").parse::<Timestamp>() else { continue };
            assert_eq!(Datetime64(count).to_timestamp(unit(of)).unwrap(), Some(timestamp), "{text}");
            assert_eq!(Datetime64::from_timestamp(timestamp, unit(of)).unwrap(), Datetime64(count), "{text}");
        }
        assert_eq!(Datetime64::NAT.to_timestamp(unit("s")).unwrap(), None);
        assert_eq!(Datetime64::NAT.to_civil(unit("s")).unwrap(), None);
    }

    #[test]
    fn what_one_side_cannot_hold_is_an_error() {
        let kind = |result: Result<Datetime64, npymap::Error>| result.unwrap_err().kind();
        let error = Datetime64(8030).to_timestamp(unit("Y")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "a datetime64[Y] of 8030 is out of the range of jiff::Timestamp, \
             -009999-01-02T01:59:59Z to 9999-12-30T22:00:00.999999999Z"
        );
        let half_second = "2020-01-01T00:00:00.5Z".parse().unwrap();
        assert_eq!(
            Datetime64::from_timestamp(half_second, unit("s")).unwrap_err().to_string(),
            "a jiff::Timestamp of 2020-01-01T00:00:00.5Z falls between two steps of datetime64[s]; \
             round it first (convert rounds down), or take a finer unit"
        );
        assert_eq!(Datetime64(i64::MAX).to_timestamp(unit("W")).unwrap_err().kind(), "time_overflow");
        assert_eq!(Datetime64(i64::MAX).to_civil(unit("2147483647W")).unwrap_err().kind(), "time_overflow");
        assert_eq!(Datetime64(1).to_timestamp(unit("ps")).unwrap_err().kind(), "time_inexact");
        assert_eq!(Datetime64(1).to_timestamp(unit("generic")).unwrap_err().kind(), "time_conversion");
        assert_eq!(kind(Datetime64::from_timestamp(Timestamp::MAX, unit("ns"))), "time_overflow");
        assert_eq!(kind(Datetime64::from_timestamp(Timestamp::MAX, unit("us"))), "time_inexact");
        assert_eq!(kind(Datetime64::from_civil(date(2020, 1, 2).at(0, 0, 0, 0), unit("M"))), "time_inexact");
        assert_eq!(kind(Datetime64::from_civil(DateTime::MIN, unit("as"))), "time_overflow");
        assert!(Datetime64::from_civil(DateTime::MIN, unit("us")).is_ok());
    }

    #[test]
    fn durations_come_back_as_they_were() {
        for (count, of, duration) in [
            (-3, "ns", SignedDuration::new(0, -3)),
            (-2, "W", SignedDuration::from_hours(-2 * 7 * 24)),
            (i64::MAX, "s", SignedDuration::from_secs(i64::MAX)),
            (5000, "ps", SignedDuration::from_nanos(5)),
        ] {
            assert_eq!(Timedelta64(count).to_duration(unit(of)).unwrap(), Some(duration));
            assert_eq!(Timedelta64::from_duration(duration, unit(of)).unwrap(), Timedelta64(count));
        }
        assert_eq!(Timedelta64::NAT.to_duration(unit("s")).unwrap(), None);
        assert_eq!(Timedelta64(1).to_duration(unit("M")).unwrap_err().kind(), "time_conversion");
        assert_eq!(Timedelta64(i64::MAX).to_duration(unit("2s")).unwrap_err().kind(), "time_overflow");
        assert_eq!(Timedelta64::from_duration(SignedDuration::MIN, unit("s")).unwrap_err().kind(), "time_overflow");
        assert_eq!(Timedelta64::from_duration(SignedDuration::MAX, unit("h")).unwrap_err().kind(), "time_inexact");
    }
}
