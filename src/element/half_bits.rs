//! Half-precision numbers as bits, widened and rounded. The types are in `order/scalar.rs`, and those of `half`.

/// Widens a half-precision number, NaN payloads included.
pub(crate) fn widen(half: u16) -> f32 {
    let bits = u32::from(half);
    let (sign, exponent, fraction) = (bits >> 15 << 31, bits >> 10 & 31, bits & 0x3ff);
    match exponent {
        0 => {
            // A count of 2^-24, which a float holds exactly.
            let magnitude = f32::from(half & 0x3ff) * f32::from_bits((127 - 24) << 23);
            if sign == 0 { magnitude } else { -magnitude }
        }
        31 => f32::from_bits(sign | 0xff << 23 | fraction << 13),
        _ => f32::from_bits(sign | (exponent + 127 - 15) << 23 | fraction << 13),
    }
}

/// Rounds a number to half precision, ties to even; a NaN keeps the upper bits of its payload, and stays one.
pub(crate) fn narrow(value: f32) -> u16 {
    let bits = value.to_bits();
    let magnitude = bits & 0x7fff_ffff;
    let half = match magnitude {
        0x7f80_0001.. => {
            let fraction = magnitude >> 13 & 0x3ff;
            0x7c00 | if fraction == 0 { 1 } else { fraction }
        }
        // From halfway between 65504 and 65536 on.
        0x477f_f000.. => 0x7c00,
        // Normal halves: the exponent is counted from 15 instead of 127, and a carry of the fraction runs into it.
        0x3880_0000.. => round(magnitude - ((127 - 15) << 23), 13),
        // Subnormal halves are a count of 2^-24. Below half of one, it is zero.
        0x3300_0000.. => round(magnitude & 0x007f_ffff | 0x0080_0000, 126 - (magnitude >> 23)),
        _ => 0,
    };
    let [low, high, ..] = (bits >> 16 & 0x8000 | half).to_le_bytes();
    u16::from_le_bytes([low, high])
}

/// Drops the lowest `drop` bits, to the nearest, ties to even.
fn round(bits: u32, drop: u32) -> u32 {
    let odd = bits >> drop & 1;
    (bits + (1 << (drop - 1)) - 1 + odd) >> drop
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn every_half_survives_the_way_there_and_back() {
        for half in 0..=u16::MAX {
            assert_eq!(narrow(widen(half)), half, "{half:#x}");
        }
    }

    #[test]
    fn what_is_between_two_halves_goes_to_the_nearest_and_ties_to_even() {
        let next = |half: u16| widen(half + 1);
        for half in [0_u16, 1, 2, 0x3ff, 0x400, 0x401, 0x3c00, 0x3c01, 0x7bfe] {
            let (low, high) = (widen(half), next(half));
            let middle = (low + high) / 2.0;
            let even = if half % 2 == 0 { half } else { half + 1 };
            assert_eq!(narrow(middle), even, "{half:#x}");
            assert_eq!(narrow(f32::from_bits(middle.to_bits() - 1)), half, "{half:#x}");
            assert_eq!(narrow(-f32::from_bits(middle.to_bits() + 1)), (half + 1) | 0x8000, "{half:#x}");
        }
        assert_eq!(narrow(65_519.996), 0x7bff);
        assert_eq!(narrow(65_520.0), 0x7c00);
        assert_eq!(narrow(f32::NEG_INFINITY), 0xfc00);
        assert!(widen(narrow(f32::from_bits(0x7f80_0001))).is_nan());
    }
}
