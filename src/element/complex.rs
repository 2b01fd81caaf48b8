//! Complex numbers of the `num-complex` crate, whose memory is that of NumPy's.

use num_complex::Complex;

use super::plain::plain;
use crate::{ByteOrder, DType};

plain!(Complex<f32>, "num_complex::Complex<f32>", DType::Complex64(ByteOrder::NATIVE),
order: |dtype| match *dtype { DType::Complex64(order) => Some(order), _ => None },
swap: |value| {
    Complex::new(f32::from_bits(value.re.to_bits().swap_bytes()), f32::from_bits(value.im.to_bits().swap_bytes()))
});

plain!(Complex<f64>, "num_complex::Complex<f64>", DType::Complex128(ByteOrder::NATIVE),
order: |dtype| match *dtype { DType::Complex128(order) => Some(order), _ => None },
swap: |value| {
    Complex::new(f64::from_bits(value.re.to_bits().swap_bytes()), f64::from_bits(value.im.to_bits().swap_bytes()))
});
