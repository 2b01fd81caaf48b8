use alloc::vec::Vec;

use super::*;
use crate::{Aligned, DatetimeUnit, TimeUnit};

const SWAPPED: ByteOrder = match ByteOrder::NATIVE {
    ByteOrder::Little => ByteOrder::Big,
    ByteOrder::Big => ByteOrder::Little,
};

/// Bytes at an address that is a multiple of 64.
fn aligned(bytes: &[u8]) -> Aligned {
    Aligned::copy_of(bytes).unwrap()
}

#[test]
fn native_numbers_are_viewed_in_place() {
    let bytes = aligned(&[1.5_f64.to_ne_bytes(), (-2.0_f64).to_ne_bytes()].concat());
    let view = f64::view(&bytes).unwrap();
    assert_eq!(view, [1.5, -2.0]);
    assert_eq!(view.as_ptr().cast::<u8>(), bytes.as_ptr());
}

#[test]
fn a_misaligned_address_is_an_error_that_says_by_how_much() {
    let bytes = aligned(&[0; 40]);
    for excess in 1..8 {
        let error = f64::view(&bytes[excess..excess + 32]).unwrap_err();
        let Error::Misaligned { excess: found, align, .. } = error else { panic!("{error}") };
        assert_eq!((found, align), (excess % align_of::<f64>(), align_of::<f64>()));
        if align_of::<f64>() == 4 && excess == 3 {
            break;
        }
    }
}

#[test]
fn a_partial_element_is_an_error() {
    let bytes = aligned(&[0; 12]);
    assert!(matches!(f64::view(&bytes), Err(Error::PartialElement { bytes: 12, size: 8, .. })));
    assert!(matches!(be::F64::view(&bytes), Err(Error::PartialElement { bytes: 12, size: 8, .. })));
    assert!(matches!(<[u16; 4]>::view(&bytes), Err(Error::PartialElement { bytes: 12, size: 8, .. })));
    assert!(matches!(i32::read(&bytes), Err(Error::PartialElement { bytes: 12, size: 4, .. })));
}

#[test]
fn the_other_byte_order_is_refused_with_the_type_that_fits() {
    let error = f64::check(&DType::Float64(SWAPPED)).unwrap_err();
    let Error::ByteOrder { instead, element, .. } = &error else { panic!("{error}") };
    let fits = if SWAPPED == ByteOrder::Big { "npymap::be::F64" } else { "npymap::le::F64" };
    assert_eq!((*instead, element.as_str()), (fits, "f64"));
}

#[test]
fn the_other_byte_order_is_viewed_in_place_at_any_offset_and_copied_by_decode() {
    let stored: Vec<u8> = [1.5_f64, f64::NAN, -0.0].iter().flat_map(|value| value.to_be_bytes()).collect();
    let shifted = [&[0xff], stored.as_slice()].concat();
    let view = be::F64::view(&shifted[1..]).unwrap();
    assert_eq!((view[0].get(), view[1].get().is_nan(), view[2].get().to_bits()), (1.5, true, (-0.0_f64).to_bits()));

    let mut decoded = [0.0; 3];
    f64::decode(&DType::Float64(ByteOrder::Big), &shifted[1..], &mut decoded).unwrap();
    assert_eq!(decoded.map(f64::to_bits), [1.5, f64::NAN, -0.0].map(f64::to_bits));
}

#[test]
fn every_number_survives_write_and_read() {
    fn check<T: Element + PartialEq + core::fmt::Debug>(value: T) {
        let mut bytes = alloc::vec![0xaa; size_of::<T>()];
        value.write(&mut bytes);
        assert_eq!(T::read(&bytes).unwrap(), value);
        let mut decoded = [T::read(&alloc::vec![0; size_of::<T>()]).unwrap()];
        T::decode(&T::dtype(), &bytes, &mut decoded).unwrap();
        assert_eq!(decoded, [value]);
    }
    check(true);
    check(-5_i8);
    check(200_u8);
    check(-30_000_i16);
    check(60_000_u16);
    check(i32::MIN);
    check(u32::MAX);
    check(i64::MIN + 1);
    check(u64::MAX);
    check(1.25_f32);
    check(-1e300_f64);
    check(Datetime64(-7));
    check(Timedelta64::NAT);
    check(be::I16::new(-2));
    check(le::U64::new(u64::MAX - 1));
    check([1_u8, 2, 3]);
    check([[1.5_f32, 2.5], [3.5, 4.5]]);
    check([true, false]);
    #[cfg(feature = "half")]
    check(::half::f16::from_f32(1.5));
    #[cfg(feature = "half")]
    check(::half::bf16::from_f32(-2.0));
    #[cfg(feature = "num-complex")]
    check(num_complex::Complex::new(1.0_f64, -2.0));
}

#[test]
fn bools_are_checked_wherever_they_come_from() {
    assert_eq!(bool::view(&[0, 1, 1]).unwrap(), [false, true, true]);
    let mut bytes = alloc::vec![1; 10_000];
    bytes[9_000] = 2;
    bytes[9_001] = 3;
    assert!(matches!(bool::view(&bytes), Err(Error::InvalidBool { index: 9_000, byte: 2, .. })));
    assert!(matches!(<[bool; 4]>::view(&bytes), Err(Error::InvalidBool { index: 9_000, byte: 2, .. })));
    assert!(matches!(bool::view_mut(&mut bytes), Err(Error::InvalidBool { index: 9_000, byte: 2, .. })));
    assert!(matches!(<[bool; 2]>::read(&[1, 255]), Err(Error::InvalidBool { index: 1, byte: 255, .. })));
    let mut decoded = [false; 3];
    let error = bool::decode(&DType::Bool, &[0, 1, 7], &mut decoded).unwrap_err();
    assert!(matches!(error, Error::InvalidBool { index: 2, byte: 7, .. }));
}

#[test]
fn an_array_type_is_a_subarray_and_bytes_are_strings_too() {
    let floats = |shape: &[usize]| DType::Subarray(DType::Float32(ByteOrder::NATIVE).into(), shape.into());
    assert_eq!(<[[f32; 3]; 2]>::dtype(), floats(&[2, 3]));
    assert!(<[[f32; 3]; 2]>::check(&floats(&[2, 3])).is_ok());
    assert!(<[[f32; 3]; 2]>::check(&floats(&[3, 2])).is_err());
    assert!(<[[f32; 3]; 2]>::check(&floats(&[2])).is_err());
    // A subarray of a subarray is the same memory.
    assert!(<[[f32; 3]; 2]>::check(&DType::Subarray(floats(&[3]).into(), [2].into())).is_ok());

    assert!(<[u8; 5]>::check(&DType::Bytes(5)).is_ok());
    assert!(<[u8; 5]>::check(&DType::Void(5)).is_ok());
    assert!(<[u8; 5]>::check(&DType::Bytes(6)).is_err());
    assert!(<[i8; 5]>::check(&DType::Bytes(5)).is_err());
    assert!(<[[u8; 5]; 2]>::check(&DType::Subarray(DType::Bytes(5).into(), [2].into())).is_ok());
    let mut names = [[0; 5]; 2];
    <[u8; 5]>::decode(&DType::Bytes(5), b"abcdefgh\0\0", &mut names).unwrap();
    assert_eq!(names, [*b"abcde", *b"fgh\0\0"]);
}

#[test]
fn a_dtype_that_fits_nothing_is_refused_with_both_descrs_and_a_type_that_would_fit() {
    let error = f64::check(&DType::Int32(ByteOrder::Little)).unwrap_err();
    let Error::DType { found, wanted, instead, .. } = &error else { panic!("{error}") };
    assert_eq!(found, "'<i4'");
    assert_eq!(wanted, if ByteOrder::NATIVE == ByteOrder::Little { "'<f8'" } else { "'>f8'" });
    assert_eq!(
        instead.as_deref(),
        Some(if ByteOrder::NATIVE == ByteOrder::Little { "i32" } else { "npymap::le::I32" })
    );
}

#[test]
fn datetimes_take_any_unit_and_the_order_types_view_them_too() {
    let unit = TimeUnit { unit: DatetimeUnit::Second, count: 25 };
    assert!(Datetime64::check(&DType::Datetime64(ByteOrder::NATIVE, unit)).is_ok());
    assert!(Datetime64::check(&DType::Timedelta64(ByteOrder::NATIVE, unit)).is_err());
    assert!(be::I64::check(&DType::Datetime64(ByteOrder::Big, unit)).is_ok());
    let mut decoded = [Timedelta64(0)];
    Timedelta64::decode(&DType::Timedelta64(ByteOrder::Big, unit), &(-3_i64).to_be_bytes(), &mut decoded).unwrap();
    assert_eq!(decoded, [Timedelta64(-3)]);
    assert!(Datetime64::NAT.is_nat() && !Datetime64(0).is_nat());
}

#[test]
fn a_buffer_of_the_wrong_length_is_an_error() {
    let mut out = [0_u16; 3];
    for order in [ByteOrder::Little, ByteOrder::Big] {
        let error = u16::decode(&DType::UInt16(order), &[0; 4], &mut out).unwrap_err();
        assert!(matches!(error, Error::BufferLength { found: 3, wanted: 2 }), "{error}");
    }
}

#[cfg(feature = "half")]
#[test]
fn bfloat16_is_two_raw_little_endian_bytes() {
    use ::half::bf16;
    let mut decoded = [bf16::ZERO];
    bf16::decode(&DType::Void(2), &0x3fc0_u16.to_le_bytes(), &mut decoded).unwrap();
    assert_eq!(decoded, [bf16::from_f32(1.5)]);
    assert_eq!(bf16::check(&DType::Void(2)).is_ok(), ByteOrder::NATIVE == ByteOrder::Little);
    assert!(bf16::check(&DType::Void(4)).is_err());
}
