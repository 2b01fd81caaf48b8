//! One scalar as text: numbers as NumPy prints scalars, strings as they are. Knows no quotes and no lines.

use std::io::Write as _;
use std::sync::OnceLock;

use npymap::{ByteOrder, DType, Result, Value};

use crate::escape;

/// The texts of half-precision numbers, as they come up: there are few of them, and each takes a microsecond to find.
static HALVES: [OnceLock<String>; 1 << 16] = [const { OnceLock::new() }; 1 << 16];

/// NumPy's "not a time".
const NAT: i64 = i64::MIN;

/// Appends the text of a scalar.
///
/// Floats have the digits that tell them from their neighbours, `nan` and `inf`; bools are `True` and `False`; complex
/// numbers `1+2j`; datetimes ISO 8601, timedeltas the count of their unit, both `NaT`; bytes are text where they are
/// UTF-8, else have `\x` escapes, as voids have throughout. What a terminal would obey is escaped if `terminal`.
pub fn append(dtype: &DType, bytes: &[u8], terminal: bool, out: &mut Vec<u8>) -> Result<()> {
    match dtype {
        DType::Bool => match bytes {
            [1] => out.extend_from_slice(b"True"),
            [0] => out.extend_from_slice(b"False"),
            // The library says what is wrong.
            _ => drop(dtype.value(bytes)?),
        },
        DType::Int8 => integer(i8::from_le_bytes(number(bytes, ByteOrder::Little)), out),
        DType::UInt8 => integer(u8::from_le_bytes(number(bytes, ByteOrder::Little)), out),
        DType::Int16(order) => integer(i16::from_le_bytes(number(bytes, *order)), out),
        DType::UInt16(order) => integer(u16::from_le_bytes(number(bytes, *order)), out),
        DType::Int32(order) => integer(i32::from_le_bytes(number(bytes, *order)), out),
        DType::UInt32(order) => integer(u32::from_le_bytes(number(bytes, *order)), out),
        DType::Int64(order) => integer(i64::from_le_bytes(number(bytes, *order)), out),
        DType::UInt64(order) => integer(u64::from_le_bytes(number(bytes, *order)), out),
        DType::Float16(order) => {
            let bits = u16::from_le_bytes(number(bytes, *order));
            let text = HALVES[usize::from(bits)].get_or_init(|| {
                let value = DType::Float16(ByteOrder::Little).value(&bits.to_le_bytes());
                value.map_or(String::new(), |value| value.to_string())
            });
            out.extend_from_slice(text.as_bytes());
        }
        DType::Float32(order) => float32(f32::from_le_bytes(number(bytes, *order)), out),
        DType::Float64(order) => float64(f64::from_le_bytes(number(bytes, *order)), out),
        DType::Complex64(order) => {
            let [re, im] = halves(bytes).map(|half| f32::from_le_bytes(number(half, *order)));
            complex(|out| float32(re, out), |out| float32(im, out), out);
        }
        DType::Complex128(order) => {
            let [re, im] = halves(bytes).map(|half| f64::from_le_bytes(number(half, *order)));
            complex(|out| float64(re, out), |out| float64(im, out), out);
        }
        DType::Timedelta64(order, _) => match i64::from_le_bytes(number(bytes, *order)) {
            NAT => out.extend_from_slice(b"NaT"),
            count => integer(count, out),
        },
        DType::Void(_) => out.extend_from_slice(escape::hexadecimal(bytes).as_bytes()),
        DType::Bytes(_) => text(&escape::bytes(without_nuls(bytes)), terminal, out),
        other => match other.value(bytes)? {
            Value::ComplexLongDouble([re, im]) => {
                complex(|out| display(&re, out), |out| display(&im, out), out);
            }
            value => text(&value.to_string(), terminal, out),
        },
    }
    Ok(())
}

/// Whether texts of this type are numbers, which people like to the right.
pub fn is_number(dtype: &DType) -> bool {
    matches!(dtype.kind(), 'i' | 'u' | 'f' | 'c' | 'm')
}

/// Bytes as `|S5` means them: NULs at the end don't count.
pub fn without_nuls(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
    &bytes[..end]
}

/// The bytes of a number, lowest first; zeros if there are not exactly `N` of them.
pub fn number<const N: usize>(bytes: &[u8], order: ByteOrder) -> [u8; N] {
    let mut number = <[u8; N]>::try_from(bytes).unwrap_or([0; N]);
    if order == ByteOrder::Big {
        number.reverse();
    }
    number
}

/// The two parts of a complex number.
pub fn halves(bytes: &[u8]) -> [&[u8]; 2] {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    [first, second]
}

fn text(text: &str, terminal: bool, out: &mut Vec<u8>) {
    if terminal {
        out.extend_from_slice(escape::for_terminal(text).as_bytes());
    } else {
        out.extend_from_slice(text.as_bytes());
    }
}

fn integer(value: impl itoa::Integer, out: &mut Vec<u8>) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

fn display(value: &impl std::fmt::Display, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail.
    let _ = write!(out, "{value}");
}

/// Appends a single-precision number; NumPy prints it without an exponent from 1e-4 to below 1e6.
pub fn float32(value: f32, out: &mut Vec<u8>) {
    let magnitude = f64::from(value.abs());
    float(zmij::Buffer::new().format(value), value == 0.0 || (1e-4..1e6).contains(&magnitude), out);
}

/// Appends a double-precision number; NumPy prints it without an exponent from 1e-4 to below 1e16.
pub fn float64(value: f64, out: &mut Vec<u8>) {
    let magnitude = value.abs();
    float(zmij::Buffer::new().format(value), value == 0.0 || (1e-4..1e16).contains(&magnitude), out);
}

fn float(shortest: &str, positional: bool, out: &mut Vec<u8>) {
    if positional {
        out.extend_from_slice(shortest.as_bytes());
    } else if shortest.ends_with('N') {
        out.extend_from_slice(b"nan");
    } else if shortest.ends_with('f') {
        out.extend_from_slice(shortest.as_bytes());
    } else {
        scientific(shortest, out);
    }
}

/// Puts a number into NumPy's scientific notation: `1e+16`, `1.25e-05`.
fn scientific(shortest: &str, out: &mut Vec<u8>) {
    let (sign, magnitude) = shortest.strip_prefix('-').map_or(("", shortest), |magnitude| ("-", magnitude));
    let (mantissa, exponent) = magnitude.split_once('e').unwrap_or((magnitude, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = [whole, fraction].concat();
    let significant = digits.trim_start_matches('0');
    let point = i64::try_from(whole.len() + significant.len()).unwrap_or(0) - i64::try_from(digits.len()).unwrap_or(0);
    let exponent = exponent.parse::<i64>().unwrap_or(0) + point - 1;
    let significant = significant.trim_end_matches('0');
    let (first, rest) = significant.split_at_checked(1).unwrap_or((significant, ""));
    let dot = if rest.is_empty() { "" } else { "." };
    let mark = if exponent < 0 { '-' } else { '+' };
    // Writing to a Vec cannot fail.
    let _ = write!(out, "{sign}{first}{dot}{rest}e{mark}{:02}", exponent.abs());
}

/// Appends `1+2j`: parts without the `.0` of whole numbers, the second one with its sign.
fn complex(re: impl Fn(&mut Vec<u8>), im: impl Fn(&mut Vec<u8>), out: &mut Vec<u8>) {
    part(re, out);
    let sign = out.len();
    part(im, out);
    if out.get(sign) != Some(&b'-') {
        out.insert(sign, b'+');
    }
    out.push(b'j');
}

fn part(append: impl Fn(&mut Vec<u8>), out: &mut Vec<u8>) {
    append(out);
    if out.ends_with(b".0") {
        out.truncate(out.len() - 2);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(dtype: DType, bytes: &[u8]) -> String {
        let mut out = Vec::new();
        append(&dtype, bytes, false, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn floats_are_written_as_numpys_scalars() {
        for (value, text) in [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.0001, "0.0001"),
            (0.00001234, "1.234e-05"),
            (9_007_199_254_740_993e0, "9007199254740992.0"),
            (1e16, "1e+16"),
            (-1.5e300, "-1.5e+300"),
            (5e-324, "5e-324"),
            (f64::NAN, "nan"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(shown(DType::Float64(ByteOrder::Little), &value.to_le_bytes()), text);
        }
        for (value, text) in
            [(999_999f32, "999999.0"), (1e6, "1e+06"), (16_777_216.0, "1.6777216e+07"), (1e-4, "1e-04")]
        {
            assert_eq!(shown(DType::Float32(ByteOrder::Big), &value.to_be_bytes()), text);
        }
    }

    #[test]
    fn complex_numbers_have_no_parentheses() {
        let bytes = |re: f64, im: f64| [re.to_le_bytes(), im.to_le_bytes()].concat();
        let dtype = || DType::Complex128(ByteOrder::Little);
        assert_eq!(shown(dtype(), &bytes(1.0, 2.5)), "1+2.5j");
        assert_eq!(shown(dtype(), &bytes(-0.0, -1.0)), "-0-1j");
        assert_eq!(shown(dtype(), &bytes(f64::NAN, f64::NEG_INFINITY)), "nan-infj");
    }

    #[test]
    fn bytes_are_text_or_escapes() {
        assert_eq!(shown(DType::Bytes(5), b"caf\xe9\0"), "caf\\xe9");
        assert_eq!(shown(DType::Bytes(5), b"caf\xc3\xa9"), "café");
        assert_eq!(shown(DType::Void(2), b"A\0"), "\\x41\\x00");
        let mut out = Vec::new();
        append(&DType::Bytes(4), b"\x1b[2J", true, &mut out).unwrap();
        assert_eq!(out, b"\\x1b[2J");
    }
}
