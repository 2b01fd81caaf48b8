//! A descr, and after a NUL the bytes of elements: an error, or a dtype whose fields lie within it, whose values are read
//! alike by every way there is, and whose fields keep what is written to them.
#![no_main]

use std::fmt::Debug;

use libfuzzer_sys::fuzz_target;
use npymap::{Aligned, DType, Datetime64, Element, Error, NpyAny, StructType, TimeUnit, Timedelta64, Value, be, le};

/// Bytes of an element that are worth filling, and fields that are worth visiting.
const LARGE: usize = 1 << 12;

fuzz_target!(|input: &[u8]| {
    let end = input.iter().position(|&byte| byte == 0).unwrap_or(input.len());
    let Ok(descr) = std::str::from_utf8(&input[..end]) else { return };
    let _ = descr.parse::<TimeUnit>();
    let dtype = match DType::from_descr(descr) {
        Ok(dtype) => dtype,
        Err(error) => {
            let text = error.to_string();
            assert!(!text.is_empty() && text.len() < 2_000 + 16 * descr.len(), "{text}");
            return;
        }
    };
    check(&dtype);
    let printed = dtype.descr();
    // Two characters, `b,`, become a field with a name of its own.
    assert!(printed.len() <= 100 + 16 * descr.len(), "{printed}");
    assert_eq!(printed.parse::<DType>().unwrap(), dtype);
    assert_eq!(dtype.to_string().parse::<DType>().unwrap(), dtype);
    let fields = dtype.fields();
    if dtype.itemsize() > LARGE || fields.len() > 100 || dtype.object_path().is_some() {
        return;
    }
    let pool = if end + 1 < input.len() { &input[end + 1..] } else { &[0] };
    let data: Vec<u8> = pool.iter().copied().cycle().take(2 * dtype.itemsize()).collect();
    let Some(mut array) = array(&dtype, &data) else { return };
    for path in fields.iter().map(|field| field.path.clone()).chain([vec![]]) {
        visit(&mut array, &path);
    }
    for i in 0..2 {
        if let Ok(value) = array.value(&[i]) {
            assert_eq!(value.to_string(), value.clone().to_string());
        }
    }
    assert!(!array.to_string().is_empty());
});

/// Fields follow each other within the record, as far down as there are any; scalars are as long as their names say.
fn check(dtype: &DType) {
    match dtype {
        DType::Struct(StructType { fields, itemsize }) => {
            let mut end = 0;
            for field in fields {
                assert!(field.offset >= end, "{dtype}");
                end = field.offset.checked_add(field.dtype.itemsize()).unwrap();
                check(&field.dtype);
            }
            assert!(end <= *itemsize, "{dtype}");
        }
        DType::Subarray(base, shape) => {
            let count = shape.iter().try_fold(1_u128, |count, &dim| count.checked_mul(dim.try_into().unwrap()));
            let size = count.and_then(|count| count.checked_mul(base.itemsize().try_into().unwrap()));
            assert_eq!(size, Some(dtype.itemsize().try_into().unwrap()), "{dtype}");
            check(base);
        }
        DType::Object => {}
        scalar => {
            let name = scalar.str();
            let digits: String = name[2..].chars().take_while(char::is_ascii_digit).collect();
            let unit = if scalar.kind() == 'U' { 4 } else { 1 };
            assert_eq!(digits.parse::<usize>().unwrap() * unit, scalar.itemsize(), "{name}");
        }
    }
}

/// Two elements as a file; none if the dtype is one that only a field may have.
fn array(dtype: &DType, data: &[u8]) -> Option<NpyAny<Aligned>> {
    let text = format!("{{'descr': {}, 'fortran_order': False, 'shape': (2,)}}", dtype.descr());
    let mut file = b"\x93NUMPY\x03\0".to_vec();
    file.extend(u32::try_from(text.len()).unwrap().to_le_bytes());
    file.extend(text.as_bytes());
    file.extend(data);
    match NpyAny::from_bytes(Aligned::copy_of(&file).unwrap()) {
        Ok(array) => {
            assert_eq!(array.dtype(), dtype);
            Some(array)
        }
        Err(Error::TopLevelSubarray { .. } | Error::HeaderTooLong { .. } | Error::HeaderTooDeep { .. }) => None,
        // The parser of whole headers wants `\N{...}` and the like escaped no differently.
        Err(error) => panic!("{dtype}: {error}"),
    }
}

fn visit(array: &mut NpyAny<Aligned>, path: &[&str]) {
    field::<u8>(array, path);
    field::<bool>(array, path);
    field::<i16>(array, path);
    field::<u32>(array, path);
    field::<f32>(array, path);
    field::<f64>(array, path);
    field::<be::I64>(array, path);
    field::<le::F16>(array, path);
    field::<be::Complex64>(array, path);
    field::<le::LongDouble>(array, path);
    field::<Datetime64>(array, path);
    field::<Timedelta64>(array, path);
    field::<[u8; 3]>(array, path);
    field::<[f32; 2]>(array, path);
    field::<[[i16; 2]; 3]>(array, path);
    field::<le::Str<2>>(array, path);
    field::<npymap::FixedBytes<3>>(array, path);
    strings(array, path);
}

fn field<T: Element + Debug>(array: &mut NpyAny<Aligned>, path: &[&str]) {
    let Ok(field) = array.field::<T>(path) else { return };
    if field.len() > LARGE {
        return;
    }
    let values = field.to_vec().unwrap();
    assert_eq!(values.len(), field.shape().iter().product::<usize>());
    let text = format!("{values:?}");
    assert_eq!(format!("{:?}", field.iter().collect::<Vec<_>>()), text);
    let before = array.bytes().to_vec();
    array.fields_mut().field::<T>(path).unwrap().copy_from(&values).unwrap();
    // Written as they were read; but for padding of long doubles, which is kept as well.
    assert_eq!(array.bytes(), before);
}

fn strings(array: &mut NpyAny<Aligned>, path: &[&str]) {
    let Ok(strings) = array.strings(path) else { return };
    if strings.len() > LARGE {
        return;
    }
    let texts: Vec<Option<String>> = strings.iter().map(|text| text.ok().map(Into::into)).collect();
    if path.is_empty() {
        for (i, text) in texts.iter().enumerate() {
            match (array.value(&[i]), text) {
                (Ok(Value::Str(value)), Some(text)) => assert_eq!(value, *text),
                (Ok(Value::Bytes(value)), text) => {
                    assert_eq!(std::str::from_utf8(&value).ok(), text.as_deref());
                }
                (Err(Error::InvalidChar { .. }), None) => {}
                (value, text) => panic!("{value:?} {text:?}"),
            }
        }
    }
    let before = array.bytes().to_vec();
    let fields = array.fields_mut();
    let out = fields.strings(path).unwrap();
    for (i, text) in texts.iter().enumerate() {
        if let Some(text) = text {
            out.set(i, text).unwrap();
            assert_eq!(out.get(i).unwrap(), *text);
        }
    }
    assert_eq!(array.bytes(), before);
}
