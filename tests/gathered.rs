//! Rows by their numbers, from memory, mappings and open files: what NumPy's `a[rows]` is, and nothing for rows that
//! aren't there.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]
#![cfg_attr(feature = "mmap", expect(unsafe_code, reason = "maps, and hands out memory that isn't initialized"))]

mod made;
mod support;

use std::fs::{self, File};
use std::mem::MaybeUninit;
use std::path::{Path, PathBuf};

use npymap::{Element, Error, Npy, NpyAny, NpyFile, RowIndex, Void, be, le};
use serde_json::json;
use support::live::ask;

/// An array whose bytes differ from row to row.
const MAKE: &str = "\
n = int(np.prod(shape)) * np.dtype(dtype).itemsize
data = (np.arange(n, dtype='u8') * 2654435761 >> 7).astype('u1')
np.save(path, np.frombuffer(data.tobytes(), dtype).reshape(shape))";

fn saved(dtype: &str, shape: &[usize]) -> (tempfile::TempDir, PathBuf) {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    ask(MAKE, &json!({"path": path, "dtype": dtype, "shape": shape}));
    (folder, path)
}

/// The bytes of `a[rows]`, as NumPy stores them.
fn numpys(path: &Path, rows: &[usize]) -> Vec<u8> {
    let code = "np.load(path)[np.array(rows, 'i8')].tobytes().hex()";
    let said = ask(code, &json!({"path": path, "rows": rows}));
    let hex = said.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap()).collect()
}

/// Takes the pages of a file out of memory, but for those that are mapped.
fn forget(path: &Path) {
    let file = File::open(path).unwrap();
    file.sync_all().unwrap();
    #[cfg(target_os = "linux")]
    rustix::fs::fadvise(&file, 0, None, rustix::fs::Advice::DontNeed).unwrap();
}

#[cfg(feature = "mmap")]
fn map<T: Element>(path: &Path) -> Npy<T> {
    // SAFETY: every test has files of its own, and nobody writes to them while they are mapped.
    unsafe { Npy::<T>::map(path) }.unwrap()
}

/// Bytes of elements.
fn stored<T: Element>(elements: &[T]) -> Vec<u8> {
    let mut bytes = vec![0; size_of_val(elements)];
    elements.iter().zip(bytes.chunks_exact_mut(size_of::<T>())).for_each(|(element, out)| element.write(out));
    bytes
}

/// Gathers rows in every way, in memory and out of it.
fn check<T: Element + PartialEq + std::fmt::Debug, I: RowIndex>(
    path: &Path,
    rows: &[I],
    row_len: usize,
    zero: T,
) -> Vec<T> {
    let whole = Npy::<T>::read(path).unwrap();
    let mut expected = vec![zero; rows.len() * row_len];
    whole.gather(rows, &mut expected).unwrap();

    let mut found = vec![zero; rows.len() * row_len];
    let any = NpyAny::read(path).unwrap();
    any.prefetch(rows).unwrap();
    any.gather(rows, &mut found).unwrap();
    assert_eq!(found, expected);
    assert_eq!(whole.gather_vec(rows).unwrap(), expected);

    let file = NpyFile::open(path).unwrap();
    for forgotten in [false, true] {
        for prefetched in [false, true] {
            if forgotten {
                forget(path);
            }
            if prefetched {
                file.prefetch(rows).unwrap();
            }
            found.fill(zero);
            file.gather(rows, &mut found).unwrap();
            assert_eq!(found, expected);
            #[cfg(feature = "mmap")]
            {
                if forgotten {
                    forget(path);
                }
                let mapped = map::<T>(path);
                if prefetched {
                    mapped.prefetch(rows).unwrap();
                }
                found.fill(zero);
                mapped.gather(rows, &mut found).unwrap();
                assert_eq!(found, expected);
            }
        }
    }
    expected
}

/// Numbers of rows: random ones with repetitions, none, one, all, all backwards, neighbours.
fn lists(len: usize) -> Vec<Vec<usize>> {
    let mut random = 1_u64;
    let mut next = || {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(random >> 33).unwrap() % len
    };
    vec![
        (0..2000).map(|_| next()).collect(),
        vec![],
        vec![len - 1],
        (0..len).collect(),
        (0..len).rev().collect(),
        (0..300)
            .flat_map(|_| {
                let first = next();
                [first, (first + 1) % len, first]
            })
            .collect(),
    ]
}

#[test]
fn rows_are_those_that_numpy_gathers() {
    let (_folder, path) = saved("<u4", &[700, 5]);
    for rows in lists(700) {
        assert_eq!(stored(&check(&path, &rows, 5, 0_u32)), numpys(&path, &rows));
    }
    // A row is one element.
    let (_folder, path) = saved("|u1", &[100_000]);
    for rows in lists(100_000) {
        assert_eq!(check(&path, &rows, 1, 0_u8), numpys(&path, &rows));
    }
    // One is a mebibyte, and more than a batch.
    let (_folder, path) = saved("<u2", &[9, 512, 1024]);
    let rows = [8, 0, 3, 3, 7, 1, 2, 8, 4];
    assert_eq!(stored(&check(&path, &rows, 512 * 1024, 0_u16)), numpys(&path, &rows));
}

#[test]
fn numbers_of_all_types_name_rows() {
    let (_folder, path) = saved("<i8", &[300, 2]);
    let expected = numpys(&path, &[299, 0, 7]);
    assert_eq!(stored(&check(&path, &[299_u32, 0, 7], 2, 0_i64)), expected);
    assert_eq!(stored(&check(&path, &[299_i32, 0, 7], 2, 0_i64)), expected);
    assert_eq!(stored(&check(&path, &[299_u64, 0, 7], 2, 0_i64)), expected);
    assert_eq!(stored(&check(&path, &[299_i64, 0, 7], 2, 0_i64)), expected);
}

#[test]
fn data_of_any_order_and_alignment_are_copied() {
    // Big-endian, as the machine's numbers and as they lie.
    let (_folder, path) = saved(">u4", &[400, 3]);
    let any = NpyAny::read(&path).unwrap();
    for rows in lists(400) {
        let mut native = vec![0_u32; rows.len() * 3];
        any.gather(&rows, &mut native).unwrap();
        let big: Vec<u8> = native.iter().flat_map(|number| number.to_be_bytes()).collect();
        assert_eq!(big, numpys(&path, &rows));
        native.fill(0);
        NpyFile::open(&path).unwrap().gather(&rows, &mut native).unwrap();
        assert_eq!(native.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<_>>(), big);
        assert_eq!(stored(&check(&path, &rows, 3, be::U32::new(0))), big);
    }
    // At an odd address.
    let mut bytes = vec![0];
    bytes.extend(fs::read(&path).unwrap());
    let odd = NpyAny::from_bytes(&bytes[1..]).unwrap();
    let mut native = vec![0_u32; 6];
    odd.gather(&[399, 1], &mut native).unwrap();
    assert_eq!(native.iter().flat_map(|number| number.to_be_bytes()).collect::<Vec<_>>(), numpys(&path, &[399, 1]));
    // Records, arrays as elements, text.
    let (_folder, path) = saved("V13", &[50]);
    let rows = [49, 0, 49];
    assert_eq!(stored(&check(&path, &rows, 1, Void::<13>::from([0; 13]))), numpys(&path, &rows));
    let (_folder, path) = saved("<f4", &[50, 4]);
    let mut folded = [[0.0_f32; 4]; 3];
    NpyFile::open(&path).unwrap().gather(&rows, &mut folded).unwrap();
    assert_eq!(stored(&folded), numpys(&path, &rows));
    let mut again = [[1.0_f32; 4]; 3];
    NpyAny::read(&path).unwrap().gather(&rows, &mut again).unwrap();
    assert_eq!(stored(&again), stored(&folded));
}

#[test]
fn rows_go_where_they_are_wanted_and_become_what_is_wanted() {
    let (_folder, path) = saved("<u2", &[600, 3]);
    let x = Npy::<u16>::read(&path).unwrap();
    let rows = [599_i64, 3, 3, 0];
    let expected = x.gather_vec(&rows).unwrap();
    assert_eq!(stored(&expected), numpys(&path, &[599, 3, 3, 0]));

    for len in [4 * 5 - 2, 4 * 5] {
        let mut strided = vec![7; len];
        x.gather_strided(&rows, &mut strided, 5).unwrap();
        for (k, slot) in strided.chunks(5).enumerate() {
            assert_eq!(slot[..3], expected[3 * k..][..3]);
            assert!(slot[3..].iter().all(|&between| between == 7));
        }
    }
    for (len, stride) in [(17, 5), (21, 5), (8, 2), (12, 0)] {
        let refused = x.gather_strided(&rows, &mut vec![0; len], stride);
        assert!(matches!(refused, Err(Error::BufferLength { .. })), "{len} {stride}");
    }

    let mut memory = [MaybeUninit::uninit(); 12];
    assert_eq!(x.gather_uninit(&rows, &mut memory).unwrap(), expected);
    let mut wide = [0.0; 12];
    x.gather_with(&rows, &mut wide, f64::from).unwrap();
    assert_eq!(wide.to_vec(), expected.iter().map(|&n| f64::from(n)).collect::<Vec<_>>());

    ask("np.save(path, np.arange(8, dtype='f2').reshape(4, 2) / 4)", &json!({"path": path}));
    let mut halves = [0.0_f32; 4];
    Npy::<le::F16>::read(&path).unwrap().gather_with(&[3_u32, 1], &mut halves, le::F16::get).unwrap();
    assert_eq!(halves, [1.5, 1.75, 0.5, 0.75]);
}

#[test]
fn rows_that_are_not_there_are_an_error_before_anything_is_copied() {
    let (_folder, path) = saved("<f4", &[10, 2]);
    let x = Npy::<f32>::read(&path).unwrap();
    let file = NpyFile::open(&path).unwrap();
    let mut out = [7.0; 6];
    for (position, index) in [(2, 10_i64), (1, -1), (0, i64::MAX), (1, i64::MIN)] {
        let mut rows = [0, 5, 9];
        rows[position] = index;
        for refused in [
            x.gather(&rows, &mut out),
            x.gather_strided(&rows, &mut out, 2),
            x.gather_vec(&rows).map(drop),
            x.gather_uninit(&rows, &mut [MaybeUninit::uninit(); 6]).map(drop),
            x.gather_with(&rows, &mut out, |x| x),
            NpyAny::gather(&x, &rows, &mut out),
            x.prefetch(&rows),
            file.gather(&rows, &mut out),
            file.prefetch(&rows),
        ] {
            let Err(Error::RowIndex { position: found, index: shown, rows: 10 }) = refused else {
                panic!("{refused:?}")
            };
            assert_eq!((found, shown), (position, index.to_string()));
        }
    }
    for len in [0, 5, 7] {
        let mut out = vec![7.0; len];
        assert!(matches!(x.gather(&[1, 2, 3], &mut out), Err(Error::BufferLength { wanted: 6, .. })));
        assert!(matches!(NpyAny::gather(&x, &[1, 2, 3], &mut out), Err(Error::BufferLength { wanted: 6, .. })));
        assert!(matches!(file.gather(&[1, 2, 3], &mut out), Err(Error::BufferLength { wanted: 6, .. })));
        assert!(out.iter().all(|&element| element == 7.0));
    }
    assert_eq!(out, [7.0; 6]);
    assert!(matches!(file.gather(&[1], &mut [0_i64; 2]), Err(Error::DType { .. })));
}

#[test]
fn what_has_no_rows_in_one_piece_is_refused_and_what_has_no_bytes_is_not() {
    let gather = |path: &Path, rows: &[usize], out: &mut [f64]| {
        let outcomes = [
            Npy::<f64>::read(path).unwrap().gather(rows, out).map_err(|error| error.kind()),
            NpyAny::read(path).unwrap().gather(rows, out).map_err(|error| error.kind()),
            NpyFile::open(path).unwrap().gather(rows, out).map_err(|error| error.kind()),
        ];
        assert!(outcomes.iter().all(|outcome| *outcome == outcomes[0]), "{outcomes:?}");
        outcomes[0]
    };
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    let save = |expression: &str| ask(&format!("np.save(path, {expression})"), &json!({"path": path}));
    save("np.asfortranarray(np.ones((3, 4)))");
    assert_eq!(gather(&path, &[0], &mut [0.0; 4]), Err("fortran_order"));
    save("np.float64(3)");
    assert_eq!(gather(&path, &[0], &mut [0.0]), Err("rank"));
    assert_eq!(gather(&path, &[], &mut []), Err("rank"));
    save("np.ones((5, 0))");
    assert_eq!(gather(&path, &[4, 0, 4], &mut []), Ok(()));
    assert_eq!(gather(&path, &[5], &mut []), Err("row_index"));
    save("np.ones((0, 5))");
    assert_eq!(gather(&path, &[], &mut []), Ok(()));
    assert_eq!(gather(&path, &[0], &mut [0.0; 5]), Err("row_index"));
    // In Fortran order, but of one axis.
    save("np.arange(4.)[::-1]");
    let mut two = [0.0; 2];
    assert_eq!(gather(&path, &[3, 0], &mut two), Ok(()));
    assert_eq!(two, [0.0, 3.0]);
}

#[test]
fn a_value_that_is_none_is_named_by_its_place_in_the_file() {
    let mut data = vec![1; 12];
    data[7] = 2;
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    fs::write(&path, made::c_npy("'|b1'", "(4, 3)", &data)).unwrap();
    let mut out = [false; 6];
    let any = NpyAny::read(&path).unwrap();
    let file = NpyFile::open(&path).unwrap();
    assert!(any.gather(&[0, 3], &mut out).is_ok() && file.gather(&[0, 3], &mut out).is_ok());
    for refused in [any.gather(&[0, 2], &mut out), file.gather(&[0, 2], &mut out)] {
        let Err(Error::InvalidBool { index: 7, byte: 2, .. }) = refused else { panic!("{refused:?}") };
    }
}

#[test]
fn a_file_that_is_cut_meanwhile_is_an_error_with_the_numbers() {
    let (_folder, path) = saved("<u4", &[1000, 16]);
    let file = NpyFile::open(&path).unwrap();
    File::options().write(true).open(&path).unwrap().set_len(128 + 64 * 500 + 10).unwrap();
    let mut out = [0_u32; 32];
    file.gather(&[499, 0], &mut out).unwrap();
    let refused = file.gather(&[0, 500], &mut out);
    let Err(Error::DataTruncated { needed: 64_000, held: 32_010, .. }) = refused else { panic!("{refused:?}") };
    file.prefetch(&[0, 999]).unwrap();
    assert!(file.gather(&[999, 0], &mut out).is_err());
}

#[test]
fn text_is_gathered_like_any_element() {
    let folder = support::temp_dir();
    let path = folder.path().join("x.npy");
    ask("np.save(path, np.array(['a', 'süd', '', 'x' * 5]))", &json!({"path": path}));
    let mut out = [le::Str::<5>::new("").unwrap(); 3];
    NpyFile::open(&path).unwrap().gather(&[1_i32, 3, 1], &mut out).unwrap();
    assert_eq!(out.map(|text| text.to_string()), ["süd", "xxxxx", "süd"]);
}
