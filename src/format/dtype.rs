//! What NumPy's dtypes are: a plain enum to match on. Knows sizes and names; the text form is in `descr.rs`.

use alloc::boxed::Box;
use alloc::string::String;
use alloc::vec::Vec;

/// The byte order of a number, or of the code units of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ByteOrder {
    /// Least significant byte first, `<` in a descr.
    Little,
    /// Most significant byte first, `>` in a descr.
    Big,
}

impl ByteOrder {
    /// The byte order of this machine.
    pub const NATIVE: Self = if cfg!(target_endian = "little") { Self::Little } else { Self::Big };

    /// Returns the character of a descr, `<` or `>`.
    #[must_use]
    pub const fn char(self) -> char {
        match self {
            Self::Little => '<',
            Self::Big => '>',
        }
    }

    /// Returns `little` or `big`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Little => "little",
            Self::Big => "big",
        }
    }
}

/// The unit of a datetime64 or timedelta64, with its multiple: `[25s]` is 25 seconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TimeUnit {
    /// The unit.
    pub unit: DatetimeUnit,
    /// How many units one step is; 1 in nearly every file. NumPy allows 0 to 2³¹ - 1; 1 where the unit is generic.
    pub count: u32,
}

impl TimeUnit {
    /// Returns the unit of `count` units: `TimeUnit::new(DatetimeUnit::Second, 25)` is `[25s]`.
    #[must_use]
    pub const fn new(unit: DatetimeUnit, count: u32) -> Self {
        Self { unit, count }
    }
}

/// The unit with a count of 1.
impl From<DatetimeUnit> for TimeUnit {
    fn from(unit: DatetimeUnit) -> Self {
        Self::new(unit, 1)
    }
}

/// NumPy's datetime units, in NumPy's spelling where Rust allows it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DatetimeUnit {
    /// Years, `Y`.
    Year,
    /// Months, `M`.
    Month,
    /// Weeks, `W`.
    Week,
    /// Days, `D`.
    Day,
    /// Hours, `h`.
    Hour,
    /// Minutes, `m`.
    Minute,
    /// Seconds, `s`.
    Second,
    /// Milliseconds, `ms`.
    Millisecond,
    /// Microseconds, `us`.
    Microsecond,
    /// Nanoseconds, `ns`.
    Nanosecond,
    /// Picoseconds, `ps`.
    Picosecond,
    /// Femtoseconds, `fs`.
    Femtosecond,
    /// Attoseconds, `as`.
    Attosecond,
    /// No unit, `generic`; not written in a descr.
    Generic,
}

impl DatetimeUnit {
    /// Returns NumPy's name of the unit.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Year => "Y",
            Self::Month => "M",
            Self::Week => "W",
            Self::Day => "D",
            Self::Hour => "h",
            Self::Minute => "m",
            Self::Second => "s",
            Self::Millisecond => "ms",
            Self::Microsecond => "us",
            Self::Nanosecond => "ns",
            Self::Picosecond => "ps",
            Self::Femtosecond => "fs",
            Self::Attosecond => "as",
            Self::Generic => "generic",
        }
    }
}

/// The type of one element, as NumPy knows it.
///
/// The names are NumPy's: [`Complex64`](Self::Complex64) is two 32-bit floats. Numbers of one byte and types without
/// a byte order carry none.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum DType {
    /// `|b1`, one byte, 0 or 1.
    Bool,
    /// `|i1`.
    Int8,
    /// `|u1`.
    UInt8,
    /// `<i2`.
    Int16(ByteOrder),
    /// `<u2`.
    UInt16(ByteOrder),
    /// `<i4`.
    Int32(ByteOrder),
    /// `<u4`.
    UInt32(ByteOrder),
    /// `<i8`.
    Int64(ByteOrder),
    /// `<u8`.
    UInt64(ByteOrder),
    /// `<f2`, IEEE half precision.
    Float16(ByteOrder),
    /// `<f4`.
    Float32(ByteOrder),
    /// `<f8`.
    Float64(ByteOrder),
    /// `<f16`: C's long double as x86-64 stores it, 80 bits of x87 in 16 bytes; elsewhere an IEEE quadruple or a pair.
    LongDouble(ByteOrder),
    /// `<c8`, two `f4`.
    Complex64(ByteOrder),
    /// `<c16`, two `f8`.
    Complex128(ByteOrder),
    /// `<c32`, two long doubles.
    ComplexLongDouble(ByteOrder),
    /// `<M8[unit]`, a 64-bit count of units since 1970-01-01T00:00; `i64::MIN` is NaT.
    Datetime64(ByteOrder, TimeUnit),
    /// `<m8[unit]`, a 64-bit count of units; `i64::MIN` is NaT.
    Timedelta64(ByteOrder, TimeUnit),
    /// `|S5`: so many bytes, padded with NULs.
    Bytes(usize),
    /// `<U5`: so many UCS-4 code units, padded with NULs.
    Str(ByteOrder, usize),
    /// `|V5`: so many raw bytes.
    Void(usize),
    /// `|O`: pickled Python objects (also NumPy's StringDType, `T`). Such arrays can be described, not read.
    Object,
    /// A list of named fields.
    Struct(StructType),
    /// A fixed shape of another type, in C order; only as the type of a field.
    Subarray(Box<DType>, Vec<usize>),
}

/// A structured dtype: fields at offsets, padding between them.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructType {
    /// The fields in order of their offsets; they don't overlap.
    pub fields: Vec<StructField>,
    /// Bytes of one record, padding included.
    pub itemsize: usize,
}

/// One field of a [`StructType`].
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct StructField {
    /// The name; any string, unique among the names and titles of the struct.
    pub name: String,
    /// NumPy's title, a second name.
    pub title: Option<String>,
    /// Bytes from the start of the record.
    pub offset: usize,
    /// The type.
    pub dtype: DType,
}

impl DType {
    /// Returns the bytes that one element takes, NumPy's `itemsize`.
    #[must_use]
    pub fn itemsize(&self) -> usize {
        match self {
            Self::Bool | Self::Int8 | Self::UInt8 => 1,
            Self::Int16(_) | Self::UInt16(_) | Self::Float16(_) => 2,
            Self::Int32(_) | Self::UInt32(_) | Self::Float32(_) => 4,
            Self::Int64(_) | Self::UInt64(_) | Self::Float64(_) | Self::Complex64(_) => 8,
            Self::Datetime64(..) | Self::Timedelta64(..) | Self::Object => 8,
            Self::LongDouble(_) | Self::Complex128(_) => 16,
            Self::ComplexLongDouble(_) => 32,
            Self::Bytes(size) | Self::Void(size) => *size,
            Self::Str(_, chars) => 4 * chars,
            Self::Struct(record) => record.itemsize,
            // Saturating: the product may pass through more than 32 bits on its way to a zero.
            Self::Subarray(base, shape) => shape.iter().fold(base.itemsize(), |size, &dim| size.saturating_mul(dim)),
        }
    }

    /// Returns NumPy's `kind`: `b i u f c M m S U V O`.
    #[must_use]
    pub fn kind(&self) -> char {
        match self {
            Self::Bool => 'b',
            Self::Int8 | Self::Int16(_) | Self::Int32(_) | Self::Int64(_) => 'i',
            Self::UInt8 | Self::UInt16(_) | Self::UInt32(_) | Self::UInt64(_) => 'u',
            Self::Float16(_) | Self::Float32(_) | Self::Float64(_) | Self::LongDouble(_) => 'f',
            Self::Complex64(_) | Self::Complex128(_) | Self::ComplexLongDouble(_) => 'c',
            Self::Datetime64(..) => 'M',
            Self::Timedelta64(..) => 'm',
            Self::Bytes(_) => 'S',
            Self::Str(..) => 'U',
            Self::Void(_) | Self::Struct(_) | Self::Subarray(..) => 'V',
            Self::Object => 'O',
        }
    }

    /// Returns the byte order, or `None` for a type that has none (one byte, `S`, `V`, objects, structs, subarrays).
    #[must_use]
    pub fn byte_order(&self) -> Option<ByteOrder> {
        match *self {
            Self::Int16(order)
            | Self::UInt16(order)
            | Self::Int32(order)
            | Self::UInt32(order)
            | Self::Int64(order)
            | Self::UInt64(order)
            | Self::Float16(order)
            | Self::Float32(order)
            | Self::Float64(order)
            | Self::LongDouble(order)
            | Self::Complex64(order)
            | Self::Complex128(order)
            | Self::ComplexLongDouble(order)
            | Self::Datetime64(order, _)
            | Self::Timedelta64(order, _)
            | Self::Str(order, _) => Some(order),
            _ => None,
        }
    }

    /// Returns the unit of a datetime64 or timedelta64, or `None` for another type.
    ///
    /// ```
    /// use npymap::{DType, DatetimeUnit, TimeUnit};
    ///
    /// let unit = DType::from_descr("<M8[25s]")?.time_unit();
    /// assert_eq!(unit, Some(TimeUnit::new(DatetimeUnit::Second, 25)));
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[must_use]
    #[doc(alias = "datetime_data")]
    pub const fn time_unit(&self) -> Option<TimeUnit> {
        match *self {
            Self::Datetime64(_, unit) | Self::Timedelta64(_, unit) => Some(unit),
            _ => None,
        }
    }

    /// Returns the path of the first field that holds Python objects: empty if the type itself does, `None` if
    /// nothing in it does.
    #[must_use]
    pub fn object_path(&self) -> Option<Vec<String>> {
        match self {
            Self::Object => Some(Vec::new()),
            Self::Subarray(base, _) => base.object_path(),
            Self::Struct(record) => record.fields.iter().find_map(|field| {
                let mut path = field.dtype.object_path()?;
                path.insert(0, field.name.clone());
                Some(path)
            }),
            _ => None,
        }
    }
}
