//! What is refused when a file is mapped: the file is as it was, in every mode.

use std::fs;

use npymap::{Error, Npy, NpyAny, NpyFile, ReadOptions};

use super::File;
use crate::made;

/// The error of every way to open a file, by name.
fn errors(file: &File) -> Vec<(&'static str, Option<Error>)> {
    let path = &file.path;
    let options = ReadOptions::new();
    // SAFETY: every test has files of its own; nothing else maps or changes them.
    let mapped = unsafe {
        [
            ("map", NpyAny::map(path).err()),
            ("map_mut", NpyAny::map_mut(path).err()),
            ("map_cow", NpyAny::map_cow(path).err()),
            ("typed map_mut", Npy::<u8>::map_mut(path).err()),
            ("typed map_cow", Npy::<u8>::map_cow(path).err()),
            ("options map_mut", options.map_mut(path).err()),
            ("options map_cow", options.map_cow(path).err()),
        ]
    };
    let mut errors = Vec::from(mapped);
    errors.push(("read", NpyAny::read(path).err()));
    errors.push(("open", NpyFile::open(path).err()));
    errors
}

#[test]
fn a_file_shorter_than_its_header_says_is_an_error_in_every_mode_and_stays_as_it_is() {
    let whole = File::numpys("np.arange(100, dtype='u1').reshape(10, 10)").bytes();
    for len in [0, 5, 9, 10, 60, 127, 128, 129, 227] {
        let file = File::of(&whole[..len]);
        for (way, error) in errors(&file) {
            match error {
                Some(Error::DataTruncated { needed: 100, held, .. }) if len >= 128 => {
                    assert_eq!(usize::try_from(held).unwrap(), len - 128, "{way}");
                }
                Some(Error::HeaderTruncated { .. }) if len < 128 => {}
                other => panic!("{way} of {len} bytes: {other:?}"),
            }
            assert!(file.bytes() == whole[..len], "{way} of {len} bytes");
        }
    }
    let file = File::of(&whole);
    assert!(errors(&file).iter().all(|(_, error)| error.is_none()));
}

#[test]
fn a_file_that_is_no_array_of_the_type_is_an_error_and_stays_as_it_is() {
    for (file, kind) in [
        (File::numpys("np.zeros(3, '<f4')"), "dtype"),
        (File::numpys("np.array([0, 1, 2], 'u1').view('?')"), "dtype"),
        (File::of(b"not an array at all"), "not_npy"),
    ] {
        let before = file.bytes();
        // SAFETY: nothing else maps the file.
        let (shared, private) = unsafe { (Npy::<u8>::map_mut(&file.path), Npy::<u8>::map_cow(&file.path)) };
        assert_eq!((shared.unwrap_err().kind(), private.unwrap_err().kind()), (kind, kind));
        assert_eq!(file.bytes(), before);
    }
    let file = File::numpys("np.array([0, 1, 2], 'u1').view('?')");
    assert!(matches!(super::map_mut::<bool>(&file.path), Err(Error::InvalidBool { index: 2, byte: 2, .. })));
    let file = File::numpys("np.zeros(3, '>f8')");
    assert!(matches!(super::map_mut::<f64>(&file.path), Err(Error::ByteOrder { .. })));
    // Data at an odd offset.
    let odd = made::version(1, "{'descr': '<f8', 'fortran_order': False, 'shape': (1,)}\n\n", &[0; 8]);
    assert_ne!((odd.len() - 8) % 8, 0);
    assert!(matches!(super::map_mut::<f64>(&File::of(&odd).path), Err(Error::Misaligned { .. })));
    let objects = File::of(&made::c_npy("'|O'", "(1,)", &[0; 8]));
    assert!(errors(&objects).iter().all(|(_, error)| matches!(error, Some(Error::Object { .. }))));
}

#[test]
fn an_unfinished_count_is_an_error_in_every_mode() {
    let carry = "{'descr': '|u1', 'fortran_order': False,    'shape': (       10000000 ,), }         \n";
    let file = File::of(&made::version(1, carry, &[0; 100]));
    for (way, error) in errors(&file) {
        assert!(matches!(error, Some(Error::UnfinishedPublish { .. })), "{way}: {error:?}");
    }
}

#[test]
fn a_file_that_is_not_there_is_not_made() {
    let file = File::of(&[]);
    fs::remove_file(&file.path).unwrap();
    for (way, error) in errors(&file) {
        let Some(Error::Io { path: Some(path), source, .. }) = &error else { panic!("{way}: {error:?}") };
        assert_eq!((path, source.kind()), (&file.path, std::io::ErrorKind::NotFound), "{way}");
    }
    fs::create_dir(&file.path).unwrap();
    assert!(errors(&file).iter().all(|(_, error)| matches!(error, Some(Error::Io { .. }))));
    assert_eq!(fs::read_dir(file.folder.path()).unwrap().count(), 1);
}

#[test]
fn the_limit_on_headers_holds_for_mapping_too() {
    let file = File::of(&made::c_npy("'|u1'", "(3,)", &[1, 2, 3]));
    let options = ReadOptions::new().max_header_size(100);
    // SAFETY: nothing else maps the file.
    let refused = unsafe { [options.map_mut(&file.path).err(), options.map_cow(&file.path).err()] };
    assert!(refused.iter().all(|error| matches!(error, Some(Error::HeaderTooLong { limit: 100, .. }))), "{refused:?}");
}

#[test]
fn bytes_after_the_array_are_not_mapped_and_stay() {
    let mut bytes = File::numpys("np.zeros(3, 'u1')").bytes();
    bytes.extend_from_slice(b"another array");
    let file = File::of(&bytes);
    let mut x = file.map_mut::<u8>();
    assert_eq!(x.bytes().len(), 3);
    x.as_mut_slice().fill(1);
    x.flush().unwrap();
    drop(x);
    assert_eq!(file.bytes()[128..], *b"\x01\x01\x01another array");
}

#[test]
fn a_file_that_may_not_be_written_is_mapped_privately_only() {
    use std::os::unix::fs::PermissionsExt;
    let file = File::numpys("np.zeros(3, 'u1')");
    fs::set_permissions(&file.path, fs::Permissions::from_mode(0o444)).unwrap();
    file.map_cow::<u8>().as_mut_slice().fill(1);
    // Root may write to anything.
    if fs::File::options().write(true).open(&file.path).is_err() {
        let refused = super::map_mut::<u8>(&file.path).unwrap_err();
        assert!(matches!(&refused, Error::Io { .. }), "{refused}");
    }
    assert_eq!(file.ask("a.tolist()"), serde_json::json!([0, 0, 0]));
}

#[test]
fn a_mapping_outlives_the_name_of_its_file_and_one_of_no_bytes_maps_nothing() {
    let file = File::numpys("np.arange(5, dtype='u1')");
    let mut x = file.map_mut::<u8>();
    fs::remove_file(&file.path).unwrap();
    x.as_mut_slice()[0] = 9;
    x.flush().unwrap();
    assert_eq!(x.as_slice(), [9, 1, 2, 3, 4]);
    let mut empty = File::numpys("np.zeros((0, 3))").map_mut::<f64>();
    assert!(empty.as_mut_slice().is_empty() && empty.as_ptr().is_aligned());
    empty.flush().unwrap();
    empty.flush_async().unwrap();
    let mut zero = File::numpys("np.array(1.5)").map_mut::<f64>();
    zero[[]] = 2.5;
    assert_eq!(zero.as_slice(), [2.5]);
}
