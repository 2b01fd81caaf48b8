//! Structs as records: what NumPy writes for them, what it reads of them, and what is wrong with those that don't fit.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;
mod support;

use std::collections::BTreeMap;
use std::fs;

use made::c_npy;
use npymap::{
    Aligned, DType, Datetime64, Element, ElementMut, Error, FixedBytes, Npy, NpyAny, NpyFile, Timedelta64, Void, be, le,
};

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Packed {
    a: u8,
    b: f64,
    c: bool,
    d: [i16; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct AlignedStruct {
    a: u8,
    b: f64,
    c: bool,
    d: [i16; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Inner {
    inner: [i32; 10],
    inner2: f64,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Nested {
    outer: [i32; 3],
    outer2: Inner,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Point {
    x: f32,
    y: f32,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Subarrays {
    m: [[f32; 3]; 2],
    points: [Point; 2],
    ok: [bool; 1],
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Named {
    #[npymap(rename = "it's", title = "A title")]
    its: u16,
    #[npymap(rename = "d.o\"t\né")]
    dot: i8,
    r#type: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Times {
    #[npymap(unit = "25s")]
    t: Datetime64,
    #[npymap(unit = "ns")]
    d: [Timedelta64; 2],
    #[npymap(unit = "us")]
    e: be::Datetime64,
    any: Datetime64,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Orders {
    a: be::F64,
    b: be::I16,
    c: le::U32,
    d: [be::F32; 2],
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Text {
    s: FixedBytes<5>,
    u: le::Str<3>,
    v: be::Str<2>,
    w: Void<4>,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Odd {
    h: be::F16,
    g: le::LongDouble,
    c: be::Complex64,
    z: le::Complex128,
    w: be::ComplexLongDouble,
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Gaps {
    #[npymap(padding)]
    _before: [u8; 2],
    a: u8,
    #[npymap(padding)]
    _between: [u8; 2],
    b: f32,
    #[npymap(padding)]
    _after: [u8; 3],
}

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, packed)]
struct Tuple(i32, f64);

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(transparent)]
struct Transparent(f64);

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(transparent)]
struct Flag(bool);

#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(transparent)]
struct When(#[npymap(unit = "ms")] Datetime64);

/// Padding at the end by alignment alone.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C, align(16))]
struct Wide(i32, i32);

/// A transparent struct with padding within.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(transparent)]
struct Wrapped(AlignedStruct);

/// Padding around structs with padding.
#[derive(Clone, Copy, Debug, PartialEq, Element)]
#[repr(C)]
struct Deep {
    n: u8,
    inner: [Wrapped; 2],
    flag: Flag,
    when: When,
}

fn deep(n: u8) -> Deep {
    let inner = |n: u8| Wrapped(AlignedStruct { a: n, b: 0.5 - f64::from(n), c: n == 1, d: [-3, i16::from(n), 7] });
    Deep { n, inner: [inner(n), inner(n + 1)], flag: Flag(n == 1), when: When(Datetime64(1000 * i64::from(n))) }
}

/// A file of these elements, written element by element as the type writes them.
fn file<T: Element>(elements: &[T]) -> Vec<u8> {
    let mut bytes = vec![0xaa; size_of_val(elements)];
    elements.iter().zip(bytes.chunks_exact_mut(size_of::<T>())).for_each(|(element, out)| element.write(out));
    c_npy(&T::dtype().descr(), &format!("({},)", elements.len()), &bytes)
}

fn aligned(file: &[u8]) -> Aligned {
    Aligned::copy_of(file).unwrap()
}

fn array(descr: &str, shape: &str, data: &[u8]) -> NpyAny<Aligned> {
    NpyAny::from_bytes(aligned(&c_npy(descr, shape, data))).unwrap()
}

fn refused<T: Element>(descr: &str) -> Error {
    T::check(&DType::from_descr(descr).unwrap()).unwrap_err()
}

#[test]
#[cfg_attr(any(miri, target_endian = "big"), ignore = "asks NumPy on a little-endian machine")]
fn the_descr_of_a_struct_is_the_one_numpy_writes() {
    let printed = support::python("derived", &["descrs"]);
    // A name has a line break in it, which repr escapes.
    let numpys: BTreeMap<&str, &str> = printed.lines().map(|line| line.split_once('\t').unwrap()).collect();
    let ours = [
        ("packed", Packed::dtype()),
        ("aligned", AlignedStruct::dtype()),
        ("nested", Nested::dtype()),
        ("subarrays", Subarrays::dtype()),
        ("named", Named::dtype()),
        ("times", Times::dtype()),
        ("orders", Orders::dtype()),
        ("text", Text::dtype()),
        ("odd", Odd::dtype()),
        ("gaps", Gaps::dtype()),
        ("tuple", Tuple::dtype()),
        ("transparent", Transparent::dtype()),
        ("flag", Flag::dtype()),
        ("when", When::dtype()),
        ("wide", Wide::dtype()),
        ("deep", Deep::dtype()),
    ];
    assert_eq!(ours.len(), numpys.len());
    for (name, dtype) in ours {
        assert_eq!(dtype.descr(), numpys[name], "{name}");
        assert_eq!(dtype.itemsize(), DType::from_descr(numpys[name]).unwrap().itemsize(), "{name}");
    }
}

/// Writes elements, has NumPy double their numbers, and compares what it saved with what is expected, by every way in.
fn round_trip<T: Element + std::fmt::Debug + PartialEq>(name: &str, elements: &[T], doubled: &[T]) {
    let folder = support::temp_dir();
    let path = folder.path().join(name).with_extension("npy");
    fs::write(&path, file(elements)).unwrap();
    support::python("derived", &["double", path.to_str().unwrap()]);
    let saved = folder.path().join(format!("{name}.npy.2.npy"));
    // SAFETY: the file is this test's own.
    let mapped = unsafe { Npy::<T>::map(&saved) }.unwrap();
    assert_eq!(mapped.as_slice(), doubled, "{name}");
    assert_eq!(NpyAny::read(&saved).unwrap().to_vec::<T>().unwrap(), doubled, "{name}");
    assert_eq!(NpyFile::open(&saved).unwrap().read_rows::<T>(1..2).unwrap(), doubled[1..2], "{name}");
    assert_eq!(NpyAny::read(&saved).unwrap().field::<T>(&[]).unwrap().to_vec().unwrap(), doubled, "{name}");
}

#[test]
#[cfg_attr(any(miri, target_endian = "big"), ignore = "asks NumPy on a little-endian machine")]
fn structs_of_each_layout_go_to_numpy_and_come_back() {
    let packed = |n: i16| Packed { a: 3, b: 0.5 + f64::from(n), c: n == 0, d: [n, -n, 7] };
    let twice = |n: i16| Packed { a: 6, b: 1.0 + 2.0 * f64::from(n), c: n == 0, d: [2 * n, -2 * n, 14] };
    round_trip("packed", &[packed(0), packed(500)], &[twice(0), twice(500)]);

    let aligned = |n: i16| AlignedStruct { a: 3, b: 0.5 + f64::from(n), c: n == 0, d: [n, -n, 7] };
    let twice = |n: i16| AlignedStruct { a: 6, b: 1.0 + 2.0 * f64::from(n), c: n == 0, d: [2 * n, -2 * n, 14] };
    round_trip("aligned", &[aligned(0), aligned(500)], &[twice(0), twice(500)]);

    round_trip("transparent", &[Transparent(1.5), Transparent(-0.0)], &[Transparent(3.0), Transparent(-0.0)]);
    round_trip("tuple", &[Tuple(1, 0.25), Tuple(-5, 1e300)], &[Tuple(2, 0.5), Tuple(-10, 2e300)]);

    round_trip("wide", &[Wide(1, -2), Wide(3, 1 << 30)], &[Wide(2, -4), Wide(6, i32::MIN)]);
    round_trip("flag", &[Flag(true), Flag(false)], &[Flag(true), Flag(false)]);
    let twice = |n: u8| {
        let once = deep(n);
        let inner = once.inner.map(|Wrapped(once)| {
            Wrapped(AlignedStruct { a: 2 * once.a, b: 2.0 * once.b, d: once.d.map(|d| 2 * d), ..once })
        });
        Deep { n: 2 * n, inner, ..once }
    };
    round_trip("deep", &[deep(1), deep(2)], &[twice(1), twice(2)]);

    let nested = |n: i32| Nested { outer: [n; 3], outer2: Inner { inner: [n + 1; 10], inner2: f64::from(n) / 4.0 } };
    let twice =
        |n: i32| Nested { outer: [2 * n; 3], outer2: Inner { inner: [2 * n + 2; 10], inner2: f64::from(n) / 2.0 } };
    round_trip("nested", &[nested(1), nested(2)], &[twice(1), twice(2)]);

    let orders = |n: f32| Orders {
        a: be::F64::new(f64::from(n) + 0.5),
        b: be::I16::new(-3),
        c: le::U32::new(70_000),
        d: [be::F32::new(n), be::F32::new(-n)],
    };
    let twice = |n: f32| Orders {
        a: be::F64::new(f64::from(n) * 2.0 + 1.0),
        b: be::I16::new(-6),
        c: le::U32::new(140_000),
        d: [be::F32::new(2.0 * n), be::F32::new(-2.0 * n)],
    };
    round_trip("orders", &[orders(1.0), orders(3.0)], &[twice(1.0), twice(3.0)]);

    let gaps = |a: u8, b: f32| Gaps { _before: [0; 2], a, _between: [0; 2], b, _after: [0; 3] };
    round_trip("gaps", &[gaps(1, 2.0), gaps(100, 0.5)], &[gaps(2, 4.0), gaps(200, 1.0)]);

    let text = |s: &str| Text {
        s: FixedBytes::new(s).unwrap(),
        u: le::Str::new("é語😀").unwrap(),
        v: be::Str::new(&s[..1]).unwrap(),
        w: Void::from([0, 1, 0, 0]),
    };
    let texts = [text("abcde"), text("x\0y")];
    round_trip("text", &texts, &texts);

    let named = |n: u16| Named { its: n, dot: -1, r#type: u64::from(n) << 33 };
    let twice = |n: u16| Named { its: 2 * n, dot: -2, r#type: u64::from(n) << 34 };
    round_trip("named", &[named(1), named(300)], &[twice(1), twice(300)]);
}

#[test]
#[cfg_attr(any(miri, target_endian = "big"), ignore = "asks NumPy on a little-endian machine")]
fn what_numpy_changes_in_place_is_seen_when_the_file_is_opened_again() {
    let folder = support::temp_dir();
    let path = folder.path().join("packed.npy");
    let before = [Packed { a: 1, b: 9.0, c: true, d: [1, 2, 3] }, Packed { a: 2, b: 9.0, c: false, d: [4, 5, 6] }];
    fs::write(&path, file(&before)).unwrap();
    support::python("derived", &["set", path.to_str().unwrap()]);
    // SAFETY: the file is this test's own, and NumPy is done with it.
    let after = unsafe { Npy::<Packed>::map(&path) }.unwrap();
    assert_eq!(after.as_slice(), [Packed { b: 0.5, ..before[0] }, Packed { b: -0.25, ..before[1] }]);
}

/// Elements that lie in memory as their type says, seen by every way in.
fn survive<T: Element + std::fmt::Debug + PartialEq>(elements: &[T]) {
    let file = file(elements);
    let x = NpyAny::from_bytes(aligned(&file)).unwrap();
    assert_eq!(x.typed::<T>().unwrap().as_slice(), elements);
    assert_eq!(x.typed::<T>().unwrap().slice_rows(1..2).unwrap().as_slice(), &elements[1..2]);
    assert_eq!(x.to_vec::<T>().unwrap(), elements);
    assert_eq!(x.field::<T>(&[]).unwrap().to_vec().unwrap(), elements);
    assert_eq!(T::read(&x.bytes()[size_of::<T>()..2 * size_of::<T>()]).unwrap(), elements[1]);
    // Every byte was written, padding too: reading uninitialized memory would be found here.
    let mut encoded = vec![0xaa; x.bytes().len()];
    T::encode(&T::dtype(), elements, &mut encoded).unwrap();
    assert_eq!(encoded, x.bytes());
    // At an odd address what needs no alignment is viewed, and everything is copied.
    let shifted = [&[0], x.bytes()].concat();
    let mut copied = elements.iter().rev().copied().collect::<Vec<T>>();
    T::decode(&T::dtype(), &shifted[1..], &mut copied).unwrap();
    assert_eq!(copied, elements);
    assert_eq!(T::view(&shifted[1..]).is_ok(), shifted[1..].as_ptr().cast::<T>().is_aligned());
}

#[test]
fn structs_of_every_layout_survive_their_own_bytes() {
    survive(&[Packed { a: 1, b: 0.5, c: true, d: [1, -2, 3] }, Packed { a: 2, b: -0.0, c: false, d: [-4, 5, 6] }]);
    let aligned = |a| AlignedStruct { a, b: 0.5, c: true, d: [1, -2, 3] };
    survive(&[aligned(1), aligned(255)]);
    let nested = |n: i32| Nested { outer: [n; 3], outer2: Inner { inner: [n + 1; 10], inner2: f64::from(n) / 4.0 } };
    survive(&[nested(1), nested(-2)]);
    let points = [Point { x: 1.0, y: 2.0 }, Point { x: 3.0, y: 4.0 }];
    survive(&points);
    let subarrays = |ok| Subarrays { m: [[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], points, ok: [ok] };
    survive(&[subarrays(true), subarrays(false)]);
    let named = |n: u16| Named { its: n, dot: -1, r#type: u64::from(n) << 33 };
    survive(&[named(1), named(300)]);
    let times = |n: i64| Times {
        t: Datetime64(n),
        d: [Timedelta64(-n), Timedelta64::NAT],
        e: be::Datetime64::new(Datetime64(n + 1)),
        any: Datetime64::NAT,
    };
    survive(&[times(1), times(i64::MAX - 1)]);
    survive(&[Transparent(1.5), Transparent(-0.0)]);
    survive(&[Tuple(1, 2.0), Tuple(-1, -2.0)]);
    survive(&[Flag(true), Flag(false)]);
    survive(&[When(Datetime64(5)), When(Datetime64::NAT)]);
    survive(&[Wide(1, 2), Wide(-1, -2)]);
    survive(&deep(1).inner);
    survive(&[deep(1), deep(2)]);
    let gaps = |a: u8, b: f32| Gaps { _before: [0; 2], a, _between: [0; 2], b, _after: [0; 3] };
    survive(&[gaps(1, 2.0), gaps(100, 0.5)]);
    let text = |s: &str| Text {
        s: FixedBytes::new(s).unwrap(),
        u: le::Str::new("é語😀").unwrap(),
        v: be::Str::new(&s[..1]).unwrap(),
        w: Void::from([0, 1, 0, 0]),
    };
    survive(&[text("abcde"), text("x\0y")]);
}

#[test]
fn a_struct_that_is_aligned_where_the_file_is_packed_is_told_the_first_field_that_is_off_and_the_way_out() {
    let descr = Packed::dtype().descr();
    let error = refused::<AlignedStruct>(&descr);
    let Error::FieldOffset { element, field, file: 1, rust, remedy } = &error else { panic!("{error}") };
    assert_eq!(
        (element.as_str(), field.as_slice(), *rust),
        ("AlignedStruct", ["b".into()].as_slice(), align_of::<f64>())
    );
    assert_eq!(remedy, "its fields are packed, as in #[repr(C, packed)]; or copy with to_vec");

    let error = refused::<Packed>(&AlignedStruct::dtype().descr());
    let Error::FieldOffset { field, rust: 1, file, remedy, .. } = &error else { panic!("{error}") };
    assert_eq!((field.as_slice(), *file), (["b".into()].as_slice(), align_of::<f64>()));
    assert_eq!(remedy, "its fields are aligned, as in #[repr(C)] without padding fields; or copy with to_vec");

    // Neither layout: named padding.
    let error = refused::<AlignedStruct>(
        &"[('a', '|u1'), ('', '|V2'), ('b', '<f8'), ('c', '|b1'), ('d', '<i2', (3,))]".replace('<', native()),
    );
    let Error::FieldOffset { file: 3, remedy, .. } = &error else { panic!("{error}") };
    assert!(remedy.contains("#[npymap(padding)] _pad: [u8; N]"), "{remedy}");

    // In a struct within, the path leads there.
    let error = refused::<[Nested; 1]>(
        &"[('outer', '<i4', (3,)), ('outer2', [('inner', '<i4', (10,)), ('', '|V4'), ('inner2', '<f8')])]"
            .replace('<', native()),
    );
    assert!(matches!(error, Error::DType { .. }), "an array of one is asked for: {error}");
    let error = refused::<Nested>(
        &"[('outer', '<i4', (3,)), ('outer2', [('inner', '<i4', (10,)), ('', '|V4'), ('inner2', '<f8')])]"
            .replace('<', native()),
    );
    assert!(
        matches!(&error, Error::FieldOffset { element, field, file: 44, rust: 40, .. }
        if element == "Inner" && field == &["outer2", "inner2"]),
        "{error}"
    );
}

#[test]
fn bytes_after_the_last_field_are_missed_or_too_many() {
    let error = refused::<Point>("[('x', '<f4'), ('y', '<f4'), ('', '|V4')]".replace('<', native()).as_str());
    let Error::RecordSize { element, field, file: 12, rust: 8, .. } = &error else { panic!("{error}") };
    assert_eq!((element.as_str(), field.len()), ("Point", 0));
}

/// The machine's byte order in a descr.
fn native() -> &'static str {
    if cfg!(target_endian = "little") { "<" } else { ">" }
}

#[test]
fn names_are_compared_in_order() {
    let names = |descr: &str| match refused::<Point>(&descr.replace('<', native())) {
        Error::FieldName { element, field, position, found, wanted } => {
            assert_eq!((element.as_str(), field.len()), ("Point", 0));
            (position, found.unwrap_or_default(), wanted.unwrap_or_default())
        }
        other => panic!("{other}"),
    };
    assert_eq!(names("[('y', '<f4'), ('x', '<f4')]"), (0, "y".into(), "x".into()));
    assert_eq!(names("[('x', '<f4'), ('Y', '<f4')]"), (1, "Y".into(), "y".into()));
    assert_eq!(names("[('x', '<f4')]"), (1, String::new(), "y".into()));
    assert_eq!(names("[('x', '<f4'), ('y', '<f4'), ('z', '<f4')]"), (2, "z".into(), String::new()));
    // Titles are no names of the file's fields here.
    assert_eq!(names("[(('x', 'a'), '<f4'), ('y', '<f4')]"), (0, "a".into(), "x".into()));
    assert!(
        Point::check(&DType::from_descr(&"[(('t', 'x'), '<f4'), ('y', '<f4')]".replace('<', native())).unwrap())
            .is_ok()
    );
}

#[test]
fn a_field_of_another_dtype_or_byte_order_or_unit_is_named() {
    let other = if native() == "<" { ">" } else { "<" };
    let error = refused::<Point>(&format!("[('x', '{}f4'), ('y', '{other}f4')]", native()));
    assert!(
        matches!(&error, Error::ByteOrder { field, element, .. } if field == &["y"] && element == "f32"),
        "{error}"
    );
    let error = refused::<Point>(&format!("[('x', '{}i4'), ('y', '{other}f4')]", native()));
    assert!(matches!(&error, Error::DType { field, element, .. } if field == &["x"] && element == "f32"), "{error}");
    let error = refused::<Times>(&Times::dtype().descr().replace("25s", "s"));
    assert!(matches!(&error, Error::DType { field, .. } if field == &["t"]), "{error}");
    // Where no unit is stated any will do.
    assert!(Times::check(&DType::from_descr(&Times::dtype().descr().replace("M8')", "M8[Y]')")).unwrap()).is_ok());
    assert!(refused::<Point>("'<f4'").to_string().contains("Point"));
}

#[test]
fn fields_of_no_bytes_are_left_out_of_a_struct() {
    let descr = "[('n', '|S0'), ('x', '<f4'), ('z', '<i8', (0,)), ('y', '<f4'), ('', '|V0')]".replace('<', native());
    let bytes = [1.5_f32.to_ne_bytes(), 2.5_f32.to_ne_bytes()].concat();
    let x = array(&descr, "(1,)", &bytes);
    assert_eq!(x.typed::<Point>().unwrap().as_slice(), [Point { x: 1.5, y: 2.5 }]);
}

#[test]
fn a_copy_takes_any_offsets_and_byte_orders() {
    let wanted = [
        AlignedStruct { a: 1, b: -2.5, c: true, d: [1, -2, 3] },
        AlignedStruct { a: 2, b: 0.5, c: false, d: [4, 5, 6] },
    ];
    for order in [b'<', b'>'] {
        let big = order == b'>';
        let order = char::from(order);
        let descr = format!(
            "[('e', '|S0'), ('a', '|u1'), ('', '|V1'), ('b', '{order}f8'), ('c', '|b1'), ('d', '{order}i2', (3,))]"
        );
        let dtype = DType::from_descr(&descr).unwrap();
        let record = |value: &AlignedStruct| {
            let b = if big { value.b.to_be_bytes() } else { value.b.to_le_bytes() };
            let d: Vec<u8> = value.d.iter().flat_map(|d| if big { d.to_be_bytes() } else { d.to_le_bytes() }).collect();
            [[value.a, 0].as_slice(), &b, &[u8::from(value.c)], &d].concat()
        };
        let bytes: Vec<u8> = wanted.iter().flat_map(record).collect();
        let x = array(&descr, "(2,)", &bytes);
        assert!(x.typed::<AlignedStruct>().is_err());
        assert_eq!(x.to_vec::<AlignedStruct>().unwrap(), wanted);
        assert_eq!(x.field::<AlignedStruct>(&[]).unwrap().to_vec().unwrap(), wanted);
        let mut encoded = vec![0xaa; bytes.len()];
        AlignedStruct::encode(&dtype, &wanted, &mut encoded).unwrap();
        assert_eq!(encoded, bytes, "padding becomes zero");
        let mut short = vec![0; bytes.len() - 1];
        assert!(matches!(AlignedStruct::encode(&dtype, &wanted, &mut short), Err(Error::BufferLength { .. })));
    }
    let x = array("[('x', '>f4'), ('y', '<f4')]", "(2, 2)", &[0; 32]);
    assert_eq!(x.to_vec::<[Point; 2]>().unwrap().len(), 2);
    assert!(matches!(x.to_vec::<Inner>(), Err(Error::FieldName { .. })));
}

#[test]
fn a_bool_of_a_record_is_checked_wherever_it_is_read() {
    let mut bytes = [0; 2 * size_of::<Packed>()];
    let at = std::mem::offset_of!(Packed, c) + size_of::<Packed>();
    bytes[at] = 2;
    let descr = Packed::dtype().descr();
    let x = array(&descr, "(2,)", &bytes);
    let check = |error: Error| {
        assert!(matches!(&error, Error::InvalidBool { index: 1, byte: 2, field } if field == &["c"]), "{error}");
    };
    check(x.typed::<Packed>().err().unwrap());
    check(x.to_vec::<Packed>().unwrap_err());
    check(x.field::<Packed>(&[]).unwrap_err());
    check(Packed::view_mut(&mut bytes.clone()).unwrap_err());
    let mut out = [Packed { a: 0, b: 0.0, c: false, d: [0; 3] }; 2];
    check(Packed::decode(x.dtype(), x.bytes(), &mut out).unwrap_err());
    let error = <[Subarrays; 2]>::view(&{
        let mut bytes = [0; 2 * size_of::<Subarrays>()];
        bytes[2 * size_of::<Subarrays>() - 1] = 7;
        bytes
    })
    .unwrap_err();
    assert!(matches!(&error, Error::InvalidBool { index: 1, byte: 7, field } if field == &["ok"]), "{error}");
}

#[test]
fn a_bool_deep_in_a_record_is_found_with_the_path_that_leads_there() {
    let x = aligned(&file(&[deep(1), deep(2), deep(3)]));
    let data = x.len() - 3 * size_of::<Deep>();
    let inner = std::mem::offset_of!(Deep, inner) + size_of::<Wrapped>() + std::mem::offset_of!(AlignedStruct, c);
    for (offset, path) in [(inner, ["inner", "c"].as_slice()), (std::mem::offset_of!(Deep, flag), &["flag"])] {
        let mut x = x.clone();
        x.as_mut()[data + 2 * size_of::<Deep>() + offset] = 3;
        let x = NpyAny::from_bytes(x).unwrap();
        for error in [
            x.typed::<Deep>().err().unwrap(),
            x.to_vec::<Deep>().unwrap_err(),
            Deep::decode(&swapped(x.dtype()), x.bytes(), &mut [deep(1); 3]).unwrap_err(),
        ] {
            assert!(matches!(&error, Error::InvalidBool { index: 2, byte: 3, field } if field == path), "{error}");
        }
    }
}

/// The same dtype with its numbers in the other byte order.
fn swapped(dtype: &DType) -> DType {
    let descr = dtype.descr();
    let descr = if native() == "<" { descr.replace('<', ">") } else { descr.replace('>', "<") };
    DType::from_descr(&descr).unwrap()
}

#[test]
fn a_transparent_struct_is_its_field_by_every_way_in() {
    assert_eq!(Flag::view(&[1, 0]).unwrap(), [Flag(true), Flag(false)]);
    assert!(matches!(Flag::view(&[1, 2]), Err(Error::InvalidBool { index: 1, byte: 2, .. })));
    assert!(matches!(Flag::read(&[2]), Err(Error::InvalidBool { index: 0, byte: 2, .. })));
    assert!(matches!(Flag::view_mut(&mut [0, 0, 2]), Err(Error::InvalidBool { index: 2, .. })));
    let mut flags = [Flag(true); 2];
    assert!(Flag::decode(&DType::Bool, &[0, 2], &mut flags).is_err());
    Flag::decode(&DType::Bool, &[0, 1], &mut flags).unwrap();
    assert_eq!(flags, [Flag(false), Flag(true)]);
    let mut x = Npy::<Flag>::from_bytes(aligned(&c_npy("'|b1'", "(2, 2)", &[0, 1, 0, 0]))).unwrap();
    x[1].fill(Flag(true));
    x[[0, 1]] = Flag(false);
    assert_eq!(x.bytes(), [0, 0, 1, 1]);
    assert_eq!(x.slice_rows(1..2).unwrap().as_slice(), [Flag(true); 2]);
}

#[test]
fn a_transparent_time_has_the_unit_that_is_stated() {
    let descr = |unit: &str| format!("'{}M8[{unit}]'", native());
    assert_eq!(When::dtype().descr(), descr("ms"));
    let stored = 7_i64.to_ne_bytes();
    let when = [When(Datetime64(7))];
    assert_eq!(array(&descr("ms"), "(1,)", &stored).typed::<When>().unwrap().as_slice(), when);
    for (descr, bytes) in [("'<M8[ms]'", 7_i64.to_le_bytes()), ("'>M8[ms]'", 7_i64.to_be_bytes())] {
        assert_eq!(array(descr, "(1,)", &bytes).to_vec::<When>().unwrap(), when);
        let mut out = [0xaa; 8];
        When::encode(&DType::from_descr(descr).unwrap(), &when, &mut out).unwrap();
        assert_eq!(out, bytes);
    }
    for other in ["s", "2ms", "us"] {
        let dtype = DType::from_descr(&descr(other)).unwrap();
        assert!(matches!(When::check(&dtype), Err(Error::DType { .. })), "{other}");
        assert!(matches!(When::decode(&dtype, &stored, &mut when.clone()), Err(Error::DType { .. })), "{other}");
        assert!(matches!(When::encode(&dtype, &when, &mut [0; 8]), Err(Error::DType { .. })), "{other}");
    }
    assert!(matches!(When::check(&DType::Bool), Err(Error::DType { .. })));
}

#[test]
fn no_records_are_no_records_wherever_they_would_lie() {
    fn none<T: Element + std::fmt::Debug + PartialEq>() {
        for shape in ["(0,)", "(0, 3)", "(3, 0)"] {
            let file = c_npy(&T::dtype().descr(), shape, &[]);
            for excess in 0..3 {
                let shifted = aligned(&[&vec![0; excess], file.as_slice()].concat());
                let x = NpyAny::from_bytes(&shifted[excess..]).unwrap();
                assert_eq!(x.typed::<T>().unwrap().as_slice(), [], "{shape}");
                assert_eq!(x.to_vec::<T>().unwrap(), [], "{shape}");
                assert_eq!(x.field::<T>(&[]).unwrap().to_vec().unwrap(), [], "{shape}");
            }
        }
    }
    none::<Packed>();
    none::<Deep>();
    none::<Flag>();
    none::<Wide>();
}

#[test]
fn records_without_padding_are_written_in_place() {
    let zeros = c_npy(&Packed::dtype().descr(), "(3,)", &[0; 3 * size_of::<Packed>()]);
    let mut x = Npy::<Packed>::from_bytes(aligned(&zeros)).unwrap();
    let record = Packed { a: 9, b: 1.5, c: true, d: [1, 2, 3] };
    x.as_mut_slice()[1] = record;
    x[[2]].c = true;
    let blank = Packed { a: 0, b: 0.0, c: false, d: [0; 3] };
    assert_eq!(x.as_slice(), [blank, record, Packed { c: true, ..blank }]);
    assert_eq!(file(x.as_slice()), [&zeros[..zeros.len() - x.bytes().len()], x.bytes()].concat());
}

#[test]
fn named_padding_may_be_anything_when_read_and_is_zero_when_written() {
    let bytes: Vec<u8> = [[0xff, 0xff, 7, 0xff, 0xff].as_slice(), &0.5_f32.to_ne_bytes(), &[0xff; 3]].concat();
    let x = array(&Gaps::dtype().descr(), "(1,)", &bytes);
    let record = x.typed::<Gaps>().unwrap().as_slice()[0];
    let (a, b, before) = (record.a, record.b, record._before);
    assert_eq!((a, b, before), (7, 0.5, [0xff; 2]));
    let mut out = [0xaa; 12];
    record.write(&mut out);
    assert_eq!(out, [[0, 0, 7, 0, 0].as_slice(), &0.5_f32.to_ne_bytes(), &[0; 3]].concat().as_slice());
}

#[test]
fn the_last_axes_fold_into_arrays_of_records() {
    let bytes: Vec<u8> = (0..12_u8).flat_map(|n| f32::from(n).to_ne_bytes()).collect();
    let x = array(&Point::dtype().descr(), "(2, 3)", &bytes);
    let rows = x.typed::<[Point; 3]>().unwrap();
    assert_eq!(rows.as_slice()[1][2], Point { x: 10.0, y: 11.0 });
    let points = x.typed::<Point>().unwrap();
    assert_eq!(points[1][2], Point { x: 10.0, y: 11.0 });
    assert_eq!(x.field::<f32>(&["y"]).unwrap().at(&[1, 0]), Some(7.0));
}

#[test]
fn a_buffer_of_another_size_is_an_error_or_a_panic_that_says_so() {
    assert!(matches!(Packed::read(&[0; size_of::<Packed>() - 1]), Err(Error::PartialElement { .. })));
    assert!(matches!(Packed::view(&[0; size_of::<Packed>() + 1]), Err(Error::PartialElement { .. })));
    let panic = std::panic::catch_unwind(|| Point { x: 0.0, y: 0.0 }.write(&mut [0; 9])).unwrap_err();
    assert!(panic.downcast_ref::<String>().unwrap().contains("the buffer has the size of the struct"));
}

/// Bytes that no field names are zeros in a file, whatever a value has there.
#[test]
fn named_padding_is_written_as_zeros() {
    #[derive(Clone, Copy, npymap::Element)]
    #[repr(C)]
    struct Inner {
        a: u8,
        #[npymap(padding)]
        _pad: u8,
        b: u16,
    }
    #[derive(Clone, Copy, npymap::Element)]
    #[repr(C)]
    struct Outer {
        inner: [Inner; 2],
        text: le::Str<1>,
    }
    let inner = |a, b| Inner { a, _pad: 0xaa, b };
    let rows = [Outer { inner: [inner(1, 2), inner(3, 4)], text: "x".parse().unwrap() }; 2];
    let mut file = Vec::new();
    npymap::write_to(&mut file, [2], &rows).unwrap();
    let row: Vec<u8> = [[1, 0], 2_u16.to_ne_bytes(), [3, 0], 4_u16.to_ne_bytes()].concat();
    let row = [row, b"x\0\0\0".to_vec()].concat();
    assert!(file.ends_with(&[row.clone(), row].concat()), "{:?}", &file[file.len() - 24..]);
}
