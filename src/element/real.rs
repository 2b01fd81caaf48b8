//! Binary floating-point numbers of every width taken apart. Knows bit layouts, and nothing of text.

use core::cmp::Ordering;

/// What a floating-point number can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Class {
    Finite,
    Infinite,
    Nan,
}

/// A floating-point number of 11, 24, 53 or 64 bits of precision: `±mantissa × 2^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Real {
    pub(crate) negative: bool,
    pub(crate) class: Class,
    pub(crate) mantissa: u64,
    pub(crate) exponent: i32,
    /// Bits of a normal number's mantissa: it says which type this is.
    pub(crate) precision: u32,
    /// Whether the neighbour towards zero is half as far away as the other: a power of two.
    pub(crate) unequal: bool,
}

impl Real {
    /// Puts the fields of an IEEE format together; `precision` counts the leading bit, stored or not.
    fn ieee(negative: bool, raw_exponent: u16, fraction: u64, precision: u32, exponent_bits: u32) -> Self {
        let all_ones = (1_i32 << exponent_bits) - 1;
        let raw = i32::from(raw_exponent);
        let class = match (raw == all_ones, fraction) {
            (false, _) => Class::Finite,
            (true, 0) => Class::Infinite,
            (true, _) => Class::Nan,
        };
        let leading = if raw == 0 { 0 } else { 1 << (precision - 1) };
        let exponent = raw.max(1) - all_ones / 2 + 1 - precision.cast_signed();
        Self { negative, class, mantissa: leading | fraction, exponent, precision, unequal: fraction == 0 && raw > 1 }
    }

    pub(crate) fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let raw = u16::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
        Self::ieee(value.is_sign_negative(), raw, bits & ((1 << 52) - 1), 53, 11)
    }

    pub(crate) fn from_f32(value: f32) -> Self {
        let bits = value.to_bits();
        let raw = u16::try_from(bits >> 23 & 0xff).unwrap_or(0);
        Self::ieee(value.is_sign_negative(), raw, u64::from(bits & ((1 << 23) - 1)), 24, 8)
    }

    /// From a half-precision number that was widened; one that no half is exactly counts as the nearest, ties to even.
    pub(crate) fn from_f16(value: f32) -> Self {
        const LEAST: i32 = -24; // the exponent of the last bit of a subnormal half
        let wide = Self::from_f32(value);
        let top = wide.exponent + 63 - wide.mantissa.leading_zeros().cast_signed();
        let exponent = (top - 10).max(LEAST);
        let dropped = exponent.abs_diff(wide.exponent).clamp(1, 63);
        let (kept, rest, half) = (wide.mantissa >> dropped, wide.mantissa & ((1 << dropped) - 1), 1 << (dropped - 1));
        let rounded = kept + u64::from(rest > half || (rest == half && kept & 1 == 1));
        let carry = i32::from(rounded >> 11 == 1);
        let (mantissa, exponent) = (rounded >> carry, exponent + carry);
        let unequal = mantissa == 1 << 10 && exponent > LEAST;
        Self { mantissa, exponent, precision: 11, unequal, ..wide }
    }

    /// From x87's 80 bits. Its stored leading bit is not looked at, as in NumPy's printing.
    pub(crate) fn from_x87(sign_and_exponent: u16, significand: u64) -> Self {
        let fraction = significand & (u64::MAX >> 1);
        Self::ieee(sign_and_exponent >> 15 == 1, sign_and_exponent & 0x7fff, fraction, 64, 15)
    }

    /// A positive number to compare with; it has no type.
    pub(crate) const fn positive(mantissa: u64, exponent: i32) -> Self {
        Self { negative: false, class: Class::Finite, mantissa, exponent, precision: 64, unequal: false }
    }

    pub(crate) fn is_finite(&self) -> bool {
        self.class == Class::Finite
    }

    pub(crate) fn is_zero(&self) -> bool {
        self.is_finite() && self.mantissa == 0
    }

    /// The magnitude as `m × 2^(e - 64)` with the highest bit of `m` set (zero: `e` as low as it goes).
    fn normalized(&self) -> (i32, u64) {
        if self.mantissa == 0 {
            return (i32::MIN, 0);
        }
        let zeros = self.mantissa.leading_zeros();
        (self.exponent + 64 - zeros.cast_signed(), self.mantissa << zeros)
    }

    /// Compares the magnitudes of two finite numbers.
    pub(crate) fn cmp_magnitude(&self, other: &Self) -> Ordering {
        self.normalized().cmp(&other.normalized())
    }

    /// Whether `self / other`, rounded to their type, is above 1000; both are finite, not zero, and `self` the larger.
    ///
    /// The quotient must be above the middle between 1000 and the number after it: `1000 + 2^(9 - precision)`.
    pub(crate) fn exceeds_thousandfold(&self, other: &Self) -> bool {
        let ((high, large), (low, small)) = (self.normalized(), other.normalized());
        let shift = high - low;
        if !(0..=10).contains(&shift) {
            return shift > 10;
        }
        let excess = (u128::from(large) << shift).checked_sub(u128::from(small) * 1000);
        excess.is_some_and(|excess| excess > u128::from(small >> (self.precision - 9)))
    }

    /// The nearest `f64`, ties to even.
    pub(crate) fn to_f64(self) -> f64 {
        let magnitude = match self.class {
            Class::Nan => f64::NAN,
            Class::Infinite => f64::INFINITY,
            Class::Finite => {
                let (top, mantissa) = self.normalized();
                // A double's lowest bit is worth 2^-1074; a normal one keeps 53 bits.
                let dropped = (-1010 - top.max(-2000)).clamp(11, 66).unsigned_abs();
                let wide = u128::from(mantissa);
                let (kept, rest, half) = (wide >> dropped, wide & ((1 << dropped) - 1), 1_u128 << (dropped - 1));
                let up = rest > half || (rest == half && kept & 1 == 1);
                let rounded = u64::try_from(kept).unwrap_or(0) + u64::from(up);
                // With the leading bit at its place, the exponent field adds up by itself, a carry included.
                let field = u64::try_from(top + 1021).unwrap_or(0);
                if field < 0x7fe { f64::from_bits((field << 52) + rounded) } else { f64::INFINITY }
            }
        };
        if self.negative { -magnitude } else { magnitude }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_apart_into_mantissa_and_exponent() {
        let parts = |real: Real| (real.mantissa, real.exponent, real.unequal);
        assert_eq!(parts(Real::from_f64(1.0)), (1 << 52, -52, true));
        assert_eq!(parts(Real::from_f64(5e-324)), (1, -1074, false));
        assert_eq!(parts(Real::from_f64(f64::MIN_POSITIVE)), (1 << 52, -1074, false));
        assert_eq!(parts(Real::from_f32(1.5)), (3 << 22, -23, false));
        assert_eq!(parts(Real::from_f16(1.5)), (3 << 9, -10, false));
        assert_eq!(parts(Real::from_f16(1.0 / 16_777_216.0)), (1, -24, false));
        assert_eq!(parts(Real::from_f16(1.0 / 16_384.0)), (1 << 10, -24, false));
        assert_eq!(parts(Real::from_f16(1.0 / 8192.0)), (1 << 10, -23, true));
        assert_eq!(parts(Real::from_f16(0.0)).0, 0);
        assert_eq!(parts(Real::from_f16(f32::MIN_POSITIVE)).0, 0);
        assert_eq!(parts(Real::from_f16(0.1)), (1638, -14, false));
        assert_eq!(parts(Real::from_f16(1.9999)), (1 << 10, -9, true));
        assert_eq!(parts(Real::from_x87(16383, 1 << 63)), (1 << 63, -63, true));
    }

    #[test]
    fn to_f64_gives_every_double_back() {
        for value in [0.0, -0.0, 1.0, -1.5, 1e300, f64::MAX, 5e-324, 1e-310, f64::MIN_POSITIVE, f64::NEG_INFINITY] {
            assert_eq!(Real::from_f64(value).to_f64().to_bits(), value.to_bits(), "{value}");
        }
        assert!(Real::from_f64(f64::NAN).to_f64().is_nan());
    }

    #[test]
    fn to_f64_rounds_to_nearest_even_also_among_subnormals() {
        let at = |mantissa, exponent| Real::positive(mantissa, exponent).to_f64();
        assert_eq!(at(u64::MAX, 0), 18446744073709551616.0);
        assert_eq!(at((1 << 63) | (1 << 10), -63), 1.0);
        assert_eq!(at((1 << 63) | (3 << 10), -63), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(at(1, -1075), 0.0);
        assert_eq!(at(3, -1076), 5e-324);
        assert_eq!(at(1, -16445), 0.0);
        assert_eq!(at(1, 1024), f64::INFINITY);
    }

    #[test]
    fn thousandfold_rounds_as_the_division_in_the_type_does() {
        let (one, next) = (Real::from_f64(1.0), Real::from_f64(1000.0000000000001));
        assert!(!Real::from_f64(1000.0).exceeds_thousandfold(&one));
        assert!(next.exceeds_thousandfold(&one));
        let third = Real::from_f64(1.0 / 3.0);
        assert_eq!(
            Real::from_f64(333.3333333333334).exceeds_thousandfold(&third),
            333.3333333333334 / (1.0 / 3.0) > 1000.0
        );
        assert!(Real::from_f64(1e300).exceeds_thousandfold(&Real::from_f64(5e-324)));
    }
}
