//! The units of datetime64 and timedelta64, as a descr's brackets spell them.

/// A unit's name in `npymap::DatetimeUnit`, and how many of it make one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub name: &'static str,
    pub count: u32,
}

/// Reads `ns`, `25s`; NumPy takes counts from 0 to 2³¹ - 1.
pub fn parse(text: &str) -> Option<Unit> {
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (count, name) = text.split_at(digits);
    let count = if count.is_empty() { 1 } else { count.parse().ok()? };
    let name = match name {
        "Y" => "Year",
        "M" => "Month",
        "W" => "Week",
        "D" => "Day",
        "h" => "Hour",
        "m" => "Minute",
        "s" => "Second",
        "ms" => "Millisecond",
        "us" | "\u{3bc}s" => "Microsecond",
        "ns" => "Nanosecond",
        "ps" => "Picosecond",
        "fs" => "Femtosecond",
        "as" => "Attosecond",
        _ => return None,
    };
    i32::try_from(count).is_ok().then_some(Unit { name, count })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_a_descr() {
        let unit = |name, count| Some(Unit { name, count });
        assert_eq!(parse("ns"), unit("Nanosecond", 1));
        assert_eq!(parse("25s"), unit("Second", 25));
        assert_eq!(parse("7\u{3bc}s"), unit("Microsecond", 7));
        assert_eq!(parse("0D"), unit("Day", 0));
        assert_eq!(parse("2147483647M"), unit("Month", i32::MAX.unsigned_abs()));
        for wrong in ["", "25", "2147483648s", "99999999999s", "-1s", "+1s", " s", "s ", "sec", "generic", "\u{b5}s"] {
            assert_eq!(parse(wrong), None, "{wrong}");
        }
    }
}
