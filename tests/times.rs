//! Times in other units, and long doubles as `f64`: as NumPy converts them.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod support;

use npymap::{Datetime64, Error, LongDouble, Result, TimeUnit, Timedelta64};

/// A time of either kind, converted; and its text.
fn convert(kind: &str, value: i64, from: TimeUnit, to: TimeUnit) -> (Result<i64>, String) {
    match kind {
        "M" => (Datetime64(value).convert(from, to).map(|time| time.0), Datetime64(value).display(from).to_string()),
        _ => (Timedelta64(value).convert(from, to).map(|time| time.0), Timedelta64(value).display(from).to_string()),
    }
}

#[test]
fn times_are_converted_as_numpy_does_and_where_it_wraps_around_is_an_error() {
    let [seed, cases] = support::seed_and_cases(5000);
    let printed = support::python("times", &["times", &seed, &cases]);
    let (mut overflows, mut refused, mut same) = (0, 0, 0);
    for line in printed.lines() {
        let [kind, from, to, value, wanted, text] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        let (from, to): (TimeUnit, TimeUnit) = (from.parse().unwrap(), to.parse().unwrap());
        let (converted, ours) = convert(kind, value.parse().unwrap(), from, to);
        assert_eq!(ours, text, "{line}");
        match (wanted, converted) {
            ("overflow", Err(Error::TimeOverflow { .. })) => overflows += 1,
            ("refused", Err(Error::TimeConversion { .. })) => refused += 1,
            (wanted, Ok(converted)) => {
                assert_eq!(converted.to_string(), wanted, "{line}");
                same += 1;
            }
            (_, Err(error)) => panic!("{line}: {error}"),
        }
    }
    assert_eq!(printed.lines().count().to_string(), cases);
    assert!(overflows > 100 && refused > 100 && same > 1000, "{overflows} {refused} {same}");
}

#[test]
fn exact_conversions_give_what_can_be_converted_back() {
    let [seed, cases] = support::seed_and_cases(5000);
    let (mut exact, mut inexact) = (0, 0);
    for line in support::python("times", &["times", &seed, &cases]).lines() {
        let [kind, from, to, value, ..] =
            line.split('\t').collect::<Vec<_>>().try_into().map(|v: [&str; 6]| v).unwrap();
        let (from, to): (TimeUnit, TimeUnit) = (from.parse().unwrap(), to.parse().unwrap());
        let value: i64 = value.parse().unwrap();
        let (Ok(converted), _) = convert(kind, value, from, to) else { continue };
        let (Ok(back), _) = convert(kind, converted, to, from) else { continue };
        let result = match kind {
            "M" => Datetime64(value).convert_exact(from, to).map(|time| time.0),
            _ => Timedelta64(value).convert_exact(from, to).map(|time| time.0),
        };
        match result {
            Ok(result) => {
                assert_eq!((result, back), (converted, value), "{line}");
                exact += 1;
            }
            // Rounded down, it may still come back where the other unit is the finer one and rounds as well.
            Err(Error::TimeInexact { .. }) => inexact += 1,
            Err(error) => panic!("{line}: {error}"),
        }
    }
    assert!(exact > 500 && inexact > 500, "{exact} {inexact}");
}

#[test]
fn long_doubles_become_the_f64_that_numpy_makes_of_them() {
    let [seed, cases] = support::seed_and_cases(3000);
    let printed = support::python("times", &["doubles", &seed, &cases]);
    let bytes = |hex: &str| -> Vec<u8> {
        (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
    };
    for line in printed.lines() {
        let [stored, double, back] = line.split(' ').map(bytes).collect::<Vec<_>>().try_into().unwrap();
        let ours = LongDouble::from_le_bytes(stored.as_slice().try_into().unwrap()).to_f64();
        let numpys = f64::from_le_bytes(double.as_slice().try_into().unwrap());
        assert_eq!(ours.to_bits(), numpys.to_bits(), "{line}: {ours:e} {numpys:e}");
        assert_eq!(LongDouble::from_f64(ours).to_x87(), back.as_slice(), "{line}");
    }
    assert_eq!(printed.lines().count().to_string(), cases);
}
