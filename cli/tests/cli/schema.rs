//! The Rust that `schema` prints, on a little-endian machine whose `f64` has alignment 8.

use std::io::Write;
use std::process::Stdio;

use super::{file, npy, npymap, run, text, trouble};

/// What is printed for a dtype, without the first line.
fn schema(descr: &str) -> String {
    let (_folder, path) = file("x.npy", &npy(descr, "(0,)", b""));
    let text = text(["schema", &path]);
    let (first, rest) = text.split_once('\n').unwrap();
    assert_eq!(first, format!("// Elements of {path:?}: {descr}"));
    rest.to_owned()
}

#[test]
fn nested_records_become_structs_of_their_own() {
    assert_eq!(
        schema("[('outer', '<i4', (3,)), ('outer2', [('inner', '<i4', (10,)), ('inner2', '<f8')])]"),
        "\
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C, packed)]
pub struct Record {
    pub outer: [i32; 3],
    pub outer2: Outer2,
}

#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Outer2 {
    pub inner: [i32; 10],
    pub inner2: f64,
}
"
    );
}

#[test]
fn aligned_records_need_no_padding_fields() {
    let aligned =
        "[('a', '|i1'), ('', '|V7'), ('b', [('c', '<f8'), ('d', '<i2'), ('', '|V6')]), ('e', '|b1'), ('', '|V7')]";
    assert_eq!(
        schema(aligned),
        "\
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Record {
    pub a: i8,
    pub b: B,
    pub e: bool,
}

#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct B {
    pub c: f64,
    pub d: i16,
}
"
    );
}

#[test]
fn padding_that_is_not_rusts_becomes_fields_of_a_packed_struct() {
    let holes = "[('', '|V4'), ('_pad0', '<i4'), ('', '|V8'), ('b', '<f8'), ('', '|V1')]";
    assert_eq!(
        schema(holes),
        "\
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C, packed)]
pub struct Record {
    #[npymap(padding)]
    pub _pad0_2: [u8; 4],
    pub _pad0: i32,
    #[npymap(padding)]
    pub _pad1: [u8; 8],
    pub b: f64,
    #[npymap(padding)]
    pub _pad2: [u8; 1],
}
"
    );
    assert_eq!(
        schema("[('', '|V4')]"),
        "\
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C, packed)]
pub struct Record {
    #[npymap(padding)]
    pub _pad0: [u8; 4],
}
"
    );
}

#[test]
fn names_that_rust_has_not_are_renamed() {
    let names =
        r#"[('it"s', '|i1'), ("a\n'b", '|i1'), ('\\', '|i1'), ('type', '|i1'), ('self', '|i1'), ('1a', '|i1'), "#
            .to_owned()
            + r"('a b', '|i1'), ('a_b', '|i1'), ('größe', '|i1'), ('e\u0301', '|i1'), ('\u202eevil', '|i1'), ('\x00', '|i1')]";
    // The file has its names as UTF-8, which version 3.0 of the format is for.
    let mut array = npy(&names, "(0,)", b"");
    array[6] = 3;
    array.splice(10..10, [0, 0]);
    let (_folder, path) = file("x\ny.npy", &array);
    let text = text(["schema", &path, "--name", "Sample"]);
    let (first, rest) = text.split_once('\n').unwrap();
    assert!(
        first.starts_with("// Elements of \"") && first.contains("x\\ny.npy\": [('it\"s', '|i1'), (\"a\\n'b\", "),
        "{first}"
    );
    assert_eq!(
        rest,
        r#"#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Sample {
    #[npymap(rename = "it\"s")]
    pub it_s: i8,
    #[npymap(rename = "a\n'b")]
    pub a_b2: i8,
    #[npymap(rename = "\\")]
    pub field2: i8,
    pub r#type: i8,
    #[npymap(rename = "self")]
    pub self_: i8,
    #[npymap(rename = "1a")]
    pub _1a: i8,
    #[npymap(rename = "a b")]
    pub a_b3: i8,
    pub a_b: i8,
    pub größe: i8,
    #[npymap(rename = "e\u{301}")]
    pub e: i8,
    #[npymap(rename = "\u{202e}evil")]
    pub evil: i8,
    #[npymap(rename = "\u{0}")]
    pub field11: i8,
}
"#
    );
}

#[test]
fn names_that_are_not_snake_case_stay() {
    assert_eq!(
        schema("[('Time', [('GPS', '<f8')]), ('', '<f4')]"),
        "\
#[allow(non_snake_case)]
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C, packed)]
pub struct Record {
    pub Time: Time,
    #[npymap(rename = \"\")]
    pub field1: f32,
}

#[allow(non_snake_case)]
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Time {
    pub GPS: f64,
}
"
    );
}

#[test]
fn the_other_byte_order_and_types_without_alignment_are_told_by_their_modules() {
    assert_eq!(
        schema(
            "[('a', '>i2'), ('b', '>u8'), ('c', '>f4', (2, 3)), ('d', '<f2'), ('e', '>f2'), ('f', '<f16'), \
             ('g', '>c8'), ('h', '<c16'), ('i', '<c32'), ('j', '<U3'), ('k', '>U4'), ('l', '|S5'), ('m', '|V6'), \
             ('n', '|u1'), ('o', ('<u2', (4,)), (3,))]"
        ),
        "\
#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Record {
    pub a: npymap::be::I16,
    pub b: npymap::be::U64,
    pub c: [[npymap::be::F32; 3]; 2],
    pub d: npymap::le::F16,
    pub e: npymap::be::F16,
    pub f: npymap::le::LongDouble,
    pub g: npymap::be::Complex64,
    pub h: npymap::le::Complex128,
    pub i: npymap::le::ComplexLongDouble,
    pub j: npymap::le::Str<3>,
    pub k: npymap::be::Str<4>,
    pub l: npymap::FixedBytes<5>,
    pub m: npymap::Void<6>,
    pub n: u8,
    pub o: [[u16; 4]; 3],
}
"
    );
}

#[test]
fn times_and_titles_are_told_by_attributes() {
    let times = "[(('when', 'start time'), '<M8[25s]'), ('b', '>m8[us]', (2,)), (('any \"unit\"', 'c'), '<m8'), ('d', '<M8[D]')]";
    assert_eq!(
        schema(times),
        r#"#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Record {
    #[npymap(rename = "start time", title = "when", unit = "25s")]
    pub start_time: npymap::Datetime64,
    #[npymap(unit = "us")]
    pub b: [npymap::be::Timedelta64; 2],
    #[npymap(title = "any \"unit\"")]
    pub c: npymap::Timedelta64,
    #[npymap(unit = "D")]
    pub d: npymap::Datetime64,
}
"#
    );
}

#[test]
fn fields_that_take_no_bytes_are_comments() {
    assert_eq!(
        schema("[('a', '|S0'), ('b', '<f8'), ('c\\n', []), ('d', '<f4', (2, 0)), ('e', [('f', '<U0')])]"),
        r#"#[derive(Clone, Copy, Debug, npymap::Element)]
#[repr(C)]
pub struct Record {
    // "a" takes no bytes: '|S0'
    pub b: f64,
    // "c\n" takes no bytes: []
    // "d" takes no bytes: ('<f4', (2, 0))
    // "e" takes no bytes: [('f', '<U0')]
}
"#
    );
}

#[test]
fn elements_that_are_no_records_have_an_alias() {
    assert_eq!(schema("'<f8'"), "pub type Element = f64;\n");
    assert_eq!(schema("'>c16'"), "pub type Element = npymap::be::Complex128;\n");
    assert_eq!(schema("'<M8[25s]'"), "// One step is 25s.\npub type Element = npymap::Datetime64;\n");
    assert_eq!(schema("'>m8'"), "pub type Element = npymap::be::Timedelta64;\n");
    let (_folder, path) = file("x.npy", &npy("'|S7'", "(0,)", b""));
    assert!(text(["schema", "--name=Word", &path]).ends_with("\npub type Word = npymap::FixedBytes<7>;\n"));
}

#[test]
fn standard_input_is_read_to_the_end_of_the_header() {
    let mut command = npymap(["schema", "-"]);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(&npy("'<i2'", "(1000,)", b"cut")).unwrap();
    let output = child.wait_with_output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    assert_eq!(text, "// Elements of standard input: '<i2'\npub type Element = i16;\n");
}

#[test]
fn elements_that_take_no_bytes_and_objects_have_no_schema() {
    for descr in ["'|S0'", "'<U0'", "'|V0'", "[]", "[('a', '<f8', (0,))]"] {
        let (_folder, path) = file("x.npy", &npy(descr, "(2,)", b""));
        assert_eq!(
            trouble(["schema", &path]),
            format!(
                "npymap: {path}: elements of {descr} take no bytes, and a Rust type cannot tell how many there are\n"
            )
        );
    }
    let (_folder, path) = file("x.npy", &npy("[('a', '|O')]", "(1,)", b"\x80\x03."));
    let told = trouble(["schema", &path]);
    assert!(told.contains("objects"), "{told}");
}

#[test]
fn names_that_are_none_are_wrong_usage() {
    for name in ["", "1a", "a b", "type", "f64", "x{}"] {
        let output = run(["schema", "--name", name, "x.npy"]);
        assert_eq!(output.status.code(), Some(2), "{name:?}");
        assert!(String::from_utf8(output.stderr).unwrap().contains("--name"), "{name:?}");
    }
}
