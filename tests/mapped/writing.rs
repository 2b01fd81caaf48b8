//! Elements, rows, columns, chunks and fields written in place.

use std::thread;

use npymap::{Advice, Error, MappingMut, Npy, NpyAny, NpyFile, be};
use serde_json::json;

use super::File;

#[test]
fn what_is_written_is_seen_by_numpy_and_by_reads() {
    let file = File::numpys("np.zeros((100, 3))");
    let mut x = file.map_mut::<f64>();
    x[17].copy_from_slice(&[1.0, 2.0, 3.0]);
    x[[99, 2]] = 4.0;
    x.as_mut_slice()[0] = 5.0;
    x.flush().unwrap();
    assert_eq!(file.ask("[a[0, 0], a[17].tolist(), a[99, 2], a.sum()]"), json!([5.0, [1.0, 2.0, 3.0], 4.0, 15.0]));
    let read = NpyFile::open(&file.path).unwrap();
    assert_eq!(read.read_rows::<[f64; 3]>(17..18).unwrap(), [[1.0, 2.0, 3.0]]);
    x[[99, 2]] = 6.0;
    x.flush_async().unwrap();
    x.flush_rows(99..100).unwrap();
    assert_eq!(read.read_rows::<[f64; 3]>(99..100).unwrap(), [[0.0, 0.0, 6.0]]);
    drop(x);
    assert_eq!(Npy::<f64>::read(&file.path).unwrap()[[99, 2]], 6.0);
    assert_eq!(file.len(), 128 + 2400);
}

#[test]
fn rows_are_flushed_wherever_they_lie_on_their_pages() {
    let file = File::numpys("np.zeros((3000, 3), 'u4')");
    let mut x = file.map_mut::<u32>();
    for range in [0..0, 0..1, 0..3000, 330..332, 2999..3000, 3000..3000, 341..342, 1000..2000] {
        for i in range.clone() {
            x[i].fill(u32::try_from(i).unwrap() + 1);
        }
        x.flush_rows(range.clone()).unwrap();
        for i in range {
            assert_eq!(x[i][2], u32::try_from(i).unwrap() + 1);
        }
    }
    for wrong in [0..3001, 3001..3001, usize::MAX - 1..usize::MAX] {
        assert!(matches!(x.flush_rows(wrong.clone()), Err(Error::OutOfBounds { .. })), "{wrong:?}");
    }
    #[expect(clippy::reversed_empty_ranges, reason = "a caller's mistake")]
    let reversed = x.flush_rows(5..3);
    assert!(matches!(reversed, Err(Error::OutOfBounds { .. })));
    assert_eq!(file.ask("int((a == np.arange(1, 3001)[:, None]).sum())"), json!(9000));
}

#[test]
fn columns_are_flushed_where_the_order_is_fortrans() {
    let file = File::numpys("np.zeros((1000, 30), order='F')");
    let mut x = file.map_mut::<f64>();
    x.cols_mut().unwrap().nth(17).unwrap().fill(1.0);
    x.flush_rows(17..18).unwrap();
    x.flush_rows(0..30).unwrap();
    assert!(matches!(x.flush_rows(0..31), Err(Error::OutOfBounds { .. })));
    assert_eq!(file.ask("[a[:, 17].sum(), a.sum()]"), json!([1000.0, 1000.0]));
}

#[test]
fn a_private_mapping_is_written_to_and_the_file_is_not() {
    let file = File::numpys("np.arange(3000, dtype='i4').reshape(1000, 3)");
    let before = file.bytes();
    let mut x = file.map_cow::<i32>();
    x[5].fill(-1);
    x.as_mut_slice()[2999] = -2;
    let operations = [x.flush(), x.flush_async(), x.flush_rows(0..1), x.grow(1), x.shrink_to(1), x.shrink_to(1000)];
    for refused in operations {
        assert!(matches!(refused, Err(Error::PrivateMapping { .. })), "{refused:?}");
    }
    assert_eq!((x[5].to_vec(), x[[999, 2]], x.shape()), (vec![-1; 3], -2, [1000, 3].as_slice()));
    assert_eq!(file.bytes(), before);
    drop(x);
    assert_eq!(file.bytes(), before);
    // SAFETY: nothing else maps the file.
    let mut any = unsafe { NpyAny::map_cow(&file.path) }.unwrap();
    any.bytes_mut().fill(7);
    assert!(matches!(any.flush(), Err(Error::PrivateMapping { .. })));
    drop(any);
    assert_eq!(file.bytes(), before);
}

#[test]
fn chunks_are_filled_by_threads_without_unsafe() {
    for rows in [1, 7, 64, 99, 100, 101, usize::MAX] {
        let file = File::numpys("np.zeros((100, 5), 'u2')");
        let mut x = file.map_mut::<u16>();
        let chunks = x.chunks_mut(rows).unwrap();
        let count = 100_usize.div_ceil(rows);
        assert_eq!((chunks.len(), chunks.size_hint()), (count, (count, Some(count))));
        thread::scope(|scope| {
            for (k, chunk) in chunks.enumerate() {
                let first = k * rows;
                assert_eq!(chunk.len(), 5 * rows.min(100 - first));
                scope.spawn(move || {
                    for (j, row) in chunk.chunks_exact_mut(5).enumerate() {
                        row.fill(u16::try_from(first + j).unwrap());
                    }
                });
            }
        });
        x.flush().unwrap();
        assert_eq!(file.ask("bool((a == np.arange(100)[:, None]).all())"), json!(true), "{rows}");
    }
}

#[test]
fn chunks_of_no_rows_and_of_arrays_without_rows_are_counted() {
    let file = File::numpys("np.zeros((0, 3), 'u1')");
    assert_eq!(file.map_mut::<u8>().chunks_mut(5).unwrap().len(), 0);
    assert_eq!(file.map_mut::<u8>().rows_mut().unwrap().len(), 0);
    let file = File::numpys("np.zeros((7, 0), 'u1')");
    let mut x = file.map_mut::<u8>();
    let lengths: Vec<usize> = x.chunks_mut(3).unwrap().map(|chunk| chunk.len()).collect();
    assert_eq!(lengths, [0, 0, 0]);
    assert_eq!(x.rows_mut().unwrap().map(|row| row.len()).collect::<Vec<_>>(), [0; 7]);
    let file = File::numpys("np.zeros(3, 'u1')");
    let mut x = file.map_mut::<u8>();
    let tried = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| x.chunks_mut(0).map(|chunks| chunks.len())));
    assert!(tried.is_err() || tried.is_ok_and(|chunks| chunks.is_err()), "chunks of no rows never end");
}

#[test]
fn rows_and_columns_are_the_contiguous_units_of_their_order() {
    let file = File::numpys("np.zeros((4, 3), 'i8')");
    let mut x = file.map_mut::<i64>();
    for (i, row) in (0..).zip(x.rows_mut().unwrap()) {
        row.copy_from_slice(&[10 * i, 10 * i + 1, 10 * i + 2]);
    }
    assert!(matches!(x.cols_mut().err(), Some(Error::COrder { .. })));
    drop(x);
    assert_eq!(file.ask("a.tolist()"), json!([[0, 1, 2], [10, 11, 12], [20, 21, 22], [30, 31, 32]]));

    let file = File::numpys("np.zeros((4, 3), 'i8', order='F')");
    let mut x = file.map_mut::<i64>();
    for (j, column) in (0..).zip(x.cols_mut().unwrap()) {
        column.copy_from_slice(&[j, 10 + j, 20 + j, 30 + j]);
    }
    assert!(matches!(x.rows_mut().err(), Some(Error::FortranOrder { .. })));
    assert!(matches!(x.chunks_mut(2).err(), None | Some(Error::FortranOrder { .. })));
    drop(x);
    assert_eq!(file.ask("a.tolist()"), json!([[0, 1, 2], [10, 11, 12], [20, 21, 22], [30, 31, 32]]));

    // One axis is contiguous in both orders, and no axis is one row.
    let file = File::numpys("np.zeros(3, 'i8')");
    let mut x = file.map_mut::<i64>();
    assert_eq!((x.rows_mut().unwrap().len(), x.cols_mut().unwrap().len()), (3, 3));
    let file = File::numpys("np.zeros((), 'i8')");
    let mut x = file.map_mut::<i64>();
    x.rows_mut().unwrap().for_each(|row| row[0] = 5);
    drop(x);
    assert_eq!(file.ask("int(a)"), json!(5));
}

#[test]
fn rows_for_writing_can_be_taken_from_both_ends_of_memory_at_once() {
    let file = File::numpys("np.arange(12, dtype='i4').reshape(4, 3)");
    let mut x = file.map_mut::<i32>();
    let mut rows: Vec<&mut [i32]> = x.rows_mut().unwrap().collect();
    let (first, last) = rows.split_at_mut(2);
    first[0].swap_with_slice(last[1]);
    thread::scope(|scope| rows.into_iter().for_each(|row| drop(scope.spawn(|| row[0] += 100))));
    x.flush().unwrap();
    assert_eq!(file.ask("a.tolist()"), json!([[109, 10, 11], [103, 4, 5], [106, 7, 8], [100, 1, 2]]));
}

#[test]
fn fields_of_records_are_written_in_place() {
    let file = File::numpys("np.zeros(4, [('a', '|u1'), ('b', '>f4', (2,)), ('c', '|S3')])");
    let mut x = file.map_any();
    {
        let fields = x.fields_mut();
        let (a, b) = (fields.field::<u8>(&["a"]).unwrap(), fields.field::<[f32; 2]>(&["b"]).unwrap());
        for i in 0..4_u8 {
            a.set(i.into(), i).unwrap();
            b.set(i.into(), [f32::from(i), 0.5]).unwrap();
        }
    }
    x.fields_mut().strings(&["c"]).unwrap().set(2, "abc").unwrap();
    x.flush().unwrap();
    let wanted = json!([[0, [0.0, 0.5], ""], [1, [1.0, 0.5], ""], [2, [2.0, 0.5], "abc"], [3, [3.0, 0.5], ""]]);
    assert_eq!(file.ask("[[int(r[0]), r[1].tolist(), r[2].decode()] for r in a]"), wanted);
}

#[test]
fn elements_of_the_other_byte_order_are_written_in_place() {
    let file = File::numpys("np.zeros((2, 2), '>f8')");
    let mut x = file.map_mut::<be::F64>();
    x[1][0] = be::F64::new(1.5);
    drop(x);
    let mut any = file.map_any();
    any.copy_rows_from(0, &[2.5_f64, 3.5]).unwrap();
    drop(any);
    assert_eq!(file.ask("a.tolist()"), json!([[2.5, 3.5], [1.5, 0.0]]));
}

#[test]
fn advice_changes_no_contents() {
    let file = File::numpys("np.arange(300_000, dtype='u4').reshape(100_000, 3)");
    let wanted: Vec<u32> = (0..300_000).collect();
    // SAFETY: nothing else maps or changes the file.
    let read = unsafe { NpyAny::map(&file.path) }.unwrap();
    let all = [Advice::Normal, Advice::Random, Advice::Sequential, Advice::WillNeed, Advice::HugePages];
    for advice in all {
        // Not every kernel has huge pages for files.
        let _ = read.advise(advice);
        let _ = read.advise_rows(advice, 100..50_000);
        read.advise_rows(advice, 5..5).unwrap();
        assert!(matches!(read.advise_rows(advice, 0..100_001), Err(Error::OutOfBounds { .. })));
        assert!(matches!(read.advise_rows(advice, 100_001..100_001), Err(Error::OutOfBounds { .. })));
    }
    for advice in [Advice::Normal, Advice::Random, Advice::Sequential, Advice::WillNeed] {
        read.advise(advice).unwrap();
        read.advise_rows(advice, 99_999..100_000).unwrap();
    }
    assert_eq!(read.typed::<u32>().unwrap().as_slice(), wanted);
    drop(read);
    // A private mapping keeps what was written to it.
    let mut cow = file.map_cow::<u32>();
    cow.as_mut_slice().iter_mut().for_each(|number| *number += 1);
    for advice in all {
        let _ = (cow.advise(advice), cow.advise_rows(advice, 7..99_000));
    }
    assert!(cow.as_slice().iter().zip(&wanted).all(|(ours, old)| *ours == old + 1));
    let mut x = file.map_mut::<u32>();
    x.as_mut_slice()[0] = 9;
    for advice in all {
        let _ = (x.advise(advice), x.advise_rows(advice, 0..100_000));
    }
    assert_eq!(x.as_slice()[..3], [9, 1, 2]);
    let empty = File::numpys("np.zeros((0, 3))");
    let empty = empty.map_mut::<f64>();
    empty.advise(Advice::WillNeed).unwrap();
    empty.advise_rows(Advice::WillNeed, 0..0).unwrap();
    empty.flush().unwrap();
    empty.flush_rows(0..0).unwrap();
}

#[test]
fn a_mapping_for_writing_moves_between_threads() {
    const fn assert_send_sync<T: Send + Sync>() {}
    const { assert_send_sync::<Npy<f64, MappingMut>>() };
    const { assert_send_sync::<NpyAny<MappingMut>>() };
    let file = File::numpys("np.zeros(5)");
    let mut x = file.map_mut::<f64>();
    let x = thread::spawn(move || {
        x.as_mut_slice()[3] = 1.0;
        x
    });
    let x = x.join().unwrap();
    thread::scope(|scope| drop(scope.spawn(|| assert_eq!(x[[3]], 1.0))));
    assert_eq!(file.ask("a.tolist()"), json!([0.0, 0.0, 0.0, 1.0, 0.0]));
}
