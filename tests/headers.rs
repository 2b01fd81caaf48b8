//! Headers as they are written: byte for byte NumPy's.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;
mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use npymap::{ByteOrder, DType, Error, Header, Order, StructField, StructType};
use serde_json::Value;

#[test]
#[cfg_attr(miri, ignore = "runs Python")]
fn headers_are_those_of_numpy_in_every_version() {
    let [seed, cases] = support::seed_and_cases(4000);
    let printed = support::python("write_headers", &[&seed, &cases]);
    let (mut versions, mut refused) = ([0; 3], 0);
    for line in printed.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let descr = case[0].as_str().unwrap();
        let dtype = DType::from_descr(descr).unwrap();
        let shape: Vec<usize> =
            case[1].as_array().unwrap().iter().map(|dim| dim.as_u64().unwrap().try_into().unwrap()).collect();
        let order = if case[2] == true { Order::Fortran } else { Order::C };
        let numpys = |at: usize| case[at].as_str().map(|bytes| BASE64.decode(bytes).unwrap());

        let header = Header::new(dtype.clone(), shape.clone(), order).unwrap();
        let bytes = header.to_bytes().unwrap();
        assert_eq!(Some(&bytes), numpys(3).as_ref(), "{line}");
        assert_eq!(header.data_offset(), bytes.len());
        versions[usize::from(bytes[6]) - 1] += 1;
        for (at, version) in [(4, (1, 0)), (5, (2, 0)), (6, (3, 0))] {
            match (header.with_version(version), numpys(at)) {
                (Ok(header), Some(numpys)) => {
                    assert_eq!(header.to_bytes().unwrap(), numpys, "{line}");
                    assert_eq!((header.version(), header.shape(), header.dtype()), (version, shape.as_slice(), &dtype));
                }
                (Err(Error::HeaderTooLong { .. } | Error::HeaderEncoding { .. }), None) => refused += 1,
                (ours, numpys) => panic!("{ours:?} {:?}: {line}", numpys.is_some()),
            }
        }
    }
    assert_eq!(printed.lines().count().to_string(), cases);
    assert!(versions.iter().all(|&count| count > 20) && refused > 100, "{versions:?} {refused}");
}

#[test]
fn a_dtype_that_no_descr_describes_is_an_error() {
    let field = |name: &str, offset| StructField {
        name: name.into(),
        title: None,
        offset,
        dtype: DType::Int16(ByteOrder::Little),
    };
    let record = |fields: Vec<StructField>, itemsize| DType::Struct(StructType { fields, itemsize });
    let new = |dtype| Header::new(dtype, [3], Order::C).map_err(|error| error.kind());
    assert!(new(record(vec![field("a", 0), field("b", 3)], 5)).is_ok());
    for wrong in [
        record(vec![field("a", 0), field("b", 1)], 3),
        record(vec![field("a", 2), field("b", 0)], 4),
        record(vec![field("a", 0), field("b", 2)], 3),
        record(vec![field("a", 0), field("a", 2)], 4),
    ] {
        assert_eq!(new(wrong.clone()), Err("descr"), "{wrong:?}");
    }
    assert_eq!(new(DType::Subarray(DType::Bool.into(), vec![2])), Err("top_level_subarray"));
    assert_eq!(Header::new(DType::Bool, vec![1; 65], Order::C).unwrap_err().kind(), "too_many_dimensions");
    assert_eq!(Header::new(DType::Bool, [usize::MAX], Order::C).unwrap_err().kind(), "shape_too_large");
}

#[test]
fn a_header_spelled_otherwise_is_written_as_numpy_spells_it() {
    let text = "{'descr': 'f4', 'shape': (10, 3), 'fortran_order': True}\n\n";
    let header = Header::parse(&made::version(1, text, &[])).unwrap();
    let written = Header::parse(&header.to_bytes().unwrap()).unwrap();
    assert_eq!((header.data_offset(), written.data_offset()), (68, 128));
    assert_eq!(written, Header::new(header.dtype().clone(), header.shape(), Order::Fortran).unwrap());
    assert_eq!(header.with_version((4, 0)).unwrap_err().kind(), "version");
}

/// A count of fifteen digits can fill two aligned words in a header by NumPy.
#[test]
fn a_count_that_happens_to_be_a_publish_field_is_written_as_numpy_writes_it() {
    let mut accidents = 0;
    for inner in 1..64_usize {
        for order in [Order::C, Order::Fortran] {
            let field = "f".repeat(inner);
            let dtype = DType::from_descr(&format!("[('{field}', '|u1')]")).unwrap();
            let (count, other) = if order == Order::C { (10_usize.pow(15), 2) } else { (10_usize.pow(14), 3) };
            let shape = if order == Order::C { [count, other] } else { [other, count] };
            for version in [(1, 0), (2, 0)] {
                let header = Header::new(dtype.clone(), shape, order).unwrap().with_version(version).unwrap();
                let bytes = header.to_bytes().unwrap();
                assert_eq!((bytes.len(), header.data_offset()), (bytes.len() / 64 * 64, bytes.len()));
                let text = String::from_utf8_lossy(&bytes).into_owned();
                assert!(text.contains(&format!("'shape': ({}, {}), }}", shape[0], shape[1])), "{text}");
                assert_eq!(Header::parse(&bytes).unwrap(), header);
                accidents += usize::from(header.appendable());
            }
        }
    }
    assert!(accidents > 10, "{accidents}");
}
