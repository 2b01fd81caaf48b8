//! Fixed-size strings as bytes: `S` of bytes, `U` of UCS-4 code units, both with NULs after their end. Knows the two
//! encodings; the types that hold them are in `fixed.rs` and `order/string.rs`.

use alloc::string::String;
use alloc::vec::Vec;

use crate::{ByteOrder, DType, Error, Result};

/// Units of UCS-4 that are looked at together.
const BLOCK: usize = 64;

/// The bytes without the NULs at their end.
#[inline]
pub(crate) fn trim(mut bytes: &[u8]) -> &[u8] {
    while let Some((rest, last)) = bytes.split_last_chunk::<16>() {
        // Lowest first: the zeros at the top are the NULs at the end.
        let nuls = u128::from_le_bytes(*last).leading_zeros() / 8;
        if nuls < 16 {
            let end = bytes.len().saturating_sub(nuls as usize);
            return bytes.get(..end).unwrap_or(bytes);
        }
        // A short text in a long field is mostly NULs.
        bytes = rest;
    }
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    bytes.get(..end).unwrap_or(bytes)
}

/// The bytes as text.
///
/// # Errors
///
/// [`Error::InvalidUtf8`], of element 0.
pub(crate) fn utf8(bytes: &[u8]) -> Result<&str> {
    core::str::from_utf8(bytes).map_err(|error| Error::InvalidUtf8 {
        field: Vec::new(),
        index: 0,
        valid: error.valid_up_to(),
    })
}

/// The code units up to the NULs at the end.
#[inline]
pub(crate) fn trim_ucs4(bytes: &[u8]) -> &[[u8; 4]] {
    let (units, _) = bytes.as_chunks::<4>();
    units.get(..trim(bytes).len().div_ceil(4)).unwrap_or(units)
}

/// Appends the text of code units, without the NULs at their end, to `out`, which is left alone on an error.
///
/// # Errors
///
/// [`Error::InvalidChar`], of element 0.
pub(crate) fn decode_ucs4(bytes: &[u8], order: ByteOrder, out: &mut String) -> Result<()> {
    let start = out.len();
    let units = trim_ucs4(bytes);
    out.reserve(units.len());
    let decoded = match order {
        ByteOrder::Little => decode_units(units, u32::from_le_bytes, out),
        ByteOrder::Big => decode_units(units, u32::from_be_bytes, out),
    };
    decoded.map_err(|(character, code)| {
        out.truncate(start);
        Error::InvalidChar { field: Vec::new(), index: 0, character, code }
    })
}

/// Decodes units; an error is the position and the value of one that is no character.
#[inline]
fn decode_units(units: &[[u8; 4]], value: impl Fn([u8; 4]) -> u32, out: &mut String) -> Result<(), (usize, u32)> {
    for (index, block) in units.chunks(BLOCK).enumerate() {
        // Both loops become vectors, which isn't worth it for a few characters.
        if block.len() >= 16 && block.iter().fold(0, |bits, &unit| bits | value(unit)) < 0x80 {
            let mut ascii = [0; BLOCK];
            for (byte, &unit) in ascii.iter_mut().zip(block) {
                [*byte, ..] = value(unit).to_le_bytes();
            }
            let ascii = ascii.get(..block.len()).unwrap_or_default();
            out.push_str(core::str::from_utf8(ascii).unwrap_or_default());
            continue;
        }
        for (position, &unit) in block.iter().enumerate() {
            let code = value(unit);
            out.push(char::from_u32(code).ok_or((index * BLOCK + position, code))?);
        }
    }
    Ok(())
}

/// Writes text as a byte string, NULs after it; `out`, which is as long as the string, is left alone on an error.
///
/// # Errors
///
/// [`Error::TextTooLong`], [`Error::TextEndsInNul`].
pub(crate) fn encode_bytes(text: &[u8], out: &mut [u8]) -> Result<()> {
    let dtype = || DType::Bytes(out.len());
    check_end(text.last() == Some(&0), dtype)?;
    check_room(text.len(), "bytes", out.len(), dtype)?;
    let (start, end) = out.split_at_mut(text.len());
    start.copy_from_slice(text);
    end.fill(0);
    Ok(())
}

/// Writes text as code units, NULs after it; `out`, which is as long as the string, is left alone on an error.
///
/// # Errors
///
/// [`Error::TextTooLong`], [`Error::TextEndsInNul`].
pub(crate) fn encode_ucs4(text: &str, order: ByteOrder, out: &mut [u8]) -> Result<()> {
    let (units, _) = out.as_chunks_mut::<4>();
    let dtype = || DType::Str(order, units.len());
    check_end(text.ends_with('\0'), dtype)?;
    // Every character takes a byte at least, and a quarter of a text's bytes at most are characters.
    if text.len() > units.len() {
        check_room(text.chars().count(), "characters", units.len(), dtype)?;
    }
    let mut units = units.iter_mut();
    let bytes = match order {
        ByteOrder::Little => |code: u32| code.to_le_bytes(),
        ByteOrder::Big => |code: u32| code.to_be_bytes(),
    };
    if text.is_ascii() {
        units.by_ref().zip(text.bytes()).for_each(|(unit, byte)| *unit = bytes(byte.into()));
    } else {
        text.chars().zip(units.by_ref()).for_each(|(char, unit)| *unit = bytes(char.into()));
    }
    units.for_each(|unit| *unit = [0; 4]);
    Ok(())
}

fn check_end(nul: bool, dtype: impl Fn() -> DType) -> Result<()> {
    if nul { Err(Error::TextEndsInNul { descr: plain(dtype()) }) } else { Ok(()) }
}

fn check_room(length: usize, unit: &'static str, room: usize, dtype: impl Fn() -> DType) -> Result<()> {
    if length > room { Err(Error::TextTooLong { length, unit, room, descr: plain(dtype()) }) } else { Ok(()) }
}

/// The descr without the quotes, which the messages have.
fn plain(dtype: DType) -> String {
    dtype.descr().trim_matches('\'').into()
}

impl DType {
    /// Writes a text into the bytes of one element, as `S` (UTF-8) or `U` (UCS-4, in the dtype's byte order) stores
    /// it, with NULs after it.
    ///
    /// NumPy cuts what is too long; here it is an error, and the bytes stay as they were.
    ///
    /// # Errors
    ///
    /// [`TextTooLong`](Error::TextTooLong), [`TextEndsInNul`](Error::TextEndsInNul);
    /// [`NotText`](Error::NotText) for any other dtype, [`PartialElement`](Error::PartialElement) if `out` doesn't hold
    /// exactly [`itemsize`](Self::itemsize) bytes.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{ByteOrder, DType};
    ///
    /// let mut name = [0xff; 12];
    /// DType::Str(ByteOrder::Big, 3).write_text("é!", &mut name)?;
    /// assert_eq!(name, *b"\0\0\0\xe9\0\0\0!\0\0\0\0");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn write_text(&self, text: &str, out: &mut [u8]) -> Result<()> {
        let right_size = out.len() == self.itemsize();
        match *self {
            Self::Bytes(_) if right_size => encode_bytes(text.as_bytes(), out),
            Self::Str(order, _) if right_size => encode_ucs4(text, order, out),
            Self::Bytes(_) | Self::Str(..) => {
                Err(Error::PartialElement { bytes: out.len(), size: self.itemsize(), element: "a string".into() })
            }
            _ => Err(Error::NotText { field: Vec::new(), found: self.descr() }),
        }
    }
}

#[cfg(test)]
mod tests;
