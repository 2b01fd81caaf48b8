//! Rows cut off a mapped file: uncounted first, then gone, and zeros if they come back.

use npymap::{Error, NpyFile, WriteOptions};
use serde_json::json;

use super::File;

#[test]
fn rows_that_are_cut_are_gone_from_the_header_the_mapping_and_the_file() {
    for appendable in [false, true] {
        let file = File::of(&[]);
        let numbers: Vec<u32> = (0..3000).collect();
        WriteOptions::new().appendable(appendable).save(&file.path, [1000, 3], &numbers).unwrap();
        let offset = file.len() - 12_000;
        let mut x = file.map_mut::<u32>();
        for rows in [1000, 999, 500, 100, 99, 10, 9, 1, 0] {
            x.shrink_to(rows).unwrap();
            assert_eq!((x.shape(), x.as_slice(), x.get(rows)), ([rows, 3].as_slice(), &numbers[..3 * rows], None));
            assert_eq!(file.len(), offset + 12 * rows, "{rows}");
            let sum: u32 = numbers[..3 * rows].iter().sum();
            assert_eq!(file.ask("[len(a), int(a.sum())]"), json!([rows, sum]));
            // NumPy's header has room for a publish field, and gets one.
            let header = NpyFile::read_header(&file.path).unwrap();
            assert_eq!((header.appendable(), header.data_offset()), (true, offset));
        }
        x.grow(2).unwrap();
        assert_eq!(file.ask("a.tolist()"), json!([[0, 0, 0], [0, 0, 0]]));
    }
}

#[test]
fn rows_that_come_back_are_zeros() {
    for rows in [1, 300, 340, 341, 700] {
        let file = File::numpys("np.full((1000, 3), 7, 'u4')");
        let mut x = file.map_mut::<u32>();
        x.shrink_to(rows).unwrap();
        x.grow(1000 - rows).unwrap();
        assert!(x.as_slice()[..3 * rows].iter().all(|&number| number == 7));
        assert!(x.as_slice()[3 * rows..].iter().all(|&number| number == 0), "{rows}");
        drop(x);
        assert_eq!(file.ask("int(a.sum())"), json!(21 * rows));
    }
}

#[test]
fn columns_are_cut_off_an_array_in_fortran_order() {
    let file = File::numpys("np.asfortranarray(np.arange(12, dtype='i2').reshape(3, 4))");
    let mut x = file.map_mut::<i16>();
    x.shrink_to(2).unwrap();
    assert_eq!((x.shape(), x.as_slice()), ([3, 2].as_slice(), [0, 4, 8, 1, 5, 9].as_slice()));
    assert_eq!((file.ask("a.tolist()"), file.len()), (json!([[0, 1], [4, 5], [8, 9]]), 128 + 12));
}

#[test]
fn shrinking_to_more_rows_than_there_are_is_an_error() {
    let file = File::numpys("np.arange(6, dtype='u1').reshape(3, 2)");
    let before = file.bytes();
    let mut x = file.map_mut::<u8>();
    for rows in [4, usize::MAX] {
        let refused = x.shrink_to(rows).unwrap_err();
        assert!(matches!(refused, Error::OutOfBounds { len: 3, .. }), "{refused}");
    }
    assert_eq!(file.bytes(), before);
    x.shrink_to(3).unwrap();
    assert_eq!((x.as_slice(), file.len()), ([0, 1, 2, 3, 4, 5].as_slice(), before.len()));
    assert_eq!(file.ask("a.tolist()"), json!([[0, 1], [2, 3], [4, 5]]));
    let zero = File::numpys("np.array(1.5)");
    let before = zero.bytes();
    for rows in [0, 2] {
        assert!(zero.map_mut::<f64>().shrink_to(rows).is_err(), "{rows}");
    }
    assert_eq!(zero.bytes(), before);
}

#[test]
fn bools_and_untyped_arrays_shrink_too() {
    let file = File::numpys("np.array([[True, False], [False, True]])");
    let mut x = file.map_mut::<[bool; 2]>();
    x.shrink_to(1).unwrap();
    assert_eq!(x.as_slice(), [[true, false]]);
    drop(x);
    let mut any = file.map_any();
    any.shrink_to(0).unwrap();
    assert!(any.bytes().is_empty());
    assert_eq!(file.ask("a.shape"), json!([0, 2]));
}

#[test]
fn what_an_array_type_has_taken_is_not_cut() {
    let file = File::numpys("np.arange(3, dtype='u1')");
    let mut x = file.map_mut::<[u8; 3]>();
    for rows in [2, 1, 0] {
        assert!(x.shrink_to(rows).is_err(), "one element of [u8; 3] is all of it");
        assert_eq!((file.ask("a.tolist()"), x.as_slice()), (json!([0, 1, 2]), [[0, 1, 2]].as_slice()));
    }
    assert_eq!((x.shape(), x.bytes()), ([3].as_slice(), [0, 1, 2].as_slice()));
}
