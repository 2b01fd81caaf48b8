//! What one does with an array once it is open: rows, columns, elements, parts, copies, other crates' views.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;

use std::io::Write;
use std::sync::Arc;

use made::npy;
use npymap::{Aligned, Error, Npy, NpyAny, NpyFile, Order, Value, be, le};

fn aligned(file: &[u8]) -> Aligned {
    Aligned::copy_of(file).unwrap()
}

/// The numbers from 0 to `n`, as `<i4`.
fn count(n: i32) -> Vec<u8> {
    (0..n).flat_map(i32::to_le_bytes).collect()
}

/// Shape (2, 3): 0 1 2 / 3 4 5 in C order.
fn c_order() -> Npy<le::I32, Arc<[u8]>> {
    Npy::from_bytes(Arc::from(npy("'<i4'", false, "(2, 3)", &count(6)))).unwrap()
}

/// Shape (2, 3), stored as 0 1 2 3 4 5: 0 2 4 / 1 3 5.
fn fortran_order() -> Npy<le::I32, Arc<[u8]>> {
    Npy::from_bytes(Arc::from(npy("'<i4'", true, "(2, 3)", &count(6)))).unwrap()
}

fn numbers<'a>(elements: impl IntoIterator<Item = &'a le::I32>) -> Vec<i32> {
    elements.into_iter().map(|element| element.get()).collect()
}

#[test]
fn rows_of_a_c_ordered_array_are_slices_in_order() {
    let x = c_order();
    assert_eq!(numbers(&x[1]), [3, 4, 5]);
    assert_eq!(x.get(1), Some(&x[1]));
    assert_eq!(x.get(2), None);
    let rows = x.rows().unwrap();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows.clone().map(numbers).collect::<Vec<_>>(), [[0, 1, 2], [3, 4, 5]]);
    assert_eq!(rows.clone().rev().map(numbers).collect::<Vec<_>>(), [[3, 4, 5], [0, 1, 2]]);
    assert_eq!(numbers(&rows[1]), [3, 4, 5]);
    assert_eq!(rows.clone().nth(1).map(numbers), Some(vec![3, 4, 5]));
    assert_eq!(rows.clone().nth(2), None);
    assert_eq!(rows.get(2), None);
}

#[test]
fn columns_of_a_fortran_ordered_array_are_slices_in_order() {
    let x = fortran_order();
    let cols = x.cols().unwrap();
    assert_eq!(cols.map(numbers).collect::<Vec<_>>(), [[0, 1], [2, 3], [4, 5]]);
    assert_eq!(numbers(x.as_slice()), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn rows_and_columns_of_the_wrong_order_are_errors_that_name_the_right_one() {
    let rows = fortran_order().rows().map(|_| ()).unwrap_err().to_string();
    assert_eq!(rows, "rows needs contiguous rows, and shape (2, 3) is in Fortran order; use cols, or ndarray");
    let cols = c_order().cols().map(|_| ()).unwrap_err().to_string();
    assert_eq!(cols, "cols needs contiguous columns, and shape (2, 3) is in C order; use rows, or ndarray");
    assert_eq!(fortran_order().get(0), None);
}

#[test]
#[should_panic(expected = "x[i] needs contiguous rows, and shape (2, 3) is in Fortran order; use cols, or ndarray")]
fn a_row_of_a_fortran_ordered_array_panics_with_the_way_out() {
    let _ = &fortran_order()[0];
}

#[test]
#[should_panic(expected = "row 2 is outside of 0..2")]
fn a_row_beyond_the_last_panics_with_both_numbers() {
    let _ = &c_order()[2];
}

#[test]
#[should_panic(expected = "index 3..4 is outside of 0..3")]
fn an_element_outside_panics_with_both_numbers() {
    let _ = &c_order()[[1, 3]];
}

#[test]
fn elements_are_found_in_either_order() {
    for (i, j) in [(0, 0), (0, 2), (1, 0), (1, 2)] {
        let (c, f) = (3 * i + j, i + 2 * j);
        assert_eq!(c_order()[[i, j]].get(), i32::try_from(c).unwrap());
        assert_eq!(fortran_order()[[i, j]].get(), i32::try_from(f).unwrap());
        assert_eq!(fortran_order().value(&[i, j]).unwrap(), Value::Int(i64::try_from(f).unwrap()));
    }
    assert_eq!(c_order().at(&[2, 0]), None);
    assert_eq!(c_order().at(&[0]), None);
    assert!(matches!(c_order().value(&[0]), Err(Error::Rank { found: 1, wanted: 2, .. })));
    assert!(matches!(c_order().value(&[0, 3]), Err(Error::OutOfBounds { start: 3, end: 4, len: 3, .. })));
}

#[test]
fn iteration_is_in_c_order_whatever_the_order_in_memory() {
    assert_eq!(numbers(c_order().iter()), [0, 1, 2, 3, 4, 5]);
    assert_eq!(numbers(fortran_order().iter()), [0, 2, 4, 1, 3, 5]);
    let x = NpyAny::from_bytes(npy("'<i4'", true, "(2, 2, 2)", &count(8))).unwrap();
    let values: Vec<Value> = x.iter().collect::<Result<_, _>>().unwrap();
    assert_eq!(values, [0, 4, 2, 6, 1, 5, 3, 7].map(Value::Int));
    assert_eq!(x.iter().len(), 8);
}

#[test]
fn one_dimensional_arrays_have_rows_in_either_order() {
    for fortran in [false, true] {
        let x = Npy::<le::I32>::from_bytes(npy("'<i4'", fortran, "(3,)", &count(3))).unwrap();
        assert_eq!(x.order() == Order::Fortran, fortran);
        assert_eq!(numbers(&x[2]), [2]);
        assert_eq!(x.rows().unwrap().len(), 3);
        assert_eq!(x.cols().unwrap().len(), 3);
    }
}

#[test]
fn a_zero_dimensional_array_is_one_element() {
    let x = Npy::<le::I32>::from_bytes(aligned(&npy("'<i4'", false, "()", &7_i32.to_le_bytes()))).unwrap();
    assert_eq!(x[[]].get(), 7);
    assert_eq!(numbers(&x[0]), [7]);
    assert_eq!((x.size(), x.ndim(), x.rows().unwrap().len()), (1, 0, 1));
    assert!(matches!(x.slice_rows(0..1), Err(Error::Rank { found: 1, wanted: 0, .. })));
}

#[test]
fn empty_arrays_have_their_rows_and_no_elements() {
    let x = Npy::<f64>::from_bytes(aligned(&npy("'<f8'", false, "(3, 0)", &[]))).unwrap();
    assert_eq!(x.as_slice(), [0.0; 0]);
    assert_eq!(x.rows().unwrap().map(<[f64]>::len).collect::<Vec<_>>(), [0, 0, 0]);
    assert_eq!(x[2], [0.0; 0]);
    assert_eq!(x.slice_rows(1..3).unwrap().shape(), [2, 0]);
    assert_eq!(x.iter().count(), 0);

    let x = Npy::<f64>::from_bytes(npy("'<f8'", false, "(0, 3)", &[])).unwrap();
    assert_eq!(x.rows().unwrap().count(), 0);
    assert_eq!(x.get(0), None);
    assert_eq!(x.to_vec::<f64>().unwrap(), [0.0; 0]);
    assert!(matches!(x.to_vec::<f32>(), Err(Error::DType { .. })));
}

#[test]
fn parts_of_the_rows_are_arrays_of_their_own_over_the_same_bytes() {
    let bytes: Arc<[u8]> = npy("'<i4'", false, "(4, 2)", &count(8)).into();
    let part = {
        let x = Npy::<le::I32>::from_bytes(bytes).unwrap();
        x.slice_rows(1..4).unwrap().slice_rows(1..3).unwrap()
    };
    assert_eq!((part.shape(), part.header().shape()), ([2, 2].as_slice(), [4, 2].as_slice()));
    assert_eq!(numbers(part.as_slice()), [4, 5, 6, 7]);
    assert_eq!(numbers(&part[1]), [6, 7]);
    assert!(matches!(part.slice_rows(1..3), Err(Error::OutOfBounds { what: "rows", start: 1, end: 3, len: 2 })));
    assert!(matches!(part.slice_cols(0..1), Err(Error::COrder { .. })));
    #[expect(clippy::reversed_empty_ranges, reason = "that is the point")]
    let backwards = part.slice_rows(2..1);
    assert!(matches!(backwards, Err(Error::OutOfBounds { start: 2, end: 1, .. })));

    let columns = fortran_order().slice_cols(1..3).unwrap();
    assert_eq!((columns.shape(), numbers(columns.as_slice())), ([2, 2].as_slice(), vec![2, 3, 4, 5]));
}

#[test]
fn the_last_axes_can_be_part_of_the_type() {
    let file = npy("'<i4'", false, "(2, 2, 3)", &count(12));
    let x = Npy::<[le::I32; 3]>::from_bytes(file.as_slice()).unwrap();
    assert_eq!(x.as_slice().len(), 4);
    assert_eq!(numbers(&x[1][0]), [6, 7, 8]);
    assert_eq!(numbers(&x[[1, 1]]), [9, 10, 11]);
    assert_eq!(x.shape(), [2, 2, 3]);
    let x = Npy::<[[le::I32; 3]; 2]>::from_bytes(file.as_slice()).unwrap();
    assert_eq!(x.as_slice().len(), 2);
    let x = Npy::<[[[le::I32; 3]; 2]; 2]>::from_bytes(file.as_slice()).unwrap();
    assert_eq!(numbers(&x[[]][1][1]), [9, 10, 11]);
    assert!(matches!(x.slice_rows(0..1), Err(Error::Rank { .. })));

    let error = Npy::<[le::I32; 4]>::from_bytes(file.as_slice()).unwrap_err();
    assert_eq!(error.to_string(), "shape (2, 2, 3) does not end in (4,), the dimensions of [npymap::le::I32; 4]");
    let error = Npy::<[le::I32; 2]>::from_bytes(npy("'<i4'", true, "(3, 2)", &count(6))).unwrap_err();
    assert!(matches!(error, Error::FortranOrder { .. }), "{error}");
    assert_eq!(NpyAny::from_bytes(file.as_slice()).unwrap().to_vec::<[i32; 6]>().unwrap_err().kind(), "fold");
    let copied = NpyAny::from_bytes(file.as_slice()).unwrap().to_vec::<[i32; 3]>().unwrap();
    assert_eq!(copied, [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]);
}

#[test]
fn fixed_bytes_view_strings_and_voids() {
    for descr in ["'|S3'", "'|V3'"] {
        let x = Npy::<[u8; 3]>::from_bytes(npy(descr, false, "(2,)", b"abcde\0")).unwrap();
        assert_eq!(x.as_slice(), [*b"abc", *b"de\0"]);
        let x = Npy::<[[u8; 3]; 2]>::from_bytes(npy(descr, false, "(2, 2)", b"abcde\0fghijk")).unwrap();
        assert_eq!(x.as_slice()[1], [*b"fgh", *b"ijk"]);
        assert_eq!(x.to_vec::<[u8; 3]>().unwrap()[1], *b"de\0");
    }
}

#[test]
fn big_endian_files_are_viewed_in_place_and_copied_in_native_order() {
    let data: Vec<u8> = [1.5_f64, -2.25].iter().flat_map(|value| value.to_be_bytes()).collect();
    let file = npy("'>f8'", false, "(2,)", &data);
    let x = Npy::<be::F64>::from_bytes(file.as_slice()).unwrap();
    assert_eq!(x.as_slice()[1].get(), -2.25);
    assert_eq!(x.to_vec::<f64>().unwrap(), [1.5, -2.25]);
    let error = x.typed::<f64>().unwrap_err();
    let expected =
        "descr '>f8' is big-endian, f64 here is little-endian; view it as npymap::be::F64, or copy with to_vec";
    if cfg!(target_endian = "little") {
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn copies_are_right_beyond_one_block_of_conversion() {
    let n = 50_000_i32;
    let data: Vec<u8> = (0..n).flat_map(i32::to_be_bytes).collect();
    let x = NpyAny::from_bytes(npy("'>i4'", false, "(25000, 2)", &data)).unwrap();
    assert_eq!(x.to_vec::<i32>().unwrap(), (0..n).collect::<Vec<_>>());
    assert_eq!(x.to_vec::<[i32; 2]>().unwrap()[24_999], [n - 2, n - 1]);

    let mut data = vec![1; 100_000];
    data[70_001] = 9;
    let x = NpyAny::from_bytes(npy("'|b1'", false, "(100000,)", &data)).unwrap();
    assert!(matches!(x.to_vec::<bool>(), Err(Error::InvalidBool { index: 70_001, byte: 9, .. })));
}

#[test]
fn arrays_in_memory_can_be_written() {
    let mut x = Npy::<i32>::from_bytes(aligned(&npy("'<i4'", false, "(2, 3)", &count(6)))).unwrap();
    x.as_mut_slice()[0] = 10;
    x[1][2] = 50;
    x[[0, 1]] = 20;
    assert_eq!(x.as_slice(), [10, 20, 2, 3, 4, 50]);

    let mut mask = Npy::<bool>::from_bytes(npy("'|b1'", false, "(3,)", &[0, 1, 0])).unwrap();
    mask.as_mut_slice()[2] = true;
    assert_eq!(mask.as_slice(), [false, true, true]);
}

#[test]
fn handles_are_shared_between_threads() {
    fn is_shareable<T: Send + Sync + Clone + 'static>(value: &T) -> T {
        value.clone()
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(&npy("'<i4'", false, "(1000,)", &count(1000))).unwrap();
    // SAFETY: nobody else knows the file.
    let x = unsafe { Npy::<i32>::map(file.path()) }.unwrap();
    let sums: Vec<i32> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4)
            .map(|k| {
                let x = is_shareable(&x).slice_rows(250 * k..250 * (k + 1)).unwrap();
                scope.spawn(move || x.as_slice().iter().sum())
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(sums.iter().sum::<i32>(), 499_500);
}

#[test]
fn a_file_is_read_by_rows_without_mapping_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let n = 300_000_i32;
    std::fs::write(&path, npy("'>i4'", false, "(100000, 3)", &(0..n).flat_map(i32::to_be_bytes).collect::<Vec<_>>()))
        .unwrap();
    let file = NpyFile::open(&path).unwrap();
    assert_eq!((file.shape(), file.path()), ([100_000, 3].as_slice(), path.as_path()));
    assert_eq!(file.read_rows::<i32>(2..4).unwrap(), [6, 7, 8, 9, 10, 11]);
    assert_eq!(file.read_rows::<[i32; 3]>(99_999..100_000).unwrap(), [[n - 3, n - 2, n - 1]]);
    assert_eq!(file.read_rows::<i32>(5..5).unwrap(), []);
    assert_eq!(file.read_all::<i32>().unwrap(), (0..n).collect::<Vec<_>>());
    assert_eq!(file.value(&[1, 2]).unwrap(), Value::Int(5));
    assert!(matches!(file.read_rows::<i32>(0..100_001), Err(Error::OutOfBounds { end: 100_001, len: 100_000, .. })));
    assert!(matches!(file.read_rows::<f32>(0..1), Err(Error::DType { .. })));
    assert!(matches!(file.read_cols::<i32>(0..1), Err(Error::COrder { .. })));

    std::fs::write(&path, npy("'<i4'", true, "(2, 3)", &count(6))).unwrap();
    let file = NpyFile::open(&path).unwrap();
    assert_eq!(file.read_cols::<i32>(1..3).unwrap(), [2, 3, 4, 5]);
    assert!(matches!(file.read_rows::<i32>(0..1), Err(Error::FortranOrder { .. })));
    assert_eq!(file.read_any().unwrap().iter().nth(1).unwrap().unwrap(), Value::Int(2));
}

#[test]
fn an_array_type_that_takes_the_only_axis_leaves_no_rows_to_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    std::fs::write(&path, npy("'<i4'", false, "(3,)", &count(3))).unwrap();
    let file = NpyFile::open(&path).unwrap();
    assert_eq!(file.read_rows::<[i32; 3]>(0..3).unwrap(), [[0, 1, 2]]);
    assert_eq!(file.read_all::<[i32; 3]>().unwrap(), [[0, 1, 2]]);
    assert!(file.read_rows::<[i32; 3]>(0..2).is_err());
}

#[cfg(feature = "ndarray")]
#[test]
fn ndarray_views_show_both_orders_alike() {
    use ndarray::{Array2, ArrayView2, ArrayView3, ArrayViewD};

    let expected = Array2::from_shape_fn((2, 3), |(i, j)| le::I32::new(i32::try_from(i + 2 * j).unwrap()));
    let x = fortran_order();
    let view: ArrayView2<le::I32> = x.ndarray().unwrap();
    assert_eq!(view, expected);
    let view: ArrayViewD<le::I32> = x.ndarray().unwrap();
    assert_eq!(view, expected.into_dyn());
    let error = x.ndarray().map(|_: ArrayView3<le::I32>| ()).unwrap_err();
    assert_eq!(error.to_string(), "3 dimensions asked for, and shape (2, 3) has 2");

    let mut x = Npy::<i32>::from_bytes(aligned(&npy("'<i4'", true, "(2, 3)", &count(6)))).unwrap();
    let mut view = x.ndarray_mut::<ndarray::Ix2>().unwrap();
    view[[1, 0]] = -1;
    assert_eq!(x.as_slice(), [0, -1, 2, 3, 4, 5]);
    let x = Npy::<i32>::from_bytes(aligned(&npy("'<i4'", false, "(0, 3)", &[]))).unwrap();
    assert_eq!(x.ndarray::<ndarray::Ix2>().unwrap().dim(), (0, 3));
}

#[test]
fn rows_and_columns_of_a_file_are_arrays_of_their_own() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    for fortran in [false, true] {
        std::fs::write(
            &path,
            npy("[('a', '>i2'), ('b', '|S1')]", fortran, "(3, 2)", b"\0\0a\0\x01b\0\x02c\0\x03d\0\x04e\0\x05f"),
        )
        .unwrap();
        let file = NpyFile::open(&path).unwrap();
        let part = if fortran { file.read_cols_any(1..2) } else { file.read_rows_any(1..3) }.unwrap();
        assert_eq!(part.shape(), if fortran { [3, 1] } else { [2, 2] });
        let wanted: &[i16] = if fortran { &[3, 4, 5] } else { &[2, 3, 4, 5] };
        assert_eq!(part.field::<i16>(&["a"]).unwrap().to_vec().unwrap(), wanted);
        let refused = if fortran { file.read_rows_any(0..1) } else { file.read_cols_any(0..1) };
        assert!(matches!(refused, Err(Error::FortranOrder { .. } | Error::COrder { .. })));
        assert!(matches!(
            if fortran { file.read_cols_any(0..3) } else { file.read_rows_any(2..4) },
            Err(Error::OutOfBounds { .. })
        ));
        let none = if fortran { file.read_cols_any(1..1) } else { file.read_rows_any(1..1) }.unwrap();
        assert_eq!((none.size(), none.field::<i16>(&["a"]).unwrap().len()), (0, 0));
    }
}
