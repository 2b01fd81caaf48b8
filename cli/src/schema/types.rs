//! Which Rust type views an element that is no record in place, on this machine. The alignments are this machine's too.

use npymap::{ByteOrder, DType};

/// A Rust type: its name, and the alignment that a `repr(C)` struct gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustType {
    pub name: String,
    pub align: usize,
}

/// The type of an element; `None` for records and subarrays, which consist of others, and for objects.
pub fn plain(dtype: &DType) -> Option<RustType> {
    let module = match dtype.byte_order() {
        Some(ByteOrder::Big) => "npymap::be",
        _ => "npymap::le",
    };
    let is_native = dtype.byte_order().is_none_or(|order| order == ByteOrder::NATIVE);
    // Types of both orders have alignment 1.
    let ordered = |name: &str| RustType { name: format!("{module}::{name}"), align: 1 };
    let bytes = |name: &str, size: &usize| RustType { name: format!("npymap::{name}<{size}>"), align: 1 };
    macro_rules! number {
        ($native:ty, $ordered:literal) => {
            if is_native {
                RustType { name: stringify!($native).into(), align: align_of::<$native>() }
            } else {
                ordered($ordered)
            }
        };
    }
    Some(match dtype {
        DType::Bool => number!(bool, ""),
        DType::Int8 => number!(i8, ""),
        DType::UInt8 => number!(u8, ""),
        DType::Int16(_) => number!(i16, "I16"),
        DType::UInt16(_) => number!(u16, "U16"),
        DType::Int32(_) => number!(i32, "I32"),
        DType::UInt32(_) => number!(u32, "U32"),
        DType::Int64(_) => number!(i64, "I64"),
        DType::UInt64(_) => number!(u64, "U64"),
        DType::Float16(_) => ordered("F16"),
        DType::Float32(_) => number!(f32, "F32"),
        DType::Float64(_) => number!(f64, "F64"),
        DType::LongDouble(_) => ordered("LongDouble"),
        DType::Complex64(_) => ordered("Complex64"),
        DType::Complex128(_) => ordered("Complex128"),
        DType::ComplexLongDouble(_) => ordered("ComplexLongDouble"),
        DType::Datetime64(..) => number!(npymap::Datetime64, "Datetime64"),
        DType::Timedelta64(..) => number!(npymap::Timedelta64, "Timedelta64"),
        DType::Str(_, characters) => ordered(&format!("Str<{characters}>")),
        DType::Bytes(size) => bytes("FixedBytes", size),
        DType::Void(size) => bytes("Void", size),
        _ => return None,
    })
}
