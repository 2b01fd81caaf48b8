//! How the types of single elements lie in a struct. The alignments are those of the machine that this runs on.

use npymap::DType;

/// A Rust type: its name, and the alignment that a `repr(C)` struct gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RustType {
    pub name: String,
    pub align: usize,
}

/// The type of an element; `None` for records and for objects.
pub fn plain(dtype: &DType) -> Option<RustType> {
    let name = dtype.rust_type()?;
    let align = match name.as_str() {
        "i16" | "u16" => align_of::<u16>(),
        "i32" | "u32" => align_of::<u32>(),
        "f32" => align_of::<f32>(),
        "i64" | "u64" | "npymap::Datetime64" | "npymap::Timedelta64" => align_of::<u64>(),
        "f64" => align_of::<f64>(),
        // Bytes, and types of a stated byte order.
        _ => 1,
    };
    Some(RustType { name, align })
}
