//! Fields without a struct: strided, at any alignment, in either byte order, for reading and writing.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;

use made::{c_npy, npy};
use npymap::{Aligned, DType, Error, NpyAny, be, le};

fn array(file: &[u8]) -> NpyAny<Aligned> {
    NpyAny::from_bytes(Aligned::copy_of(file).unwrap()).unwrap()
}

const NESTED: &str = "[('outer', '<i4', (3,)), ('outer2', [('inner', '>i4', (10,)), ('inner2', '<f8')])]";

/// Two records of `NESTED`: outer counts from 100, inner from 1000, inner2 is a half; 1 more a record.
fn nested() -> NpyAny<Aligned> {
    let record = |n: i32| {
        let outer = (0..3).flat_map(move |i| (100 + n + i).to_le_bytes());
        let inner = (0..10).flat_map(move |i| (1000 + n + i).to_be_bytes());
        outer.chain(inner).chain((0.5 + f64::from(n)).to_le_bytes())
    };
    array(&c_npy(NESTED, "(2,)", &(0..2).flat_map(record).collect::<Vec<u8>>()))
}

#[test]
fn a_path_leads_to_a_field_in_every_record_whatever_its_offset_and_byte_order() {
    let x = nested();
    let inner = x.field::<[i32; 10]>(&["outer2", "inner"]).unwrap();
    assert_eq!((inner.shape(), inner.strides(), inner.len()), ([2].as_slice(), [60].as_slice(), 2));
    let wanted = |n| std::array::from_fn(|i| 1000 + n + i32::try_from(i).unwrap());
    assert_eq!(inner.get(1), Some(wanted(1)));
    assert_eq!(inner.get(2), None);
    assert_eq!(inner.to_vec().unwrap(), [wanted(0), wanted(1)]);
    // The stored order can be had as it is, too.
    let stored = x.field::<[be::I32; 10]>(&["outer2", "inner"]).unwrap();
    assert_eq!(stored.get(0).unwrap()[3].get(), 1003);
    assert_eq!(x.field::<f64>(&["outer2", "inner2"]).unwrap().iter().collect::<Vec<_>>(), [0.5, 1.5]);
    assert_eq!(x.field::<[i32; 3]>(&["outer"]).unwrap().to_vec().unwrap(), [[100, 101, 102], [101, 102, 103]]);
}

#[test]
fn dimensions_of_a_subarray_come_after_those_of_the_array() {
    let x = nested();
    let inner = x.field::<i32>(&["outer2", "inner"]).unwrap();
    assert_eq!((inner.shape(), inner.strides()), ([2, 10].as_slice(), [60, 4].as_slice()));
    assert_eq!((inner.get(13), inner.at(&[1, 3]), inner.at(&[2, 0])), (Some(1004), Some(1004), None));
    assert_eq!(inner.iter().rev().step_by(10).collect::<Vec<_>>(), [1010, 1009]);
    assert_eq!(inner.iter().skip(9).take(3).collect::<Vec<_>>(), [1009, 1001, 1002]);

    // Of (2, 3) one dimension may be the type's; (2,) of records of (3,) is (2, 3).
    let flat: Vec<u8> = (0..24).collect();
    let y = array(&c_npy("[('a', '|u1', (2, 3)), ('b', [('c', '|u1', (3,))], (2,))]", "(2,)", &flat));
    let rows = y.field::<[u8; 3]>(&["a"]).unwrap();
    assert_eq!((rows.shape(), rows.at(&[1, 1])), ([2, 2].as_slice(), Some([15, 16, 17])));
    assert_eq!(y.field::<[[u8; 3]; 2]>(&["a"]).unwrap().get(1), Some([[12, 13, 14], [15, 16, 17]]));
    let inner = y.field::<u8>(&["b", "c"]).unwrap();
    assert_eq!((inner.shape(), inner.at(&[1, 1, 2])), ([2, 2, 3].as_slice(), Some(23)));
    let error = y.field::<[u8; 2]>(&["a"]).unwrap_err();
    assert_eq!(
        error.to_string(),
        "descr ('|u1', (2, 3)) of field 'a' is not [u8; 2] here, which is ('|u1', (2,)); \
         [[u8; 3]; 2] would fit"
    );
}

#[test]
fn values_of_an_array_in_fortran_order_come_in_c_order() {
    let bytes: Vec<u8> = (0..6).flat_map(|n| [n, 0xaa]).collect();
    let x = array(&npy("[('a', '|u1'), ('b', '|u1')]", true, "(2, 3)", &bytes));
    let a = x.field::<u8>(&["a"]).unwrap();
    assert_eq!((a.shape(), a.strides()), ([2, 3].as_slice(), [2, 4].as_slice()));
    assert_eq!(a.to_vec().unwrap(), [0, 2, 4, 1, 3, 5]);
    assert_eq!(a.iter().sum::<u8>(), 15);
    assert_eq!((a.at(&[1, 2]), a.get(3)), (Some(5), Some(1)));
}

#[test]
fn titles_are_names_too_and_names_may_have_dots() {
    let x = array(&c_npy("[(('The title', 'a.b'), '<u2'), (\"it's\", '|i1')]", "(1,)", &[7, 0, 0xff]));
    assert_eq!(x.field::<u16>(&["The title"]).unwrap().get(0), Some(7));
    assert_eq!(x.field::<u16>(&["a.b"]).unwrap().get(0), Some(7));
    assert_eq!(x.field::<i8>(&["it's"]).unwrap().get(0), Some(-1));
    assert_eq!(x.field::<u16>(&["a", "b"]).unwrap_err().to_string(), "no field 'a'; there are 'a.b', 'it\\'s'");
}

#[test]
fn arrays_without_axes_or_elements_have_fields_too() {
    let scalar = array(&c_npy("[('a', '|u1'), ('b', '>f4')]", "()", &[1, 0x3f, 0x80, 0, 0]));
    let b = scalar.field::<f32>(&["b"]).unwrap();
    assert_eq!((b.shape().len(), b.len(), b.get(0), b.at(&[])), (0, 1, Some(1.0), Some(1.0)));
    let empty = array(&c_npy("[('a', '|u1'), ('b', '>f4', (2,))]", "(3, 0)", &[]));
    let b = empty.field::<f32>(&["b"]).unwrap();
    assert_eq!((b.shape(), b.len(), b.is_empty()), ([3, 0, 2].as_slice(), 0, true));
    assert_eq!((b.iter().next(), b.to_vec().unwrap().len(), b.get(0)), (None, 0, None));
}

#[test]
fn an_empty_path_leads_to_the_elements_wherever_the_data_start() {
    let order = if cfg!(target_endian = "little") { '<' } else { '>' };
    let text = format!("{{'descr': '{order}f8', 'fortran_order': False, 'shape': (2,)}}\n");
    let file = made::version(1, &text, &[0; 16]);
    let mut x = array(&file);
    assert!(matches!(x.typed::<f64>(), Err(Error::Misaligned { .. })));
    x.fields_mut().field::<f64>(&[]).unwrap().copy_from(&[1.5, -2.0]).unwrap();
    assert_eq!(x.field::<f64>(&[]).unwrap().to_vec().unwrap(), [1.5, -2.0]);
}

#[test]
fn a_bool_that_is_none_is_found_when_the_field_is_made() {
    let x = array(&c_npy("[('a', [('ok', '|b1', (2,))]), ('n', '|u1')]", "(2,)", &[0, 1, 9, 1, 2, 9]));
    let error = x.field::<[bool; 2]>(&["a", "ok"]).unwrap_err();
    assert!(matches!(&error, Error::InvalidBool { index: 1, byte: 2, field } if field == &["a", "ok"]), "{error}");
    assert!(matches!(x.field::<bool>(&["a", "ok"]), Err(Error::InvalidBool { index: 3, byte: 2, .. })));
    assert_eq!(x.field::<u8>(&["n"]).unwrap().to_vec().unwrap(), [9, 9]);
}

#[test]
fn another_type_or_a_buffer_of_another_length_is_an_error() {
    let x = nested();
    let text = |error: Error| error.to_string();
    assert_eq!(
        text(x.field::<f32>(&["outer2", "inner2"]).unwrap_err()),
        "descr '<f8' of field 'outer2' 'inner2' is not f32 here, which is '<f4'; f64 would fit"
            .replace("f64 would", if cfg!(target_endian = "little") { "f64 would" } else { "npymap::le::F64 would" })
            .replace("'<f4'", if cfg!(target_endian = "little") { "'<f4'" } else { "'>f4'" })
    );
    assert!(matches!(x.field::<i32>(&["outer2"]), Err(Error::DType { field, .. }) if field == ["outer2"]));
    assert_eq!(text(x.field::<i32>(&["outer3"]).unwrap_err()), "no field 'outer3'; there are 'outer', 'outer2'");
    let outer = x.field::<i32>(&["outer"]).unwrap();
    let mut out = [0; 5];
    assert!(matches!(outer.copy_to(&mut out), Err(Error::BufferLength { found: 5, wanted: 6 })));
    let mut out = [0; 6];
    outer.copy_to(&mut out).unwrap();
    assert_eq!(out, [100, 101, 102, 101, 102, 103]);
}

#[test]
fn several_fields_are_written_at_once_in_the_order_of_the_file() {
    let mut x = nested();
    let before = x.bytes().to_vec();
    let fields = x.fields_mut();
    let (inner, half) =
        (fields.field::<i32>(&["outer2", "inner"]).unwrap(), fields.field::<f64>(&["outer2", "inner2"]).unwrap());
    let also_half = fields.field::<le::F64>(&["outer2", "inner2"]).unwrap();
    for i in 0..inner.len() {
        inner.set(i, -inner.get(i).unwrap()).unwrap();
    }
    half.fill(0.25).unwrap();
    assert_eq!(also_half.get(1).unwrap().get(), 0.25);
    assert!(matches!(half.set(2, 0.0), Err(Error::OutOfBounds { start: 2, len: 2, .. })));
    assert!(matches!(half.copy_from(&[1.0]), Err(Error::BufferLength { found: 1, wanted: 2 })));
    assert_eq!(inner.to_vec().unwrap()[10..12], [-1001, -1002]);

    // Nothing else was touched.
    let mut wanted = before;
    for record in 0..2 {
        for i in 0..10 {
            let value: i32 = -(1000 + record + i);
            let at = usize::try_from(record * 60 + 12 + 4 * i).unwrap();
            wanted[at..at + 4].copy_from_slice(&value.to_be_bytes());
        }
        let at = usize::try_from(record * 60 + 52).unwrap();
        wanted[at..at + 8].copy_from_slice(&0.25_f64.to_le_bytes());
    }
    assert_eq!(x.bytes(), wanted);
}

#[test]
fn a_bool_that_is_none_is_found_when_it_is_read_for_writing_too() {
    let mut x = array(&c_npy("[('ok', '|b1')]", "(3,)", &[0, 1, 0]));
    let fields = x.fields_mut();
    let ok = fields.field::<bool>(&["ok"]).unwrap();
    ok.set(0, true).unwrap();
    assert_eq!(ok.to_vec().unwrap(), [true, true, false]);
    assert!(fields.field::<u8>(&["ok"]).is_err());
    let mut y = array(&c_npy("[('ok', '|b1')]", "(3,)", &[0, 5, 0]));
    let ok = y.fields_mut().field::<bool>(&["ok"]).unwrap();
    assert!(matches!(ok.get(1), Err(Error::InvalidBool { index: 1, byte: 5, .. })));
}

#[test]
fn fields_of_no_bytes_are_no_values() {
    let x = array(&c_npy("[('a', '|S0'), ('b', '<f4', (0,)), ('c', '|u1')]", "(2,)", &[1, 2]));
    let b = x.field::<f32>(&["b"]).unwrap();
    assert_eq!((b.shape(), b.len()), ([2, 0].as_slice(), 0));
    assert!(x.field::<[u8; 1]>(&["a"]).is_err());
    assert_eq!(x.dtype().fields().len(), 3);
    assert_eq!(
        x.dtype().fields()[1].dtype,
        &DType::from_descr("[('b', '<f4', (0,))]").unwrap().fields()[0].dtype.clone()
    );
}

fn ucs4(text: &str, units: usize, big: bool) -> Vec<u8> {
    let codes = text.chars().map(u32::from).chain(std::iter::repeat(0)).take(units);
    codes.flat_map(|code| if big { code.to_be_bytes() } else { code.to_le_bytes() }).collect()
}

#[test]
fn strings_of_both_kinds_and_orders_are_text_without_the_nuls_at_their_end() {
    let texts = ["", "a", "héllo", "日本語", "a\0b", "😀😀"];
    for big in [false, true] {
        let bytes: Vec<u8> = texts.iter().flat_map(|text| ucs4(text, 5, big)).collect();
        let x = array(&c_npy(if big { "'>U5'" } else { "'<U5'" }, "(2, 3)", &bytes));
        let strings = x.strings(&[]).unwrap();
        assert_eq!((strings.shape(), strings.len()), ([2, 3].as_slice(), 6));
        assert_eq!(strings.iter().map(|text| text.unwrap().into_owned()).collect::<Vec<_>>(), texts);
        let mut text = String::from("old");
        strings.read_into(3, &mut text).unwrap();
        assert_eq!(text, "日本語");
        assert_eq!(strings.bytes(1).unwrap(), ucs4("a", 5, big));
        assert!(matches!(strings.get(6), Err(Error::OutOfBounds { start: 6, len: 6, .. })));
    }
    let x = array(&c_npy(
        "[('n', '|u1'), ('s', [('t', '|S7', (2,))])]",
        "(2,)",
        b"\x01a\0b\0\0\0\0\0\0\0\0\0\0\0\x02h\xc3\xa9llo\0abcdefg",
    ));
    let strings = x.strings(&["s", "t"]).unwrap();
    assert_eq!(strings.shape(), [2, 2]);
    assert_eq!(strings.iter().rev().map(|text| text.unwrap()).collect::<Vec<_>>(), ["abcdefg", "héllo", "", "a\0b"]);
    assert_eq!(strings.bytes(2), Some("héllo".as_bytes()));
    assert!(matches!(strings.get(0).unwrap(), std::borrow::Cow::Borrowed(_)));
}

#[test]
fn what_is_no_text_is_an_error_at_its_element_and_no_other() {
    let x = array(&c_npy("[('s', '|S3')]", "(3,)", b"abca\xff\0\xc3\xa9\0"));
    let strings = x.strings(&["s"]).unwrap();
    assert_eq!((strings.get(0).unwrap(), strings.get(2).unwrap()), ("abc".into(), "é".into()));
    let error = strings.get(1).unwrap_err();
    assert!(matches!(&error, Error::InvalidUtf8 { field, index: 1, valid: 1 } if field == &["s"]), "{error}");
    assert_eq!(strings.bytes(1), Some(b"a\xff".as_slice()));

    for code in [0xd800_u32, 0x0011_0000, u32::MAX] {
        let units = [65, 66, 67, code].map(u32::to_be_bytes).concat();
        let x = array(&c_npy("'>U2'", "(2,)", &units));
        let strings = x.strings(&[]).unwrap();
        let mut text = String::from("old");
        let error = strings.read_into(1, &mut text).unwrap_err();
        assert!(
            matches!(error, Error::InvalidChar { index: 1, character: 1, code: found, .. } if found == code),
            "{error}"
        );
        assert_eq!(strings.get(0).unwrap(), "AB");
    }
    let x = array(&c_npy("[('n', '<i4')]", "(1,)", &[0; 4]));
    assert_eq!(
        x.strings(&["n"]).unwrap_err().to_string(),
        "descr '<i4' of field 'n' is no string; strings are S and U"
    );
    assert!(matches!(x.strings(&[]), Err(Error::NotText { .. })));
}

#[test]
fn strings_are_written_whole_or_not_at_all() {
    for descr in ["[('n', '|u1'), ('s', '>U3'), ('t', '|S3')]", "[('n', '|u1'), ('s', '<U3'), ('t', '|S3')]"] {
        let mut x = array(&c_npy(descr, "(2,)", &[0x41; 32]));
        let fields = x.fields_mut();
        let (s, t) = (fields.strings(&["s"]).unwrap(), fields.strings(&["t"]).unwrap());
        let before = s.get(0);
        assert!(matches!(before, Err(Error::InvalidChar { index: 0, code: 0x4141_4141, .. })));
        s.set(0, "é").unwrap();
        s.set(1, "日本語").unwrap();
        t.set(0, "é").unwrap();
        assert!(matches!(t.set(1, "éé"), Err(Error::TextTooLong { length: 4, room: 3, unit: "bytes", .. })));
        assert!(matches!(s.set(1, "abcd"), Err(Error::TextTooLong { length: 4, room: 3, unit: "characters", .. })));
        assert!(matches!(s.set(1, "a\0"), Err(Error::TextEndsInNul { .. })));
        assert!(matches!(s.set(2, ""), Err(Error::OutOfBounds { .. })));
        assert_eq!((s.get(0).unwrap(), s.get(1).unwrap()), ("é".into(), "日本語".into()));
        assert_eq!((t.get(0).unwrap(), t.get(1).unwrap()), ("é".into(), "AAA".into()));
        let big = descr.contains(">U3");
        let wanted =
            [b"A".as_slice(), &ucs4("é", 3, big), "é\0".as_bytes(), b"A", &ucs4("日本語", 3, big), b"AAA"].concat();
        assert_eq!(x.bytes(), wanted);
    }
}

#[test]
fn strings_of_no_bytes_are_empty_texts() {
    let x = array(&c_npy("'<U0'", "(3,)", &[]));
    assert_eq!(x.strings(&[]).unwrap().iter().map(|text| text.unwrap().len()).collect::<Vec<_>>(), [0, 0, 0]);
}
