//! `Serialize` for [`Header`] and [`DType`]: the JSON of `npymap info`. Knows which keys there are, in which order.

use alloc::string::ToString;

use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use super::{DType, Header, StructField};

/// Serializes `version descr dtype shape fortran_order itemsize data_offset nbytes spare appendable`, in this order:
/// what [`Header`]'s methods of the same names return. `descr` is the text that [`DType`] displays.
///
/// # Example
///
/// ```
/// let header = npymap::NpyFile::read_header("examples/data/measurements.npy")?;
/// let json = serde_json::to_value(&header)?;
/// assert_eq!(json["descr"], "<f4");
/// assert_eq!(json["shape"], serde_json::json!([1000, 3]));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
impl Serialize for Header {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Header", 10)?;
        map.serialize_field("version", &self.version())?;
        map.serialize_field("descr", &self.dtype().to_string())?;
        map.serialize_field("dtype", self.dtype())?;
        map.serialize_field("shape", self.shape())?;
        map.serialize_field("fortran_order", &self.fortran_order())?;
        map.serialize_field("itemsize", &self.itemsize())?;
        map.serialize_field("data_offset", &self.data_offset())?;
        map.serialize_field("nbytes", &self.nbytes())?;
        map.serialize_field("spare", &self.spare())?;
        map.serialize_field("appendable", &self.appendable())?;
        map.end()
    }
}

/// Serializes NumPy's `str`, `kind` and `itemsize`; after them `fields` (a list of `name offset title dtype`) if it is
/// a struct, `subarray` (`base` and `shape`) if it is a subarray.
///
/// # Example
///
/// ```
/// let json = serde_json::to_value(npymap::DType::Int8)?;
/// assert_eq!(json, serde_json::json!({"str": "|i1", "kind": "i", "itemsize": 1}));
/// # Ok::<(), serde_json::Error>(())
/// ```
impl Serialize for DType {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("str", &self.str())?;
        map.serialize_entry("kind", &self.kind())?;
        map.serialize_entry("itemsize", &self.itemsize())?;
        match self {
            Self::Struct(record) => map.serialize_entry("fields", &record.fields)?,
            Self::Subarray(base, shape) => map.serialize_entry("subarray", &Subarray { base, shape })?,
            _ => {}
        }
        map.end()
    }
}

/// Serializes `name offset title dtype`; the title is null where there is none.
impl Serialize for StructField {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("StructField", 4)?;
        map.serialize_field("name", &self.name)?;
        map.serialize_field("offset", &self.offset)?;
        map.serialize_field("title", &self.title)?;
        map.serialize_field("dtype", &self.dtype)?;
        map.end()
    }
}

struct Subarray<'a> {
    base: &'a DType,
    shape: &'a [usize],
}

impl Serialize for Subarray<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_struct("Subarray", 2)?;
        map.serialize_field("base", self.base)?;
        map.serialize_field("shape", self.shape)?;
        map.end()
    }
}
