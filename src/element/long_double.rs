//! C's long double as x86 has it: bytes and conversions. Knows the bits of x87; its text is made in `view/`.

use super::real::Real;

/// C's `long double` as x86-64 stores it: x87's 80 bits in 16 bytes.
///
/// ```text
///  byte 0                       8            10              16
///      +------------------------+------------+---------------+
///      | 64-bit significand     | 15-bit     | padding, of   |   little-endian; the top bit of the significand,
///      | with its leading bit   | exponent,  | any contents  |   which is stored, is the leading bit; the top bit
///      |                        | 1-bit sign |               |   of byte 9 is the sign
///      +------------------------+------------+---------------+
/// ```
///
/// [`Display`](core::fmt::Display) prints all its digits, as NumPy does.
///
/// # Which files
///
/// - `<f16` and `<c32` written on x86-64 are what this type is for. `>f16` is the same, all 16 bytes turned round.
/// - `<f16` written on aarch64 and s390x is an IEEE quadruple, on ppc64le it can be a pair of doubles. Nothing in a file
///   tells which; such files are **misread**, here as by NumPy on x86-64. To be portable, save as `<f8`.
/// - `<f12` and `<c24` of 32-bit x86 hold the same ten bytes with two of padding. NumPy on x86-64 refuses their descr,
///   and so does this crate; [`from_f12`](Self::from_f12) converts elements that come from elsewhere.
/// - On Windows and on aarch64 macOS long double is `<f8`.
///
/// # Unusual bits
///
/// An exponent other than zero without the leading bit (unnormals, pseudo-infinities, pseudo-NaNs) is no number since
/// the 80387: it converts to NaN and equals nothing, as in NumPy, whose printing, like ours, doesn't look at the leading
/// bit. A zero exponent with it (pseudo-denormals) is valid, and far below what an `f64` holds.
#[derive(Clone, Copy)]
#[doc(alias = "longdouble")]
#[doc(alias = "float128")]
pub struct LongDouble([u8; 16]);

impl LongDouble {
    /// Takes the 16 bytes as `<f16` stores them; the last six are padding.
    #[must_use]
    pub const fn from_le_bytes(bytes: [u8; 16]) -> Self {
        Self(bytes)
    }

    /// Returns the 16 bytes as `<f16` stores them, padding included.
    #[must_use]
    pub const fn to_le_bytes(self) -> [u8; 16] {
        self.0
    }

    /// Takes the ten bytes as x87 stores them (`fstp`), lowest first; the padding becomes zero.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::LongDouble;
    ///
    /// let value = LongDouble::from_x87([0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0x3f]);
    /// assert_eq!(value.to_f64(), 1.5);
    /// assert_eq!(value, LongDouble::from_f64(1.5));
    /// ```
    #[must_use]
    pub const fn from_x87(bytes: [u8; 10]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j] = bytes;
        Self([a, b, c, d, e, f, g, h, i, j, 0, 0, 0, 0, 0, 0])
    }

    /// Returns the ten bytes as x87 stores them, lowest first.
    #[must_use]
    pub const fn to_x87(self) -> [u8; 10] {
        let [a, b, c, d, e, f, g, h, i, j, ..] = self.0;
        [a, b, c, d, e, f, g, h, i, j]
    }

    /// Takes the 12 bytes as `<f12` stores them on 32-bit x86; the last two are padding.
    #[must_use]
    pub const fn from_f12(bytes: [u8; 12]) -> Self {
        let [a, b, c, d, e, f, g, h, i, j, _, _] = bytes;
        Self::from_x87([a, b, c, d, e, f, g, h, i, j])
    }

    /// Returns the same number: every `f64` is a long double. A NaN keeps its payload and becomes a quiet one.
    #[must_use]
    pub fn from_f64(value: f64) -> Self {
        let bits = value.to_bits();
        let (sign, exponent, fraction) = (bits >> 63 << 15, bits >> 52 & 0x7ff, bits & ((1 << 52) - 1));
        let (exponent, significand) = match (exponent, fraction) {
            (0, 0) => (0, 0),
            (0, _) => {
                let zeros = fraction.leading_zeros();
                // The lowest bit of a subnormal double is worth 2^-1074, of this significand 2^(exponent - 16446).
                (15_372 - u64::from(zeros), fraction << zeros)
            }
            (0x7ff, 0) => (0x7fff, LEADING),
            (0x7ff, _) => (0x7fff, LEADING | QUIET | fraction << 11),
            _ => (exponent + 16_383 - 1023, LEADING | fraction << 11),
        };
        let [a, b, c, d, e, f, g, h] = significand.to_le_bytes();
        let [i, j, ..] = (sign | exponent).to_le_bytes();
        Self::from_x87([a, b, c, d, e, f, g, h, i, j])
    }

    /// Returns the nearest `f64`, ties to even; infinite if it is too large for one, and zero, with its sign, if it is
    /// closer to that than to the least subnormal. A NaN keeps its sign and the top of its payload, and becomes a quiet
    /// one.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        let (sign_and_exponent, significand) = self.parts();
        let sign = u64::from(sign_and_exponent) >> 15 << 63;
        match (is_valid(sign_and_exponent, significand), sign_and_exponent & 0x7fff, significand << 1) {
            // What x87 calls indefinite.
            (false, ..) => f64::from_bits(0xfff8 << 48),
            (true, 0x7fff, 0) => f64::from_bits(sign | 0x7ff0 << 48),
            (true, 0x7fff, payload) => f64::from_bits(sign | 0x7ff8 << 48 | payload >> 12),
            _ => self.real().to_f64(),
        }
    }

    /// The number as it is printed.
    pub(crate) fn real(self) -> Real {
        let (sign_and_exponent, significand) = self.parts();
        Real::from_x87(sign_and_exponent, significand)
    }

    fn parts(self) -> (u16, u64) {
        let [a, b, c, d, e, f, g, h, i, j, ..] = self.0;
        (u16::from_le_bytes([i, j]), u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }

    /// Sign, exponent and significand, alike where the numbers are equal; `None` if it equals nothing.
    fn key(self) -> Option<(bool, u16, u64)> {
        let (sign_and_exponent, significand) = self.parts();
        let exponent = sign_and_exponent & 0x7fff;
        let is_nan = exponent == 0x7fff && significand << 1 != 0;
        if is_nan || !is_valid(sign_and_exponent, significand) {
            return None;
        }
        if significand == 0 {
            return Some((false, 0, 0));
        }
        // A zero exponent means the same power of two as one.
        Some((sign_and_exponent >> 15 == 1, exponent.max(1), significand))
    }
}

/// The top bit of a significand: the 1 before the point.
const LEADING: u64 = 1 << 63;

/// The bit after that: it tells a quiet NaN from a signalling one.
const QUIET: u64 = 1 << 62;

/// Whether the leading bit is there, or the exponent is zero.
fn is_valid(sign_and_exponent: u16, significand: u64) -> bool {
    sign_and_exponent & 0x7fff == 0 || significand & LEADING != 0
}

/// As numbers compare: NaN differs from itself, -0 equals 0, padding doesn't count.
impl PartialEq for LongDouble {
    fn eq(&self, other: &Self) -> bool {
        self.key().is_some_and(|key| other.key() == Some(key))
    }
}

/// The same number, as [`LongDouble::from_f64`].
impl From<f64> for LongDouble {
    fn from(value: f64) -> Self {
        Self::from_f64(value)
    }
}

#[cfg(test)]
mod tests {
    use alloc::string::ToString;

    use super::*;
    use crate::{ByteOrder, DType, Value};

    fn x87(sign_and_exponent: u16, significand: u64) -> LongDouble {
        let mut bytes = [0; 10];
        bytes[..8].copy_from_slice(&significand.to_le_bytes());
        bytes[8..].copy_from_slice(&sign_and_exponent.to_le_bytes());
        LongDouble::from_x87(bytes)
    }

    #[test]
    fn long_doubles_keep_their_bytes_and_convert() {
        let mut bytes = [0xaa; 16];
        bytes[..10].copy_from_slice(&[0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xbf]);
        let value = LongDouble::from_le_bytes(bytes);
        assert_eq!((value.to_le_bytes(), value.to_f64(), value.to_string()), (bytes, -1.5, "-1.5".into()));
        assert_eq!(value.to_x87(), bytes[..10]);
        assert_eq!(LongDouble::from_f12(bytes[..12].try_into().unwrap()).to_x87(), bytes[..10]);
        let padded = LongDouble::from_le_bytes([&bytes[..10], &[0; 6]].concat().try_into().unwrap());
        assert_eq!(padded, value);
        bytes.reverse();
        assert_eq!(DType::LongDouble(ByteOrder::Big).value(&bytes).unwrap(), Value::LongDouble(value));
        let nan = LongDouble::from_le_bytes([255; 16]);
        assert!(nan != nan && nan.to_f64().is_nan());
    }

    #[test]
    fn every_f64_survives_the_way_there_and_back() {
        let some = [0.0, -0.0, 1.0, -1.5, 0.1, 1e300, f64::MAX, f64::MIN_POSITIVE, 5e-324, -1e-310, f64::INFINITY];
        for value in
            some.into_iter().chain([f64::NEG_INFINITY, f64::from_bits(1 << 51), f64::from_bits(0xfff8 << 48 | 7)])
        {
            assert_eq!(LongDouble::from(value).to_f64().to_bits(), value.to_bits(), "{value}");
        }
        let signalling = f64::from_bits(0x7ff0 << 48 | 7);
        assert_eq!(LongDouble::from(signalling).to_f64().to_bits(), 0x7ff8 << 48 | 7);
        assert_eq!(LongDouble::from(5e-324).to_x87(), x87(15_309, 1 << 63).to_x87());
    }

    #[test]
    fn ties_go_to_even_and_what_is_too_large_is_infinite() {
        assert_eq!(x87(0x3fff, LEADING | 1 << 10).to_f64(), 1.0);
        assert_eq!(x87(0x3fff, LEADING | 3 << 10).to_f64(), 1.0 + 2.0 * f64::EPSILON);
        assert_eq!(x87(0x3fff, LEADING | 1 << 10 | 1).to_f64(), 1.0 + f64::EPSILON);
        let top = 16_383 + 1023;
        assert_eq!(x87(top, u64::MAX << 10).to_f64(), f64::INFINITY);
        assert_eq!(x87(top, (u64::MAX << 10) - 1).to_f64(), f64::MAX);
        assert_eq!(x87(0x8000 | 0x7ffe, u64::MAX).to_f64(), f64::NEG_INFINITY);
        let least_half = 16_383 - 1075;
        assert_eq!(x87(least_half, LEADING).to_f64().to_bits(), 0);
        assert_eq!(x87(0x8000 | least_half, LEADING).to_f64().to_bits(), 1 << 63);
        assert_eq!(x87(least_half, LEADING | 1).to_f64(), 5e-324);
    }

    #[test]
    fn what_lacks_its_leading_bit_is_no_number() {
        for exponent in [1, 0x3fff, 0x7ffe, 0x7fff] {
            for significand in [0, 1, LEADING - 1] {
                let value = x87(exponent, significand);
                assert!(value != value, "{exponent} {significand}");
                assert_eq!(value.to_f64().to_bits(), 0xfff8 << 48);
            }
        }
        let pseudo_denormal = x87(0, LEADING | 1);
        assert_eq!(pseudo_denormal, x87(1, LEADING | 1));
        assert_eq!(pseudo_denormal.to_f64().to_bits(), 0);
    }
}
