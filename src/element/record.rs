//! Structs as elements: what the code that `#[derive(npymap::Element)]` writes is made of. Knows fields, offsets and
//! dtypes of structs; which structs may be derived is for the macro to say.
#![expect(unsafe_code, reason = "casts bytes to structs whose fields were checked")]

use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use super::{Element, ElementMut, cast_error, check_lengths, decode_each, encode_each, mismatch, partial};
use crate::{DType, Error, Result, StructField, StructType, TimeUnit};

/// An element whose values lie in memory as they do in a file of the machine's byte order: what a field may be.
///
/// # Safety
///
/// The type has no interior mutability, and:
/// - if [`Element::ANY_BYTES`], any `size_of::<Self>()` bytes are those of a value;
/// - otherwise those are for which [`check_bytes`](Self::check_bytes) succeeds;
/// - unless `PADDED`, no byte of any value is padding.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be a field of an element",
    label = "no element",
    note = "fields are numbers, `bool`, npymap's own element types, arrays `[T; N]` of these, and structs that derive `npymap::Element`"
)]
pub unsafe trait InPlace: Element {
    /// Whether some bytes of a value belong to no field.
    const PADDED: bool;

    /// Returns the value whose bytes are all zero, but for padding.
    fn zero() -> Self;

    /// Checks that the bytes of one element are a value.
    ///
    /// # Errors
    ///
    /// [`Error::InvalidBool`], [`Error::PartialElement`].
    fn check_bytes(bytes: &[u8]) -> Result<()> {
        Self::read(bytes).map(drop)
    }
}

/// A derived type, whose padding is told by a type rather than a constant.
///
/// # Safety
///
/// `Padding` is `Padding<{ Self::PADDED }>`.
pub unsafe trait Derived: InPlace {
    /// `Padding<{ Self::PADDED }>`.
    type Padding;
}

/// Whether there is padding, as a type.
pub struct Padding<const PADDED: bool>;

/// Implemented for the absence of padding.
#[diagnostic::on_unimplemented(
    message = "a struct with padding cannot be viewed for writing",
    note = "fill the gaps with fields `#[npymap(padding)] _pad: [u8; N]`, or use `#[repr(C, packed)]`"
)]
pub trait NoPadding {}
impl NoPadding for Padding<false> {}

impl<T: Derived> ElementMut for T
where
    T::Padding: NoPadding,
{
    fn view_mut(bytes: &mut [u8]) -> Result<&mut [Self]> {
        view_mut(bytes)
    }
}

/// A struct that is a record of a file, field by field.
pub trait Record: InPlace {
    /// The fields that a file names, in order of their offsets.
    const FIELDS: &'static [Field];

    /// Makes a value of fields stored with other offsets or in other byte orders.
    ///
    /// # Errors
    ///
    /// As [`Element::decode`].
    fn from_stored(fields: StoredFields<'_>) -> Result<Self>;

    /// Writes the fields at other offsets or in other byte orders, over zeros.
    ///
    /// # Errors
    ///
    /// As [`Element::encode`].
    fn to_stored(&self, fields: StoredFieldsMut<'_>) -> Result<()>;
}

/// Marks elements that are times, which alone take a unit.
#[diagnostic::on_unimplemented(message = "a unit is for datetime64 and timedelta64, and `{Self}` is neither")]
pub trait Time {}
impl<T: Time, const N: usize> Time for [T; N] {}

type CheckBytes = fn(&[u8]) -> Result<()>;

/// A field of a struct.
pub struct Field {
    name: &'static str,
    title: Option<&'static str>,
    unit: Option<TimeUnit>,
    offset: usize,
    align: usize,
    dtype: fn() -> DType,
    check: fn(&DType) -> Result<()>,
    /// What to check the bytes by, if not any are a value.
    check_bytes: Option<CheckBytes>,
    can_decode: fn(&DType) -> Result<()>,
    size: usize,
}

impl Field {
    /// A field of type `T` at byte `offset` of its struct.
    #[must_use]
    pub const fn new<T: InPlace>(
        name: &'static str,
        title: Option<&'static str>,
        unit: Option<TimeUnit>,
        offset: usize,
    ) -> Self {
        Self {
            name,
            title,
            unit,
            offset,
            align: align_of::<T>(),
            dtype: T::dtype,
            check: T::check,
            check_bytes: if T::ANY_BYTES { None } else { Some(T::check_bytes) },
            can_decode: |dtype| T::decode(dtype, &[], &mut []),
            size: size_of::<T>(),
        }
    }

    /// The dtype that the field is written as.
    fn dtype(&self) -> DType {
        self.unit.map_or_else(self.dtype, |unit| with_unit((self.dtype)(), unit))
    }

    /// Checks a dtype by `check`, and its unit if the struct states one.
    fn check(&self, found: &DType, check: fn(&DType) -> Result<()>) -> Result<()> {
        check(found)?;
        self.unit.map_or(Ok(()), |unit| check_unit(found, unit))
    }
}

/// Returns a dtype of times, or of subarrays of them, with another unit.
#[must_use]
pub fn with_unit(mut dtype: DType, unit: TimeUnit) -> DType {
    if let Some(of_dtype) = unit_mut(&mut dtype) {
        *of_dtype = unit;
    }
    dtype
}

/// Checks that times are counted in the unit that a struct states.
///
/// # Errors
///
/// [`Error::DType`].
pub fn check_unit(dtype: &DType, unit: TimeUnit) -> Result<()> {
    let wanted = with_unit(dtype.clone(), unit);
    if *dtype == wanted {
        return Ok(());
    }
    let (found, wanted) = (dtype.descr(), wanted.descr());
    Err(Error::DType { field: Vec::new(), found, element: "the unit stated".into(), wanted, instead: None })
}

fn unit_mut(dtype: &mut DType) -> Option<&mut TimeUnit> {
    match dtype {
        DType::Datetime64(_, unit) | DType::Timedelta64(_, unit) => Some(unit),
        DType::Subarray(base, _) => unit_mut(base),
        _ => None,
    }
}

/// The fields of a record that take bytes; the others hold nothing, and no struct has them.
fn fields_with_bytes(record: &StructType) -> impl Iterator<Item = &StructField> {
    record.fields.iter().filter(|field| field.dtype.itemsize() > 0)
}

/// Returns the dtype that a struct is written as.
#[must_use]
pub fn dtype<T: Record>() -> DType {
    let field = |field: &Field| StructField {
        name: field.name.into(),
        title: field.title.map(String::from),
        offset: field.offset,
        dtype: field.dtype(),
    };
    DType::Struct(StructType { fields: T::FIELDS.iter().map(field).collect(), itemsize: size_of::<T>() })
}

/// Checks that records of a file have the struct's fields, in their order, each at its offset and of its dtype.
///
/// # Errors
///
/// [`Error::DType`], [`Error::ByteOrder`], [`Error::FieldName`], [`Error::FieldOffset`], [`Error::RecordSize`].
pub fn check<T: Record>(dtype: &DType) -> Result<()> {
    let record = check_fields::<T>(dtype, |field, stored| {
        if field.offset != stored.offset {
            let path = Vec::from([stored.name.clone()]);
            let (file, rust) = (stored.offset, field.offset);
            return Err(Error::FieldOffset { element: T::name(), field: path, file, rust, remedy: remedy::<T>(dtype) });
        }
        field.check(&stored.dtype, field.check).map_err(|error| error.in_field(&stored.name))
    })?;
    let (file, rust) = (record.itemsize, size_of::<T>());
    if file != rust {
        let (element, remedy) = (T::name(), remedy::<T>(dtype));
        return Err(Error::RecordSize { element, field: Vec::new(), file, rust, remedy });
    }
    Ok(())
}

/// Checks that records of a file have the struct's fields in their order, and each field by `check`.
fn check_fields<T: Record>(
    dtype: &DType,
    mut check: impl FnMut(&Field, &StructField) -> Result<()>,
) -> Result<&StructType> {
    let DType::Struct(record) = dtype else { return Err(mismatch::<T>(dtype, &T::dtype())) };
    let mut stored = fields_with_bytes(record);
    let mut fields = T::FIELDS.iter();
    for position in 0.. {
        let (found, wanted) = (stored.next(), fields.next());
        match (found, wanted) {
            (None, None) => break,
            (Some(found), Some(wanted)) if found.name == wanted.name => check(wanted, found)?,
            _ => {
                let (element, field) = (T::name(), Vec::new());
                let found = found.map(|found| found.name.clone());
                let wanted = wanted.map(|wanted| wanted.name.into());
                return Err(Error::FieldName { element, field, position, found, wanted });
            }
        }
    }
    Ok(record)
}

/// What to write so that a struct has the offsets of the file's record.
fn remedy<T: Record>(dtype: &DType) -> String {
    let DType::Struct(record) = dtype else { return String::new() };
    let fields = || fields_with_bytes(record).zip(T::FIELDS);
    // The offsets and the size that Rust would give the file's fields if each were aligned so.
    let fits = |align: fn(&Field) -> usize| {
        let mut end = 0_usize;
        let placed = fields().all(|(stored, field)| {
            let Some(start) = end.checked_next_multiple_of(align(field)) else { return false };
            end = start.saturating_add(stored.dtype.itemsize());
            start == stored.offset
        });
        let align = fields().map(|(_, field)| align(field)).max().unwrap_or(1);
        placed && end.checked_next_multiple_of(align) == Some(record.itemsize)
    };
    let way = if fits(|_| 1) {
        "its fields are packed, as in #[repr(C, packed)]"
    } else if fits(|field| field.align) {
        "its fields are aligned, as in #[repr(C)] without padding fields"
    } else {
        "fill the gaps of #[repr(C, packed)] with fields #[npymap(padding)] _pad: [u8; N], as npymap schema prints them"
    };
    format!("{way}; or copy with to_vec")
}

/// Views bytes as structs, in place.
///
/// # Errors
///
/// [`Error::Misaligned`], [`Error::PartialElement`]; [`Error::InvalidBool`].
#[inline]
pub fn view<T: InPlace>(bytes: &[u8]) -> Result<&[T]> {
    let size = size_of::<T>();
    if size == 0 || !bytes.len().is_multiple_of(size) || !bytes.as_ptr().cast::<T>().is_aligned() {
        return Err(cast_error::<T>(bytes));
    }
    if !T::ANY_BYTES {
        for (index, bytes) in bytes.chunks_exact(size).enumerate() {
            T::check_bytes(bytes).map_err(|error| super::at_element::<T>(error, index))?;
        }
    }
    // SAFETY: address and length were just found to be whole elements, and each of them a value.
    Ok(unsafe { view_again(bytes) })
}

/// Views bytes as structs without looking at the values.
///
/// # Safety
///
/// The address of `bytes` is aligned for `T`, which is not zero-sized, their length a multiple of its size, and each
/// element a value: [`view`] has succeeded on bytes of the same contents, or on bytes that contain such on element
/// boundaries, at an address that is as well aligned.
#[must_use]
#[inline]
pub unsafe fn view_again<T: InPlace>(bytes: &[u8]) -> &[T] {
    // SAFETY: the caller guarantees that the address is aligned, that the length is whole elements, and that the bytes
    // of each are those of a value; all bytes of a slice are initialized, padding included. `T` has no interior
    // mutability (`InPlace`), so that sharing the bytes for their lifetime is sharing the elements.
    unsafe { core::slice::from_raw_parts(bytes.as_ptr().cast::<T>(), bytes.len() / size_of::<T>()) }
}

/// Views bytes as values without padding, in place and writable. With padding it doesn't compile.
///
/// # Errors
///
/// As [`view`].
pub fn view_mut<T: InPlace>(bytes: &mut [u8]) -> Result<&mut [T]> {
    const { assert!(!T::PADDED, "padding may be uninitialized in a value, and bytes may not") };
    view::<T>(bytes)?;
    let len = bytes.len() / size_of::<T>();
    // SAFETY: `view` has found the address aligned, the length a multiple of the size, which isn't zero, and every
    // element valid. The bytes are exclusively borrowed for the lifetime of the result. What is written through it are
    // values of `T`, none of whose bytes are padding (asserted above): the bytes stay initialized.
    Ok(unsafe { core::slice::from_raw_parts_mut(bytes.as_mut_ptr().cast::<T>(), len) })
}

/// The bytes of structs without padding; `None` of those with it.
#[must_use]
pub fn as_stored<T: InPlace>(elements: &[T]) -> Option<&[u8]> {
    if T::PADDED {
        return None;
    }
    // SAFETY: the pointer and length are those of a live slice, which is borrowed for the lifetime of the result, and
    // bytes may lie at any address. None of them is padding (`InPlace`), so that all are initialized; there is no
    // interior mutability through which they could change meanwhile.
    Some(unsafe { core::slice::from_raw_parts(elements.as_ptr().cast::<u8>(), size_of_val(elements)) })
}

/// Checks the bytes of one struct, field by field.
///
/// # Errors
///
/// [`Error::PartialElement`], [`Error::InvalidBool`].
pub fn check_bytes<T: Record>(bytes: &[u8]) -> Result<()> {
    check_size::<T>(bytes)?;
    for field in T::FIELDS {
        if let Some(check) = field.check_bytes {
            check(&bytes[field.offset..field.offset + field.size]).map_err(|error| error.in_field(field.name))?;
        }
    }
    Ok(())
}

/// Checks that there are as many bytes as an element takes.
///
/// # Errors
///
/// [`Error::PartialElement`].
#[inline]
pub fn check_size<T: Element>(bytes: &[u8]) -> Result<()> {
    if bytes.len() == size_of::<T>() { Ok(()) } else { Err(partial::<T>(bytes)) }
}

/// Reads a field out of the bytes of its struct.
///
/// # Errors
///
/// [`Error::InvalidBool`].
#[inline]
pub fn read_field<T: Element>(bytes: &[u8], offset: usize, name: &str) -> Result<T> {
    T::read(&bytes[offset..offset + size_of::<T>()]).map_err(|error| error.in_field(name))
}

/// Zeros the bytes that a struct is to be written into.
///
/// # Panics
///
/// If there aren't as many as the struct takes.
pub fn clear<T: Element>(out: &mut [u8]) {
    assert_eq!(out.len(), size_of::<T>(), "the buffer has the size of the struct");
    out.fill(0);
}

/// Writes a field into the bytes of its struct.
#[inline]
pub fn write_field<T: Element>(value: T, offset: usize, out: &mut [u8]) {
    value.write(&mut out[offset..offset + size_of::<T>()]);
}

/// Copies records, stored with whatever offsets and byte orders, into structs.
///
/// # Errors
///
/// As [`Element::decode`].
pub fn decode<T: Record>(dtype: &DType, bytes: &[u8], out: &mut [T]) -> Result<()> {
    if check::<T>(dtype).is_ok() {
        check_lengths(dtype.itemsize(), bytes.len(), out.len())?;
        return match view::<T>(bytes) {
            Ok(elements) => {
                out.copy_from_slice(elements);
                Ok(())
            }
            Err(_) => decode_each(dtype.itemsize(), bytes, out, T::read),
        };
    }
    let record = check_copy::<T>(dtype)?;
    decode_each(record.itemsize, bytes, out, |bytes| T::from_stored(StoredFields { record, next: 0, bytes }))
}

/// Writes structs as records with whatever offsets and byte orders.
///
/// # Errors
///
/// As [`Element::encode`].
pub fn encode<T: Record>(dtype: &DType, elements: &[T], out: &mut [u8]) -> Result<()> {
    let record = check_copy::<T>(dtype)?;
    let in_place = check::<T>(dtype).is_ok();
    encode_each(record.itemsize, elements, out, |element, out| {
        if in_place {
            element.write(out);
            return Ok(());
        }
        out.fill(0);
        element.to_stored(StoredFieldsMut { record, next: 0, bytes: out })
    })
}

/// Checks that a file's records can be copied into structs, whatever their offsets and byte orders.
fn check_copy<T: Record>(dtype: &DType) -> Result<&StructType> {
    check_fields::<T>(dtype, |field, stored| {
        field.check(&stored.dtype, field.can_decode).map_err(|error| error.in_field(&stored.name))
    })
}

/// Finds the next field that takes bytes, whose names were checked.
fn next_field<'a>(record: &'a StructType, next: &mut usize) -> Option<&'a StructField> {
    let rest = record.fields.get(*next..)?;
    let skipped = rest.iter().position(|field| field.dtype.itemsize() > 0)?;
    *next += skipped + 1;
    rest.get(skipped)
}

/// The fields of a record, one after another.
pub struct StoredFields<'a> {
    record: &'a StructType,
    next: usize,
    bytes: &'a [u8],
}

impl StoredFields<'_> {
    /// Reads the next field.
    ///
    /// # Errors
    ///
    /// As [`Element::decode`].
    pub fn read<T: InPlace>(&mut self) -> Result<T> {
        let Some(stored) = next_field(self.record, &mut self.next) else { return Err(partial::<T>(self.bytes)) };
        let bytes = self.bytes.get(stored.offset..stored.offset.saturating_add(stored.dtype.itemsize()));
        let bytes = bytes.ok_or_else(|| partial::<T>(self.bytes))?;
        let mut value = [T::zero()];
        T::decode(&stored.dtype, bytes, &mut value).map_err(|error| error.in_field(&stored.name))?;
        Ok(value[0])
    }
}

/// The fields of a record to be written, one after another.
pub struct StoredFieldsMut<'a> {
    record: &'a StructType,
    next: usize,
    bytes: &'a mut [u8],
}

impl StoredFieldsMut<'_> {
    /// Writes the next field.
    ///
    /// # Errors
    ///
    /// As [`Element::encode`].
    pub fn write<T: InPlace>(&mut self, value: T) -> Result<()> {
        let Some(stored) = next_field(self.record, &mut self.next) else { return Err(partial::<T>(self.bytes)) };
        let own = stored.offset..stored.offset.saturating_add(stored.dtype.itemsize());
        let bytes = match self.bytes.get_mut(own) {
            Some(bytes) => bytes,
            None => return Err(partial::<T>(&[])),
        };
        T::encode(&stored.dtype, &[value], bytes).map_err(|error| error.in_field(&stored.name))
    }
}
