//! Files laid out anew: another header, room to grow or alignment, and the same array, in place or as a copy.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;
mod support;

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use npymap::{AppendOptions, Appender, Error, Header, NpyAny, NpyFile, WriteOptions, relayout};
use serde_json::{Value, json};

fn write(bytes: &[u8]) -> (tempfile::TempDir, std::path::PathBuf) {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    fs::write(&path, bytes).unwrap();
    (folder, path)
}

/// What NumPy finds in a file, but for where and how it is laid out.
fn array(path: &Path) -> Value {
    let told = "{k: v for k, v in loaded(path).items() if k in ('descr', 'shape', 'fortran', 'data_b64')}";
    support::live::ask(told, &json!({"path": path}))
}

/// The bytes of a file that starts with this header and goes on with these data.
fn rest(file: &[u8]) -> (Header, &[u8]) {
    let header = Header::parse(file).unwrap();
    let data = &file[header.data_offset()..];
    (header, data)
}

#[test]
fn arrays_of_any_dtype_and_order_are_the_same_afterwards() {
    let [seed, cases] = support::seed_and_cases(150);
    let printed = support::python("saved_arrays", &[&seed, &cases]);
    let (mut appendable, mut pages) = (0, 0);
    for line in printed.lines() {
        let case: Value = serde_json::from_str(line).unwrap();
        let file = BASE64.decode(case["npy_b64"].as_str().unwrap()).unwrap();
        let (folder, path) = write(&file);
        let copy = folder.path().join("copy.npy");
        let numpys = array(&path);
        let (old, data) = rest(&file);

        for align in [64, 4096] {
            let options = WriteOptions::new().align(align).durable(false);
            options.relayout_to(&path, &copy).unwrap();
            let written = fs::read(&copy).unwrap();
            let (header, same) = rest(&written);
            assert_eq!((same == data, header.data_offset() % align), (true, 0), "{old:?}");
            assert_eq!(array(&copy), numpys, "{old:?}");
            if align == 64 {
                assert!(written == file, "{old:?}");
            }
            pages += usize::from(align == 4096);
            fs::remove_file(&copy).unwrap();
        }
        match WriteOptions::new().appendable(true).durable(false).relayout(&path) {
            Ok(()) => {
                let written = fs::read(&path).unwrap();
                let (header, same) = rest(&written);
                assert_eq!((same == data, header.appendable()), (true, true), "{old:?}");
                // An empty array that grows along its last axis says so from the start.
                assert_eq!((header.shape(), header.dtype()), (old.shape(), old.dtype()));
                let told = array(&path);
                assert_eq!((&told["data_b64"], &told["shape"]), (&numpys["data_b64"], &numpys["shape"]), "{old:?}");
                appendable += 1;
            }
            Err(error) => {
                assert!(old.shape().is_empty(), "{error}: {old:?}");
                assert!(fs::read(&path).unwrap() == file);
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
    assert!(appendable > 50 && pages.to_string() == cases, "{appendable} {pages}");
}

#[test]
fn headers_of_old_writers_and_odd_spellings_become_numpys_own() {
    for (file, expression) in [
        (made::version(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (3L,), }\n", &[0; 24]), "np.zeros(3)"),
        (
            made::version(2, "{'shape':(2,2),'fortran_order':True,'descr':'i4'}", &[1; 16]),
            "np.full((2, 2), 0x01010101, 'i4').copy('F')",
        ),
        (made::version(3, "{'descr': 'bool', 'fortran_order': False, 'shape': ()}\n", &[1]), "np.array(True)"),
        ([made::c_npy("'|u1'", "(3,)", &[1, 2, 3]), b"more".to_vec()].concat(), "np.array([1, 2, 3], 'u1')"),
    ] {
        let (folder, path) = write(&file);
        let copy = folder.path().join("copy.npy");
        WriteOptions::new().relayout_to(&path, &copy).unwrap();
        support::live::ask(&format!("np.save(path, {expression})"), &json!({"path": path}));
        assert_eq!(fs::read(&copy).unwrap(), fs::read(&path).unwrap(), "{expression}");
    }
}

#[test]
fn room_is_made_where_there_was_none() {
    let (folder, path) =
        write(&made::version(1, "{'descr': '|u1', 'fortran_order': False, 'shape': (9,), }\n", &[1; 9]));
    assert!(matches!(Appender::<u8>::open(&path), Err(Error::NoHeaderRoom { .. })));
    relayout(&path, &WriteOptions::new().appendable(true)).unwrap();
    let mut rows = Appender::<u8>::open(&path).unwrap();
    rows.extend(&[2; 1000]).unwrap();
    rows.close().unwrap();
    let sum = support::live::ask("[len(np.load(path)), int(np.load(path).sum())]", &json!({"path": path}));
    assert_eq!(sum, json!([1009, 2009]));
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
fn relaying_in_place_keeps_the_mode_and_who_has_the_file_open_keeps_the_old_one() {
    let file = made::c_npy("'<u4'", "(3,)", &[1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0]);
    let (_folder, path) = write(&file);
    fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
    let before = fs::metadata(&path).unwrap().ino();
    let opened = NpyFile::open(&path).unwrap();
    relayout(&path, &WriteOptions::new().align(4096)).unwrap();
    let metadata = fs::metadata(&path).unwrap();
    assert_eq!((metadata.permissions().mode() & 0o777, metadata.len()), (0o640, 4096 + 12));
    assert_ne!(metadata.ino(), before);
    assert_eq!((opened.read_all::<u32>().unwrap(), opened.header().data_offset()), (vec![1, 2, 3], 128));
}

#[test]
fn a_link_is_followed_and_a_copy_goes_where_it_is_told_to() {
    let file = made::c_npy("'|u1'", "(3,)", &[1, 2, 3]);
    let (folder, path) = write(&file);
    let link = folder.path().join("link.npy");
    std::os::unix::fs::symlink("x.npy", &link).unwrap();
    relayout(&link, &WriteOptions::new().align(4096)).unwrap();
    assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
    assert_eq!(fs::metadata(&path).unwrap().len(), 4096 + 3);
    // Onto itself is in place; onto another replaces that, unless it must be new.
    WriteOptions::new().relayout_to(&path, &path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), file);
    let other = folder.path().join("other.npy");
    fs::write(&other, b"older").unwrap();
    let refused = WriteOptions::new().create_new(true).relayout_to(&path, &other);
    assert!(matches!(refused, Err(Error::AlreadyExists { .. })), "{refused:?}");
    assert_eq!(fs::read(&other).unwrap(), b"older");
    WriteOptions::new().relayout_to(&path, &other).unwrap();
    assert_eq!(fs::read(&other).unwrap(), file);
}

#[test]
fn a_file_that_is_appended_to_is_not_relaid() {
    let (_folder, path) = write(&made::c_npy("'|u1'", "(3,)", &[1, 2, 3]));
    let mut rows = AppendOptions::new().open::<u8>(&path).unwrap();
    let refused = relayout(&path, &WriteOptions::new().align(4096));
    assert!(matches!(refused, Err(Error::Locked { .. })), "{refused:?}");
    // Nor onto itself: rows that come would go into a file without a name.
    let refused = WriteOptions::new().align(4096).relayout_to(&path, &path);
    assert!(matches!(refused, Err(Error::Locked { .. })), "{refused:?}");
    rows.push(&4).unwrap();
    rows.close().unwrap();
    relayout(&path, &WriteOptions::new().align(4096)).unwrap();
    assert_eq!(NpyAny::read(&path).unwrap().bytes(), [1, 2, 3, 4]);
    // And an appender that waits gets the new file.
    let mut rows = Appender::<u8>::open(&path).unwrap();
    rows.push(&5).unwrap();
    rows.close().unwrap();
    assert_eq!(NpyAny::read(&path).unwrap().bytes(), [1, 2, 3, 4, 5]);
}

#[test]
fn what_is_no_array_is_an_error_and_stays_as_it_is() {
    let whole = made::c_npy("'<f8'", "(3,)", &[0; 24]);
    let carry = "{'descr': '|u1', 'fortran_order': False,    'shape': (       10000000 ,), }         \n";
    for file in [
        b"not an array".to_vec(),
        whole[..100].to_vec(),
        whole[..140].to_vec(),
        made::c_npy("'|O'", "(1,)", &[0; 8]),
        made::version(1, carry, &[0; 100]),
    ] {
        let (folder, path) = write(&file);
        for refused in [
            relayout(&path, &WriteOptions::new()),
            WriteOptions::new().relayout_to(&path, folder.path().join("copy.npy")),
        ] {
            refused.unwrap_err();
        }
        assert_eq!((fs::read(&path).unwrap(), fs::read_dir(folder.path()).unwrap().count()), (file, 1));
    }
    // A second array in the file would be lost in place, silently.
    let both = [made::c_npy("'|u1'", "(3,)", &[1, 2, 3]), made::c_npy("'|u1'", "(1,)", &[4])].concat();
    let (_folder, path) = write(&both);
    if let Err(error) = relayout(&path, &WriteOptions::new().align(4096)) {
        assert!(matches!(error, Error::TrailingBytes { .. }), "{error}");
        assert_eq!(fs::read(&path).unwrap(), both);
    } else {
        assert!(fs::read(&path).unwrap().ends_with(&both[128 + 3..]), "the second array is gone");
    }
}
