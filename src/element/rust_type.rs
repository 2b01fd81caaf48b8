//! Which Rust type views a dtype in place, by name: what errors recommend and `npymap schema` prints.

use alloc::format;
use alloc::string::String;

use crate::{ByteOrder, DType};

impl DType {
    /// Returns the name of the Rust type that views elements in place on this machine: `f64`, `npymap::be::F64`,
    /// `[npymap::le::Str<5>; 3]` for a subarray.
    ///
    /// `None` for types that take no bytes, for objects, and for records, whose structs have names of their own.
    ///
    /// ```
    /// use npymap::{ByteOrder, DType};
    ///
    /// assert_eq!(DType::Str(ByteOrder::Big, 5).rust_type().as_deref(), Some("npymap::be::Str<5>"));
    /// assert_eq!(DType::Bool.rust_type().as_deref(), Some("bool"));
    /// ```
    #[must_use]
    pub fn rust_type(&self) -> Option<String> {
        if self.itemsize() == 0 {
            return None;
        }
        let order = self.byte_order().unwrap_or(ByteOrder::NATIVE);
        let module = if order == ByteOrder::Big { "npymap::be" } else { "npymap::le" };
        let native = |native: &str, other: &str| {
            if order == ByteOrder::NATIVE { native.into() } else { format!("{module}::{other}") }
        };
        Some(match self {
            Self::Bool => "bool".into(),
            Self::Int8 => "i8".into(),
            Self::UInt8 => "u8".into(),
            Self::Int16(_) => native("i16", "I16"),
            Self::UInt16(_) => native("u16", "U16"),
            Self::Int32(_) => native("i32", "I32"),
            Self::UInt32(_) => native("u32", "U32"),
            Self::Int64(_) => native("i64", "I64"),
            Self::UInt64(_) => native("u64", "U64"),
            Self::Float16(_) => format!("{module}::F16"),
            Self::Float32(_) => native("f32", "F32"),
            Self::Float64(_) => native("f64", "F64"),
            Self::LongDouble(_) => format!("{module}::LongDouble"),
            Self::Complex64(_) => format!("{module}::Complex64"),
            Self::Complex128(_) => format!("{module}::Complex128"),
            Self::ComplexLongDouble(_) => format!("{module}::ComplexLongDouble"),
            Self::Datetime64(..) => native("npymap::Datetime64", "Datetime64"),
            Self::Timedelta64(..) => native("npymap::Timedelta64", "Timedelta64"),
            Self::Bytes(size) => format!("npymap::FixedBytes<{size}>"),
            Self::Str(_, characters) => format!("{module}::Str<{characters}>"),
            Self::Void(size) => format!("npymap::Void<{size}>"),
            Self::Subarray(base, shape) => {
                let base = base.rust_type()?;
                shape.iter().rev().fold(base, |element, length| format!("[{element}; {length}]"))
            }
            Self::Struct(_) | Self::Object => return None,
        })
    }
}
