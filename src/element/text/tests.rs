use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::hash::BuildHasher;

use super::*;
use crate::{DatetimeUnit, Element, ElementMut, FixedBytes, TimeUnit, Void, be, le};

/// Code units in a byte order.
fn ucs4(order: ByteOrder, units: &[u32]) -> Vec<u8> {
    let bytes = |unit: &u32| match order {
        ByteOrder::Little => unit.to_le_bytes(),
        ByteOrder::Big => unit.to_be_bytes(),
    };
    units.iter().flat_map(bytes).collect()
}

#[test]
fn only_the_nuls_at_the_end_are_trimmed() {
    for length in [0, 1, 15, 16, 17, 40] {
        for padding in [0, 1, 15, 16, 17, 33] {
            let mut text = Vec::from([0; 40]);
            text.truncate(length);
            if let Some(last) = text.last_mut() {
                *last = b'x';
            }
            let padded = [text.as_slice(), &[0; 40][..padding]].concat();
            assert_eq!(trim(&padded), text, "{length} {padding}");
        }
    }
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let units = [0, 0x100, 0x1_0000, 0, 0];
        assert_eq!(trim_ucs4(&ucs4(order, &units)).len(), 3);
        assert_eq!(trim_ucs4(&ucs4(order, &[0, 0x61])).len(), 2);
        assert!(trim_ucs4(&ucs4(order, &[0; 9])).is_empty());
    }
}

#[test]
#[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
fn text_of_every_length_and_script_is_decoded_as_character_by_character() {
    let scripts =
        ["abcdefghijk", "é\u{ff}\u{7f}\u{80}", "語\u{7ff}\u{800}\u{ffff}", "\u{10000}😀\u{10ffff}", "a\0é語😀"];
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for script in scripts {
            for (length, ascii) in (0..40).flat_map(|length| [(length, 0), (length, 8), (length, 20)]) {
                let chars = core::iter::repeat_n('x', ascii).chain(script.chars().cycle().take(length));
                let text = chars.chain(['!']).collect::<String>();
                let units: Vec<u32> = text.chars().map(u32::from).chain([0, 0]).collect();
                let mut decoded = String::from("before ");
                decode_ucs4(&ucs4(order, &units), order, &mut decoded).unwrap();
                assert_eq!(decoded, format!("before {text}"));
                let mut encoded = alloc::vec![0xff; 4 * units.len()];
                encode_ucs4(&text, order, &mut encoded).unwrap();
                assert_eq!(encoded, ucs4(order, &units));
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn a_unit_that_is_no_character_is_an_error_with_its_position_and_the_text_stays_as_it_was() {
    for order in [ByteOrder::Little, ByteOrder::Big] {
        for bad in [0xd800, 0xdfff, 0x11_0000, 0x8000_0061, u32::MAX, 0x6100_0000] {
            for position in [0, 3, 7, 8, 12, 19] {
                let mut units = [0x61; 20];
                units[position] = bad;
                let mut text = String::from("é");
                let error = decode_ucs4(&ucs4(order, &units), order, &mut text).unwrap_err();
                let Error::InvalidChar { index: 0, character, code, .. } = error else { panic!("{error}") };
                assert_eq!((character, code, text.as_str()), (position, bad, "é"));
            }
        }
    }
}

#[test]
fn text_that_does_not_fit_is_an_error_and_writes_nothing() {
    let mut bytes = [7; 3];
    let error = DType::Bytes(3).write_text("abcd", &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "text of 4 bytes for '|S3', which holds 3");
    let error = DType::Bytes(3).write_text("a\0", &mut bytes).unwrap_err();
    assert_eq!(error.to_string(), "text ends in a NUL, which '|S3' takes for padding and loses");
    assert_eq!(bytes, [7; 3]);
    let mut units = [7; 8];
    for (text, kind) in [("ééé", "text_too_long"), ("a\0", "text_ends_in_nul"), ("abc", "text_too_long")] {
        let error = DType::Str(ByteOrder::Big, 2).write_text(text, &mut units).unwrap_err();
        assert_eq!((error.kind(), units), (kind, [7; 8]));
    }
    assert_eq!(DType::UInt8.write_text("a", &mut [0]).unwrap_err().kind(), "not_text");
    assert_eq!(DType::Bytes(3).write_text("a", &mut [0]).unwrap_err().kind(), "partial_element");
    DType::Bytes(3).write_text("é", &mut bytes).unwrap();
    assert_eq!(bytes, [0xc3, 0xa9, 0]);
    DType::Str(ByteOrder::Little, 2).write_text("\0é", &mut units).unwrap();
    assert_eq!(units, [0, 0, 0, 0, 0xe9, 0, 0, 0]);
    DType::Bytes(0).write_text("", &mut []).unwrap();
}

#[test]
fn byte_strings_are_their_text() {
    let name = FixedBytes::<5>::new("ab\0c").unwrap();
    assert_eq!((name.as_bytes(), name.as_array(), name.len()), (&b"ab\0c"[..], b"ab\0c\0", 4));
    assert!(name == b"ab\0c" && name == "ab\0c" && name != "ab\0c\0" && name == *b"ab\0c");
    assert_eq!(format!("{name:?}"), "b\"ab\\x00c\"");
    assert_eq!(format!("{:>4}|", FixedBytes::<5>::new(b"a\xff").unwrap()), "  a\u{fffd}|");
    assert_eq!(FixedBytes::<3>::from(*b"a\0\0"), "a".parse::<FixedBytes<3>>().unwrap());
    assert!(FixedBytes::<3>::try_from("é").is_ok() && FixedBytes::<1>::try_from("é").is_err());
    assert!(FixedBytes::<3>::default().is_empty());
    let error = FixedBytes::<3>::new(b"a\xff").unwrap().to_str().unwrap_err();
    assert!(matches!(error, Error::InvalidUtf8 { index: 0, valid: 1, .. }));
    let hashes = std::hash::RandomState::new();
    assert_eq!(hashes.hash_one(name), hashes.hash_one(&b"ab\0c"[..]));
    assert!(FixedBytes::<3>::new("a").unwrap() < FixedBytes::new("a\0b").unwrap());
}

#[test]
fn strings_are_their_text() {
    let name = le::Str::<4>::new("a\0é").unwrap();
    assert!(name == "a\0é" && name != "a\0" && name == *"a\0é");
    assert_eq!((name.len(), name.is_empty(), name.to_text().unwrap().as_str()), (3, false, "a\0é"));
    assert_eq!(format!("{name}|{name:>5}|{name:?}"), "a\0é|  a\0é|\"a\\0é\"");
    assert_eq!(name.chars().rev().map(Result::unwrap).collect::<String>(), "é\0a");
    let bad = be::Str::<3>::read(&ucs4(ByteOrder::Big, &[0x27, 0xd800, 0])).unwrap();
    assert_eq!(format!("{bad} {bad:?}"), "'\u{fffd} \"'\\u{d800}\"");
    assert!(matches!(bad.chars().nth(1), Some(Err(Error::InvalidChar { character: 1, code: 0xd800, .. }))));
    assert!(bad != "'" && bad.to_text().is_err());
    // The bytes of the first order the other way round.
    assert!(le::Str::<2>::new("\u{100}").unwrap() > le::Str::new("\u{ff}").unwrap());
    assert!(be::Str::<2>::new("ab").unwrap() > be::Str::new("a").unwrap());
}

/// What NumPy 2.4.6 stores for a dtype of either order, its bytes given in the little-endian one.
fn check<L, B>(little: DType, big: DType, width: usize, stored: &[u8], l: L, b: B)
where
    L: ElementMut + PartialEq + core::fmt::Debug + Default,
    B: ElementMut + PartialEq + core::fmt::Debug + Default,
{
    let turned: Vec<u8> = stored.chunks(width).flat_map(|part| part.iter().rev().copied()).collect();
    check_one(&little, stored, l, (&big, &turned));
    check_one(&big, &turned, b, (&little, stored));
    assert_eq!(L::check(&big).is_ok(), width == 1);
    assert!(matches!(L::check(&DType::Bool), Err(Error::DType { .. })));
}

fn check_one<T: ElementMut + PartialEq + core::fmt::Debug + Default>(
    own: &DType,
    stored: &[u8],
    value: T,
    (other, turned): (&DType, &[u8]),
) {
    T::check(own).unwrap();
    assert_eq!((T::dtype().itemsize(), align_of::<T>()), (stored.len(), 1));
    // At an odd address or at an even one.
    let mut bytes = [&[0xff], stored, stored].concat();
    assert_eq!(T::view(&bytes[1..]).unwrap(), [value, value]);
    assert_eq!(T::read(stored).unwrap(), value);
    assert!(matches!(T::read(&bytes[1..]), Err(Error::PartialElement { .. })));
    assert!(matches!(T::view(&bytes), Err(Error::PartialElement { .. })));
    assert!(matches!(T::view_mut(&mut bytes), Err(Error::PartialElement { .. })));
    T::view_mut(&mut bytes[1..]).unwrap()[1] = T::default();
    assert_eq!(bytes, [&[0xff], stored, &alloc::vec![0; stored.len()]].concat());
    let mut written = alloc::vec![0xff; stored.len()];
    value.write(&mut written);
    assert_eq!(written, stored);
    for (dtype, stored) in [(own, stored), (other, turned)] {
        let mut decoded = [T::default(); 2];
        T::decode(dtype, &[stored, stored].concat(), &mut decoded).unwrap();
        assert_eq!(decoded, [value, value]);
        assert!(matches!(T::decode(dtype, stored, &mut decoded), Err(Error::BufferLength { .. })));
        let mut encoded = alloc::vec![0xff; 2 * stored.len()];
        T::encode(dtype, &[value, value], &mut encoded).unwrap();
        assert_eq!(encoded, [stored, stored].concat());
    }
}

#[test]
fn scalars_are_viewed_copied_and_written_in_either_byte_order() {
    use ByteOrder::{Big, Little};
    check(DType::Int16(Little), DType::Int16(Big), 2, &[2, 1], le::I16::new(258), be::I16::new(258));
    check(
        DType::UInt32(Little),
        DType::UInt32(Big),
        4,
        &[4, 3, 2, 1],
        le::U32::new(0x0102_0304),
        be::U32::new(0x0102_0304),
    );
    let f8 = [0, 0, 0, 0, 0, 0, 0xf0, 0x3f];
    check(DType::Float64(Little), DType::Float64(Big), 8, &f8, le::F64::new(1.0), be::F64::new(1.0));
    // np.array([-1.5], '<f2').tobytes() and so on.
    check(DType::Float16(Little), DType::Float16(Big), 2, &[0x00, 0xbe], le::F16::new(-1.5), be::F16::new(-1.5));
    let c8 = [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0];
    let parts = [1.0, -2.0];
    check(
        DType::Complex64(Little),
        DType::Complex64(Big),
        4,
        &c8,
        le::Complex64::new(parts),
        be::Complex64::new(parts),
    );
    let c16 = [0, 0, 0, 0, 0, 0, 0xf0, 0x3f, 0, 0, 0, 0, 0, 0, 0, 0xc0];
    let parts = [1.0, -2.0];
    let values = (le::Complex128::new(parts), be::Complex128::new(parts));
    check(DType::Complex128(Little), DType::Complex128(Big), 8, &c16, values.0, values.1);
    let f16 = [0, 0, 0, 0, 0, 0, 0, 0xc0, 0xff, 0xbf, 0, 0, 0, 0, 0, 0];
    let long = crate::LongDouble::from_le_bytes(f16);
    assert_eq!(long.to_f64(), -1.5);
    let values = (le::LongDouble::new(long), be::LongDouble::new(long));
    check(DType::LongDouble(Little), DType::LongDouble(Big), 16, &f16, values.0, values.1);
    let values = (le::ComplexLongDouble::new([long; 2]), be::ComplexLongDouble::new([long; 2]));
    let [l, b] = [Little, Big].map(DType::ComplexLongDouble);
    check(l, b, 16, &[f16, f16].concat(), values.0, values.1);
    let unit = TimeUnit { unit: DatetimeUnit::Second, count: 25 };
    let count = [0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff];
    let (l, b) = (le::Datetime64::new(crate::Datetime64(-2)), be::Datetime64::new(crate::Datetime64(-2)));
    check(DType::Datetime64(Little, unit), DType::Datetime64(Big, unit), 8, &count, l, b);
    check(DType::Datetime64(Little, unit), DType::Datetime64(Big, unit), 8, &count, le::I64::new(-2), be::I64::new(-2));
    let (l, b) = (le::Timedelta64::new(crate::Timedelta64(-2)), be::Timedelta64::new(crate::Timedelta64(-2)));
    check(DType::Timedelta64(Little, unit), DType::Timedelta64(Big, unit), 8, &count, l, b);
    assert!(be::Datetime64::NAT.is_nat() && be::Datetime64::NAT < be::Datetime64::default());
    let text = [0x41, 0, 0, 0, 0x00, 0xf6, 0x01, 0, 0, 0, 0, 0];
    let (l, b) = (le::Str::<3>::new("A😀").unwrap(), be::Str::<3>::new("A😀").unwrap());
    check(DType::Str(Little, 3), DType::Str(Big, 3), 4, &text, l, b);
    let name = FixedBytes::<3>::new("ab").unwrap();
    check(DType::Bytes(3), DType::Bytes(3), 1, b"ab\0", name, name);
    check(DType::Void(3), DType::Void(3), 1, b"ab\0", Void(*b"ab\0"), Void(*b"ab\0"));
}

#[test]
fn halves_and_times_compare_as_their_native_values() {
    let [half, less, nan] = [1.5, -2.0, f32::NAN].map(le::F16::new);
    assert!(less < half && nan != nan && half == le::F16::from_bits(0x3e00) && be::F16::from_bits(0x3e00).get() == 1.5);
    assert_eq!(half.to_string(), "1.5");
    let [early, late] = [-1, 256].map(|count| le::Timedelta64::new(crate::Timedelta64(count)));
    assert!(le::Timedelta64::NAT < early && early < late && !early.is_nat());
}

#[cfg(feature = "half")]
#[test]
#[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
fn halves_round_as_the_half_crate_rounds() {
    for bits in (0..=u32::MAX).step_by(65_521) {
        let value = f32::from_bits(bits);
        let (ours, theirs) = (half::f16::from(le::F16::new(value)), half::f16::from_f32(value));
        assert!(ours.to_bits() == theirs.to_bits() || ours.is_nan() && theirs.is_nan(), "{value:e}");
    }
}

#[test]
fn errors_recommend_the_type_that_fits_with_its_size() {
    use ByteOrder::{Big, Little};
    let instead = |dtype: &DType| match le::Str::<3>::check(dtype) {
        Err(Error::DType { instead, .. }) => instead,
        other => panic!("{other:?}"),
    };
    let some = |name: &str| Some(String::from(name));
    assert_eq!(instead(&DType::Str(Big, 5)), some("npymap::be::Str<5>"));
    assert_eq!(instead(&DType::Bytes(5)), some("npymap::FixedBytes<5>"));
    assert_eq!(instead(&DType::Void(2)), some("npymap::Void<2>"));
    assert_eq!(instead(&DType::ComplexLongDouble(Little)), some("npymap::le::ComplexLongDouble"));
    let array = DType::Subarray(DType::Str(Little, 4).into(), [2, 3].into());
    assert_eq!(instead(&array), some("[[npymap::le::Str<4>; 3]; 2]"));
    for nothing in [DType::Bytes(0), DType::Str(Big, 0), DType::Object] {
        assert_eq!(instead(&nothing), None);
    }
    let error = le::Str::<4>::check(&DType::Str(Little, 5)).unwrap_err().to_string();
    assert_eq!(error, "descr '<U5' is not npymap::le::Str<4> here, which is '<U4'; npymap::le::Str<5> would fit");
}
