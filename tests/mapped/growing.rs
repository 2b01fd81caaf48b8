//! Rows added to a mapped file: zeros, counted when they are there, and never where something else stands.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use npymap::{AppendOptions, Appender, DType, Error, Npy, NpyFile, WriteOptions, be};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::File;
use crate::{made, support};

/// The array as lists, its shape, and how long the file is beyond its data.
fn told(file: &File) -> Value {
    let path = json!({"path": file.path});
    let told = support::live::ask("[loaded(path)[k] for k in ('shape', 'fortran', 'offset', 'size')]", &path);
    let expected = file.ask("a.nbytes").as_u64().unwrap() + told[2].as_u64().unwrap();
    assert_eq!(told[3], json!(expected), "the size is exact");
    json!([told[0], told[1], file.ask("a.tolist()")])
}

#[test]
fn numpys_own_file_grows_by_rows_of_zeros_and_numpy_reads_it() {
    let file = File::numpys("np.arange(12.).reshape(3, 4)");
    let mut x = file.map_mut::<f64>();
    x.grow(2).unwrap();
    assert_eq!((x.shape(), x.header().shape(), x.header().data_offset()), ([5, 4].as_slice(), [5, 4].as_slice(), 128));
    assert_eq!((x[2].to_vec(), x[4].to_vec()), (vec![8.0, 9.0, 10.0, 11.0], vec![0.0; 4]));
    x[4].fill(7.0);
    x.flush().unwrap();
    let rows = json!([[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], vec![0.0; 4], vec![7.0; 4]]);
    assert_eq!(told(&file), json!([[5, 4], false, rows]));
    drop(x);
    assert_eq!(told(&file), json!([[5, 4], false, rows]));
    assert_eq!(file.map_mut::<f64>()[4], [7.0; 4]);
}

#[test]
fn an_array_in_fortran_order_grows_by_columns() {
    let file = File::numpys("np.asfortranarray(np.arange(6, dtype='i2').reshape(2, 3))");
    let mut x = file.map_mut::<i16>();
    x.grow(2).unwrap();
    assert_eq!(x.shape(), [2, 5]);
    x.cols_mut().unwrap().last().unwrap().copy_from_slice(&[8, 9]);
    x.flush().unwrap();
    assert_eq!(told(&file), json!([[2, 5], true, [[0, 1, 2, 0, 8], [3, 4, 5, 0, 9]]]));
}

#[test]
fn bools_records_and_the_other_byte_order_grow_too() {
    let file = File::numpys("np.array([True, False, True])");
    let mut x = file.map_mut::<bool>();
    x.grow(3).unwrap();
    assert_eq!(x.as_slice(), [true, false, true, false, false, false]);
    x.as_mut_slice()[5] = true;
    drop(x);
    assert_eq!(told(&file), json!([[6], false, [true, false, true, false, false, true]]));

    let file = File::numpys("np.array([(1, 2.5)], [('a', '|u1'), ('b', '>f4')])");
    let mut x = file.map_any();
    x.grow(1).unwrap();
    x.fields_mut().field::<f32>(&["b"]).unwrap().set(1, 3.5).unwrap();
    drop(x);
    assert_eq!(file.ask("[list(map(float, r)) for r in a]"), json!([[1.0, 2.5], [0.0, 3.5]]));

    let file = File::numpys("np.array([[1, 2]], '>u2')");
    let mut x = file.map_mut::<[be::U16; 2]>();
    x.grow(1).unwrap();
    assert_eq!((x.as_slice().len(), x.shape()), (2, [2, 2].as_slice()));
    x.as_mut_slice()[1][1] = be::U16::new(7);
    drop(x);
    assert_eq!(told(&file), json!([[2, 2], false, [[1, 2], [0, 7]]]));
}

#[test]
#[cfg(feature = "derive")]
fn records_as_structs_grow_with_their_padding_and_their_bools() {
    #[derive(Clone, Copy, npymap::Element)]
    #[repr(C)]
    struct Padded {
        ok: bool,
        value: f64,
    }
    let file = File::of(&[]);
    npymap::save(&file.path, [2], &[Padded { ok: true, value: 1.5 }; 2]).unwrap();
    let mut x = file.map_mut::<Padded>();
    x.grow(300).unwrap();
    x.copy_rows_from(301, &[Padded { ok: true, value: 2.5 }]).unwrap();
    assert_eq!((x.as_slice()[1].value, x.as_slice()[2].value, x.as_slice()[301].value), (1.5, 0.0, 2.5));
    assert!(x.as_slice()[0].ok && !x.as_slice()[2].ok);
    drop(x);
    assert_eq!(file.ask("[len(a), int(a['ok'].sum()), float(a['value'].sum())]"), json!([302, 3, 5.5]));
}

#[test]
fn an_array_without_rows_grows_from_nothing() {
    for (expression, row) in [("np.zeros((0, 3), 'u4')", 3), ("np.zeros(0, 'u4')", 1), ("np.zeros((0, 2, 3), 'u4')", 6)]
    {
        let file = File::numpys(expression);
        let mut x = file.map_mut::<u32>();
        x.grow(0).unwrap();
        assert!(x.as_slice().is_empty());
        x.grow(2).unwrap();
        assert_eq!(x.as_slice(), vec![0; 2 * row]);
        x.as_mut_slice().fill(5);
        x.grow(1000).unwrap();
        drop(x);
        assert_eq!(file.ask("[len(a), int(a.sum())]"), json!([1002, 5 * 2 * row]), "{expression}");
    }
    // Rows without bytes are only counted.
    let file = File::numpys("np.zeros((5, 0), 'u4')");
    let mut x = file.map_mut::<u32>();
    x.grow(1_000_000).unwrap();
    assert_eq!((x.shape(), x.rows().unwrap().len()), ([1_000_005, 0].as_slice(), 1_000_005));
    assert_eq!(file.ask("a.shape"), json!([1_000_005, 0]));
    x.shrink_to(3).unwrap();
    assert_eq!((file.ask("a.shape"), file.len()), (json!([3, 0]), 128));
}

#[test]
fn an_appendable_file_keeps_its_publish_field_while_it_grows() {
    let file = File::of(&[]);
    WriteOptions::new().appendable(true).save(&file.path, [2, 2], &[1_u16, 2, 3, 4]).unwrap();
    let mut x = file.map_mut::<u16>();
    for _ in 0..20 {
        x.grow(50).unwrap();
        assert!(x.header().appendable());
    }
    drop(x);
    let header = NpyFile::read_header(&file.path).unwrap();
    assert_eq!((header.appendable(), header.data_offset(), header.shape()), (true, 4096, [1002, 2].as_slice()));
    assert_eq!(file.ask("[a[:3].tolist(), int(a.sum()), a.shape]"), json!([[[1, 2], [3, 4], [0, 0]], 10, [1002, 2]]));
    // An appender goes on where growing ended.
    let mut rows = Appender::<[u16; 2]>::open(&file.path).unwrap();
    rows.push(&[5, 6]).unwrap();
    rows.close().unwrap();
    assert_eq!(file.ask("[a[-1].tolist(), len(a)]"), json!([[5, 6], 1003]));
}

#[test]
fn growing_is_seen_by_a_follower_at_once() {
    for appendable in [false, true] {
        let file = File::of(&[]);
        WriteOptions::new().appendable(appendable).save(&file.path, [2], &[1_u8, 2]).unwrap();
        let mut follower = NpyFile::open(&file.path).unwrap();
        let mut x = file.map_mut::<u8>();
        for rows in [3, 10, 11, 99, 100, 5000] {
            x.grow(rows - x.size()).unwrap();
            x.as_mut_slice()[rows - 1] = 7;
            assert_eq!(follower.refresh().unwrap(), rows, "{appendable}");
            assert_eq!(follower.read_rows::<u8>(rows - 1..rows).unwrap(), [7]);
        }
    }
}

#[test]
fn whoever_opens_the_file_while_it_grows_finds_an_array() {
    for appendable in [false, true] {
        let file = File::of(&[]);
        WriteOptions::new().appendable(appendable).save(&file.path, [1, 100], &[1_u32; 100]).unwrap();
        let mut x = file.map_mut::<u32>();
        // NumPy's header gets its publish field first.
        x.grow(1).unwrap();
        let done = AtomicBool::new(false);
        thread::scope(|scope| {
            scope.spawn(|| {
                while !done.load(Ordering::Relaxed) {
                    x.grow(1).unwrap();
                    let last = x.shape()[0] - 1;
                    x[last].fill(7);
                }
            });
            let reader = scope.spawn(|| {
                let mut seen = 0;
                for _ in 0..2000 {
                    let opened = NpyFile::open(&file.path).unwrap();
                    let rows = opened.shape()[0];
                    assert!(rows >= seen, "{rows} after {seen}");
                    let last = opened.read_rows::<u32>(rows - 1..rows).unwrap();
                    assert!(last.iter().all(|&number| number == 0 || number == 7));
                    seen = rows;
                }
            });
            let names = json!({"path": file.path});
            let numpys = support::live::ask("[len(np.load(path, mmap_mode='r')) for _ in range(1000)]", &names);
            let read = reader.join();
            done.store(true, Ordering::Relaxed);
            read.unwrap();
            let counts: Vec<u64> = numpys.as_array().unwrap().iter().map(|rows| rows.as_u64().unwrap()).collect();
            assert!(counts.is_sorted() && counts[999] > counts[0], "{} {}", counts[0], counts[999]);
        });
    }
}

#[test]
fn room_is_really_allocated() {
    let file = File::numpys("np.zeros(1, 'u1')");
    let mut x = file.map_mut::<u8>();
    x.grow(4 << 20).unwrap();
    let blocks = fs::metadata(&file.path).unwrap().blocks();
    assert!(blocks * 512 >= 4 << 20, "{blocks} blocks");
}

/// A file whose header has `spare` characters of room for its `rows` bytes.
fn with_spare(rows: usize, spare: usize) -> File {
    let text = format!("{{'descr': '|u1', 'fortran_order': False, 'shape': ({rows},), }}{:spare$}\n", "");
    File::of(&made::version(1, &text, &vec![1; rows]))
}

#[test]
fn growing_past_the_room_of_the_header_is_an_error_with_the_numbers_and_changes_nothing() {
    for (rows, spare, grow, needed) in
        [(9, 0, 1, 1), (9, 0, 991, 3), (99, 1, 900, 0), (5, 1, 995, 3), (5, 2, 9_999_995, 7)]
    {
        let file = with_spare(rows, spare);
        let before = file.bytes();
        let mut x = file.map_mut::<u8>();
        let refused = x.grow(grow);
        if needed <= spare {
            panic_unless_grown(&file, rows + grow, refused);
            continue;
        }
        let Error::NoHeaderRoom { needed: told, spare: left } = refused.unwrap_err() else { panic!("another error") };
        assert_eq!((told, left), (needed, spare));
        assert_eq!((x.as_slice(), file.bytes()), (vec![1; rows].as_slice(), before));
        // What fits is still done.
        x.grow(0).unwrap();
    }
    let file = with_spare(5, 0);
    file.map_mut::<u8>().grow(4).unwrap();
    assert_eq!(file.ask("a.tolist()"), json!([1, 1, 1, 1, 1, 0, 0, 0, 0]));
    let file = with_spare(999, 1);
    file.map_mut::<u8>().grow(1).unwrap();
    assert_eq!(file.ask("[len(a), int(a.sum())]"), json!([1000, 999]));
}

fn panic_unless_grown(file: &File, rows: usize, grown: npymap::Result<()>) {
    grown.unwrap();
    assert_eq!(file.ask("len(a)"), json!(rows));
}

#[test]
fn a_second_array_in_the_file_is_never_written_over() {
    let one = File::numpys("np.arange(3, dtype='u1')").bytes();
    let two = File::numpys("np.arange(4, dtype='u1')").bytes();
    for behind in [two.as_slice(), b"x"] {
        let both = [one.as_slice(), behind].concat();
        let file = File::of(&both);
        let mut x = file.map_mut::<u8>();
        let refusals = [x.grow(1), x.shrink_to(2), x.shrink_to(0), x.grow(behind.len())];
        for refused in refusals {
            match refused {
                Err(Error::TrailingBytes { after, bytes }) => {
                    assert_eq!((after, bytes), (131, behind.len().try_into().unwrap()));
                }
                other => panic!("{other:?}"),
            }
        }
        assert_eq!((x.as_slice(), x.shape()), ([0, 1, 2].as_slice(), [3].as_slice()));
        assert_eq!(file.bytes(), both);
    }
}

#[test]
fn growing_beside_a_live_appender_is_refused() {
    for appendable in [false, true] {
        let file = File::of(&[]);
        WriteOptions::new().appendable(appendable).save(&file.path, [3], &[1_u8, 2, 3]).unwrap();
        let appender = AppendOptions::new().open::<u8>(&file.path).unwrap();
        let mut x = file.map_mut::<u8>();
        for refused in [x.grow(1), x.shrink_to(1)] {
            assert!(matches!(&refused, Err(Error::Locked { path, .. }) if *path == file.path), "{refused:?}");
        }
        assert_eq!(x.as_slice(), [1, 2, 3]);
        appender.close().unwrap();
        x.grow(1).unwrap();
        assert_eq!(file.ask("a.tolist()"), json!([1, 2, 3, 0]));
    }
}

#[test]
fn rows_that_another_has_added_are_not_uncounted_or_written_over() {
    let file = File::of(&[]);
    WriteOptions::new().appendable(true).save(&file.path, [3], &[1_u8, 2, 3]).unwrap();
    let mut x = file.map_mut::<u8>();
    let mut appender = Appender::<u8>::open(&file.path).unwrap();
    appender.extend(&[4, 5]).unwrap();
    appender.close().unwrap();
    for what in ["grow", "shrink_to"] {
        let done = if what == "grow" { x.grow(1) } else { x.shrink_to(x.size()) };
        // Either it is told that the header is another now, or it takes the file as it is.
        let rows = file.ask("a.tolist()");
        assert_eq!(rows.as_array().unwrap()[..5], [1, 2, 3, 4, 5].map(Value::from), "{what}: {done:?}");
        assert_eq!(&x.as_slice()[..3], [1, 2, 3]);
    }
}

#[test]
fn a_long_header_that_was_allowed_grows_too() {
    let fields: Vec<String> = (0..700).map(|number| format!("('f{number:04}', '|u1')")).collect();
    let file = File::of(&made::c_npy(&format!("[{}]", fields.join(", ")), "(1,)", &[1; 700]));
    let options = npymap::ReadOptions::new().max_header_size(1 << 20);
    // SAFETY: nothing else maps or changes the file.
    let mut x = unsafe { options.map_mut(&file.path) }.unwrap();
    x.grow(1).unwrap();
    assert_eq!((x.shape(), file.len() % 700), ([2].as_slice(), x.header().data_offset() % 700));
    x.shrink_to(1).unwrap();
    assert_eq!(x.bytes(), [1; 700]);
}

#[test]
fn a_file_that_was_resized_by_its_name_is_not_what_was_mapped() {
    let file = File::numpys("np.arange(3, dtype='u1')");
    let mut x = file.map_mut::<u8>();
    npymap::grow(&file.path, 2).unwrap();
    for refused in [x.grow(1), x.shrink_to(1)] {
        assert!(matches!(refused, Err(Error::HeaderChanged { .. })), "{refused:?}");
    }
    assert_eq!((file.ask("a.tolist()"), x.as_slice()), (json!([0, 1, 2, 0, 0]), [0, 1, 2].as_slice()));
}

#[test]
fn a_file_that_was_replaced_or_rewritten_is_not_grown_into() {
    // Replaced: the mapping's own file has no name any more, and the new one is somebody else's.
    let file = File::numpys("np.arange(3, dtype='u1')");
    let mut x = file.map_mut::<u8>();
    npymap::save(&file.path, [2], &[7_u64, 8]).unwrap();
    let other = file.bytes();
    let _ = x.grow(5);
    let _ = x.shrink_to(1);
    assert_eq!(file.bytes(), other);
    // Rewritten in place, longer: the count in it is not the mapping's.
    let file = File::numpys("np.arange(3, dtype='u1')");
    let mut x = file.map_mut::<u8>();
    let other = File::numpys("np.arange(40, dtype='u8')").bytes();
    fs::write(&file.path, &other).unwrap();
    let grown = x.grow(5);
    assert!(matches!(grown, Err(Error::HeaderChanged { .. } | Error::TrailingBytes { .. })), "{grown:?}");
    assert_eq!(file.bytes(), other);
}

#[test]
fn growing_beyond_what_there_can_be_is_an_error_and_changes_nothing() {
    let file = File::numpys("np.ones((3, 2), 'u4')");
    let before = file.bytes();
    let mut x = file.map_mut::<u32>();
    for rows in [usize::MAX, usize::MAX / 8, usize::MAX - 3, 1 << 60] {
        let refused = x.grow(rows).unwrap_err();
        assert!(matches!(refused, Error::ShapeTooLarge { .. }), "{rows}: {refused}");
    }
    // A petabyte fits into the address space, and on no disk.
    let refused = x.grow(1 << 52).unwrap_err();
    assert!(matches!(refused, Error::NoSpace { .. } | Error::Io { .. }), "{refused}");
    assert_eq!((x.as_slice(), file.bytes()), ([1; 6].as_slice(), before));
    let zero = File::numpys("np.array(1.5)");
    let before = zero.bytes();
    let refused = zero.map_mut::<f64>().grow(1).unwrap_err();
    assert_eq!(zero.bytes(), before, "{refused}");
}

#[test]
fn what_an_array_type_has_taken_does_not_grow() {
    let file = File::numpys("np.arange(3, dtype='u1')");
    let mut x = file.map_mut::<[u8; 3]>();
    for rows in [1, 3, 1000] {
        assert!(x.grow(rows).is_err(), "one element of [u8; 3] is all of it");
        assert_eq!((file.ask("a.tolist()"), x.as_slice()), (json!([0, 1, 2]), [[0, 1, 2]].as_slice()));
    }
    assert_eq!((x.shape(), x.bytes()), ([3].as_slice(), [0, 1, 2].as_slice()));
}

/// Something that is done to an array of `[u32; 3]`.
#[derive(Clone, Debug)]
enum Step {
    Grow(usize),
    /// To so many thousandths of what is there.
    Shrink(usize),
    Fill(u32),
    Reopen,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0_usize..3000).prop_map(Step::Grow),
        (0_usize..3).prop_map(Step::Grow),
        (0_usize..=1000).prop_map(Step::Shrink),
        any::<u32>().prop_map(Step::Fill),
        Just(Step::Reopen),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn after_any_steps_the_array_is_what_a_vector_would_be(
        steps in proptest::collection::vec(step(), 1..15), appendable: bool
    ) {
        let file = File::of(&[]);
        WriteOptions::new().appendable(appendable).save(&file.path, [1], &[[1_u32, 2, 3]]).unwrap();
        let offset = NpyFile::read_header(&file.path).unwrap().data_offset();
        let mut wanted = vec![[1_u32, 2, 3]];
        let mut x = file.map_mut::<[u32; 3]>();
        for step in steps {
            match step {
                Step::Grow(rows) => {
                    x.grow(rows).unwrap();
                    wanted.resize(wanted.len() + rows, [0; 3]);
                }
                Step::Shrink(thousandths) => {
                    let rows = wanted.len() * thousandths / 1000;
                    x.shrink_to(rows).unwrap();
                    wanted.truncate(rows);
                }
                Step::Fill(number) => {
                    x.as_mut_slice().fill([number; 3]);
                    wanted.fill([number; 3]);
                }
                Step::Reopen => {
                    drop(x);
                    x = file.map_mut();
                }
            }
            prop_assert!(x.as_slice() == wanted);
            prop_assert_eq!(x.shape(), [wanted.len(), 3]);
            prop_assert_eq!(file.len(), offset + wanted.len() * 12);
            let read = Npy::<[u32; 3]>::read(&file.path).unwrap();
            prop_assert!(read.as_slice() == wanted);
        }
        drop(x);
        prop_assert!(DType::UInt32(npymap::ByteOrder::NATIVE) == *NpyFile::open(&file.path).unwrap().dtype());
        prop_assert_eq!(file.ask("[list(a.shape), int(a.sum())]"), json!([
            [wanted.len(), 3],
            wanted.iter().flatten().map(|&number| u64::from(number)).sum::<u64>(),
        ]));
    }
}
