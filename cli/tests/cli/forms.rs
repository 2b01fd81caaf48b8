//! What elements look like in each form.

use serde_json::{Value, json};

use super::{file, npy, ordered_npy, python, run_ok, support, text};

#[test]
fn show_and_head_print_what_numpy_prints() {
    let folder = support::temp_dir();
    let told: Value = serde_json::from_str(&python("prints", &[folder.path().to_str().unwrap()])).unwrap();
    for (name, texts) in told.as_object().unwrap() {
        let path = folder.path().join(name).with_extension("npy");
        let path = path.to_str().unwrap();
        let line = |key: &str| format!("{}\n", texts[key].as_str().unwrap());
        assert_eq!(text(["show", path]), line("show"), "{name}");
        assert_eq!(text(["show", "--precision", "3", "--threshold=50", path]), line("precise"), "{name}");
        if name != "records" {
            assert_eq!(text(["head", "-n6", path]), line("head"), "{name}");
        }
    }
}

#[test]
fn head_and_tail_print_all_rows_and_abridge_them() {
    let data: Vec<u8> = (0..30 * 2000_i32).flat_map(i32::to_le_bytes).collect();
    let (_folder, path) = file("x.npy", &npy("'<i4'", "(30, 2000)", &data));
    let head = text(["head", &path]);
    assert_eq!(head.lines().count(), 10);
    assert!(head.starts_with("[[    0     1     2 ...  1997  1998  1999]\n [ 2000  2001  2002 ...  3997"), "{head}");
    let tail = text(["tail", "-n", "2", &path]);
    assert_eq!(tail, "[[56000 56001 56002 ... 57997 57998 57999]\n [58000 58001 58002 ... 59997 59998 59999]]\n");
    let many = text(["head", "-n", "100", &path, "[:, 0]"]);
    assert!(many.ends_with(" 58000]\n") && !many.contains("..."));
}

const RECORD: &str = "[('id', '<i2'), ('name', '|S6'), ('pos', [('x', '<f4'), ('y', '<f4', (2,))]), ('t', '<M8[s]')]";

fn records() -> Vec<u8> {
    let mut data = Vec::new();
    for (id, name, x, t) in [(7_i16, b"caf\xc3\xa9,", 1.5_f32, 0_i64), (-300, b"b\"\xff\0\0\0", f32::NAN, i64::MIN)] {
        data.extend(id.to_le_bytes());
        data.extend(name);
        data.extend([x, 0.25, -1e9].map(f32::to_le_bytes).concat());
        data.extend(t.to_le_bytes());
    }
    npy(RECORD, "(2,)", &data)
}

#[test]
fn records_are_a_table_with_a_column_a_field() {
    let (_folder, path) = file("x.npy", &records());
    assert_eq!(
        text(["head", &path]),
        "  id  name    pos.x  pos.y                t\n\
         \x20  7  café,     1.5  [ 2.5e-01 -1.0e+09]  1970-01-01T00:00:00\n\
         -300  b\"\\xff    nan  [ 2.5e-01 -1.0e+09]  NaT\n"
    );
    assert_eq!(text(["tail", "-n1", &path, "[['id', 't']]"]), "  id  t\n-300  NaT\n");
}

#[test]
fn records_are_objects_in_json_and_columns_in_csv() {
    let (_folder, path) = file("x.npy", &records());
    assert_eq!(
        text(["cat", "--csv", &path]),
        "id,name,pos.x,pos.y[0],pos.y[1],t\n\
         7,\"café,\",1.5,0.25,-1e+09,1970-01-01T00:00:00\n\
         -300,\"b\"\"\\xff\",nan,0.25,-1e+09,NaT\n"
    );
    let lines: Vec<Value> =
        text(["cat", "--jsonl", &path]).lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        lines,
        [
            json!({"id": 7, "name": "café,", "pos": {"x": 1.5, "y": [0.25, -1e9]}, "t": "1970-01-01T00:00:00"}),
            json!({"id": -300, "name": {"base64": "YiL/"}, "pos": {"x": null, "y": [0.25, -1e9]}, "t": null}),
        ]
    );
}

#[test]
fn what_is_no_number_is_null_or_a_string_in_json() {
    let data = [1.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY].map(f64::to_le_bytes).concat();
    let (_folder, path) = file("x.npy", &npy("'<f8'", "(2, 2)", &data));
    assert_eq!(text(["cat", "--jsonl", &path]), "[1.0,null]\n[null,null]\n");
    assert_eq!(text(["cat", "--jsonl", "--nan=string", &path]), "[1.0,\"NaN\"]\n[\"Infinity\",\"-Infinity\"]\n");
    let (_folder, path) = file("x.npy", &npy("'<c16'", "()", &data[..16]));
    assert_eq!(text(["cat", "--jsonl", "--nan", "string", &path]), "[1.0,\"NaN\"]\n");
    assert_eq!(text(["cat", "--csv", &path]), "1+nanj\n");
}

#[test]
fn arrays_without_elements_have_rows_in_json_only() {
    let (_folder, path) = file("x.npy", &npy("'<f8'", "(2, 3, 0)", b""));
    assert_eq!(text(["cat", "--jsonl", &path]), "[[],[],[]]\n[[],[],[]]\n");
    assert_eq!(text(["cat", "--csv", &path]), "");
    assert_eq!(text(["cat", &path]), "");
    assert_eq!(text(["cat", "--raw", &path]), "");
}

#[test]
fn elements_without_bytes_are_counted_without_reading_any() {
    let (_folder, path) = file("x.npy", &npy("'|S0'", "(1000000000000,)", b""));
    assert_eq!(run_ok(["cat", "--raw", &path]), b"");
    assert_eq!(text(["head", "--jsonl", "-n2", &path]), "\"\"\n\"\"\n");
    assert_eq!(text(["cat", &path, "[-3:]"]), "\n\n\n");
}

#[test]
fn cat_goes_in_c_order_over_a_file_in_fortran_order() {
    let data: Vec<u8> = (0..6_u8).collect();
    let (_folder, path) = file("x.npy", &ordered_npy("'|u1'", "True", "(2, 3)", &data));
    assert_eq!(text(["cat", &path]), "0 2 4\n1 3 5\n");
    assert_eq!(run_ok(["cat", "--raw", &path]), [0, 2, 4, 1, 3, 5]);
    assert_eq!(text(["tail", "-n1", "--csv", &path]), "1,3,5\n");
}

#[test]
fn files_after_one_another_repeat_their_columns_only_if_they_change() {
    let (_folder, a) = file("a.npy", &npy("[('a', '|u1')]", "(1,)", &[1]));
    let (_folder2, b) = file("b.npy", &npy("[('b', '|u1')]", "(1,)", &[2]));
    assert_eq!(text(["cat", "--csv", &a, &a, &b]), "a\n1\n1\nb\n2\n");
    assert_eq!(text(["cat", &a, &b]), "1\n2\n");
    assert_eq!(text(["head", &a, &b]), format!("==> {a} <==\na\n1\n\n==> {b} <==\nb\n2\n"));
}

#[test]
fn paths_and_slices_alternate() {
    let (folder, a) = file("a.npy", &npy("'|u1'", "(4,)", &[1, 2, 3, 4]));
    assert_eq!(text(["cat", &a, "[0]", &a, "[1:]", "[-1]", &a]), "1\n4\n1\n2\n3\n4\n");
    assert_eq!(text(["cat", "-s", "-1:", &a, &a, "[0]"]), "4\n1\n");
    assert_eq!(text(["cat", "--slice=[1:3][::-1]", &a]), "3\n2\n");
    // What is a file is a path.
    std::fs::copy(&a, folder.path().join("[0]")).unwrap();
    let output = super::npymap(["cat", "a.npy", "[0]"]).current_dir(folder.path()).output().unwrap();
    assert_eq!(output.stdout, b"1\n2\n3\n4\n1\n2\n3\n4\n");
}

#[test]
fn info_lines_up_its_facts() {
    let (_folder, path) = file("x.npy", &records());
    let info = text(["info", &path]);
    assert!(info.starts_with(&format!("path         {path}\nversion      1.0\ndtype        record of 4 fields\n")));
    for line in [
        "shape        (2,)",
        "itemsize     28",
        "nbytes       56 bytes",
        "appendable   no",
        "fields       id    <i2 at byte 0",
        "             t     <M8[s] at byte 20",
    ] {
        assert!(info.lines().any(|found| found == line), "{line} in\n{info}");
    }
}

#[test]
fn npy_output_is_what_numpy_loads() {
    let (folder, path) = file("x.npy", &records());
    let out = folder.path().join("y.npy");
    run_ok(["cat", "--npy", "-o", out.to_str().unwrap(), &path, "[::-1]"]);
    assert_eq!(text(["cat", "--csv", out.to_str().unwrap(), "['id']"]), "-300\n7\n");
    assert_eq!(run_ok(["cat", "--npy", &path]), run_ok(["cat", "--npy", out.to_str().unwrap(), "[::-1]"]));
}
