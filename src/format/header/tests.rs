use alloc::vec;

use super::*;
use crate::ByteOrder;

/// A version 1.0 file of this text.
fn v1(text: &str) -> Vec<u8> {
    let mut file = b"\x93NUMPY\x01\x00".to_vec();
    file.extend_from_slice(&u16::try_from(text.len()).unwrap().to_le_bytes());
    file.extend_from_slice(text.as_bytes());
    file
}

/// A header of 4096 bytes whose count, sixteen characters, fills bytes 64 to 80.
fn appendable(count: &str, rest: &str) -> Vec<u8> {
    assert_eq!(count.len(), FIELD_LEN);
    let mut text = "{'descr': '<f8', 'fortran_order': False, 'shape': (".to_string();
    let missing = 54 - text.len();
    text.insert_str(text.len() - 1, &" ".repeat(missing));
    text.push_str(count);
    text.push_str(rest);
    text.push_str(&" ".repeat(4085 - text.len()));
    text.push('\n');
    v1(&text)
}

#[test]
fn a_header_as_numpy_writes_it_is_understood() {
    let text = "{'descr': '<f8', 'fortran_order': True, 'shape': (3, 4), }                                                   \n";
    let header = Header::parse(&v1(text)).unwrap();
    assert_eq!(header.version(), (1, 0));
    assert_eq!(header.dtype(), &DType::Float64(ByteOrder::Little));
    assert_eq!(header.shape(), [3, 4]);
    assert_eq!(header.order(), Order::Fortran);
    assert_eq!(header.strides(), [8, 24]);
    assert_eq!(header.growth_axis(), Some(1));
    assert_eq!((header.size(), header.nbytes(), header.data_offset()), (12, 96, 10 + text.len()));
    assert_eq!(header.spare(), text.len() - 1 - text.trim_end().len());
    assert!(!header.appendable());
}

#[test]
fn keys_may_come_in_any_order_and_the_last_of_equal_ones_counts() {
    let text = "{'shape': 'bad', 'fortran_order': 1, 'shape': (2,), 'fortran_order': False, 'descr': '|u1'}";
    let header = Header::parse(&v1(text)).unwrap();
    assert_eq!((header.shape(), header.dtype()), ([2].as_slice(), &DType::UInt8));
    assert_eq!(header.spare(), 0);
}

#[test]
fn a_zero_dimensional_array_has_no_growth_axis_and_no_spare() {
    let header = Header::parse(&v1("{'descr': '<f8', 'fortran_order': False, 'shape': ()}     \n")).unwrap();
    assert_eq!((header.growth_axis(), header.spare(), header.size()), (None, 0, 1));
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn the_publish_field_is_found_where_two_aligned_words_hold_the_count() {
    let header = Header::parse(&appendable("              17", ",), }")).unwrap();
    assert!(header.appendable());
    assert_eq!((header.publish_field, header.shape(), header.spare()), (Some(64), [17].as_slice(), 14));
    assert_eq!(header.data_offset(), 4096);

    let full = Header::parse(&appendable("1234567800000001", ",), }"));
    let Ok(rows) = usize::try_from(1_234_567_800_000_001_u64) else {
        assert!(matches!(full, Err(Error::Dimension { axis: 0, .. })));
        return;
    };
    let header = full.unwrap();
    assert_eq!((header.publish_field, header.spare(), header.shape()), (Some(64), 0, [rows].as_slice()));
}

#[test]
fn the_publish_field_of_a_fortran_array_is_that_of_the_last_axis() {
    let mut text = "{'fortran_order': True, 'descr': '<f4', 'shape': (3, ".to_string();
    text.push_str(&" ".repeat(70 - text.len()));
    text.push_str("              25), }\n");
    let header = Header::parse(&v1(&text)).unwrap();
    assert_eq!((header.shape(), header.publish_field), ([3, 25].as_slice(), Some(80)));
}

#[test]
fn a_count_across_two_cache_lines_is_no_publish_field() {
    let mut text = "{'descr': '<f8', 'fortran_order': False, 'shape': (".to_string();
    text.push_str(&" ".repeat(134 - 10 - text.len() - 2));
    text.push_str("17,), }\n");
    let header = Header::parse(&v1(&text)).unwrap();
    assert_eq!((header.shape(), header.appendable()), ([17].as_slice(), false));
}

#[test]
fn a_header_by_numpy_has_no_publish_field() {
    for digits in 1..=isize::MAX.to_string().len() {
        let dim = "9".repeat(digits);
        let text = format!(
            "{{'descr': '|b1', 'fortran_order': False, 'shape': ({}, 0), }}{}\n",
            &dim[..digits.min(isize::MAX.to_string().len() - 1)],
            " ".repeat(40)
        );
        assert!(!Header::parse(&v1(&text)).unwrap().appendable(), "{text}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn a_carry_in_the_publish_field_parses_as_a_smaller_count_and_is_told() {
    // Between 99,999,999 and 100,000,000 the field goes through these states; see the module's picture.
    for (field, read) in [("        0000000 ", 0), ("       10000000 ", 10_000_000)] {
        let header = Header::parse(&appendable(field, ",), }")).unwrap();
        assert_eq!((header.publish_field, header.shape()), (Some(64), [read].as_slice()), "{field:?}");
        let bytes: &[u8; FIELD_LEN] = field.as_bytes().first_chunk().unwrap();
        assert_eq!(PublishField::parse(bytes), Some(PublishField::Carry));
    }
}

#[test]
fn a_publish_field_is_digits_to_the_right_of_spaces() {
    let cases = [
        (b"               0", Some(PublishField::Rows(0))),
        (b"        12345678", Some(PublishField::Rows(12_345_678))),
        (b"       100000000", Some(PublishField::Rows(100_000_000))),
        (b"9999999999999999", Some(PublishField::Rows(9_999_999_999_999_999))),
        (b"        0000000 ", Some(PublishField::Carry)),
        (b"      990000000 ", Some(PublishField::Carry)),
        (b"                ", None),
        (b"             1 2", None),
        (b"             -12", None),
        (b"             +12", None),
        (b"            12, ", None),
        (b"0000000000000000", None),
        (b"              00", None),
        (b"\t\t\t\t\t\t\t\t      12", None),
        (b"000000000000000 ", None),
        (b"   \t   10000000 ", None),
    ];
    for (field, expected) in cases {
        assert_eq!(PublishField::parse(field), expected, "{:?}", field.escape_ascii().to_string());
    }
}

#[test]
fn a_header_length_that_stops_before_its_padding_is_an_error_with_both_numbers() {
    let text = "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }";
    let mut file = v1(text);
    let offset = file.len();
    file.extend_from_slice(&vec![b' '; 127 - offset]);
    file.push(b'\n');
    file.extend_from_slice(&[0; 24]);
    match Header::parse(&file) {
        Err(Error::HeaderCutShort { offset: found, padding }) => assert_eq!((found, padding), (offset, 128 - offset)),
        other => panic!("{other:?}"),
    }
    // Without the padding the same header is fine, whatever the data are.
    let mut file = v1(text);
    file.extend_from_slice(b"        ");
    file.extend_from_slice(&[0; 16]);
    assert_eq!(Header::parse(&file).unwrap().data_offset(), offset);
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn the_limit_counts_characters_and_is_met_exactly() {
    let text = |len: usize| {
        let mut text = "{'descr': '<f8', 'fortran_order': False, 'shape': ()}".to_string();
        text.push_str(&" ".repeat(len - text.len()));
        text
    };
    assert!(Header::parse(&v1(&text(10_000))).is_ok());
    let error = Header::parse(&v1(&text(10_001))).unwrap_err();
    assert!(matches!(error, Error::HeaderTooLong { characters: 10_001, limit: 10_000 }), "{error}");
    assert!(Header::parse_within(&v1(&text(10_001)), 10_001).is_ok());
}

#[test]
fn latin_1_names_are_decoded_byte_by_byte_and_spans_stay_those_of_the_file() {
    let mut file = v1("{'descr': [('caf#', '<i4')], 'fortran_order': False, 'shape': (7,)}   \n");
    let at = file.iter().position(|&byte| byte == b'#').unwrap();
    file[at] = 0xe9;
    let header = Header::parse(&file).unwrap();
    let DType::Struct(record) = header.dtype() else { panic!("{:?}", header.dtype()) };
    assert_eq!(record.fields[0].name, "café");
    assert_eq!(header.spare(), 3);
}
