//! Floating-point numbers as decimal digits, exactly as NumPy's `dragon4` gives them.
//!
//! Digits come from the free-format algorithm of Steele and White, and Burger and Dybvig ("Printing Floating-Point
//! Numbers Quickly and Accurately"), with NumPy's two cutoffs. Knows nothing of arrays.

use alloc::string::String;
use alloc::vec::Vec;
use core::cmp::Ordering;
use core::fmt::Write;

use crate::element::real::{Class, Real};

/// A natural number: 32-bit limbs from the lowest, the highest not zero.
struct Natural(Vec<u32>);

impl Natural {
    fn new(value: u64) -> Self {
        let mut limbs = Vec::with_capacity(8);
        push_limbs(&mut limbs, value);
        Self(limbs)
    }

    fn shift_left(&mut self, bits: u32) {
        self.multiply(1 << (bits % 32));
        if !self.0.is_empty() {
            let zeros = usize::try_from(bits / 32).unwrap_or(0);
            self.0.splice(0..0, core::iter::repeat_n(0, zeros));
        }
    }

    fn multiply(&mut self, factor: u32) {
        let mut carry = 0;
        for limb in &mut self.0 {
            carry += u64::from(*limb) * u64::from(factor);
            *limb = low(carry);
            carry >>= 32;
        }
        push_limbs(&mut self.0, carry);
    }

    fn multiply_by_power_of_ten(&mut self, mut exponent: u32) {
        while exponent > 0 {
            let step = exponent.min(9);
            self.multiply(10_u32.pow(step));
            exponent -= step;
        }
    }

    /// `self + times × other`, compared with `limit`.
    fn plus_cmp(&self, times: u32, other: &Self, limit: &Self) -> Ordering {
        let mut sum = Vec::with_capacity(limit.0.len() + 1);
        let mut carry = 0;
        for at in 0..self.0.len().max(other.0.len()) {
            carry += u64::from(self.limb(at)) + u64::from(times) * u64::from(other.limb(at));
            sum.push(low(carry));
            carry >>= 32;
        }
        push_limbs(&mut sum, carry);
        Self(sum).cmp(limit)
    }

    fn limb(&self, at: usize) -> u32 {
        self.0.get(at).copied().unwrap_or(0)
    }

    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }

    /// Subtracts `times × other`, which is no larger.
    fn subtract(&mut self, times: u32, other: &Self) {
        let (mut carry, mut borrow) = (0, false);
        for (at, limb) in self.0.iter_mut().enumerate() {
            carry += u64::from(times) * u64::from(other.limb(at));
            let (difference, under) = limb.overflowing_sub(low(carry));
            let (difference, under_again) = difference.overflowing_sub(u32::from(borrow));
            *limb = difference;
            borrow = under || under_again;
            carry >>= 32;
        }
        let used = self.0.iter().rposition(|&limb| limb != 0).map_or(0, |top| top + 1);
        self.0.truncate(used);
    }

    /// Leaves the remainder of the division by `divisor`, and returns the quotient, which is below 10.
    ///
    /// The highest limb of `divisor` must be in 2^27..2^28, so that its leading limb alone tells the quotient or one
    /// less.
    fn divide(&mut self, divisor: &Self) -> u8 {
        let top = divisor.0.len() - 1;
        let mut quotient = self.limb(top) / (divisor.limb(top) + 1);
        self.subtract(quotient, divisor);
        if self.cmp(divisor).is_ge() {
            self.subtract(1, divisor);
            quotient += 1;
        }
        u8::try_from(quotient).unwrap_or(9)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "masked")]
fn low(limbs: u64) -> u32 {
    (limbs & u64::from(u32::MAX)) as u32
}

fn push_limbs(limbs: &mut Vec<u32>, mut value: u64) {
    while value > 0 {
        limbs.push(low(value));
        value >>= 32;
    }
}

/// Where digits end. Both limits count digits after the point, or all digits.
#[derive(Clone, Copy)]
enum Cutoff {
    Fraction { most: Option<i32>, least: Option<i32> },
    Total { most: Option<i32>, least: Option<i32> },
}

/// Decimal digits, each 0 to 9; the first one is worth `10^exponent`.
struct Digits {
    digits: Vec<u8>,
    exponent: i32,
}

/// The shortest digits that tell the finite number from its neighbours; no more than the upper limit allows, the last
/// one rounded; at least as many as the lower limit asks, exact ones.
fn digits(real: &Real, cutoff: Cutoff) -> Digits {
    if real.mantissa == 0 {
        return Digits { digits: alloc::vec![0], exponent: 0 };
    }
    if let Cutoff::Fraction { most: None, least: None } | Cutoff::Total { most: None, least: None } = cutoff
        && let Some(digits) = standard_digits(real)
    {
        return digits;
    }
    // value / scale is the number, margin / scale half the distance to the neighbour below, all of them times 2 or 4
    // so that the halves are whole.
    let doublings = if real.unequal { 2 } else { 1 };
    let up_margin = if real.unequal { 2 } else { 1 };
    let (mut value, mut scale, mut margin) = (Natural::new(real.mantissa), Natural::new(1), Natural::new(1));
    let (above, below) = (real.exponent.max(0).unsigned_abs(), real.exponent.min(0).unsigned_abs());
    value.shift_left(above + doublings);
    scale.shift_left(below + doublings);
    margin.shift_left(above);

    // floor(log10(number)) + 1, or one less: log10(2) in 32 fractional bits is good to 1/500,000 here, and no power of
    // two in the range of an x87 number is so near to a power of ten.
    let top_bit = i64::from(real.exponent) + 63 - i64::from(real.mantissa.leading_zeros());
    let mut position = i32::try_from((top_bit * 1_292_913_986) >> 32).unwrap_or(0) + 1;
    if let Cutoff::Fraction { most: Some(most), .. } = cutoff {
        position = position.max(1 - most);
    }
    if position > 0 {
        scale.multiply_by_power_of_ten(position.unsigned_abs());
    } else {
        value.multiply_by_power_of_ten(position.unsigned_abs());
        margin.multiply_by_power_of_ten(position.unsigned_abs());
    }
    if value.cmp(&scale).is_ge() {
        position += 1;
    } else {
        value.multiply(10);
        margin.multiply(10);
    }
    let (last, enough) = match cutoff {
        Cutoff::Fraction { most, least } => (most.map(|n| -n), least.map(|n| -n)),
        Cutoff::Total { most, least } => (most.map(|n| position - n), least.map(|n| position - n)),
    };
    let mut exponent = position - 1;

    let leading = scale.0.last().map_or(0, |limb| limb.leading_zeros());
    let shift = (leading + 32 - 4) % 32; // brings the highest bit of the divisor to bit 27 of its limb
    value.shift_left(shift);
    scale.shift_left(shift);
    margin.shift_left(shift);

    let even = real.mantissa & 1 == 0; // then its limits themselves round to it
    let mut digits = Vec::with_capacity(20);
    let (digit, low, high) = loop {
        position -= 1;
        let digit = value.divide(&scale);
        let below = value.cmp(&margin);
        let above = value.plus_cmp(up_margin, &margin, &scale);
        let low = below.is_lt() || (even && below.is_eq());
        let high = above.is_gt() || (even && above.is_eq());
        if ((low || high) && enough.is_none_or(|enough| position <= enough)) || last == Some(position) {
            break (digit, low, high);
        }
        digits.push(digit);
        value.multiply(10);
        margin.multiply(10);
    };
    let down = if low == high {
        value.multiply(2);
        let half = value.cmp(&scale);
        half.is_lt() || (half.is_eq() && digit % 2 == 0)
    } else {
        low
    };
    digits.push(if down { digit } else { digit + 1 });
    while digits.last() == Some(&10) {
        digits.pop();
        match digits.last_mut() {
            Some(digit) => *digit += 1,
            None => {
                digits.push(1);
                exponent += 1;
            }
        }
    }
    Digits { digits, exponent }
}

/// The shortest digits from the standard library, which finds them several times faster, where they are those of
/// `dragon4`: both take the nearest of the shortest, but break ties differently, and powers of two as well.
fn standard_digits(real: &Real) -> Option<Digits> {
    let mut text = String::with_capacity(24);
    let value = real.to_f64().abs();
    // Writing to a String cannot fail.
    let _ = match real.precision {
        _ if real.unequal => return None,
        #[expect(clippy::cast_possible_truncation, reason = "the number is an f32")]
        24 => write!(text, "{:e}", value as f32),
        53 => write!(text, "{value:e}"),
        _ => return None,
    };
    let (number, exponent) = text.split_once('e')?;
    let exponent = exponent.parse().ok()?;
    let digits: Vec<u8> = number.bytes().filter(u8::is_ascii_digit).map(|digit| digit - b'0').collect();
    // Of a tie, the exact digits are one more, and as many bits follow the point as digits.
    let fraction_digits = i32::try_from(digits.len()).ok()? - 1 - exponent;
    let fraction_bits = -(real.exponent + real.mantissa.trailing_zeros().cast_signed());
    (fraction_bits != fraction_digits + 1).then_some(Digits { digits, exponent })
}

/// What becomes of zeros at the end of a fraction: NumPy's `trim`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Trim {
    /// They stay, and more come up to the least number of digits: `k`.
    Keep,
    /// They go, the point stays: `.`.
    Point,
    /// They go but for one after the point: `0`.
    OneZero,
    /// They go, and the point with them: `-`.
    All,
}

/// How a number is written.
#[derive(Clone, Copy)]
pub(super) struct Style {
    /// Digits after the point at most.
    pub(super) most: Option<i32>,
    /// Digits after the point at least.
    pub(super) least: Option<i32>,
    /// What becomes of zeros at the end.
    pub(super) trim: Trim,
    /// Whether positive numbers get a `+`.
    pub(super) plus: bool,
    /// Characters before the point at least, spaces to the left.
    pub(super) before: usize,
    /// Digits of the exponent at least.
    pub(super) exponent: usize,
}

impl Style {
    pub(super) const SHORTEST: Self =
        Self { most: None, least: None, trim: Trim::Point, plus: false, before: 0, exponent: 2 };
}

/// Writes `12.5` or, of what is not finite, `nan`, `inf`, `-inf`.
pub(super) fn positional(real: &Real, style: &Style) -> String {
    if let Some(text) = not_finite(real, style.plus) {
        return text;
    }
    let Digits { digits, exponent } = digits(real, Cutoff::Fraction { most: style.most, least: style.least });
    let whole = usize::try_from(exponent + 1).unwrap_or(0);
    let zeros = usize::try_from(-1 - exponent).unwrap_or(0);
    let digit = |at: usize| digits.get(at).copied().unwrap_or(0);
    let before: String = if whole == 0 { "0".into() } else { (0..whole).map(|at| character(digit(at))).collect() };
    let after = core::iter::repeat_n(&0, zeros).chain(digits.get(whole..).unwrap_or(&[]));
    join(real.negative, &before, after.map(|&digit| character(digit)).collect(), style)
}

/// Writes `1.25e+01` or, of what is not finite, `nan`, `inf`, `-inf`.
pub(super) fn scientific(real: &Real, style: &Style) -> String {
    if let Some(text) = not_finite(real, style.plus) {
        return text;
    }
    let plus_one = |n: Option<i32>| n.map(|n| n + 1);
    let Digits { digits, exponent } =
        digits(real, Cutoff::Total { most: plus_one(style.most), least: plus_one(style.least) });
    let mut all = digits.iter().map(|&digit| character(digit));
    let before = String::from_iter(all.next());
    let mut text = join(real.negative, &before, all.collect(), style);
    let sign = if exponent < 0 { '-' } else { '+' };
    // Writing to a String cannot fail.
    let _ = write!(text, "e{sign}{:01$}", exponent.unsigned_abs(), style.exponent);
    text
}

fn not_finite(real: &Real, plus: bool) -> Option<String> {
    match (real.class, real.negative) {
        (Class::Finite, _) => None,
        (Class::Nan, _) => Some("nan".into()),
        (Class::Infinite, true) => Some("-inf".into()),
        (Class::Infinite, false) => Some(if plus { "+inf" } else { "inf" }.into()),
    }
}

fn character(digit: u8) -> char {
    char::from(b'0' + digit)
}

fn join(negative: bool, whole: &str, mut fraction: String, style: &Style) -> String {
    if style.trim == Trim::Keep {
        let least = usize::try_from(style.least.unwrap_or(0)).unwrap_or(0);
        fraction.extend(core::iter::repeat_n('0', least.saturating_sub(fraction.len())));
    } else {
        fraction.truncate(fraction.trim_end_matches('0').len());
    }
    if style.trim == Trim::OneZero && fraction.is_empty() {
        fraction.push('0');
    }
    let point = if style.trim == Trim::All && fraction.is_empty() { "" } else { "." };
    let sign = if negative {
        "-"
    } else if style.plus {
        "+"
    } else {
        ""
    };
    let spaces = style.before.saturating_sub(whole.len() + sign.len());
    alloc::format!("{:spaces$}{sign}{whole}{point}{fraction}", "")
}

/// Writes a number as NumPy's `str` does a scalar: positional from 1e-4 up to a limit that depends on the type.
pub(super) fn scalar(real: &Real, positional_trim: Trim, plus: bool) -> String {
    /// 1e-4 as a long double.
    const LEAST: Real = Real::positive(15_111_572_745_182_864_684, -77);
    let most = match real.precision {
        11 => 1_000,
        24 => 1_000_000,
        _ => 10_000_000_000_000_000,
    };
    let within = real.cmp_magnitude(&LEAST).is_ge() && real.cmp_magnitude(&Real::positive(most, 0)).is_lt();
    let style = Style { trim: positional_trim, plus, ..Style::SHORTEST };
    if real.is_zero() || within {
        positional(real, &style)
    } else {
        scientific(real, &Style { trim: Trim::All, ..style })
    }
}

/// Writes a complex number as NumPy's `str` does a scalar: `(1+2j)`, or `2j` where the real part is a positive zero.
pub(super) fn complex_scalar([re, im]: &[Real; 2]) -> String {
    if re.is_zero() && !re.negative {
        return alloc::format!("{}j", scalar(im, Trim::All, false));
    }
    let plus = if im.class == Class::Nan { "+" } else { "" }; // NumPy prints no sign of its own for nan
    alloc::format!("({}{plus}{}j)", scalar(re, Trim::All, false), scalar(im, Trim::All, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f64_scalar(value: f64) -> String {
        scalar(&Real::from_f64(value), Trim::OneZero, false)
    }

    fn f32_scalar(value: f32) -> String {
        scalar(&Real::from_f32(value), Trim::OneZero, false)
    }

    fn without_standard(real: &Real) -> (Vec<u8>, i32) {
        // The upper limit is never reached, but it keeps the standard library out.
        let Digits { digits, exponent } = digits(real, Cutoff::Total { most: Some(1000), least: None });
        (digits, exponent)
    }

    #[test]
    fn scalars_switch_to_an_exponent_where_numpy_does() {
        assert_eq!([1e-4, 9.9e-5, 1e15, 1e16].map(f64_scalar), ["0.0001", "9.9e-05", "1000000000000000.0", "1e+16"]);
        assert_eq!([1e-4, 999999.94, 1e6].map(f32_scalar), ["1e-04", "999999.94", "1e+06"]);
        let f16 = |value| scalar(&Real::from_f16(value), Trim::OneZero, false);
        assert_eq!([999.5, 1000.0, 2049.0, 65504.0].map(f16), ["999.5", "1e+03", "2.048e+03", "6.55e+04"]);
        assert_eq!([0.0, -0.0, f64::NAN, -f64::NAN].map(f64_scalar), ["0.0", "-0.0", "nan", "nan"]);
        assert_eq!([f64::INFINITY, f64::NEG_INFINITY].map(f64_scalar), ["inf", "-inf"]);
        assert_eq!([5e-324, f64::MAX].map(f64_scalar), ["5e-324", "1.7976931348623157e+308"]);
    }

    #[test]
    fn ties_go_to_the_even_digit_unlike_in_rust() {
        assert_eq!(f32_scalar(2_097_152.0 + 0.25), "2.0971522e+06");
        assert_eq!(format(1_125_899_906_842_624.0 + 0.25), "1125899906842624.2");
        fn format(value: f64) -> String {
            positional(&Real::from_f64(value), &Style::SHORTEST)
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn long_doubles_have_all_their_digits() {
        let tenth = Real::from_x87(16379, 0xcccc_cccc_cccc_cccd);
        assert_eq!(scalar(&tenth, Trim::OneZero, false), "0.1");
        let double_tenth = Real::from_x87(16379, 0xcccc_cccc_cccc_d000);
        assert_eq!(scalar(&double_tenth, Trim::OneZero, false), "0.10000000000000000555");
        let max = Real::from_x87(0x7ffe, u64::MAX);
        assert_eq!(scalar(&max, Trim::OneZero, false), "1.189731495357231765e+4932");
        let least = Real::from_x87(0, 1);
        assert_eq!(scalar(&least, Trim::OneZero, false), "4e-4951");
    }

    #[test]
    fn cutoffs_round_the_exact_value() {
        let style = |most, least, trim| Style { most, least, trim, ..Style::SHORTEST };
        let f16 = Real::from_f16(0.1);
        assert_eq!(positional(&f16, &Style::SHORTEST), "0.1");
        assert_eq!(positional(&f16, &style(None, Some(8), Trim::Keep)), "0.09997559");
        assert_eq!(scientific(&f16, &style(Some(3), Some(3), Trim::Keep)), "9.998e-02");
        let value = Real::from_f64(0.999999999);
        assert_eq!(positional(&value, &style(Some(8), None, Trim::Point)), "1.");
        assert_eq!(scientific(&value, &style(Some(8), None, Trim::Point)), "9.99999999e-01");
        assert_eq!(positional(&Real::from_f64(2.5), &style(Some(0), None, Trim::Point)), "2.");
        assert_eq!(positional(&Real::from_f64(0.001), &style(Some(2), None, Trim::Point)), "0.");
        assert_eq!(positional(&Real::from_f64(0.006), &style(Some(2), None, Trim::Point)), "0.01");
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn standard_digits_are_those_of_dragon4() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut tried = 0;
        for round in 0..10_000 {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            // A quarter of all have few bits: ties are among them.
            let bits = if round % 4 == 0 { state & (u64::MAX << 44) } else { state };
            let reals = [Real::from_f64(f64::from_bits(bits)), Real::from_f32(f32::from_bits(low(bits >> 32)))];
            for real in reals.iter().filter(|real| real.is_finite() && real.mantissa != 0) {
                if let Some(Digits { digits, exponent }) = standard_digits(real) {
                    assert_eq!((digits, exponent), without_standard(real), "{real:?}");
                    tried += 1;
                }
            }
        }
        assert!(tried > 17_000);
        for at in 0..4096_u16 {
            // Eighths and quarters beside the last bit of a float: every other one is a tie.
            let real = Real::from_f32(1_048_576.0 + f32::from(at) / 8.0);
            let Digits { digits, exponent } = digits(&real, Cutoff::Total { most: None, least: None });
            assert_eq!((digits, exponent), without_standard(&real), "{real:?}");
        }
    }

    #[test]
    fn complex_scalars_have_parentheses_unless_purely_imaginary() {
        let text = |re, im| complex_scalar(&[Real::from_f64(re), Real::from_f64(im)]);
        assert_eq!(text(1.0, 2.0), "(1+2j)");
        assert_eq!(text(0.0, -2.5), "-2.5j");
        assert_eq!(text(-0.0, 1.0), "(-0+1j)");
        assert_eq!(text(f64::NAN, f64::NEG_INFINITY), "(nan-infj)");
        assert_eq!(text(f64::INFINITY, f64::NAN), "(inf+nanj)");
        assert_eq!(text(1e16, 1e-5), "(1e+16+1e-05j)");
    }
}
