//! Every file of the corpus, by every way in: accepted exactly where NumPy accepts, with the same shape, order, dtype,
//! offset and element bytes; refused with a specific error where NumPy refuses, and where it accepts by accident.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod support;

use npymap::{DType, Error, Npy, NpyAny, NpyFile, ReadOptions};
use serde_json::{Value, json};
use support::{Case, c_order, corpus, sha256};

/// The files that NumPy reads by accident, and the error that each gives here.
const ACCIDENTS: &[(&str, &str)] = &[
    ("hlen_cuts_trailing_pad", "header_cut_short"),
    ("lit_str_esc_surrogate", "unsupported_descr"),
    ("lit_py2_L_descr_int", "top_level_subarray"),
    ("lit_fo_paren", "header_value"),
    ("descr_o_dict_empty", "unsupported_descr"),
    ("descr_o_dict_2char", "unsupported_descr"),
    ("descr_o_tuple_str", "unsupported_descr"),
    ("descr_o_tuple_union", "unsupported_descr"),
    ("descr_o_tuple_none", "unsupported_descr"),
    ("descr_o_tuple_two_names", "unsupported_descr"),
    ("descr_o_list_2chars", "unsupported_descr"),
    ("descr_t_pad_f8_shape", "unsupported_descr"),
    ("descr_t_pad_struct_shape", "unsupported_descr"),
    ("descr_t_title_int", "unsupported_descr"),
    ("descr_t_title_tuple", "unsupported_descr"),
    ("data_subarray_descr_1", "top_level_subarray"),
    ("data_subarray_descr_0elem", "top_level_subarray"),
];

/// An array as one of the ways in shows it.
struct Seen {
    version: (u8, u8),
    shape: Vec<usize>,
    fortran_order: bool,
    dtype: DType,
    data_offset: usize,
    strides: Vec<usize>,
    bytes: Vec<u8>,
}

fn seen<B: npymap::Bytes>(array: &NpyAny<B>) -> Seen {
    let header = array.header();
    Seen {
        version: header.version(),
        shape: array.shape().to_vec(),
        fortran_order: header.fortran_order(),
        dtype: array.dtype().clone(),
        data_offset: header.data_offset(),
        strides: array.strides(),
        bytes: array.bytes().to_vec(),
    }
}

/// Opens a file by every way there is.
fn ways(case: &Case) -> Vec<(&'static str, Result<Seen, Error>)> {
    let bytes = case.bytes();
    let by_file = || {
        let file = NpyFile::open(&case.path)?;
        file.read_any().map(|array| seen(&array))
    };
    // SAFETY: the files of the corpus are never written to.
    let mapped = unsafe { NpyAny::map(&case.path) };
    vec![
        ("map", mapped.map(|array| seen(&array))),
        ("read", NpyAny::read(&case.path).map(|array| seen(&array))),
        ("read_from", NpyAny::read_from(bytes.as_slice()).map(|array| seen(&array))),
        ("NpyFile", by_file()),
        ("from_bytes", NpyAny::from_bytes(bytes).map(|array| seen(&array))),
    ]
}

/// A dtype as the manifest describes it, the fields that it adds left out.
fn tree(dtype: &DType) -> Value {
    let mut node = json!({ "str": dtype.str(), "kind": dtype.kind(), "itemsize": dtype.itemsize() });
    match dtype {
        DType::Struct(record) => {
            let field = |field: &npymap::StructField| {
                let (name, title) = (&field.name, &field.title);
                json!({ "name": name, "offset": field.offset, "title": title, "dtype": tree(&field.dtype) })
            };
            node["fields"] = record.fields.iter().map(field).collect();
        }
        DType::Subarray(base, shape) => node["subarray"] = json!({ "base": tree(base), "shape": shape }),
        _ => {}
    }
    node
}

/// The part of the manifest's tree that `tree` gives.
fn without_extras(tree: &Value) -> Value {
    let mut kept = serde_json::Map::new();
    for (key, value) in tree.as_object().expect("a tree of objects") {
        let value = match key.as_str() {
            "alignment" | "isalignedstruct" => continue,
            "dtype" | "base" | "subarray" => without_extras(value),
            "fields" => value.as_array().expect("a list of fields").iter().map(without_extras).collect(),
            _ => value.clone(),
        };
        kept.insert(key.clone(), value);
    }
    Value::Object(kept)
}

#[test]
fn what_numpy_accepts_is_read_alike_by_every_way_in() {
    let mut compared = 0;
    for case in corpus().iter().filter(|case| case.accepted() && !case.accident) {
        let name = &case.name;
        let header = case.header.as_ref().expect("an accepted file has a header");
        let load = case.load.as_ref().expect("accepted");
        for (way, result) in ways(case) {
            let seen = result.unwrap_or_else(|error| panic!("{name} by {way}: {error}"));
            assert_eq!(seen.version, header.version, "{name} by {way}");
            let shape: Vec<u64> = seen.shape.iter().map(|&dim| dim as u64).collect();
            assert_eq!(Some(&shape), header.shape.as_ref(), "{name} by {way}");
            assert_eq!(shape, load.shape, "{name} by {way}");
            assert_eq!(seen.fortran_order, header.fortran_order, "{name} by {way}");
            assert_eq!(seen.data_offset as u64, header.data_offset, "{name} by {way}");
            assert_eq!(tree(&seen.dtype), without_extras(&header.dtype), "{name} by {way}");
            let ordered = if seen.bytes.is_empty() {
                Vec::new()
            } else {
                c_order(&seen.bytes, &seen.shape, &seen.strides, seen.dtype.itemsize())
            };
            assert_eq!(sha256(&ordered), load.sha256_c, "{name} by {way}");
            compared += 1;
        }
    }
    assert!(compared >= 5 * 330, "{compared} comparisons");
}

#[test]
fn what_numpy_refuses_is_an_error_of_the_same_kind_by_every_way_in() {
    let mut refused = 0;
    for case in corpus().iter().filter(|case| !case.accepted()) {
        let kind = |(way, result): (&'static str, Result<Seen, Error>)| match result {
            Ok(_) => panic!("{} by {way}: accepted, and NumPy says: {:?}", case.name, case.load.as_ref().err()),
            Err(error) => (way, error.kind()),
        };
        let kinds: Vec<_> = ways(case).into_iter().map(kind).collect();
        for &(way, kind) in &kinds {
            // How much a stream holds can't be seen before it is read, so that a length beyond the limit comes first.
            let unseen = way == "read_from" && (kinds[0].1, kind) == ("header_truncated", "header_too_long");
            assert!(kind == kinds[0].1 || unseen, "{}: {kinds:?}", case.name);
        }
        refused += 1;
    }
    assert!(refused >= 260, "{refused} files");
}

#[test]
fn what_numpy_accepts_by_accident_is_refused_by_name() {
    let accidents: Vec<Case> = corpus().into_iter().filter(|case| case.accident).collect();
    assert_eq!(accidents.len(), ACCIDENTS.len());
    for case in accidents {
        let expected = ACCIDENTS.iter().find(|(name, _)| *name == case.name).map(|(_, kind)| *kind);
        for (way, result) in ways(&case) {
            let kind = result.err().map(|error| error.kind());
            assert_eq!(kind, expected, "{} by {way}", case.name);
        }
    }
}

#[test]
fn headers_that_numpy_parses_are_parsed_even_where_the_data_are_missing_or_pickled() {
    let mut compared = 0;
    for case in corpus().iter().filter(|case| !case.accident && !case.accepted()) {
        let Ok(header) = &case.header else { continue };
        let parsed = match NpyFile::read_header(&case.path) {
            Ok(parsed) => parsed,
            Err(error) => {
                // NumPy notices these later, or not at all until it makes the array.
                let later = [
                    "dimension",
                    "header_value",
                    "shape_too_large",
                    "too_many_dimensions",
                    "top_level_subarray",
                    "unsupported_descr",
                ];
                assert!(later.contains(&error.kind()), "{}: {error}", case.name);
                continue;
            }
        };
        assert_eq!(parsed.data_offset() as u64, header.data_offset, "{}", case.name);
        assert_eq!(parsed.fortran_order(), header.fortran_order, "{}", case.name);
        compared += 1;
    }
    assert!(compared >= 40, "{compared} files");
}

#[test]
fn a_raised_limit_takes_the_headers_that_are_too_long_by_default() {
    let long: Vec<Case> =
        corpus().into_iter().filter(|case| case.name.starts_with("size_") && !case.accepted()).collect();
    assert_eq!(long.len(), 3);
    for case in long {
        let error = NpyAny::read(&case.path).expect_err("over the limit");
        assert!(matches!(error, Error::HeaderTooLong { limit: 10_000, .. }), "{}: {error}", case.name);
        let array = ReadOptions::new().max_header_size(100_000).read(&case.path).expect("within the raised limit");
        assert_eq!(array.shape(), [3], "{}", case.name);
        assert_eq!(array.into_typed::<f64>().expect("doubles").as_slice(), [1.0, 2.0, 3.0], "{}", case.name);
    }
}

#[test]
fn unaligned_data_are_refused_as_native_numbers_and_read_as_unaligned_ones() {
    let case = corpus().into_iter().find(|case| case.name == "data_unaligned_offset_f8").expect("in the corpus");
    // SAFETY: the files of the corpus are never written to.
    let array = unsafe { NpyAny::map(&case.path) }.expect("accepted");
    assert_eq!(array.header().data_offset() % 8, 4);
    let error = array.typed::<f64>().expect_err("not aligned");
    assert!(matches!(error, Error::Misaligned { excess: 4, align: 8, .. }), "{error}");
    let unaligned: Npy<npymap::le::F64, _> = array.typed().expect("no alignment needed");
    let values: Vec<f64> = unaligned.as_slice().iter().map(|value| value.get()).collect();
    assert_eq!(values, array.to_vec::<f64>().expect("copied"));
    assert_eq!(values, [1.0, 2.0, 3.0]);
}
