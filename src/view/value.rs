//! One element, of whatever dtype, out of its bytes. Knows dtypes and scalars' texts; how arrays look is in `text.rs`.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

use super::dragon4::{self, Trim};
use super::{PrintOptions, text};
use crate::element::calendar;
use crate::element::half_bits::widen;
use crate::element::real::Real;
use crate::element::text::{decode_ucs4, trim};
use crate::{ByteOrder, DType, Error, LongDouble, Result, StructType, TimeUnit};

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
                _ => {
                    return Err(Error::InvalidBool {
                        field: Vec::new(),
                        index: 0,
                        byte: bytes.first().copied().unwrap_or(0),
                    });
                }
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
            Self::LongDouble(order) => Value::LongDouble(LongDouble::from_le_bytes(number(bytes, *order))),
            Self::Complex64(order) => Value::Complex64(pair(bytes).map(|b| f32::from_le_bytes(number(b, *order)))),
            Self::Complex128(order) => Value::Complex128(pair(bytes).map(|b| f64::from_le_bytes(number(b, *order)))),
            Self::ComplexLongDouble(order) => {
                Value::ComplexLongDouble(pair(bytes).map(|b| LongDouble::from_le_bytes(number(b, *order))))
            }
            Self::Datetime64(order, unit) => Value::Datetime64(i64::from_le_bytes(number(bytes, *order)), *unit),
            Self::Timedelta64(order, unit) => Value::Timedelta64(i64::from_le_bytes(number(bytes, *order)), *unit),
            Self::Bytes(_) => Value::Bytes(trim(bytes).into()),
            Self::Str(order, _) => {
                let mut text = String::new();
                decode_ucs4(bytes, *order, &mut text)?;
                Value::Str(text)
            }
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
        let value = field.dtype.value(own).map_err(|error| error.in_field(&field.name))?;
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
            other => f.pad(&text::compound(other, &PrintOptions::default())),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloc::boxed::Box;
    use alloc::string::ToString;

    use super::*;
    use crate::{DatetimeUnit, StructField};

    const DAYS: TimeUnit = TimeUnit { unit: DatetimeUnit::Day, count: 1 };

    fn record(fields: &[(&str, usize, DType)], itemsize: usize) -> DType {
        let field = |(name, offset, dtype): &(&str, usize, DType)| StructField {
            name: (*name).into(),
            title: None,
            offset: *offset,
            dtype: dtype.clone(),
        };
        DType::Struct(StructType { fields: fields.iter().map(field).collect(), itemsize })
    }

    /// One dtype of every kind, in this order.
    fn dtypes(order: ByteOrder) -> Vec<DType> {
        use DType::*;
        let mut all = alloc::vec![Bool, Int8, UInt8, Int16(order), UInt16(order), Int32(order), UInt32(order)];
        all.extend([Int64(order), UInt64(order), Float16(order), Float32(order), Float64(order), LongDouble(order)]);
        all.extend([Complex64(order), Complex128(order), ComplexLongDouble(order)]);
        all.extend([Datetime64(order, DAYS), Timedelta64(order, DAYS), Bytes(3), Str(order, 2), Void(3)]);
        let inner = record(&[("x", 1, Float16(order)), ("y", 3, Subarray(Box::new(Bool), [2].into()))], 6);
        all.push(record(&[("a", 0, Subarray(Box::new(inner), [2, 1].into())), ("b", 12, Int8)], 16));
        all
    }

    #[test]
    fn numbers_of_either_byte_order_are_read() {
        let read = |dtype: DType, bytes: &[u8]| dtype.value(bytes).unwrap();
        use ByteOrder::{Big, Little};
        assert_eq!(read(DType::Bool, &[1]), Value::Bool(true));
        assert_eq!(read(DType::Int8, &[255]), Value::Int(-1));
        assert_eq!(read(DType::UInt8, &[255]), Value::UInt(255));
        assert_eq!(read(DType::Int16(Little), &[0xfe, 0xff]), Value::Int(-2));
        assert_eq!(read(DType::Int16(Big), &[0xff, 0xfe]), Value::Int(-2));
        assert_eq!(read(DType::UInt32(Big), &[0, 0, 1, 0]), Value::UInt(256));
        assert_eq!(read(DType::UInt64(Little), &[255; 8]), Value::UInt(u64::MAX));
        assert_eq!(read(DType::Float16(Big), &[0x3e, 0]), Value::Float16(1.5));
        assert_eq!(read(DType::Float64(Big), &1.5f64.to_be_bytes()), Value::Float64(1.5));
        let parts = [1.5f32.to_be_bytes(), (-2f32).to_be_bytes()].concat();
        assert_eq!(read(DType::Complex64(Big), &parts), Value::Complex64([1.5, -2.0]));
        assert_eq!(read(DType::Datetime64(Big, DAYS), &[0, 0, 0, 0, 0, 0, 0, 1]), Value::Datetime64(1, DAYS));
    }

    #[test]
    fn halves_are_widened_exactly() {
        const LEAST: f32 = 1.0 / 16_777_216.0;
        let half = |bits: u16| DType::Float16(ByteOrder::Little).value(&bits.to_le_bytes()).unwrap();
        assert_eq!(half(0x7bff), Value::Float16(65504.0));
        assert_eq!(half(0x0001), Value::Float16(LEAST));
        assert_eq!(half(0x03ff), Value::Float16(1023.0 * LEAST));
        assert_eq!(half(0xfc00), Value::Float16(f32::NEG_INFINITY));
        assert!(matches!(half(0x8000), Value::Float16(zero) if zero.is_sign_negative() && zero == 0.0));
        assert!(matches!(half(0x7e01), Value::Float16(nan) if nan.is_nan()));
    }

    #[test]
    fn strings_lose_only_the_nuls_at_their_end() {
        assert_eq!(DType::Bytes(5).value(b"a\0b\0\0").unwrap(), Value::Bytes(b"a\0b".into()));
        assert_eq!(DType::Void(3).value(b"a\0\0").unwrap(), Value::Void(b"a\0\0".into()));
        let text = ['é', '\0', '語', '\0'].map(|c| u32::from(c).to_be_bytes()).concat();
        assert_eq!(DType::Str(ByteOrder::Big, 4).value(&text).unwrap(), Value::Str("é\0語".into()));
        assert_eq!(DType::Str(ByteOrder::Big, 0).value(&[]).unwrap(), Value::Str("".into()));
    }

    #[test]
    fn records_leave_padding_out_and_keep_the_order() {
        let bytes = [9, 0x3c, 0x00, 1, 0, 9, 9, 0x40, 0x00, 0, 0, 9, 5, 9, 9, 9];
        let dtype = dtypes(ByteOrder::Big).pop().unwrap();
        let value = dtype.value(&bytes).unwrap();
        assert_eq!(value.to_string(), "([[(1.0, [ True, False])], [(2.0, [False, False])]], 5)");
        let Value::Record(fields) = value else { panic!("no record") };
        assert_eq!(fields.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>(), ["a", "b"]);
    }

    #[test]
    fn wrong_lengths_are_errors() {
        for dtype in dtypes(ByteOrder::Little) {
            for length in [dtype.itemsize() - 1, dtype.itemsize() + 1] {
                let error = dtype.value(&alloc::vec![0; length]).unwrap_err();
                assert_eq!(error.kind(), "partial_element", "{dtype:?}");
            }
        }
        let error = DType::Float64(ByteOrder::Little).value(&[0; 7]).unwrap_err();
        assert_eq!(error.to_string(), "7 bytes are no whole number of an element, which takes 8");
        let beyond = record(&[("a", 3, DType::UInt16(ByteOrder::Little))], 4);
        assert_eq!(beyond.value(&[0; 4]).unwrap_err().kind(), "partial_element");
        let overflowing = record(&[("a", usize::MAX, DType::UInt8)], 4);
        assert_eq!(overflowing.value(&[0; 4]).unwrap_err().kind(), "partial_element");
    }

    #[test]
    fn bytes_that_mean_nothing_are_errors() {
        assert!(matches!(DType::Bool.value(&[2]), Err(Error::InvalidBool { index: 0, byte: 2, .. })));
        let surrogate = [u32::from('a').to_le_bytes(), 0xd800_u32.to_le_bytes()].concat();
        let error = DType::Str(ByteOrder::Little, 2).value(&surrogate).unwrap_err();
        assert!(matches!(error, Error::InvalidChar { character: 1, code: 0xd800, .. }));
        let outer = record(&[("a", 0, record(&[("b", 0, DType::Object)], 8))], 8);
        let Err(Error::Object { field, .. }) = outer.value(&[0; 8]) else { panic!("no error") };
        assert_eq!(field, ["a", "b"]);
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn no_bytes_panic() {
        let mut state = 88_172_645_463_325_252_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for order in [ByteOrder::Little, ByteOrder::Big] {
            for dtype in dtypes(order) {
                for _ in 0..50 {
                    let bytes: Vec<u8> = (0..dtype.itemsize()).map(|_| next().to_le_bytes()[0]).collect();
                    if let Ok(value) = dtype.value(&bytes) {
                        assert!(!value.to_string().is_empty() || matches!(value, Value::Str(_)));
                    }
                }
            }
        }
    }

    #[test]
    fn subarrays_of_nothing_cost_nothing() {
        let huge = DType::Subarray(Box::new(DType::Bytes(0)), [1 << 20, 1 << 10].into());
        let value = huge.value(&[]).unwrap();
        assert_eq!(value, Value::Array { shape: [1 << 20, 1 << 10].into(), values: [Value::Bytes([].into())].into() });
        let none = DType::Subarray(Box::new(DType::Int8), [1 << 31, 0].into());
        assert_eq!(none.value(&[]).unwrap(), Value::Array { shape: [1 << 31, 0].into(), values: [].into() });
        // Six of each of 30 dimensions: no axis is long enough to be summarized.
        let unlimited = Value::Array { shape: [6; 24].into(), values: [Value::Bytes([].into())].into() };
        assert_eq!(unlimited.to_string(), "[...]");
        let field = |value| Value::Record([("a".into(), value)].into()).to_string();
        assert_eq!(field(unlimited), "([...],)");
        assert_eq!(field(none.value(&[]).unwrap()), "([...],)");
        assert_eq!(field(Value::Array { shape: [2, 0].into(), values: [].into() }), "([[], []],)");
    }

    #[test]
    fn values_that_fit_nowhere_are_printed_without_panic() {
        let mixed = Value::Array {
            shape: [3].into(),
            values: [Value::Int(1), Value::Str("a".into()), Value::Bool(true)].into(),
        };
        assert_eq!(mixed.to_string(), "[1 a True]");
        let short = Value::Array { shape: [1 << 30].into(), values: [Value::Int(1), Value::Int(2)].into() };
        assert_eq!(short.to_string(), "[1 1 1 ... 1 1 1]");
        let none = Value::Array { shape: [3].into(), values: [].into() };
        assert_eq!(none.to_string(), "[...]");
    }

    #[test]
    fn scalars_print_as_numpy_str() {
        let text = |value: Value| value.to_string();
        assert_eq!(text(Value::Bool(true)), "True");
        assert_eq!(text(Value::UInt(u64::MAX)), "18446744073709551615");
        assert_eq!(text(Value::Float32(0.1)), "0.1");
        assert_eq!(text(Value::Complex128([1.0, -2.0])), "(1-2j)");
        let minutes = TimeUnit { unit: DatetimeUnit::Minute, count: 1 };
        assert_eq!(text(Value::Datetime64(26_297_280, minutes)), "2020-01-01T00:00");
        assert_eq!(text(Value::Timedelta64(3, TimeUnit { count: 7, ..DAYS })), "21 days");
        assert_eq!(text(Value::Timedelta64(i64::MIN, DAYS)), "NaT");
        assert_eq!(text(Value::Bytes(b"a'\n\xff".into())), "b\"a'\\n\\xff\"");
        assert_eq!(text(Value::Str("it's".into())), "it's");
        assert_eq!(text(Value::Void(b"a\xff".into())), "b'\\x61\\xFF'");
        assert_eq!(text(Value::Record([].into())), "()");
        let fields = [("a", Value::Int(1)), ("b", Value::Float64(2.5)), ("c", Value::Bytes(b"x".into()))];
        let fields = fields.into_iter().map(|(name, value)| (name.into(), value)).collect();
        assert_eq!(text(Value::Record(fields)), "(1, 2.5, b'x')");
        assert_eq!(alloc::format!("[{:>6}]", Value::Float64(1.5)), "[   1.5]");
    }
}
