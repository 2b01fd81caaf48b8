//! Every variant of `Error`, raised as users raise it, with its whole message.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;

use std::error::Error as _;
use std::fs;
use std::path::Path;

use made::c_npy as npy;
use npymap::{
    Aligned, AppendOptions, Appender, ByteOrder, DType, Datetime64, DatetimeUnit, Draft, DraftAny, Element, Error,
    FixedBytes, Header, MappingMut, Npy, NpyAny, NpyFile, Order, ReadOptions, TimeUnit, Timedelta64, be, le,
};

fn header(descr: &str, shape: &str) -> Error {
    Header::parse(&npy(descr, shape, &[])).unwrap_err()
}

fn aligned(file: &[u8]) -> NpyAny<Aligned> {
    NpyAny::from_bytes(Aligned::copy_of(file).unwrap()).unwrap()
}

#[derive(Clone, Copy, Element)]
#[repr(C)]
struct Point {
    x: i32,
    y: f64,
}

/// An array of 2 by 3 `<f4`.
fn matrix() -> NpyAny<Aligned> {
    aligned(&npy("'<f4'", "(2, 3)", &[0; 24]))
}

/// The error of writing a file in a folder of its own and using it.
fn with_file<T>(bytes: &[u8], using: impl FnOnce(&Path) -> Result<T, Error>) -> Error {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    fs::write(&path, bytes).unwrap();
    using(&path).err().unwrap()
}

macro_rules! messages {
    ($($test:ident, $kind:literal: $($error:expr => $message:expr),+ $(,)?;)+) => {
        $(#[test]
        fn $test() {
            $(let error: Error = $error;
            assert_eq!((told(&error).as_str(), error.kind()), ($message, $kind));)+
        })+

        const KINDS: &[&str] = &[$($kind),+];
    };
}

messages! {
    io, "io":
        NpyFile::open("no/such.npy").err().unwrap() => "cannot open no/such.npy",
        NpyAny::read_from(Broken).err().unwrap() => "cannot read the stream";
    not_npy, "not_npy":
        Header::parse(b"PK\x03\x04\n\0\0\0\0\0").unwrap_err() =>
            r#"starts with "PK\x03\x04\n\x00\x00\x00", and an .npy file starts with "\x93NUMPY"; it looks like a zip archive (.npz)"#,
        Header::parse(b"a,b,c\n1,2,3\n").unwrap_err() =>
            r#"starts with "a,b,c\n1,", and an .npy file starts with "\x93NUMPY""#;
    header_truncated, "header_truncated":
        Header::parse(b"").unwrap_err() => "the file ends inside its magic string: 8 bytes are needed, and it holds 0",
        Header::parse(b"\x93NUMPY\x02\0\x01").unwrap_err() =>
            "the file ends inside its header length: 12 bytes are needed, and it holds 9",
        Header::parse(b"\x93NUMPY\x01\0\x76\0{'descr").unwrap_err() =>
            "the file ends inside its header: 128 bytes are needed, and it holds 17";
    version, "version":
        Header::parse(b"\x93NUMPY\x04\x01\x76\0{'descr").unwrap_err() =>
            "format version 4.1 is unknown; 1.0, 2.0 and 3.0 are known";
    header_too_long, "header_too_long":
        Header::parse(&made::version(1, &" ".repeat(10_001), &[])).unwrap_err() =>
            "header of 10001 characters is over the limit of 10000; \
             raise ReadOptions::max_header_size if you trust the file",
        ReadOptions::new().max_header_size(100).parse_header(&npy("'<f4'", "(1,)", &[])).unwrap_err() =>
            "header of 118 characters is over the limit of 100; \
             raise ReadOptions::max_header_size if you trust the file";
    header_encoding, "header_encoding":
        Header::parse(b"\x93NUMPY\x03\0\x04\0\0\0{'\xff'").unwrap_err() =>
            "header of version 3.0 is not UTF-8 at its byte 2";
    header_syntax, "header_syntax":
        Header::parse(&made::version(1, "{'descr': '<f4'] }", &[])).unwrap_err() =>
            "header has ']' at its character 15, where ',' or '}' is wanted";
    header_too_deep, "header_too_deep":
        header(&"[".repeat(201), "(1,)") => "header nests brackets more than 200 deep at its character 209";
    header_keys, "header_keys":
        Header::parse(&made::version(1, "{'descr': '<f4', 'shape': (1,)}", &[])).unwrap_err() =>
            "header has no key 'fortran_order', and needs a dictionary with exactly the keys 'descr', 'fortran_order' \
             and 'shape'",
        Header::parse(&made::version(1, "[1, 2]", &[])).unwrap_err() =>
            "header has [1, 2], and needs a dictionary with exactly the keys 'descr', 'fortran_order' and 'shape'",
        Header::parse(&made::version(1, "{'dtype': 1}", &[])).unwrap_err() =>
            "header has the key 'dtype', and needs a dictionary with exactly the keys 'descr', 'fortran_order' \
             and 'shape'";
    header_value, "header_value":
        header("'<f4'", "[3]") => "header has shape [3], and needs a tuple of integers",
        Header::parse(&made::version(1, "{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", &[])).unwrap_err() =>
            "header has fortran_order 0, and needs True or False";
    header_cut_short, "header_cut_short":
        Header::parse(&made::version(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}", b"              \n\0"))
            .unwrap_err() =>
            "the header ends at byte 65 by its length, but at least 15 more bytes of its padding follow; the data cannot \
             start there";
    descr, "descr":
        header("'<f3'", "(1,)") => "descr '<f3' is no dtype: a type of kind f takes 2, 4, 8 or 16 bytes, not 3";
    unsupported_descr, "unsupported_descr":
        header("{}", "(1,)") =>
            "descr {} is accepted by NumPy only by accident, and refused here: its keys would be fields";
    top_level_subarray, "top_level_subarray":
        header("('<f4', (2,))", "(1,)") =>
            "descr ('<f4', (2,)) is a subarray dtype for the whole array, which NumPy itself doesn't read \
             consistently; its dimensions belong into the shape";
    too_many_dimensions, "too_many_dimensions":
        Header::parse(&made::version(1,
            &format!("{{'descr': '<f4', 'fortran_order': False, 'shape': ({})}}", "1,".repeat(65)),
            &[]
        ))
        .unwrap_err() => "shape has 65 dimensions, and NumPy allows 64";
    dimension, "dimension":
        header("'<f4'", "(3, -1)") =>
            "dimension 1 of the shape is -1, and must be between 0 and 9223372036854775807",
        header("'<f4'", "(9223372036854775808,)") =>
            "dimension 0 of the shape is 9223372036854775808, and must be between 0 and 9223372036854775807";
    shape_too_large, "shape_too_large":
        header("'<f8'", "(0, 4294967296, 4294967296)") =>
            "shape (0, 4294967296, 4294967296) of 8-byte items takes more than the 9223372036854775807 bytes an array \
             can have here";
    data_truncated, "data_truncated":
        NpyAny::from_bytes(npy("'<f4'", "(1000, 3)", &[0; 11520])).err().unwrap() =>
            "shape (1000, 3) of '<f4' needs 12000 bytes after byte 128, and the file holds 11520";
    object, "object":
        NpyAny::from_bytes(npy("'|O'", "(1,)", &[0; 8])).err().unwrap() =>
            "the array of '|O' holds Python objects, which are pickled; nothing but Python can read them \
             (np.load with allow_pickle=True), and doing so runs code from the file",
        NpyAny::from_bytes(npy("[('a', [('b', '|O')])]", "(1,)", &[0; 8])).err().unwrap() =>
            "field 'a' 'b' of '[('a', [('b', '|O')])]' holds Python objects, which are pickled; nothing but Python can \
             read them (np.load with allow_pickle=True), and doing so runs code from the file";
    unfinished_publish, "unfinished_publish":
        NpyAny::from_bytes(carry()).err().unwrap() =>
            "the row count in the header is \"       10000000 \", a change that its writer did not finish within 0 ms; \
             if the writer is dead, repair the file",
        with_file(&carry(), |path| NpyFile::open(path)) =>
            "the row count in the header is \"       10000000 \", a change that its writer did not finish within \
             250 ms; if the writer is dead, repair the file";
    dtype, "dtype":
        matrix().typed::<f64>().err().unwrap() => "descr '<f4' is not f64 here, which is '<f8'; f32 would fit",
        aligned(&npy("[('a', '<i4')]", "(1,)", &[0; 4])).typed::<i32>().err().unwrap() =>
            "descr [('a', '<i4')] is not i32 here, which is '<i4'; a struct that derives npymap::Element, as npymap schema \
             prints it, would fit";
    byte_order, "byte_order":
        aligned(&npy("'>f8'", "(1,)", &[0; 8])).typed::<f64>().err().unwrap() =>
            "descr '>f8' is big-endian, f64 here is little-endian; view it as npymap::be::F64, or copy with to_vec",
        aligned(&npy("'<f8'", "(1,)", &[0; 8])).typed::<be::F64>().err().unwrap() =>
            "descr '<f8' is little-endian, npymap::be::F64 here is big-endian; view it as f64, or copy with to_vec",
        be::Str::<2>::check(&DType::Str(ByteOrder::Little, 2)).unwrap_err() =>
            "descr '<U2' is little-endian, npymap::be::Str<2> here is big-endian; view it as npymap::le::Str<2>, or copy \
             with to_vec";
    misaligned, "misaligned":
        f64::view(&Aligned::zeroed(24).unwrap()[6..22]).unwrap_err() =>
            "the data start 6 bytes past a multiple of 8, and f64 needs a multiple; \
             copy with to_vec, or view as an unaligned element of npymap::le or npymap::be";
    invalid_bool, "invalid_bool":
        aligned(&npy("'|b1'", "(3,)", &[0, 1, 2])).typed::<bool>().err().unwrap() =>
            "element 2 is the byte 0x02, and a bool is 0x00 or 0x01; take the bytes as they are with NpyAny::bytes",
        aligned(&npy("[('a', [('b', '|b1')])]", "(2,)", &[0, 9])).field::<bool>(&["a", "b"]).err().unwrap() =>
            "element 1 of field 'a' 'b' is the byte 0x09, and a bool is 0x00 or 0x01; \
             take the bytes as they are with NpyAny::bytes";
    invalid_char, "invalid_char":
        aligned(&npy("'<U2'", "()", &[65, 0, 0, 0, 0, 0xd8, 0, 0])).value(&[]).err().unwrap() =>
            "character 1 of element 0 is 0xd800, which is no Unicode scalar value",
        aligned(&npy("[('a', [('b', '<U1')])]", "(2,)", &[0, 0, 0, 0, 0, 0, 0x11, 0])).value(&[1]).err().unwrap() =>
            "character 0 of element 1 of field 'a' 'b' is 0x110000, which is no Unicode scalar value";
    invalid_utf8, "invalid_utf8":
        aligned(&npy("[('a', '|S3')]", "(2,)", b"abca\xff\0")).strings(&["a"]).unwrap().get(1).err().unwrap() =>
            "element 1 of field 'a' is no UTF-8 from its byte 1 on; take its bytes as they are";
    text_too_long, "text_too_long":
        FixedBytes::<3>::new("abcd").err().unwrap() => "text of 4 bytes for '|S3', which holds 3",
        le::Str::<1>::new("ab").err().unwrap() => "text of 2 characters for '<U1', which holds 1";
    text_ends_in_nul, "text_ends_in_nul":
        FixedBytes::<3>::new("a\0").err().unwrap() => "text ends in a NUL, which '|S3' takes for padding and loses";
    field_name, "field_name":
        aligned(&npy("[('x', '<i4'), ('z', '<f8')]", "(0,)", &[])).typed::<Point>().err().unwrap() =>
            "field 1 of a record is 'z' in the file, and 'y' in Point; #[npymap(rename = \"z\")] would fit",
        aligned(&npy("[('x', '<i4')]", "(0,)", &[])).typed::<Point>().err().unwrap() =>
            "field 1 of a record is none in the file, and 'y' in Point";
    field_offset, "field_offset":
        aligned(&npy("[('x', '<i4'), ('y', '<f8')]", "(0,)", &[])).typed::<Point>().err().unwrap() =>
            "field 'y' is at byte 4 of the file's record, and at byte 8 of Point; its fields are packed, as in \
             #[repr(C, packed)]; or copy with to_vec",
        aligned(&npy("[('x', '<i4'), ('', '|V8'), ('y', '<f8')]", "(0,)", &[])).typed::<Point>().err().unwrap() =>
            "field 'y' is at byte 12 of the file's record, and at byte 8 of Point; fill the gaps of #[repr(C, packed)] \
             with fields #[npymap(padding)] _pad: [u8; N], as npymap schema prints them; or copy with to_vec";
    record_size, "record_size":
        aligned(&npy("[('x', '<i4'), ('', '|V4'), ('y', '<f8'), ('', '|V8')]", "(0,)", &[])).typed::<Point>().err().unwrap() =>
            "a record takes 24 bytes in the file, and Point takes 16; fill the gaps of #[repr(C, packed)] with fields \
             #[npymap(padding)] _pad: [u8; N], as npymap schema prints them; or copy with to_vec";
    no_field, "no_field":
        aligned(&npy("[('a', '<i4'), ('b', '<i4')]", "(0,)", &[])).field::<i32>(&["c"]).err().unwrap() =>
            "no field 'c'; there are 'a', 'b'",
        matrix().field::<f32>(&["c"]).err().unwrap() => "no field 'c'; it has no fields";
    not_text, "not_text":
        matrix().strings(&[]).err().unwrap() => "descr '<f4' is no string; strings are S and U";
    partial_element, "partial_element":
        f64::read(&[0; 7]).unwrap_err() => "7 bytes are no whole number of f64, which takes 8";
    fold, "fold":
        matrix().typed::<[f32; 4]>().err().unwrap() => "shape (2, 3) does not end in (4,), the dimensions of [f32; 4]";
    fortran_order, "fortran_order":
        Npy::<u8, _>::from_bytes(made::version(1, "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3)}", &[0; 6]))
            .unwrap()
            .rows()
            .err()
            .unwrap() => "rows needs contiguous rows, and shape (2, 3) is in Fortran order; use cols, or ndarray";
    c_order, "c_order":
        matrix().typed::<f32>().unwrap().cols().err().unwrap() =>
            "cols needs contiguous columns, and shape (2, 3) is in C order; use rows, or ndarray";
    out_of_bounds, "out_of_bounds":
        matrix().slice_rows(1..3).err().unwrap() => "rows 1..3 is outside of 0..2",
        matrix().value(&[1, 5]).err().unwrap() => "index 5..6 is outside of 0..3";
    row_index, "row_index":
        matrix().gather(&[1_i64, 0, -1], &mut [0.0_f32; 9]).err().unwrap() =>
            "index 2 of the list is -1, and there are 2 rows";
    rank, "rank":
        matrix().value(&[1]).err().unwrap() => "1 dimensions asked for, and shape (2, 3) has 2";
    buffer_length, "buffer_length":
        f32::decode(&f32::dtype(), &[0; 12], &mut [0.0; 2]).unwrap_err() => "a buffer of 2 elements for 3";
    not_immutable, "not_immutable":
        with_file(&npy("'<f4'", "(1,)", &[0; 4]), |path| NpyAny::map_immutable(&fs::File::open(path).unwrap())) =>
            "the kernel does not guarantee that this file stays as it is (a sealed memfd or fs-verity would); use read, \
             NpyFile, or the unsafe map";
    out_of_memory, "out_of_memory":
        Aligned::zeroed(usize::MAX).err().unwrap() =>
            "no memory for 18446744073709551615 bytes; use NpyFile to read a part, or map the file";
    time_unit, "time_unit":
        "D/7".parse::<TimeUnit>().unwrap_err() => "'D/7' is no unit of time: its divisor 7 makes no whole number of a finer unit";
    time_conversion, "time_conversion":
        Timedelta64(1).convert(DatetimeUnit::Month.into(), DatetimeUnit::Day.into()).unwrap_err() =>
            "timedelta64[M] cannot be converted to timedelta64[D]: months and years have no fixed length; NumPy takes an \
             average",
        Datetime64(1).seconds(DatetimeUnit::Generic.into()).unwrap_err() =>
            "datetime64[generic] cannot be converted to datetime64[s]: a generic unit has no length; say what the counts \
             mean";
    time_overflow, "time_overflow":
        Datetime64(200_000).nanoseconds(DatetimeUnit::Day.into()).unwrap_err() =>
            "a datetime64[D] of 200000 is out of the range of datetime64[ns], 64 bits of ns";
    time_inexact, "time_inexact":
        Datetime64(1).convert_exact(DatetimeUnit::Millisecond.into(), DatetimeUnit::Second.into()).unwrap_err() =>
            "a datetime64[ms] of 1 falls between two steps of datetime64[s]; round it first (convert rounds down), or \
             take a finer unit";
    already_exists, "already_exists":
        with_file(b"", |path| Draft::<u8>::new(path, [1])?.publish()) =>
            "x.npy exists already; remove it, or ask for it to be replaced",
        with_file(b"", |path| Appender::<u8>::create(path)) =>
            "x.npy exists already; remove it, or ask for it to be replaced";
    no_space, "no_space":
        with_available(17, with_file(b"", |path| DraftAny::new(path, DType::Bool, [1 << 55]))) =>
            "no space for 36028797018963968 bytes in x.npy: its file system has 17 left";
    no_header_room, "no_header_room":
        with_file(&without_spare(), |path| Appender::<u8>::open(path)) =>
            "the new count takes 18 more bytes of header, and 0 are spare; npymap relayout makes room",
        Header::new_appendable(DType::Void(0), [10_usize.pow(16)], Order::C).unwrap_err() =>
            "the new count takes 17 more bytes of header, and 16 are spare; npymap relayout makes room";
    locked, "locked":
        with_file(&npy("'|u1'", "(1,)", &[1]), |path| {
            let _first = Appender::<u8>::open(path)?;
            Appender::<u8>::open(path)
        }) => "x.npy is locked by another writer, which was waited for 0 ms; AppendOptions::wait waits longer";
    header_ahead, "header_ahead":
        with_file(&npy("'<f4'", "(3, 2)", &[0; 17]), |path| Appender::<[f32; 2]>::open(path)) =>
            "the header counts 3 rows, and the file holds 2; npymap repair lowers the count";
    trailing_bytes, "trailing_bytes":
        with_file(&npy("'<f4'", "(3, 2)", &[0; 25]), |path| Appender::<[f32; 2]>::open(path)) =>
            "1 bytes follow the 152 of the array, and may be another array; discard_tail cuts them off, relayout_to \
             copies the array alone";
    poisoned, "poisoned":
        after_a_failed_publish() =>
            "an earlier publish of x.npy failed, and what the disk holds is unknown since; open the file again to go on";
    header_changed, "header_changed":
        with_file(&npy("'<f4'", "(3, 2)", &[0; 24]), |path| {
            let mut file = NpyFile::open(path)?;
            fs::write(path, npy("'<f8'", "(3, 4)", &[0; 96])).unwrap();
            file.refresh()
        }) =>
            "x.npy had '<f4' from byte 128 on, and but for its rows shape (0, 2) when it was opened, and has '<f8' from byte \
             128 on, and but for its rows shape (0, 4) now; open it again";
    row_shape, "row_shape":
        with_file(&npy("'<f4'", "(3, 2)", &[0; 24]), |path| AppendOptions::new().row_shape([3]).open_any(path)) =>
            "a row of the file has the shape (2,), and one of (3,) is to be appended";
    private_mapping, "private_mapping":
        with_file(&npy("'<f4'", "(1,)", &[0; 4]), |path| map_cow(path)?.flush()) =>
            "flush needs a shared mapping, and this one is private (map_cow); use map_mut",
        with_file(&npy("'<f4'", "(1,)", &[0; 4]), |path| map_cow(path)?.grow(1)) =>
            "grow needs a shared mapping, and this one is private (map_cow); use map_mut";
}

/// A text in which the temporary file is called by its name alone.
fn told(error: &Error) -> String {
    let words = error.to_string();
    let words = words.split(' ').map(|word| match word.rsplit_once("/x.npy") {
        Some((_, rest)) => format!("x.npy{rest}"),
        None => word.into(),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// The error as it would be with so much space left.
fn with_available(left: u64, error: Error) -> Error {
    match error {
        Error::NoSpace { path, needed, .. } => Error::NoSpace { path, needed, available: left },
        other => other,
    }
}

/// A file of nine rows whose header has no room for a tenth.
fn without_spare() -> Vec<u8> {
    made::version(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }\n", &[1; 9])
}

/// Maps a file that nobody else knows.
#[expect(unsafe_code, reason = "maps")]
fn map_cow(path: &Path) -> Result<NpyAny<MappingMut>, Error> {
    // SAFETY: the file is a test's own.
    unsafe { NpyAny::map_cow(path) }
}

/// The error after the one of a header that could not be written: the file can be written to until its rows are there.
fn after_a_failed_publish() -> Error {
    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};
    use std::io::Write;
    use std::os::fd::AsRawFd;
    let mut file = fs::File::from(memfd_create("npymap", MemfdFlags::ALLOW_SEALING).unwrap());
    file.write_all(&npy("'|u1'", "(1,)", &[1])).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    std::os::unix::fs::symlink(format!("/proc/self/fd/{}", file.as_raw_fd()), &path).unwrap();
    let mut rows = AppendOptions::new().buffer_size(1).open::<u8>(&path).unwrap();
    rows.extend(&[2; 10]).unwrap();
    fcntl_add_seals(&file, SealFlags::WRITE).unwrap();
    let failed = rows.commit().unwrap_err();
    assert!(matches!(failed, Error::Io { operation: "write", .. }), "{failed}");
    rows.commit().unwrap_err()
}

/// A file that ends in the middle of a carry.
fn carry() -> Vec<u8> {
    made::version(1, "{'descr': '<f8', 'fortran_order': False,    'shape': (       10000000 ,), }         \n", &[])
}

/// A stream that fails.
struct Broken;

impl std::io::Read for Broken {
    fn read(&mut self, _: &mut [u8]) -> std::io::Result<usize> {
        Err(std::io::ErrorKind::ConnectionReset.into())
    }
}

#[test]
fn an_io_error_has_its_cause_as_source_and_not_in_its_text() {
    let error = NpyFile::open("no/such.npy").unwrap_err();
    let cause = error.source().unwrap().downcast_ref::<std::io::Error>().unwrap();
    assert_eq!(cause.kind(), std::io::ErrorKind::NotFound);
    assert!(!error.to_string().contains(&cause.to_string()));
    assert!(Header::parse(b"").unwrap_err().source().is_none());
}

#[test]
fn no_variant_is_without_a_test() {
    let source = include_str!("../src/error.rs");
    let arms = source.lines().filter_map(|line| line.trim().strip_prefix("Self::")?.split_once("=> \""));
    let kinds: Vec<&str> = arms.map(|(_, kind)| kind.trim_end_matches("\",")).collect();
    assert_eq!(kinds, KINDS);
}

#[test]
fn messages_start_in_lower_case_and_end_without_a_full_stop() {
    for line in include_str!("../src/error.rs").lines() {
        let Some(message) = line.trim().strip_prefix("#[error(\"") else { continue };
        assert!(!message.starts_with(char::is_uppercase), "{line}");
        assert!(!message.trim_end_matches(")]").trim_end_matches('"').ends_with('.'), "{line}");
    }
}
