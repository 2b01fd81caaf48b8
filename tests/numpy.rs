//! NumPy as a live oracle: random arrays that it writes, read here and printed alike; random headers, judged alike.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use npymap::{Aligned, DType, Error, Header, NpyAny, PrintOptions, array2string};
use serde_json::Value;

fn lines(printed: &str) -> impl Iterator<Item = Value> + '_ {
    printed.lines().map(|line| serde_json::from_str(line).expect("a line of JSON"))
}

fn text<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_else(|| panic!("no {key} in {case}"))
}

fn shape(case: &Value) -> Vec<usize> {
    case["shape"].as_array().unwrap().iter().map(|dim| dim.as_u64().unwrap().try_into().unwrap()).collect()
}

/// Which bytes of an element belong to a field; NumPy copies the others or not, as it likes.
fn mark_fields(dtype: &DType, marks: &mut [bool]) {
    match dtype {
        DType::Struct(record) => {
            for field in &record.fields {
                mark_fields(&field.dtype, &mut marks[field.offset..field.offset + field.dtype.itemsize()]);
            }
        }
        DType::Subarray(base, _) if base.itemsize() > 0 => {
            marks.chunks_exact_mut(base.itemsize()).for_each(|marks| mark_fields(base, marks));
        }
        _ => marks.fill(true),
    }
}

/// The bytes with zeros between the fields.
fn without_padding(dtype: &DType, mut bytes: Vec<u8>) -> Vec<u8> {
    let mut marks = vec![false; dtype.itemsize()];
    mark_fields(dtype, &mut marks);
    for (byte, _) in bytes.iter_mut().zip(marks.iter().cycle()).filter(|(_, is_field)| !**is_field) {
        *byte = 0;
    }
    bytes
}

fn open(case: &Value) -> NpyAny<Aligned> {
    let file = BASE64.decode(text(case, "npy_b64")).unwrap();
    NpyAny::from_bytes(Aligned::copy_of(&file).unwrap()).unwrap_or_else(|error| panic!("{}: {error}", case["descr"]))
}

#[test]
fn arrays_that_numpy_wrote_have_its_dtype_shape_order_and_elements_and_print_as_it_prints_them() {
    let [seed, cases] = support::seed_and_cases(600);
    let printed = support::python("print_arrays", &[&seed, &cases]);
    let mut compared = 0;
    for case in lines(&printed) {
        let array = open(&case);
        let descr = text(&case, "descr");
        assert_eq!(array.dtype().descr(), descr);
        assert_eq!(DType::from_descr(descr).unwrap(), *array.dtype(), "{descr}");
        assert_eq!(array.shape(), shape(&case), "{descr}");
        assert_eq!(array.header().fortran_order(), case["fortran"] == true, "{descr}");
        let [ours, numpys] = [
            support::c_order(array.bytes(), array.shape(), &array.strides(), array.itemsize()),
            BASE64.decode(text(&case, "data_b64")).unwrap(),
        ]
        .map(|bytes| without_padding(array.dtype(), bytes));
        assert_eq!(ours, numpys, "{descr}");
        assert_eq!(array.to_string(), text(&case, "text"), "{descr} {}", case["shape"]);
        compared += 1;
    }
    assert_eq!(compared.to_string(), cases);
}

#[test]
fn print_options_have_the_effect_that_they_have_in_numpy() {
    let [seed, cases] = support::seed_and_cases(300);
    let printed = support::python("print_arrays", &[&seed, &cases, "options"]);
    for case in lines(&printed) {
        let array = open(&case);
        let mut options = PrintOptions::default();
        let number = |key: &str, default| case["options"][key].as_u64().map_or(default, |n| n.try_into().unwrap());
        options.threshold = number("threshold", options.threshold);
        options.edgeitems = number("edgeitems", options.edgeitems);
        options.linewidth = number("linewidth", options.linewidth);
        options.precision = number("precision", options.precision);
        options.suppress = case["options"]["suppress"].as_bool().unwrap_or(options.suppress);
        let printed = array2string(array.dtype(), array.shape(), &options, |index| array.value(index)).unwrap();
        assert_eq!(printed, text(&case, "text"), "{} {}", text(&case, "descr"), case["options"]);
    }
}

#[test]
fn headers_are_taken_exactly_where_numpy_takes_them_and_mean_the_same() {
    let [seed, cases] = support::seed_and_cases(4000);
    let printed = support::python("mutate_headers", &[&cases, &seed]);
    let (mut taken, mut refused) = (0, 0);
    for case in lines(&printed) {
        let ours = Header::parse(&file(&case));
        match (&ours, case["ok"] == true) {
            (Ok(header), true) => {
                assert_same(header, &case);
                taken += 1;
            }
            (Err(_), false) => refused += 1,
            (Ok(_), false) if is_white_space_by_accident(&case) => {}
            (Ok(header), false) => panic!("NumPy says {}: {header:?} of {case}", case["error"]),
            (Err(error), true) => assert!(is_deliberate(error, &case), "{error}: {case}"),
        }
    }
    assert!(taken > 500 && refused > 500, "{taken} taken, {refused} refused");
}

/// The header as a file.
fn file(case: &Value) -> Vec<u8> {
    let version = case["version"][0].as_u64().unwrap();
    let header = text(case, "header");
    let header: Vec<u8> = match version {
        3 => header.bytes().collect(),
        _ => header.chars().map(|c| u8::try_from(u32::from(c)).expect("latin-1")).collect(),
    };
    let mut file = b"\x93NUMPY".to_vec();
    file.extend_from_slice(&[u8::try_from(version).unwrap(), 0]);
    match version {
        1 => file.extend_from_slice(&u16::try_from(header.len()).unwrap().to_le_bytes()),
        _ => file.extend_from_slice(&u32::try_from(header.len()).unwrap().to_le_bytes()),
    }
    file.extend_from_slice(&header);
    file
}

fn assert_same(header: &Header, case: &Value) {
    let shape: Vec<String> = header.shape().iter().map(ToString::to_string).collect();
    let comma = if shape.len() == 1 { "," } else { "" };
    assert_eq!(format!("({}{comma})", shape.join(", ")), text(case, "shape"), "{case}");
    assert_eq!(header.fortran_order(), case["fortran_order"] == true, "{case}");
    if case["objects"] == true {
        assert!(header.dtype().object_path().is_some(), "{case}");
    } else {
        assert_eq!(header.dtype().descr(), text(case, "descr"), "{case}");
    }
}

/// Whether NumPy may have refused the header for white space that its second attempt at Python 2's headers mangles:
/// a lone carriage return, a form feed or a continued line. Here they are white space in every header.
fn is_white_space_by_accident(case: &Value) -> bool {
    case["version"][0] != 3 && text(case, "header").contains(['\r', '\x0c', '\\'])
}

/// Whether the refusal is one of the documented differences, or one that NumPy makes later than its header parser.
fn is_deliberate(error: &Error, case: &Value) -> bool {
    match error {
        Error::UnsupportedDescr { .. } | Error::TopLevelSubarray { .. } => true,
        // NumPy notices a shape that no array can have when it makes one.
        Error::Dimension { .. } | Error::ShapeTooLarge { .. } | Error::TooManyDimensions { .. } => true,
        Error::HeaderValue { key: "shape", .. } => text(case, "shape").contains(['T', 'F']),
        Error::HeaderValue { key: "fortran_order", found, .. } => found.starts_with('('),
        Error::HeaderSyntax { found, .. } => found.contains("\\N") || found == "'set'",
        Error::HeaderTooDeep { .. } => true,
        _ => false,
    }
}
