//! Any bytes to a header: an error, or a header whose numbers agree with each other.
#![no_main]

use libfuzzer_sys::fuzz_target;
use npymap::{DType, Header, Order, ReadOptions};

fuzz_target!(|bytes: &[u8]| {
    let usual = Header::parse(bytes);
    let patient = ReadOptions::new().max_header_size(usize::MAX).parse_header(bytes);
    match (&usual, &patient) {
        (Ok(usual), Ok(patient)) => assert_eq!(usual, patient),
        (Ok(_), Err(error)) => panic!("a larger limit refuses: {error}"),
        (Err(error), _) => {
            let text = error.to_string();
            // Shortened texts, and a descr at most.
            assert!(!text.is_empty() && text.len() < 2_000 + 16 * bytes.len(), "{text}");
            assert!(!error.kind().is_empty());
        }
    }
    // The spelling that NumPy writes is matched as it is; with other quotes of the same length, it is parsed.
    let text_start = if bytes.get(6) == Some(&1) { 10 } else { 12 };
    if bytes.get(text_start..).is_some_and(|text| text.starts_with(b"{'descr'")) {
        let mut quoted = bytes.to_vec();
        quoted[text_start + 1] = b'"';
        quoted[text_start + 7] = b'"';
        assert_eq!(usual.ok(), Header::parse(&quoted).ok());
    }
    if let Ok(header) = patient {
        check(&header, bytes);
    }
    // The same bytes as a descr.
    if let Ok(text) = std::str::from_utf8(bytes)
        && let Ok(dtype) = DType::from_descr(text)
    {
        round_trip(&dtype);
    }
});

fn check(header: &Header, bytes: &[u8]) {
    round_trip(header.dtype());
    let wide = |number: usize| u128::try_from(number).unwrap();
    let most = wide(isize::MAX.unsigned_abs());
    let (shape, itemsize) = (header.shape(), header.itemsize());
    assert!(shape.len() <= 64);
    assert_eq!(itemsize, header.dtype().itemsize());

    // As numbers that don't overflow give it: 64 dimensions, each checked before the next.
    let mut nonzero = wide(itemsize.max(1));
    for &dim in shape.iter().filter(|&&dim| dim != 0) {
        nonzero = nonzero.checked_mul(wide(dim)).unwrap();
        assert!(nonzero <= most);
    }
    let empty = shape.contains(&0);
    let size = if empty { 0 } else { shape.iter().map(|&dim| wide(dim)).product() };
    assert_eq!((wide(header.size()), wide(header.nbytes())), (size, size * wide(itemsize)));

    let strides = header.strides();
    assert_eq!(strides.len(), shape.len());
    let mut step = wide(itemsize);
    let mut axes: Vec<usize> = (0..shape.len()).collect();
    if header.order() == Order::C {
        axes.reverse();
    }
    for &axis in &axes {
        assert_eq!(wide(strides[axis]), step);
        step *= wide(shape[axis].max(1));
    }
    assert_eq!(header.growth_axis(), axes.last().copied());
    assert_eq!(header.fortran_order(), header.order() == Order::Fortran);

    assert!((10..=bytes.len()).contains(&header.data_offset()));
    assert!(header.spare() < header.data_offset());
    assert!(!header.appendable() || header.spare() <= 16);
    let (major, minor) = header.version();
    assert!((1..=3).contains(&major) && minor == 0 && bytes[6] == major);
}

/// What a dtype prints is read as the same dtype.
fn round_trip(dtype: &DType) {
    let descr = dtype.descr();
    match DType::from_descr(&descr) {
        Ok(again) => assert_eq!(*dtype, again, "{descr}"),
        // Where two gaps follow each other, or a struct ends in one, there is more than one way to write it; but what
        // is written is read.
        Err(error) => panic!("{descr}: {error}"),
    }
    assert!(!dtype.str().is_empty());
    let _ = (dtype.kind(), dtype.byte_order(), dtype.object_path(), format!("{dtype:?}"));
}
