//! `bool`: every byte is checked, for NumPy stores whatever it is given.
#![expect(unsafe_code, reason = "a slice of bytes already found valid is cast without a second look")]

use alloc::string::String;
use alloc::vec::Vec;

use super::record::InPlace;
use super::{Element, ElementMut, decode_each, mismatch, partial, plain};
use crate::{ByteOrder, DType, Error, Result};

/// Finds the first byte that is neither 0 nor 1.
fn check_values(bytes: &[u8]) -> Result<()> {
    // Bytes that are 0 or 1 have no bit in common with 0xfe; a block at a time the compiler makes vectors of it.
    let bad_block = bytes.chunks(4096).position(|block| block.iter().fold(0, |bits, byte| bits | byte) > 1);
    let Some(block) = bad_block else { return Ok(()) };
    let bad = bytes.iter().enumerate().skip(4096 * block).find(|(_, byte)| **byte > 1);
    bad.map_or(Ok(()), |(index, &byte)| Err(Error::InvalidBool { field: Vec::new(), index, byte }))
}

impl Element for bool {
    fn name() -> String {
        "bool".into()
    }

    fn dtype() -> DType {
        DType::Bool
    }

    fn check(dtype: &DType) -> Result<()> {
        if *dtype == DType::Bool { Ok(()) } else { Err(mismatch::<Self>(dtype, &DType::Bool)) }
    }

    /// Takes one pass over the bytes.
    fn view(bytes: &[u8]) -> Result<&[Self]> {
        check_values(bytes)?;
        Ok(bytemuck::checked::cast_slice(bytes))
    }

    fn read(bytes: &[u8]) -> Result<Self> {
        match *bytes {
            [0] => Ok(false),
            [1] => Ok(true),
            [byte] => Err(Error::InvalidBool { field: Vec::new(), index: 0, byte }),
            _ => Err(partial::<Self>(bytes)),
        }
    }

    fn write(&self, out: &mut [u8]) {
        out.copy_from_slice(&[u8::from(*self)]);
    }

    fn decode(dtype: &DType, bytes: &[u8], out: &mut [Self]) -> Result<()> {
        Self::check(dtype)?;
        check_values(bytes)?;
        decode_each(1, bytes, out, |byte| Ok(byte == [1]))
    }

    fn encode(dtype: &DType, elements: &[Self], out: &mut [u8]) -> Result<()> {
        Self::check(dtype)?;
        plain::put(ByteOrder::NATIVE, elements, out, |value| value)
    }

    fn as_stored(elements: &[Self]) -> Option<&[u8]> {
        Some(bytemuck::cast_slice(elements))
    }

    #[inline]
    unsafe fn view_again(bytes: &[u8]) -> &[Self] {
        // SAFETY: the pointer and length are those of a live slice of bytes, and `bool` has size and alignment 1, so
        // that the result covers the same memory for the same lifetime. The caller guarantees that `view` has
        // succeeded on these very bytes and that they haven't changed: each is 0 or 1, a valid `bool`.
        unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast::<Self>(), bytes.len()) }
    }
}

// SAFETY: a byte that is 0 or 1 is a `bool`, and `check_bytes` succeeds for no others; there is no padding and no
// interior mutability.
unsafe impl InPlace for bool {
    const PADDED: bool = false;

    fn zero() -> Self {
        false
    }
}

impl ElementMut for bool {
    fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
        check_values(bytes)?;
        Ok(bytemuck::checked::cast_slice_mut(bytes))
    }
}
