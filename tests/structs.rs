//! NumPy as a live oracle of records: random structured arrays that it writes; every field of them read by name and by
//! title, through `field`, `strings` and `value`; and the same arrays written field by field, for NumPy to load.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;
mod support;

use std::fmt::Debug;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use npymap::{Aligned, ByteOrder, DType, Datetime64, Element, FixedBytes, NpyAny, Timedelta64, Value, Void, be, le};
use num_complex::Complex;
use serde_json::Value as Json;

/// A field as NumPy sees it.
struct Field {
    path: Vec<String>,
    titles: Vec<String>,
    shape: Vec<usize>,
    /// The last of `shape`: those of the field's own subarrays.
    dims: Vec<usize>,
    /// What NumPy writes for the dtype of the elements.
    descr: String,
    /// Elements in C order and native byte order; none if the field has fields itself.
    data: Option<Vec<u8>>,
    text: Option<Vec<String>>,
}

impl Field {
    fn new(json: &Json) -> Self {
        let strings = |json: &Json| -> Vec<String> {
            json.as_array().unwrap().iter().map(|text| text.as_str().unwrap().to_owned()).collect()
        };
        let dims = |json: &Json| -> Vec<usize> {
            json.as_array().unwrap().iter().map(|dim| dim.as_u64().unwrap().try_into().unwrap()).collect()
        };
        Self {
            path: strings(&json["path"]),
            titles: strings(&json["titles"]),
            shape: dims(&json["shape"]),
            dims: dims(&json["dims"]),
            descr: json["descr"].as_str().unwrap().to_owned(),
            data: json["data_b64"].as_str().map(|data| BASE64.decode(data).unwrap()),
            text: json.get("text").map(strings),
        }
    }

    fn path(&self) -> Vec<&str> {
        self.path.iter().map(String::as_str).collect()
    }

    fn titles(&self) -> Vec<&str> {
        self.titles.iter().map(String::as_str).collect()
    }
}

/// What to do with a field, as the type that it has.
trait Visit {
    fn visit<T: Element + Debug>(&mut self);
}

/// Calls `visit` with the type of a dtype's native values; strings and raw bytes have one at two lengths here, as each
/// type takes time to compile.
fn with_type(dtype: &DType, visitor: &mut impl Visit) {
    match dtype {
        DType::Bool => visitor.visit::<bool>(),
        DType::Int8 => visitor.visit::<i8>(),
        DType::UInt8 => visitor.visit::<u8>(),
        DType::Int16(_) => visitor.visit::<i16>(),
        DType::UInt16(_) => visitor.visit::<u16>(),
        DType::Int32(_) => visitor.visit::<i32>(),
        DType::UInt32(_) => visitor.visit::<u32>(),
        DType::Int64(_) => visitor.visit::<i64>(),
        DType::UInt64(_) => visitor.visit::<u64>(),
        DType::Float16(_) => visitor.visit::<half::f16>(),
        DType::Float32(_) => visitor.visit::<f32>(),
        DType::Float64(_) => visitor.visit::<f64>(),
        DType::LongDouble(_) if ByteOrder::NATIVE == ByteOrder::Little => visitor.visit::<le::LongDouble>(),
        DType::LongDouble(_) => visitor.visit::<be::LongDouble>(),
        DType::Complex64(_) => visitor.visit::<Complex<f32>>(),
        DType::Complex128(_) => visitor.visit::<Complex<f64>>(),
        DType::ComplexLongDouble(_) if ByteOrder::NATIVE == ByteOrder::Little => {
            visitor.visit::<le::ComplexLongDouble>();
        }
        DType::ComplexLongDouble(_) => visitor.visit::<be::ComplexLongDouble>(),
        DType::Datetime64(..) => visitor.visit::<Datetime64>(),
        DType::Timedelta64(..) => visitor.visit::<Timedelta64>(),
        DType::Subarray(base, _) => with_type(base, visitor),
        DType::Bytes(2) => visitor.visit::<FixedBytes<2>>(),
        DType::Bytes(5) => visitor.visit::<FixedBytes<5>>(),
        DType::Void(2) => visitor.visit::<Void<2>>(),
        DType::Void(5) => visitor.visit::<Void<5>>(),
        DType::Str(_, 2) => visit_str::<2>(visitor),
        DType::Str(_, 5) => visit_str::<5>(visitor),
        DType::Bytes(_) | DType::Str(..) | DType::Void(_) => {}
        other => panic!("{other:?} has no native type"),
    }
}

fn visit_str<const N: usize>(visitor: &mut impl Visit) {
    match ByteOrder::NATIVE {
        ByteOrder::Little => visitor.visit::<le::Str<N>>(),
        ByteOrder::Big => visitor.visit::<be::Str<N>>(),
    }
}

/// The bytes of long doubles that count: padding holds whatever NumPy left there.
fn significant(dtype: &DType, bytes: &[u8]) -> Vec<u8> {
    match dtype {
        DType::Subarray(base, _) => significant(base, bytes),
        DType::LongDouble(_) | DType::ComplexLongDouble(_) => {
            bytes.chunks_exact(16).flat_map(|number| number[..10].to_vec()).collect()
        }
        _ => bytes.to_vec(),
    }
}

/// Reads a field by its type, and compares.
struct Read<'a> {
    array: &'a NpyAny<Aligned>,
    field: &'a Field,
    dtype: &'a DType,
    data: &'a [u8],
}

impl Read<'_> {
    /// Compares values of `T`, an array type if it takes the last `axes` for itself.
    fn compare<T: Element + Debug>(&self, axes: usize) {
        let Self { array, field, dtype, data } = self;
        for path in [field.path(), field.titles()] {
            let view = array.field::<T>(&path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
            assert_eq!(view.shape(), &field.shape[..field.shape.len() - axes], "{path:?}");
            let values = view.to_vec().unwrap();
            let mut bytes = vec![0xaa; values.len() * size_of::<T>()];
            values.iter().zip(bytes.chunks_exact_mut(size_of::<T>())).for_each(|(value, out)| value.write(out));
            assert_eq!(significant(dtype, &bytes), significant(dtype, data), "{path:?} of {}", array.dtype());
            let one_by_one = (0..view.len()).map(|i| view.get(i).unwrap());
            assert_eq!(format!("{:?}", one_by_one.collect::<Vec<_>>()), format!("{values:?}"));
            assert_eq!(format!("{:?}", view.iter().collect::<Vec<_>>()), format!("{values:?}"));
        }
    }

    /// Compares a subarray as an array type: some of the element types and dimensions.
    fn compare_arrays(&self) {
        match base_and_dims(self.dtype).0 {
            DType::Bool => self.compare_arrays_of::<bool>(),
            DType::Int32(_) => self.compare_arrays_of::<i32>(),
            DType::Float64(_) => self.compare_arrays_of::<f64>(),
            _ => {}
        }
    }

    fn compare_arrays_of<T: Element + Debug>(&self) {
        match self.field.dims.as_slice() {
            [1] => self.compare::<[T; 1]>(1),
            [2] => self.compare::<[T; 2]>(1),
            [2, 2] => self.compare::<[[T; 2]; 2]>(2),
            [4, 2] => self.compare::<[[T; 2]; 4]>(2),
            _ => {}
        }
    }
}

impl Visit for Read<'_> {
    fn visit<T: Element + Debug>(&mut self) {
        self.compare::<T>(0);
    }
}

/// Writes a field by its type.
struct Write<'a> {
    from: &'a NpyAny<Aligned>,
    to: &'a mut NpyAny<Aligned>,
    path: Vec<&'a str>,
}

impl Visit for Write<'_> {
    fn visit<T: Element + Debug>(&mut self) {
        let values = self.from.field::<T>(&self.path).unwrap().to_vec().unwrap();
        let fields = self.to.fields_mut();
        fields.field::<T>(&self.path).unwrap().copy_from(&values).unwrap();
    }
}

/// The values that a path leads to, in C order.
fn values_at(value: Value, path: &[String], found: &mut Vec<Value>) {
    match (value, path) {
        (Value::Array { values, .. }, path) => values.into_iter().for_each(|value| values_at(value, path, found)),
        (Value::Record(fields), [name, rest @ ..]) => {
            let (_, value) = fields.into_iter().find(|(field, _)| field == name).unwrap();
            values_at(value, rest, found);
        }
        (value, []) => found.push(value),
        (value, path) => panic!("{path:?} in {value:?}"),
    }
}

/// A value's bytes in native order, the slow and obvious way.
fn bytes_of(value: &Value, dtype: &DType) -> Vec<u8> {
    let size = dtype.itemsize();
    let integer = |bytes: [u8; 8]| {
        if cfg!(target_endian = "little") { bytes[..size].to_vec() } else { bytes[8 - size..].to_vec() }
    };
    let long = |value: npymap::LongDouble| {
        let mut bytes = value.to_le_bytes();
        if cfg!(target_endian = "big") {
            bytes.reverse();
        }
        bytes
    };
    let padded = |bytes: &[u8]| [bytes, &vec![0; size - bytes.len()]].concat();
    match value {
        Value::Bool(value) => vec![u8::from(*value)],
        Value::Int(value) => integer(value.to_ne_bytes()),
        Value::UInt(value) => integer(value.to_ne_bytes()),
        Value::Datetime64(value, _) | Value::Timedelta64(value, _) => value.to_ne_bytes().to_vec(),
        // Half's conversion would make signalling NaNs quiet.
        Value::Float16(value) if value.is_nan() => {
            let bits = value.to_bits();
            u16::try_from(bits >> 16 & 0x8000 | 0x7c00 | bits >> 13 & 0x3ff).unwrap().to_ne_bytes().to_vec()
        }
        Value::Float16(value) => half::f16::from_f32(*value).to_ne_bytes().to_vec(),
        Value::Float32(value) => value.to_ne_bytes().to_vec(),
        Value::Float64(value) => value.to_ne_bytes().to_vec(),
        Value::LongDouble(value) => long(*value).to_vec(),
        Value::Complex64(parts) => parts.map(f32::to_ne_bytes).concat(),
        Value::Complex128(parts) => parts.map(f64::to_ne_bytes).concat(),
        Value::ComplexLongDouble(parts) => parts.map(long).concat(),
        Value::Bytes(bytes) | Value::Void(bytes) => padded(bytes),
        Value::Str(text) => padded(&text.chars().flat_map(|c| u32::from(c).to_ne_bytes()).collect::<Vec<u8>>()),
        other => panic!("{other:?} is no scalar"),
    }
}

/// The type at the end of subarrays, and their dimensions.
fn base_and_dims(mut dtype: &DType) -> (&DType, Vec<usize>) {
    let mut all = Vec::new();
    while let DType::Subarray(element, dims) = dtype {
        all.extend(dims);
        dtype = element;
    }
    (dtype, all)
}

/// The fields of a dtype, path, title and type; the type itself if it has none.
fn described(dtype: &DType) -> Vec<(Vec<&str>, Option<&str>, &DType)> {
    match dtype {
        DType::Struct(_) => dtype.fields().into_iter().map(|field| (field.path, field.title, field.dtype)).collect(),
        _ => vec![(Vec::new(), None, dtype)],
    }
}

/// Every field of an array is NumPy's, whichever way it is read.
fn compare(array: &NpyAny<Aligned>, fields: &[Field]) {
    let ours = described(array.dtype());
    let paths: Vec<_> = ours.iter().map(|(path, ..)| path.clone()).collect();
    assert_eq!(paths, fields.iter().map(Field::path).collect::<Vec<_>>());
    for (field, (path, title, dtype)) in fields.iter().zip(ours) {
        assert_eq!(title.or(path.last().copied()), field.titles.last().map(String::as_str));
        let (scalar, dims) = base_and_dims(dtype);
        assert_eq!((scalar.descr(), dims), (field.descr.clone(), field.dims.clone()), "{path:?}");
        let Some(data) = &field.data else { continue };
        let mut read = Read { array, field, dtype, data };
        with_type(dtype, &mut read);
        read.compare_arrays();
        if let Some(text) = &field.text {
            compare_text(array, scalar, field, text);
        }
        if scalar.itemsize() > 0 {
            let mut values = Vec::new();
            array.iter().for_each(|value| values_at(value.unwrap(), &field.path, &mut values));
            let bytes: Vec<u8> = values.iter().flat_map(|value| bytes_of(value, scalar)).collect();
            assert_eq!(significant(scalar, &bytes), significant(scalar, data), "{path:?} of {}", array.dtype());
        }
    }
}

/// The strings of a field are NumPy's.
fn compare_text(array: &NpyAny<Aligned>, scalar: &DType, field: &Field, text: &[String]) {
    for path in [field.path(), field.titles()] {
        let strings = array.strings(&path).unwrap();
        assert_eq!(strings.shape(), field.shape, "{path:?}");
        assert_eq!(strings.len(), text.len(), "{path:?}");
        for (i, numpys) in text.iter().enumerate() {
            match scalar {
                DType::Str(..) => assert_eq!(strings.get(i).unwrap(), numpys.as_str(), "{path:?}"),
                _ => {
                    let bytes = strings.bytes(i).unwrap();
                    assert_eq!(bytes.iter().copied().map(char::from).collect::<String>(), *numpys, "{path:?}");
                    assert_eq!(strings.get(i).ok().as_deref(), std::str::from_utf8(bytes).ok());
                }
            }
        }
    }
}

/// A copy of an array, written field by field.
fn rewritten(array: &NpyAny<Aligned>, fortran_order: bool) -> NpyAny<Aligned> {
    let dims: Vec<String> = array.shape().iter().map(|dim| format!("{dim},")).collect();
    let zeros = vec![0; array.bytes().len()];
    let file = made::npy(&array.dtype().descr(), fortran_order, &format!("({})", dims.join(" ")), &zeros);
    let mut copy = NpyAny::from_bytes(Aligned::copy_of(&file).unwrap()).unwrap();
    for field in array.dtype().fields() {
        match base_and_dims(field.dtype).0 {
            DType::Struct(_) => {}
            // Of any length: written as text where it is some, and otherwise as the bytes that it is.
            DType::Bytes(_) | DType::Str(..) => write_strings(array, &mut copy, &field.path),
            DType::Void(_) => copy_bytes(array, &mut copy, &field.path),
            _ => with_type(field.dtype, &mut Write { from: array, to: &mut copy, path: field.path.clone() }),
        }
    }
    copy
}

fn write_strings(array: &NpyAny<Aligned>, copy: &mut NpyAny<Aligned>, path: &[&str]) {
    let strings = array.strings(path).unwrap();
    if strings.iter().any(|text| text.is_err()) {
        return copy_bytes(array, copy, path);
    }
    let out = copy.fields_mut().strings(path).unwrap();
    for (i, text) in strings.iter().enumerate() {
        out.set(i, &text.unwrap()).unwrap();
    }
}

/// Copies a field whose type is of a length that no Rust type has, by where it lies.
fn copy_bytes(array: &NpyAny<Aligned>, copy: &mut NpyAny<Aligned>, path: &[&str]) {
    fn ranges(dtype: &DType, start: usize, path: &[&str], found: &mut Vec<std::ops::Range<usize>>) {
        match (dtype, path) {
            (DType::Subarray(element, shape), _) => {
                let count: usize = shape.iter().product();
                (0..count).for_each(|i| ranges(element, start + i * element.itemsize(), path, found));
            }
            (DType::Struct(record), [name, rest @ ..]) => {
                let field = record.fields.iter().find(|field| field.name == *name).unwrap();
                ranges(&field.dtype, start + field.offset, rest, found);
            }
            _ => found.push(start..start + dtype.itemsize()),
        }
    }
    let mut of_element = Vec::new();
    ranges(array.dtype(), 0, path, &mut of_element);
    for first in (0..array.size()).map(|i| i * array.itemsize()) {
        for range in &of_element {
            let range = first + range.start..first + range.end;
            copy.bytes_mut()[range.clone()].copy_from_slice(&array.bytes()[range]);
        }
    }
}

#[test]
fn fields_of_random_records_are_numpys_and_what_is_written_numpy_reads() {
    let [seed, cases] = support::seed_and_cases(1000);
    let printed = support::python("structs", &[&seed, &cases]);
    let folder = support::temp_dir();
    let mut fields_seen = 0;
    for (number, line) in printed.lines().enumerate() {
        let case: Json = serde_json::from_str(line).unwrap();
        let file = BASE64.decode(case["npy_b64"].as_str().unwrap()).unwrap();
        let array =
            NpyAny::from_bytes(Aligned::copy_of(&file).unwrap()).unwrap_or_else(|error| panic!("{error}: {case}"));
        assert_eq!(array.dtype().descr(), case["descr"].as_str().unwrap());
        let fields: Vec<Field> = case["fields"].as_array().unwrap().iter().map(Field::new).collect();
        compare(&array, &fields);
        fields_seen += fields.len();

        let fortran_order = array.header().fortran_order();
        let copy = rewritten(&array, fortran_order);
        compare(&copy, &fields);
        let dims: Vec<String> = copy.shape().iter().map(|dim| format!("{dim},")).collect();
        let ours = made::npy(&copy.dtype().descr(), fortran_order, &format!("({})", dims.join(" ")), copy.bytes());
        fs::write(folder.path().join(format!("{number}.ours.npy")), ours).unwrap();
        fs::write(folder.path().join(format!("{number}.npy")), file).unwrap();
    }
    assert_eq!(printed.lines().count().to_string(), cases);
    assert!(fields_seen > 3 * printed.lines().count(), "{fields_seen} fields");
    numpy_loads(folder.path(), printed.lines().count());
}

/// NumPy finds the files written here equal to its own.
fn numpy_loads(folder: &Path, count: usize) {
    let verdicts = support::python("structs", &["check", folder.to_str().unwrap()]);
    assert_eq!(verdicts.lines().count(), count);
    for (number, verdict) in verdicts.lines().enumerate() {
        assert_eq!(verdict, "ok", "case {number}");
    }
}

/// Files of the corpus that NumPy loads although they hold bytes that are no `bool`, or units that are no character:
/// errors here.
const NO_VALUES: &[(&str, &str)] = &[
    ("descr_s_bar_b1", "invalid_bool"),
    ("descr_s_qm", "invalid_bool"),
    ("descr_s_bool", "invalid_bool"),
    ("descr_s_bool_", "invalid_bool"),
    ("descr_s_lt_b1", "invalid_bool"),
    ("descr_x_lt_UU3", "invalid_char"),
    ("descr_x_gt_UU3", "invalid_char"),
    ("descr_o_tuple_U_int", "invalid_char"),
    ("descr_t_mixed_endian", "invalid_bool"),
];

#[test]
fn elements_and_fields_of_every_file_of_the_corpus_are_numpys() {
    let cases: Vec<_> = support::corpus().into_iter().filter(|case| case.accepted() && !case.accident).collect();
    let paths: Vec<&str> = cases.iter().map(|case| case.path.to_str().unwrap()).collect();
    let printed = support::python_with_input("structs", &["files"], &paths.join("\n"));
    assert_eq!(printed.lines().count(), cases.len());
    let mut no_values = Vec::new();
    for (case, line) in cases.iter().zip(printed.lines()) {
        let fields: Vec<Field> =
            serde_json::from_str::<Json>(line).unwrap().as_array().unwrap().iter().map(Field::new).collect();
        let array = NpyAny::read(&case.path).unwrap();
        match array.iter().find_map(Result::err) {
            Some(error) => no_values.push((case.name.as_str(), error.kind())),
            None => compare(&array, &fields),
        }
    }
    assert_eq!(no_values, NO_VALUES);
}
