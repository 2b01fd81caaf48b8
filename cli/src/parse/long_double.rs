//! Decimal text to x87's 80 bits, of all numbers the nearest, ties to even. Knows digits, and nothing of columns.

use npymap::LongDouble;

/// Digits that are looked at: many times those that any number needs, and few enough to be fast.
const MOST_DIGITS: usize = 1000;

/// The top bit of a significand: the 1 before the point.
const LEADING: u64 = 1 << 63;

/// Where infinity begins, as the exponent field has it.
const INFINITE: u16 = 0x7fff;

/// What the lowest bit of the least number is worth, as a power of two.
const LEAST: i64 = -16_445;

/// 10^9, the largest power of ten in a limb.
const BILLION: u32 = 1_000_000_000;

/// Reads a number as Python and C write it; `None` for what is none, or has more than a thousand digits.
pub fn parse(text: &str) -> Option<LongDouble> {
    let (negative, magnitude) = match text.as_bytes().first()? {
        b'-' => (true, &text[1..]),
        b'+' => (false, &text[1..]),
        _ => (false, text),
    };
    let (exponent, significand) = match magnitude.to_ascii_lowercase().as_str() {
        "nan" => (INFINITE, LEADING | LEADING >> 1),
        "inf" | "infinity" => (INFINITE, LEADING),
        _ => finite(magnitude)?,
    };
    let [a, b, c, d, e, f, g, h] = significand.to_le_bytes();
    let [i, j] = (exponent | if negative { 0x8000 } else { 0 }).to_le_bytes();
    Some(LongDouble::from_x87([a, b, c, d, e, f, g, h, i, j]))
}

/// The exponent field and significand of `12.5e-3`.
fn finite(text: &str) -> Option<(u16, u64)> {
    let (mantissa, exponent) = match text.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, power(exponent)?),
        None => (text, 0),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let are_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    if whole.len() + fraction.len() == 0 || !are_digits(whole) || !are_digits(fraction) {
        return None;
    }
    let digits = [whole, fraction].concat();
    let digits = digits.trim_start_matches('0');
    if digits.len() > MOST_DIGITS {
        return None;
    }
    let ten = exponent - i64::try_from(fraction.len()).ok()?;
    // Where the first digit stands: above every number, or below the half of the least.
    match ten + i64::try_from(digits.len()).ok()? {
        _ if digits.is_empty() => return Some((0, 0)),
        4934.. => return Some((INFINITE, LEADING)),
        ..-4951 => return Some((0, 0)),
        _ => {}
    }
    let mut number = Natural::default();
    digits.bytes().for_each(|digit| number.multiply_and_add(10, u32::from(digit - b'0')));
    let mut left = u32::try_from(ten.unsigned_abs()).ok()?;
    let powers = std::iter::from_fn(|| {
        let now = left.min(9);
        left -= now;
        (now > 0).then(|| 10_u32.pow(now).min(BILLION))
    });
    if ten >= 0 {
        powers.for_each(|power| number.multiply_and_add(power, 0));
        return Some(number.rounded(0, false));
    }
    // Enough zeros behind it that the quotient has more bits than are kept: 10^3 is less than 2^10.
    let limbs = usize::try_from(ten.unsigned_abs()).ok()? * 10 / 3 / 32 + 4;
    number.0.splice(0..0, std::iter::repeat_n(0, limbs));
    let mut inexact = false;
    powers.for_each(|power| inexact |= number.divide(power) != 0);
    Some(number.rounded(-32 * i64::try_from(limbs).ok()?, inexact))
}

/// `-12`, `+5`; of a huge one, one that is as good as it.
fn power(text: &str) -> Option<i64> {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let magnitude = digits.parse().unwrap_or(i64::MAX).min(1 << 40);
    Some(if text.starts_with('-') { -magnitude } else { magnitude })
}

/// A natural number, in limbs of 32 bits, the lowest first.
#[derive(Default)]
struct Natural(Vec<u32>);

impl Natural {
    fn multiply_and_add(&mut self, factor: u32, summand: u32) {
        let mut carry = summand;
        for limb in &mut self.0 {
            let product = u64::from(*limb) * u64::from(factor) + u64::from(carry);
            (*limb, carry) = (low(product), low(product >> 32));
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    /// Divides, and returns the remainder.
    fn divide(&mut self, divisor: u32) -> u32 {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let dividend = u64::from(remainder) << 32 | u64::from(*limb);
            *limb = low(dividend / u64::from(divisor));
            remainder = low(dividend % u64::from(divisor));
        }
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
        remainder
    }

    /// Bit `at`, from the lowest.
    fn bit(&self, at: i64) -> bool {
        let limb = usize::try_from(at / 32).ok().and_then(|limb| self.0.get(limb));
        at >= 0 && limb.is_some_and(|limb| limb >> (at % 32) & 1 == 1)
    }

    /// The exponent field and significand of `self × 2^exponent`, or of a little more if `inexact`.
    fn rounded(&self, exponent: i64, inexact: bool) -> (u16, u64) {
        let Some(&top) = self.0.last() else { return (0, 0) };
        let bits = i64::try_from(self.0.len()).unwrap_or(0) * 32 - i64::from(top.leading_zeros());
        let mut lowest = (exponent + bits - 64).max(LEAST);
        let dropped = lowest - exponent;
        let kept = (0..64).rev().fold(0, |kept, at| kept << 1 | u64::from(self.bit(dropped + at)));
        let below = (0..dropped - 1).any(|at| self.bit(at)) || inexact;
        let up = self.bit(dropped - 1) && (below || kept & 1 == 1);
        let mut significand = kept.wrapping_add(u64::from(up));
        if up && significand == 0 {
            (significand, lowest) = (LEADING, lowest + 1);
        }
        if significand & LEADING == 0 {
            return (0, significand);
        }
        match u16::try_from(lowest + 63 + 16_383) {
            Ok(field) if field < INFINITE => (field, significand),
            _ => (INFINITE, LEADING),
        }
    }
}

/// The lower 32 bits.
fn low(number: u64) -> u32 {
    u32::try_from(number & u64::from(u32::MAX)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Exponent field and significand, sign included.
    fn parts(text: &str) -> Option<(u16, u64)> {
        let bytes = parse(text)?.to_x87();
        let (significand, exponent) = bytes.split_first_chunk::<8>().unwrap();
        Some((u16::from_le_bytes(exponent.try_into().unwrap()), u64::from_le_bytes(*significand)))
    }

    #[test]
    fn text_that_is_a_double_is_that_double() {
        for text in ["0", "-0.0", "1", "-1.5", "1e22", "2.5e-1", ".5", "5.", "1E+3", "18446744073709551615", "-iNf"] {
            let value: f64 = text.parse().unwrap();
            let parsed = parse(text).unwrap();
            assert_eq!(parsed.to_f64().to_bits(), value.to_bits(), "{text}");
            // But for the one that has more bits, all are exact.
            let is_exact = text.len() < 20;
            assert_eq!(parsed.to_x87() == LongDouble::from_f64(value).to_x87(), is_exact, "{text}");
        }
        assert!(parse("nan").unwrap().to_f64().is_nan());
    }

    #[test]
    fn numbers_are_rounded_as_strtold_does() {
        // Those of glibc, by NumPy.
        for (text, exponent, significand) in [
            ("0.1", 0x3ffb, 0xcccc_cccc_cccc_cccd),
            ("1.18973149535723176502e+4932", 0x7ffe, u64::MAX),
            ("1.18973149535723176515e+4932", 0x7fff, LEADING),
            ("3.6451995318824746025e-4951", 0, 1),
            ("1.8e-4951", 0, 0),
            ("1.9e-4951", 0, 1),
            ("3.3621031431120935063e-4932", 1, LEADING),
            ("36893488147419103233", 0x4040, LEADING),
            ("36893488147419103234", 0x4040, LEADING),
            ("36893488147419103235", 0x4040, LEADING | 1),
            ("36893488147419103237", 0x4040, LEADING | 1),
            ("36893488147419103238", 0x4040, LEADING | 2),
        ] {
            assert_eq!(parts(text), Some((exponent, significand)), "{text}");
        }
        // Just above a tie, far behind the point.
        let above = format!("1.0000000000000000000542101086242752217003726400434970855712890625{}1", "0".repeat(500));
        assert_eq!(parts(&above), Some((0x3fff, LEADING | 1)));
        assert_eq!(parts(&above[..above.len() - 1]), Some((0x3fff, LEADING)));
        assert_eq!(parts("1e99999999999999999999"), Some((0x7fff, LEADING)));
        assert_eq!(parts("-1e-99999999999999999999"), Some((0x8000, 0)));
    }

    #[test]
    fn what_is_no_number_is_none() {
        for text in
            ["", "-", ".", "e5", "1e", "1e+", "0x1", "1_0", "--1", "1.2.3", "nan1", " 1", "é", &"1".repeat(1001)]
        {
            assert!(parse(text).is_none(), "{text}");
        }
    }
}
