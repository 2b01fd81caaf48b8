//! Text to elements: the inverse of what `cat --csv` prints. Knows one scalar at a time, and where its columns stand;
//! `table` knows lines.

mod long_double;
mod table;
mod time;

use npymap::{ByteOrder, DType, LongDouble};

use crate::escape;

pub use table::Table;
use time::datetime;

/// Why a text is no value of a type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfit(pub String);

/// A column of a table: a scalar within an element.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Column {
    /// Its name as `cat --csv` prints it: `a.b`, `a[0][1]`; empty if the element is no record.
    pub name: String,
    pub dtype: DType,
    /// Where it starts in the element, in bytes.
    pub offset: usize,
}

/// The columns of an element, in the order in which `cat --csv` prints them.
pub fn columns(dtype: &DType) -> Vec<Column> {
    let mut columns = Vec::new();
    collect(dtype, String::new(), 0, &mut columns);
    columns
}

fn collect(dtype: &DType, name: String, offset: usize, columns: &mut Vec<Column>) {
    match dtype {
        DType::Struct(record) => {
            for field in &record.fields {
                let dot = if name.is_empty() { "" } else { "." };
                collect(&field.dtype, format!("{name}{dot}{}", field.name), offset + field.offset, columns);
            }
        }
        DType::Subarray(base, shape) => subarray(base, shape, &name, offset, columns),
        scalar => columns.push(Column { name, dtype: scalar.clone(), offset }),
    }
}

fn subarray(base: &DType, shape: &[usize], name: &str, offset: usize, columns: &mut Vec<Column>) {
    let Some((&len, inner)) = shape.split_first() else { return collect(base, name.into(), offset, columns) };
    let step = inner.iter().product::<usize>() * base.itemsize();
    (0..len).for_each(|index| subarray(base, inner, &format!("{name}[{index}]"), offset + index * step, columns));
}

/// Writes the value that a text tells into `out`, which has the size of the scalar.
pub fn scalar(dtype: &DType, text: &[u8], out: &mut [u8]) -> Result<(), Unfit> {
    if let DType::Bytes(size) = *dtype {
        let unescaped = escape::unescaped(text);
        let text = unescaped.as_deref().unwrap_or(text);
        if text.len() > size {
            return Err(Unfit(format!("{} bytes of text are too long for {dtype}", text.len())));
        }
        out.fill(0);
        out[..text.len()].copy_from_slice(text);
        return Ok(());
    }
    let text = str::from_utf8(text).map_err(|_| unfit(dtype, &String::from_utf8_lossy(text)))?;
    if let DType::Str(..) = dtype {
        return dtype.write_text(text, out).map_err(|error| Unfit(error.to_string()));
    }
    let text = text.trim();
    let no = |_| unfit(dtype, text);
    match *dtype {
        DType::Bool => put(ByteOrder::Little, [u8::from(boolean(text).ok_or_else(|| unfit(dtype, text))?)], out),
        DType::Int8 => put(ByteOrder::Little, text.parse::<i8>().map_err(no)?.to_le_bytes(), out),
        DType::UInt8 => put(ByteOrder::Little, text.parse::<u8>().map_err(no)?.to_le_bytes(), out),
        DType::Int16(order) => put(order, text.parse::<i16>().map_err(no)?.to_le_bytes(), out),
        DType::UInt16(order) => put(order, text.parse::<u16>().map_err(no)?.to_le_bytes(), out),
        DType::Int32(order) => put(order, text.parse::<i32>().map_err(no)?.to_le_bytes(), out),
        DType::UInt32(order) => put(order, text.parse::<u32>().map_err(no)?.to_le_bytes(), out),
        DType::Int64(order) => put(order, text.parse::<i64>().map_err(no)?.to_le_bytes(), out),
        DType::UInt64(order) => put(order, text.parse::<u64>().map_err(no)?.to_le_bytes(), out),
        DType::Float16(order) => {
            let value = text.parse::<f64>().map_err(|_| unfit(dtype, text))?;
            put(order, half(value).to_le_bytes(), out);
        }
        DType::Float32(order) => put(order, float::<f32>(dtype, text)?.to_le_bytes(), out),
        DType::Float64(order) => put(order, float::<f64>(dtype, text)?.to_le_bytes(), out),
        DType::LongDouble(order) => put(order, long_double(dtype, text)?, out),
        DType::ComplexLongDouble(order) => {
            let [re, im] = complex(text).ok_or_else(|| unfit(dtype, text))?;
            let (first, second) = out.split_at_mut(16);
            put(order, long_double(dtype, &re)?, first);
            put(order, long_double(dtype, &im)?, second);
        }
        DType::Complex64(order) => {
            let [re, im] = complex(text).ok_or_else(|| unfit(dtype, text))?;
            let (first, second) = out.split_at_mut(4);
            put(order, float::<f32>(dtype, &re)?.to_le_bytes(), first);
            put(order, float::<f32>(dtype, &im)?.to_le_bytes(), second);
        }
        DType::Complex128(order) => {
            let [re, im] = complex(text).ok_or_else(|| unfit(dtype, text))?;
            let (first, second) = out.split_at_mut(8);
            put(order, float::<f64>(dtype, &re)?.to_le_bytes(), first);
            put(order, float::<f64>(dtype, &im)?.to_le_bytes(), second);
        }
        DType::Datetime64(order, unit) => {
            let count = if text == "NaT" { Some(i64::MIN) } else { datetime(text, unit) };
            put(order, count.ok_or_else(|| unfit(dtype, text))?.to_le_bytes(), out);
        }
        DType::Timedelta64(order, _) => {
            let count = if text == "NaT" { i64::MIN } else { text.parse().map_err(no)? };
            put(order, count.to_le_bytes(), out);
        }
        DType::Void(_) => {
            let bytes = escaped(text).filter(|bytes| bytes.len() == out.len()).ok_or_else(|| unfit(dtype, text))?;
            out.copy_from_slice(&bytes);
        }
        _ => return Err(unfit(dtype, text)),
    }
    Ok(())
}

fn unfit(dtype: &DType, text: &str) -> Unfit {
    let shown: String = text.chars().take(40).collect();
    let dots = if shown.len() < text.len() { "..." } else { "" };
    Unfit(format!("{:?} is no {dtype}", format!("{shown}{dots}")))
}

/// Puts a number, lowest byte first, where the file wants it.
fn put<const N: usize>(order: ByteOrder, mut bytes: [u8; N], out: &mut [u8]) {
    if order == ByteOrder::Big {
        bytes.reverse();
    }
    out.copy_from_slice(&bytes);
}

fn boolean(text: &str) -> Option<bool> {
    match text {
        "True" | "true" | "1" => Some(true),
        "False" | "false" | "0" => Some(false),
        _ => None,
    }
}

/// A float as Python writes it; Rust's grammar has all of that.
fn float<F: std::str::FromStr>(dtype: &DType, text: &str) -> Result<F, Unfit> {
    text.parse().map_err(|_| unfit(dtype, text))
}

fn long_double(dtype: &DType, text: &str) -> Result<[u8; 16], Unfit> {
    long_double::parse(text).map(LongDouble::to_le_bytes).ok_or_else(|| unfit(dtype, text))
}

/// The bits of the half nearest to a number, of two the even one.
fn half(value: f64) -> u16 {
    let sign = if value.is_sign_negative() { 0x8000 } else { 0 };
    let magnitude = value.abs();
    if value.is_nan() {
        return sign | 0x7e00;
    }
    // Halves are ordered as their bits are: the nearest is found between the two that enclose the number.
    let (mut low, mut high) = (0_u16, 0x7c00_u16);
    while high - low > 1 {
        let middle = low + (high - low) / 2;
        if of_bits(middle) <= magnitude { low = middle } else { high = middle }
    }
    // What would be the next finite one stands in for infinity.
    let above = if high == 0x7c00 { 65536.0 } else { of_bits(high) };
    let middle = (of_bits(low) + above) / 2.0;
    let up = magnitude > middle || (magnitude == middle && low % 2 == 1);
    sign | if up { high } else { low }
}

/// A half that is no infinity and not negative.
fn of_bits(bits: u16) -> f64 {
    let (exponent, fraction) = (i32::from(bits >> 10), f64::from(bits & 0x3ff));
    if exponent == 0 { fraction * 2_f64.powi(-24) } else { (1024.0 + fraction) * 2_f64.powi(exponent - 25) }
}

/// The parts of `1+2j`, `(1+2j)`, `-1e-5-infj`, `2j`, `1`.
fn complex(text: &str) -> Option<[String; 2]> {
    let text = text.strip_prefix('(').and_then(|text| text.strip_suffix(')')).unwrap_or(text);
    let Some(body) = text.strip_suffix(['j', 'J']) else { return Some([text.into(), "0".into()]) };
    let is_split = |&at: &usize| {
        let before = body.as_bytes()[at - 1];
        matches!(body.as_bytes()[at], b'+' | b'-') && !matches!(before, b'e' | b'E')
    };
    match (1..body.len()).rfind(is_split) {
        Some(at) => Some([body[..at].into(), body[at..].trim_start_matches('+').into()]),
        None => Some(["0".into(), body.into()]),
    }
}

/// Bytes as `\x00\x01`.
fn escaped(text: &str) -> Option<Vec<u8>> {
    let pairs = text.split("\\x").skip(1).map(|pair| u8::from_str_radix(pair, 16).ok().filter(|_| pair.len() == 2));
    if text.starts_with("\\x") || text.is_empty() { pairs.collect() } else { None }
}
