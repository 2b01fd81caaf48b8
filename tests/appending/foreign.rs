//! Files that NumPy made, of every header it has ever written: they grow in place, or are refused as they are.

use std::fs;
use std::path::Path;

use npymap::{AppendOptions, Appender, Error, Header};
use serde_json::{Value, json};

use crate::growing::names;
use crate::support;
use crate::support::live::ask;

/// Writes an array with a header of this version, padded as NumPy pads it now.
const WRITE: &str = "\
import warnings
warnings.simplefilter('ignore')
with open(path, 'wb') as f:
    np.lib.format.write_array(f, a, version=version)";

/// An array whose bytes tell which row they are in.
const MAKE: &str = "a = (np.arange(np.prod(shape) * np.dtype(descr).itemsize, dtype='u8') % 251).astype('u1')\n\
                    a = a.view(descr).reshape(shape, order='F' if fortran else 'C')\n";

fn write(path: &Path, descr: &Value, shape: &[usize], fortran: bool, version: (u8, u8)) {
    let names =
        json!({"path": path, "descr": descr, "shape": shape, "fortran": fortran, "version": [version.0, version.1]});
    let descr = "descr = np.lib.format.descr_to_dtype([tuple(f) for f in descr] if isinstance(descr, list) else descr)\n\
                 version = tuple(version)\n";
    ask(&format!("{descr}{MAKE}{WRITE}"), &names);
}

/// Shape, order and bytes, in the order in which they are stored, as NumPy finds them.
pub fn numpys(path: &Path) -> (Vec<usize>, bool, Value, Vec<u8>) {
    let code = "(lambda a: [list(a.shape), bool(a.flags.fnc), np.lib.format.dtype_to_descr(a.dtype), \
                a.tobytes('A').hex()])(np.load(path))";
    let said = ask(code, &json!({"path": path}));
    let list = |value: &Value| -> Vec<u64> { value.as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).collect() };
    let shape = list(&said[0]).into_iter().map(|n| n.try_into().unwrap()).collect();
    let hex = said[3].as_str().unwrap();
    let bytes = (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect();
    (shape, said[1].as_bool().unwrap(), said[2].clone(), bytes)
}

/// Whether the count can be moved into two aligned words of one line, all else staying as NumPy wrote it.
fn has_room(head: &[u8]) -> bool {
    let text = std::str::from_utf8(head.get(10..).unwrap()).unwrap_or_else(|_| panic!("{head:?}"));
    let digits = 10 + text.find("'shape': (").unwrap() + "'shape': (".len();
    let rest = head[digits..].iter().skip_while(|byte| byte.is_ascii_digit());
    let rest = rest.rposition(|&byte| *byte == b'}').unwrap() + 1;
    (digits..).filter(|at| at % 8 == 0 && at % 64 <= 48).any(|at| at + 16 + rest < head.len() && at < digits + 64)
}

trait RPosition: Iterator {
    fn rposition(self, found: impl Fn(&Self::Item) -> bool) -> Option<usize>;
}

impl<I: Iterator> RPosition for I {
    fn rposition(self, found: impl Fn(&Self::Item) -> bool) -> Option<usize> {
        self.enumerate().filter(|(_, item)| found(item)).map(|(at, _)| at).last()
    }
}

/// Appends 300 rows in a few commits and checks what NumPy finds after each; returns false where there was no room, and
/// then the file is as it was.
pub fn grows(path: &Path) -> bool {
    let before = fs::read(path).unwrap();
    let (shape, fortran, descr, bytes) = numpys(path);
    let header = Header::parse(&before).unwrap();
    let axis = if header.fortran_order() { shape.len() - 1 } else { 0 };
    let mut log = match AppendOptions::new().open_any(path) {
        Ok(log) => log,
        Err(Error::NoHeaderRoom { needed, spare }) => {
            assert!(fs::read(path).unwrap() == before, "{}", path.display());
            assert!(needed > spare, "{needed} {spare}");
            return false;
        }
        Err(error) => panic!("{error:?}"),
    };
    assert!(log.recovery().relaid && log.header().appendable());
    let row =
        header.itemsize() * shape.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, n)| n).product::<usize>();
    let more: Vec<u8> = (0..row * 300).map(|i| u8::try_from(i % 127).unwrap()).collect();
    for (first, stop) in [(0, 0), (0, 1), (1, 9), (9, 130), (130, 300)] {
        log.extend_bytes(&more[row * first..row * stop]).unwrap();
        log.commit().unwrap();
        let mut expected = shape.clone();
        expected[axis] += stop;
        let written = [&bytes, &more[..row * stop]].concat();
        assert_eq!(numpys(path), (expected, fortran, descr.clone(), written));
    }
    log.close().unwrap();
    let after = fs::read(path).unwrap();
    assert_eq!(after.len(), before.len() + 300 * row);
    // Not a byte of the data has moved.
    assert!(after[header.data_offset()..before.len()] == before[header.data_offset()..]);
    let again = AppendOptions::new().open_any(path).unwrap();
    assert!(!again.recovery().relaid && again.recovery().is_clean(), "{:?}", again.recovery());
    true
}

#[test]
fn headers_of_all_lengths_that_numpy_writes_grow_in_place_where_they_have_room() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let (mut grown, mut refused) = (0, 0);
    for length in 1..=64 {
        for version in [(1, 0), (2, 0)] {
            let descr = json!([["f".repeat(length), "<f4"], ["g", "|u1"]]);
            write(&path, &descr, &[7], false, version);
            let room =
                has_room(&fs::read(&path).unwrap()[..Header::parse(&fs::read(&path).unwrap()).unwrap().data_offset()]);
            let did = grows(&path);
            assert!(did || !room, "a field of {length} characters leaves room in version {version:?}, and was refused");
            *if did { &mut grown } else { &mut refused } += 1;
        }
    }
    assert!(grown >= 64, "{grown} grown, {refused} refused");
}

#[test]
fn files_of_every_version_order_and_rank_grow() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let shapes: [&[usize]; 8] = [&[5], &[0], &[5, 3], &[0, 3], &[2, 3, 4], &[1], &[3, 1], &[1234, 2]];
    let mut versions = [(1, 0), (2, 0), (3, 0)].into_iter().cycle();
    for descr in ["<f8", "|u1", ">i2", "|S3", "<U2", "<c16", "<M8[us]", "|V5", "|b1"] {
        for shape in shapes {
            for fortran in [false, true] {
                let version = versions.next().unwrap();
                write(&path, &json!(descr), shape, fortran && shape.len() > 1, version);
                assert!(grows(&path), "{descr} {shape:?} {fortran} {version:?}");
            }
        }
    }
}

#[test]
fn names_beyond_latin_1_stay_as_they_are() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for name in ["größe", "日本語", "😀", "it's \"so\"", "('shape': (7,"] {
        let descr = json!([[name, "<f4"], ["b", ">i2"]]);
        let version = if name.chars().all(|c| c < '\u{100}') { (1, 0) } else { (3, 0) };
        write(&path, &descr, &[7], false, version);
        grows(&path);
        assert_eq!(numpys(&path).2[0][0], name);
    }
}

#[test]
fn headers_of_4096_bytes_grow_in_place() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for names in [150, 190] {
        let descr: Value = (0..names).map(|i| json!([format!("field_{i}"), "<f4"])).collect();
        write(&path, &descr, &[3], false, (1, 0));
        let len = Header::parse(&fs::read(&path).unwrap()).unwrap().data_offset();
        assert!((2000..10_000).contains(&len), "{len}");
        grows(&path);
    }
    // As another library might align data to pages.
    let text = format!("{:4085}\n", "{'descr': '<f8', 'fortran_order': False, 'shape': (2,), }");
    fs::write(&path, [b"\x93NUMPY\x01\x00\xf6\x0f", text.as_bytes(), &[1; 16]].concat()).unwrap();
    assert!(grows(&path));
}

/// A file as NumPy up to version 1.13 wrote it: aligned to 16 bytes, and without room to grow.
pub fn numpy_1_13(path: &Path, field: &str) {
    let text = format!("{{'descr': [('{field}', '<f4')], 'fortran_order': False, 'shape': (3,), }}");
    let len = (10 + text.len() + 1).next_multiple_of(16) - 10;
    let text = format!("{text:<0$}\n", len - 1);
    let preamble = [b"\x93NUMPY\x01\x00".as_slice(), &u16::try_from(len).unwrap().to_le_bytes()].concat();
    fs::write(path, [&preamble, text.as_bytes(), &[7; 12]].concat()).unwrap();
}

/// Header texts of every length around a boundary.
#[test]
fn files_of_numpy_1_13_are_refused_with_the_numbers() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let mut refused = 0;
    for name in 1..=33 {
        numpy_1_13(&path, &"f".repeat(name));
        refused += usize::from(!grows(&path));
    }
    assert!(refused > 20, "{refused}");
    assert_eq!(names(folder.path()), ["x.npy"]);
}

/// What others write: spaces, other key orders, a long integer, comments.
#[test]
fn headers_that_numpy_accepts_but_does_not_write_grow_or_are_refused_and_still_mean_the_same() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    for text in [
        "{'shape': (3,), 'fortran_order': False, 'descr': '<i4'}",
        "{\"descr\":\"<i4\",\"fortran_order\":False,\"shape\":(3,)}",
        "{'descr': '<i4', 'shape': (0x3,), 'fortran_order': False}",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (  3  ,  ), } # shape",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (3, 1), }",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (1, 3), }",
        "{'descr': '<i4', 'fortran_order': True, 'shape': (3,), }",
        "{'descr': '<i4', 'fortran_order': False, 'shape': (+3,), }",
        "{'descr': '<i4',\n 'fortran_order': False,\n 'shape': (3,),\n}",
    ] {
        for width in [117, 181, 4085] {
            let text = format!("{text:width$}\n");
            let preamble =
                [b"\x93NUMPY\x01\x00".as_slice(), &u16::try_from(text.len()).unwrap().to_le_bytes()].concat();
            fs::write(&path, [&preamble, text.as_bytes(), &[7; 12]].concat()).unwrap();
            grows(&path);
        }
    }
}

#[test]
fn foreign_file_that_was_opened_and_not_appended_to_means_the_same() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    ask("np.save(path, np.arange(10.0))", &json!({"path": path}));
    let before = fs::read(&path).unwrap();
    Appender::<f64>::open(&path).unwrap().close().unwrap();
    let after = fs::read(&path).unwrap();
    assert_eq!((after.len(), &after[128..]), (before.len(), &before[128..]));
    assert_eq!(
        ask("np.load(path).tolist()", &json!({"path": path})),
        json!((0..10).map(f64::from).collect::<Vec<_>>())
    );
}

#[test]
fn python_objects_are_refused() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    ask("np.save(path, np.array([None, 1], dtype=object))", &json!({"path": path}));
    let before = fs::read(&path).unwrap();
    let error = AppendOptions::new().open_any(&path).unwrap_err();
    assert!(matches!(error, Error::Object { .. }), "{error:?}");
    assert!(fs::read(&path).unwrap() == before);
}
