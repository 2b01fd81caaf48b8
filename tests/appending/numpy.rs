//! Random appenders, with NumPy looking after every commit; every kind of row; when what becomes visible.

use std::fs;
use std::path::Path;
use std::time::Duration;

use npymap::{AppendOptions, Appender, DType, Element, FixedBytes, Order, be, le};
use serde_json::json;

use crate::growing::{self, Random, Row, field, row, rows, state};
use crate::support;
use crate::support::live::ask;

/// Asks NumPy for the shape and for the bytes behind the first `skip` rows, through a mapping.
fn look(path: &Path, skip: usize) -> (Vec<usize>, String) {
    let code = "(lambda a: [list(a.shape), a[skip:].tobytes().hex()])(np.load(path, mmap_mode='r'))";
    let said = ask(code, &json!({"path": path, "skip": skip}));
    let shape = said[0].as_array().unwrap().iter().map(|n| n.as_u64().unwrap().try_into().unwrap()).collect();
    (shape, said[1].as_str().unwrap().to_owned())
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The log against a list of rows: whatever is done, NumPy sees what was committed, after every single commit.
#[test]
fn numpy_reads_every_commit_of_a_random_run() {
    let [seed, cases] = support::seed_and_cases(300);
    let mut random = Random(seed.parse().unwrap());
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    // Below the first carry, so that the run crosses it.
    let start = growing::CARRY - 500;
    growing::sparse_log(&path, start, start);
    let options = AppendOptions::new().buffer_size(4096);
    let mut log = options.open::<Row>(&path).unwrap();
    let (mut pushed, mut visible) = (start, start);
    for _ in 0..cases.parse::<u64>().unwrap() {
        match random.below(10) {
            0..3 => {
                log.push(&row(pushed)).unwrap();
                pushed += 1;
            }
            3..5 => {
                let n = [0, 1, 2, 17, 300, 1000][usize::try_from(random.below(6)).unwrap()];
                log.extend(&rows(pushed..pushed + n)).unwrap();
                pushed += n;
            }
            5..8 => {
                log.commit().unwrap();
                visible = pushed;
            }
            8 => {
                log.sync().unwrap();
                visible = pushed;
                assert_eq!(log.synced() as u64, pushed);
            }
            _ => {
                let options =
                    AppendOptions::new().buffer_size(16 << random.below(12)).preallocate(random.below(2) == 0);
                log.close().unwrap();
                visible = pushed;
                assert_eq!(
                    state(&path),
                    growing::State { field: field(visible), counted: Some(visible), held: visible, partial: 0 }
                );
                log = options.open(&path).unwrap();
                assert!(log.recovery().is_clean(), "{:?}", log.recovery());
            }
        }
        assert_eq!((log.rows() as u64, log.committed() as u64), (pushed, visible));
        assert!(log.synced() <= log.committed());
        // Rows that are not committed may be in the file; they are not counted.
        assert_eq!(state(&path).counted, Some(visible));
        let since = visible - visible.min(start.max(visible.saturating_sub(40)));
        let first = usize::try_from(visible - since).unwrap();
        let (shape, bytes) = look(&path, first);
        assert_eq!(shape, [usize::try_from(visible).unwrap(), 3]);
        assert_eq!(bytes, hex(&growing::bytes(&rows(visible - since..visible))));
    }
    log.close().unwrap();
    assert!(growing::stored(&path, start, pushed) == growing::bytes(&rows(start..pushed)));
    assert_eq!(growing::names(folder.path()), ["log.npy"]);
}

#[test]
fn file_is_exactly_as_long_as_its_rows_after_every_commit() {
    let folder = support::temp_dir();
    for preallocate in [false, true] {
        let path = folder.path().join(format!("{preallocate}.npy"));
        let mut log = AppendOptions::new().preallocate(preallocate).buffer_size(64).create::<Row>(&path).unwrap();
        for n in 0..200 {
            log.push(&row(n)).unwrap();
            log.commit().unwrap();
            assert_eq!(fs::metadata(&path).unwrap().len(), 4096 + 24 * (n + 1), "preallocated: {preallocate}");
        }
    }
}

/// Padding that a compiler leaves between fields holds whatever was there before: it must not reach the file.
#[derive(Clone, Copy, Debug, PartialEq, npymap::Element)]
#[repr(C)]
struct Padded {
    a: u8,
    b: f64,
    c: u16,
}

#[test]
fn records_with_padding_are_written_with_zeros_between_their_fields() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<Padded>::create(&path).unwrap();
    let made: Vec<_> = (0..100).map(|i: u8| Padded { a: i, b: f64::from(i) / 8.0, c: u16::from(i) * 3 }).collect();
    log.push(&made[0]).unwrap();
    log.extend(&made[1..]).unwrap();
    log.close().unwrap();
    let expected = "a = np.zeros(100, np.dtype([('a', 'u1'), ('b', '<f8'), ('c', '<u2')], align=True))\n\
                    a['a'] = np.arange(100); a['b'] = np.arange(100) / 8; a['c'] = np.arange(100) * 3\n\
                    b = np.load(path)\n\
                    assert b.dtype == a.dtype and (a == b).all(), (a.dtype, b.dtype)\n\
                    assert b.tobytes() == a.tobytes()";
    ask(expected, &json!({"path": path}));
}

/// Writes the rows by push and by extend, over two openings, and has NumPy compare them with an expression of its own.
fn numpy_finds<T: Element>(options: &AppendOptions, elements: &[T], expected: &str) {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let half = elements.len() / 2;
    let mut log = options.create::<T>(&path).unwrap();
    log.push(&elements[0]).unwrap();
    log.extend(&elements[1..half]).unwrap();
    log.close().unwrap();
    let mut log = options.open_or_create::<T>(&path).unwrap();
    assert!(log.recovery().is_clean());
    log.extend(&elements[half..]).unwrap();
    log.close().unwrap();
    let code = format!(
        "a, b = {expected}, np.load(path)\n\
         assert a.dtype == b.dtype and np.lib.format.dtype_to_descr(a.dtype) == np.lib.format.dtype_to_descr(b.dtype), (a.dtype, b.dtype)\n\
         assert a.shape == b.shape and (a.ndim == 1 or a.flags.c_contiguous == b.flags.c_contiguous), (a.shape, b.shape, b.flags)\n\
         assert a.tobytes('A') == b.tobytes('A')\n\
         assert os.path.getsize(path) == 4096 + a.nbytes"
    );
    ask(&code, &json!({"path": path}));
}

#[test]
fn every_kind_of_row_reads_back_in_numpy() {
    let default = AppendOptions::new();
    let i32s: Vec<i32> = (-10..10).collect();
    numpy_finds(&default, &i32s, "np.arange(-10, 10, dtype='<i4')");
    let bools: Vec<bool> = i32s.iter().map(|i| i % 3 == 0).collect();
    numpy_finds(&default, &bools, "np.arange(-10, 10) % 3 == 0");
    let big: Vec<be::F64> = i32s.iter().map(|&i| be::F64::new(f64::from(i))).collect();
    numpy_finds(&default, &big, "np.arange(-10, 10).astype('>f8')");
    let vectors: Vec<[f32; 3]> = (0..20u8).map(|i| [0, 1, 2].map(|j| f32::from(i * 3 + j))).collect();
    numpy_finds(&default, &vectors, "np.arange(60, dtype='<f4').reshape(20, 3)");
    let matrices: Vec<[[u16; 2]; 3]> = (0..20).map(|i| [0, 2, 4].map(|j| [i * 6 + j, i * 6 + j + 1])).collect();
    numpy_finds(&default, &matrices, "np.arange(120, dtype='<u2').reshape(20, 3, 2)");
    let names: Vec<FixedBytes<4>> = (0..20).map(|i| FixedBytes::new(format!("n{i}")).unwrap()).collect();
    numpy_finds(&default, &names, "np.array([f'n{i}' for i in range(20)], dtype='S4')");
    let texts: Vec<le::Str<5>> = (0..20).map(|i| le::Str::new(&format!("größ{}", i % 10)).unwrap()).collect();
    numpy_finds(&default, &texts, "np.array([f'größ{i % 10}' for i in range(20)], dtype='<U5')");
    let texts: Vec<be::Str<5>> = (0..20).map(|i| be::Str::new(&format!("größ{}", i % 10)).unwrap()).collect();
    numpy_finds(&default, &texts, "np.array([f'größ{i % 10}' for i in range(20)], dtype='>U5')");
}

#[test]
fn elements_are_written_in_the_byte_order_that_is_asked_for() {
    let numbers: Vec<f64> = (0..20).map(f64::from).collect();
    let options = AppendOptions::new().dtype(DType::from_descr("'>f8'").unwrap());
    numpy_finds(&options, &numbers, "np.arange(20).astype('>f8')");
    let vectors: Vec<[i16; 2]> = (0..20).map(|i| [2 * i, 2 * i + 1]).collect();
    let options = AppendOptions::new().dtype(DType::from_descr("'>i2'").unwrap());
    numpy_finds(&options, &vectors, "np.arange(40).astype('>i2').reshape(20, 2)");
}

/// A file of the other byte order takes native numbers when it is opened, not only when it is made.
#[test]
fn foreign_file_of_the_other_byte_order_grows_by_native_numbers() {
    let folder = support::temp_dir();
    let path = folder.path().join("big.npy");
    ask("np.save(path, np.arange(3).astype('>f4'))", &json!({"path": path}));
    let mut log = Appender::<f32>::open(&path).unwrap();
    log.extend(&[3.0, 4.0]).unwrap();
    log.close().unwrap();
    let said = ask("(lambda a: [a.dtype.str, a.tolist()])(np.load(path))", &json!({"path": path}));
    assert_eq!(said, json!([">f4", [0.0, 1.0, 2.0, 3.0, 4.0]]));
}

#[test]
fn rows_whose_shape_is_given_at_run_time_are_appended_as_slices() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = AppendOptions::new().row_shape([2, 3]).create::<i32>(&path).unwrap();
    log.extend(&(0..18).collect::<Vec<_>>()).unwrap();
    assert_eq!(log.rows(), 3);
    // Half a row is none.
    assert!(log.extend(&[1, 2, 3]).is_err());
    assert_eq!(log.rows(), 3);
    log.extend(&(18..24).collect::<Vec<_>>()).unwrap();
    log.close().unwrap();
    let said =
        ask("bool((np.load(path) == np.arange(24, dtype='<i4').reshape(4, 2, 3)).all())", &json!({"path": path}));
    assert_eq!(said, true);
}

#[test]
fn columns_of_a_fortran_ordered_file_are_appended() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = AppendOptions::new().order(Order::Fortran).row_shape([3]).create::<f32>(&path).unwrap();
    log.extend(&(0..12u8).map(f32::from).collect::<Vec<_>>()).unwrap();
    log.commit().unwrap();
    let code = "(lambda a: [bool(a.flags.f_contiguous), list(a.shape), a.ravel('K').tolist()])(np.load(path))";
    let said = ask(code, &json!({"path": path}));
    assert_eq!(said, json!([true, [3, 4], (0..12u8).map(f32::from).collect::<Vec<_>>()]));
    log.close().unwrap();
    // And one that NumPy made.
    ask("np.save(path, np.asfortranarray(np.arange(24.0).reshape(2, 3, 4)))", &json!({"path": path}));
    let mut log = AppendOptions::new().open_any(&path).unwrap();
    log.extend_bytes(&[24.0, 25.0, 26.0, 27.0, 28.0, 29.0f64].map(f64::to_le_bytes).concat()).unwrap();
    log.close().unwrap();
    let code = "a = np.load(path)\n\
                b = np.arange(24.0).reshape(2, 3, 4)\n\
                c = np.arange(24.0, 30).reshape(2, 3, 1, order='F')\n\
                assert (a == np.concatenate([b, c], axis=2)).all(), a";
    ask(code, &json!({"path": path}));
}

#[test]
fn raw_rows_of_any_dtype_are_appended_as_bytes() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let descr = "[('t', '<M8[us]'), ('name', '<U3'), ('', '|V2'), ('v', '>f4', (2,))]";
    let dtype = DType::from_descr(descr).unwrap();
    let mut log = AppendOptions::new().create_any(&path, dtype).unwrap();
    let row: Vec<u8> = (0..30).collect();
    assert!(log.extend_bytes(&row[..29]).is_err());
    log.extend_bytes(&row.repeat(7)).unwrap();
    assert_eq!(log.rows(), 7);
    log.close().unwrap();
    let said = ask(
        "(lambda a: [repr(np.lib.format.dtype_to_descr(a.dtype)), len(a), a.tobytes().hex()])(np.load(path))",
        &json!({"path": path}),
    );
    assert_eq!(said, json!([descr, 7, hex(&row.repeat(7))]));
}

#[test]
fn header_that_is_created_is_the_one_that_the_format_section_draws() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<Row>::create(&path).unwrap();
    assert_eq!(fs::read(&path).unwrap(), growing::row_header(field(0)));
    log.extend(&rows(0..10)).unwrap();
    log.close().unwrap();
    assert_eq!(fs::read(&path).unwrap(), [growing::row_header(field(10)), growing::bytes(&rows(0..10))].concat());
}

#[test]
fn commits_come_by_themselves_after_so_many_rows_or_bytes_or_so_long() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let counted = |path: &Path| state(path).counted.unwrap();
    let mut log = AppendOptions::new().commit_every_rows(10).create::<Row>(&path).unwrap();
    for n in 0..35 {
        log.push(&row(n)).unwrap();
        assert_eq!(counted(&path), (n + 1) / 10 * 10);
    }
    drop(log);
    let before = counted(&path);
    let mut log = AppendOptions::new().commit_every_bytes(48).open::<Row>(&path).unwrap();
    for n in 0..8 {
        log.push(&row(before + n)).unwrap();
    }
    assert_eq!(counted(&path), before + 8);
    log.close().unwrap();
    let before = counted(&path);
    let mut log = AppendOptions::new().commit_every(Duration::from_millis(30)).open::<Row>(&path).unwrap();
    log.push(&row(before)).unwrap();
    std::thread::sleep(Duration::from_millis(40));
    log.poll().unwrap();
    assert_eq!(counted(&path), before + 1);
}

#[test]
fn syncs_of_their_own_thread_report_what_is_durable() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<Row>::create(&path).unwrap();
    let mut n = 0;
    for _ in 0..20 {
        log.extend(&rows(n..n + 100)).unwrap();
        n += 100;
        log.sync_async().unwrap();
        log.push(&row(n)).unwrap();
        n += 1;
        log.poll().unwrap();
        assert!(log.synced() <= log.committed() && log.committed() <= log.rows());
    }
    let end = std::time::Instant::now() + Duration::from_secs(20);
    while log.synced() < 100 && std::time::Instant::now() < end {
        log.poll().unwrap();
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(log.synced() >= 100, "{}", log.synced());
    log.sync().unwrap();
    assert_eq!(log.synced() as u64, n);
    log.close().unwrap();
    assert!(growing::stored(&path, 0, n) == growing::bytes(&rows(0..n)));
}

#[test]
fn numbers_of_the_header_are_those_of_the_file() {
    let folder = support::temp_dir();
    let path = folder.path().join("log.npy");
    let mut log = Appender::<Row>::create(&path).unwrap();
    log.extend(&rows(0..7)).unwrap();
    log.commit().unwrap();
    let header = log.header();
    assert_eq!((header.version(), header.data_offset(), header.appendable()), ((1, 0), 4096, true));
    let code = "(lambda a: [os.path.getsize(path) - a.nbytes, a.offset, list(a.shape), a.dtype.str])(np.load(path, mmap_mode='r'))";
    assert_eq!(ask(code, &json!({"path": path})), json!([4096, 4096, [7, 3], "<u8"]));
}
