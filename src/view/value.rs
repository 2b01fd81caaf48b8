//! One element, of whatever dtype, out of its bytes. Knows dtypes and scalars' texts; how arrays look is in `text.rs`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::dragon4::{self, Trim};
use super::real::Real;
use super::{calendar, text};
use crate::{ByteOrder, DType, Error, Result, StructType, TimeUnit};

/// One element, as what it is.
///
/// [`Display`](fmt::Display) prints it as NumPy 2.4's `str` prints the scalar: `1.5`, `1e+16`, `(1+2j)`, `True`,
/// `2020-01-01T00:00`, `21 days`, `NaT`, `b'abc'`, the text of a string itself, `(1, 2.5, b'x')` for a record.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Value {
    /// `|b1`.
    Bool(bool),
    /// A signed integer of 1 to 8 bytes.
    Int(i64),
    /// An unsigned integer of 1 to 8 bytes.
    UInt(u64),
    /// `<f2`, widened without loss.
    Float16(f32),
    /// `<f4`.
    Float32(f32),
    /// `<f8`.
    Float64(f64),
    /// `<f16`.
    LongDouble(LongDouble),
    /// `<c8`: the real and the imaginary part.
    Complex64([f32; 2]),
    /// `<c16`: the real and the imaginary part.
    Complex128([f64; 2]),
    /// `<c32`: the real and the imaginary part.
    ComplexLongDouble([LongDouble; 2]),
    /// `<M8[unit]`: so many units since 1970-01-01T00:00; `i64::MIN` is NaT.
    Datetime64(i64, TimeUnit),
    /// `<m8[unit]`: so many units; `i64::MIN` is NaT.
    Timedelta64(i64, TimeUnit),
    /// `|S5`, without the NULs at its end.
    Bytes(Vec<u8>),
    /// `<U5`, without the NULs at its end.
    Str(String),
    /// `|V5`, every byte of it.
    Void(Vec<u8>),
    /// A record: the names and values of its fields in order, padding left out.
    Record(Vec<(String, Value)>),
    /// A field that is a subarray.
    Array {
        /// The dimensions.
        shape: Vec<usize>,
        /// The elements in C order. Where elements take no bytes (`|S0`) they are all alike, and a single one stands
        /// for all of them.
        values: Vec<Value>,
    },
}

impl DType {
    /// Returns the element whose stored bytes these are, in the dtype's byte order and at any alignment.
    ///
    /// Takes time and memory in proportion to the bytes, and the number of fields.
    ///
    /// # Errors
    ///
    /// [`PartialElement`](Error::PartialElement) if there are not exactly [`itemsize`](Self::itemsize) bytes,
    /// [`InvalidBool`](Error::InvalidBool) for a bool that is neither 0 nor 1 (NumPy prints `True`),
    /// [`InvalidChar`](Error::InvalidChar) for a string with a surrogate or a number beyond Unicode, and
    /// [`Object`](Error::Object).
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{ByteOrder, DType, Value};
    ///
    /// let value = DType::Float64(ByteOrder::Big).value(&1.5f64.to_be_bytes())?;
    /// assert_eq!(value, Value::Float64(1.5));
    /// assert_eq!(value.to_string(), "1.5");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "item")]
    pub fn value(&self, bytes: &[u8]) -> Result<Value> {
        if let Self::Struct(record) = self {
            return record_value(record, bytes);
        }
        let size = self.itemsize();
        if bytes.len() != size {
            return Err(Error::PartialElement { bytes: bytes.len(), size, element: "an element".into() });
        }
        Ok(match self {
            Self::Bool => match bytes {
                [byte @ 0..=1] => Value::Bool(*byte == 1),
                _ => return Err(Error::InvalidBool { index: 0, byte: bytes.first().copied().unwrap_or(0) }),
            },
            Self::Int8 => Value::Int(i8::from_le_bytes(number(bytes, ByteOrder::Little)).into()),
            Self::UInt8 => Value::UInt(u8::from_le_bytes(number(bytes, ByteOrder::Little)).into()),
            Self::Int16(order) => Value::Int(i16::from_le_bytes(number(bytes, *order)).into()),
            Self::UInt16(order) => Value::UInt(u16::from_le_bytes(number(bytes, *order)).into()),
            Self::Int32(order) => Value::Int(i32::from_le_bytes(number(bytes, *order)).into()),
            Self::UInt32(order) => Value::UInt(u32::from_le_bytes(number(bytes, *order)).into()),
            Self::Int64(order) => Value::Int(i64::from_le_bytes(number(bytes, *order))),
            Self::UInt64(order) => Value::UInt(u64::from_le_bytes(number(bytes, *order))),
            Self::Float16(order) => Value::Float16(widen(u16::from_le_bytes(number(bytes, *order)))),
            Self::Float32(order) => Value::Float32(f32::from_le_bytes(number(bytes, *order))),
            Self::Float64(order) => Value::Float64(f64::from_le_bytes(number(bytes, *order))),
            Self::LongDouble(order) => Value::LongDouble(LongDouble(number(bytes, *order))),
            Self::Complex64(order) => Value::Complex64(pair(bytes).map(|b| f32::from_le_bytes(number(b, *order)))),
            Self::Complex128(order) => Value::Complex128(pair(bytes).map(|b| f64::from_le_bytes(number(b, *order)))),
            Self::ComplexLongDouble(order) => {
                Value::ComplexLongDouble(pair(bytes).map(|b| LongDouble(number(b, *order))))
            }
            Self::Datetime64(order, unit) => Value::Datetime64(i64::from_le_bytes(number(bytes, *order)), *unit),
            Self::Timedelta64(order, unit) => Value::Timedelta64(i64::from_le_bytes(number(bytes, *order)), *unit),
            Self::Bytes(_) => {
                let end = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
                Value::Bytes(bytes.get(..end).unwrap_or(bytes).into())
            }
            Self::Str(order, _) => Value::Str(string(bytes, *order)?),
            Self::Void(_) => Value::Void(bytes.into()),
            Self::Object => return Err(Error::Object { field: Vec::new(), descr: "|O".into() }),
            Self::Struct(record) => return record_value(record, bytes),
            Self::Subarray(base, shape) => Value::Array { shape: shape.clone(), values: elements(base, shape, bytes)? },
        })
    }
}

fn record_value(record: &StructType, bytes: &[u8]) -> Result<Value> {
    let wrong = || Error::PartialElement { bytes: bytes.len(), size: record.itemsize, element: "a record".into() };
    if bytes.len() != record.itemsize {
        return Err(wrong());
    }
    let mut fields = Vec::with_capacity(record.fields.len());
    for field in &record.fields {
        let end = field.offset.checked_add(field.dtype.itemsize());
        let Some(own) = end.and_then(|end| bytes.get(field.offset..end)) else { return Err(wrong()) };
        let value = field.dtype.value(own).map_err(|error| match error {
            Error::Object { field: mut path, descr } => {
                path.insert(0, field.name.clone());
                Error::Object { field: path, descr }
            }
            other => other,
        })?;
        fields.push((field.name.clone(), value));
    }
    Ok(Value::Record(fields))
}

/// The elements of a subarray; one that stands for all where they take no bytes.
fn elements(base: &DType, shape: &[usize], bytes: &[u8]) -> Result<Vec<Value>> {
    match base.itemsize() {
        _ if shape.contains(&0) => Ok(Vec::new()),
        0 => Ok(alloc::vec![base.value(&[])?]),
        size => bytes.chunks_exact(size).map(|own| base.value(own)).collect(),
    }
}

fn string(bytes: &[u8], order: ByteOrder) -> Result<String> {
    let units = bytes.chunks_exact(4).map(|unit| u32::from_le_bytes(number(unit, order)));
    let (mut text, mut end) = (String::new(), 0);
    for (index, code) in units.enumerate() {
        text.push(char::from_u32(code).ok_or(Error::InvalidChar { index, code })?);
        end = if code == 0 { end } else { text.len() };
    }
    text.truncate(end);
    Ok(text)
}

/// The bytes of a number, lowest first; zeros if there are not exactly `N` of them.
fn number<const N: usize>(bytes: &[u8], order: ByteOrder) -> [u8; N] {
    let mut number = <[u8; N]>::try_from(bytes).unwrap_or([0; N]);
    if order == ByteOrder::Big {
        number.reverse();
    }
    number
}

fn pair(bytes: &[u8]) -> [&[u8]; 2] {
    let (first, second) = bytes.split_at(bytes.len() / 2);
    [first, second]
}

/// Widens a half-precision number, NaN payloads included.
fn widen(half: u16) -> f32 {
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

/// C's `long double` as x86-64 stores it: x87's 80 bits in 16 bytes.
///
/// [`Display`](fmt::Display) prints all its digits, as NumPy does. On other machines NumPy's `<f16` is another format
/// (an IEEE quadruple, or a pair of doubles), which a file doesn't tell; such files are misread.
#[derive(Clone, Copy)]
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

    /// Returns the nearest `f64`, ties to even; infinite if it is too large for one.
    #[must_use]
    pub fn to_f64(self) -> f64 {
        self.real().to_f64()
    }

    pub(super) fn real(self) -> Real {
        let [a, b, c, d, e, f, g, h, i, j, ..] = self.0;
        Real::from_x87(u16::from_le_bytes([i, j]), u64::from_le_bytes([a, b, c, d, e, f, g, h]))
    }
}

/// As numbers compare: NaN differs from itself, -0 equals 0, padding doesn't count.
impl PartialEq for LongDouble {
    fn eq(&self, other: &Self) -> bool {
        let (a, b) = (self.real(), other.real());
        let same = (a.negative, a.class, a.mantissa, a.exponent) == (b.negative, b.class, b.mantissa, b.exponent);
        (a.is_zero() && b.is_zero()) || (same && a.class != super::real::Class::Nan)
    }
}

impl fmt::Display for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&dragon4::scalar(&self.real(), Trim::OneZero, false))
    }
}

impl fmt::Debug for LongDouble {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "LongDouble({self})")
    }
}

impl Value {
    /// The number of a floating-point scalar.
    pub(super) fn real(&self) -> Option<Real> {
        Some(match *self {
            Self::Float16(value) => Real::from_f16(value),
            Self::Float32(value) => Real::from_f32(value),
            Self::Float64(value) => Real::from_f64(value),
            Self::LongDouble(value) => value.real(),
            _ => return None,
        })
    }

    /// The parts of a complex scalar.
    pub(super) fn complex(&self) -> Option<[Real; 2]> {
        Some(match *self {
            Self::Complex64(parts) => parts.map(Real::from_f32),
            Self::Complex128(parts) => parts.map(Real::from_f64),
            Self::ComplexLongDouble(parts) => parts.map(LongDouble::real),
            _ => return None,
        })
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(real) = self.real() {
            return f.pad(&dragon4::scalar(&real, Trim::OneZero, false));
        }
        if let Some(parts) = self.complex() {
            return f.pad(&dragon4::complex_scalar(&parts));
        }
        match self {
            Self::Bool(value) => f.pad(if *value { "True" } else { "False" }),
            Self::Int(value) => value.fmt(f),
            Self::UInt(value) => value.fmt(f),
            Self::Datetime64(count, unit) => f.pad(&calendar::datetime(*count, *unit)),
            Self::Timedelta64(count, unit) => f.pad(&calendar::timedelta(*count, *unit)),
            Self::Str(text) => f.pad(text),
            other => f.pad(&text::compound(other)),
        }
    }
}
