use npymap::DType;

use super::names::{Names, camel_case, identifiers, is_snake_case, literal, spelled, type_name};
use super::source;

fn struct_of(descr: &str) -> String {
    source(&DType::from_descr(descr).unwrap(), None).unwrap()
}

#[test]
fn valid_names_stay_and_the_others_make_room_for_them() {
    for (names, wanted) in [
        (&["a", "B", "größe", "температура", "温度", "_x"][..], &["a", "B", "größe", "температура", "温度", "_x"][..]),
        (&["a b", "a-b", "a_b", "a_b2"], &["a_b3", "a_b4", "a_b", "a_b2"]),
        (&["type", "self", "self_", "crate", "Self"], &["type", "self_2", "self_", "crate_", "Self_"]),
        (&["", "_", "-", "__", "field0"], &["field0_2", "field1", "field2", "__", "field0"]),
        (&["1", "1a", "a.1", "a 1", "a\n"], &["_1", "_1a", "a_1", "a_1_2", "a"]),
        (&["temp [°C]", " x", "_a__b!", "type!", "self!"], &["temp_C", "x", "a_b", "type", "self_"]),
        // Composed by Unicode normalization, of another direction, of no width: not in identifiers.
        (&["e\u{301}", "\u{212a}", "\u{5d0}b", "a\u{202e}", "a\u{200b}", "²x"], &["e", "field1", "b", "a", "a2", "x"]),
    ] {
        assert_eq!(identifiers(names.iter().copied()), wanted);
    }
}

#[test]
fn keywords_are_raw_identifiers() {
    for name in ["type", "async", "gen", "try", "yield"] {
        assert_eq!(spelled(name), format!("r#{name}"));
    }
    assert_eq!(spelled("union"), "union");
}

#[test]
fn numbers_are_found_without_trying_all_of_them() {
    let mut names = Names::default();
    let last = (0..100_000).map(|_| names.unique("a")).last();
    assert_eq!(last.as_deref(), Some("a100000"));
}

#[test]
fn structs_are_named_after_fields() {
    for (field, wanted) in [
        ("outer", "Outer"),
        ("outer_part2", "OuterPart2"),
        ("__x__y_", "XY"),
        ("GPS", "GPS"),
        ("_1a", "_1a"),
        ("__", "Part"),
        ("option", "OptionPart"),
        ("self_", "SelfPart"),
        ("élan", "Élan"),
        ("温度", "温度"),
    ] {
        assert_eq!(camel_case(field), wanted);
    }
}

#[test]
fn snake_case_is_what_rustc_takes_for_it() {
    assert!(["a", "a_1", "_a", "__a_", "温度", "größe"].into_iter().all(is_snake_case));
    assert!(!["A", "aB", "a__b", "É"].into_iter().any(is_snake_case));
}

#[test]
fn names_that_break_the_source_are_refused() {
    assert_eq!(type_name("Événement"), Ok("Événement".into()));
    for name in ["", "_", "1a", "a b", "a;", "r#a", "type", "Self", "f64", "npymap", "\u{5d0}"] {
        assert!(type_name(name).is_err(), "{name:?}");
    }
}

#[test]
fn literals_are_printable_ascii() {
    assert_eq!(literal("it's \"q\" \\"), r#""it's \"q\" \\""#);
    assert_eq!(literal("\0\n\r\t\x1b\x7f"), r#""\u{0}\n\r\t\u{1b}\u{7f}""#);
    assert_eq!(literal("é\u{202e}\u{200b}😀"), r#""\u{e9}\u{202e}\u{200b}\u{1f600}""#);
}

#[test]
fn structs_are_shared_by_fields_of_one_name_and_one_dtype_only() {
    let text = struct_of(
        "[('a', [('p', [('x', '|u1')])]), ('b', [('p', [('x', '|u1')])]), ('c', [('p', [('x', '|i1')])]), \
         ('P', '|u1'), ('record', [('x', '|u1')])]",
    );
    let structs: Vec<&str> = text.lines().filter(|line| line.starts_with("pub struct")).collect();
    assert_eq!(structs, ["Record", "A", "P", "B", "C", "P2", "Record2"].map(|name| format!("pub struct {name} {{")));
    assert!(text.contains("    pub p: P2,"), "{text}");
}

#[test]
fn the_deepest_record_of_a_header_has_a_struct() {
    let depth = 99;
    let descr = "[('a', ".repeat(depth) + "'<f8'" + &")]".repeat(depth);
    assert_eq!(struct_of(&descr).matches("pub struct").count(), depth);
}
