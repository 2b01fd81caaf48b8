//! 16-bit floats of the `half` crate.

use half::{bf16, f16};

use super::plain::plain;
use crate::{ByteOrder, DType};

plain!(f16, "half::f16", DType::Float16(ByteOrder::NATIVE),
    order: |dtype| match *dtype { DType::Float16(order) => Some(order), _ => None },
    swap: |value| f16::from_bits(value.to_bits().swap_bytes()));

// NumPy has no bfloat16: ml_dtypes writes it as `<V2`, two raw bytes in the byte order of the writer, which the descr
// doesn't tell. Every machine that writes them is little-endian.
plain!(bf16, "half::bf16", DType::Void(2),
    order: |dtype| (*dtype == DType::Void(2)).then_some(ByteOrder::Little),
    swap: |value| bf16::from_bits(value.to_bits().swap_bytes()));
