//! Files that lie, are cut, or change while they are read: each a clean error by every way in, with no more memory
//! than the file justifies.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;

use std::fs::{self, File};
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use made::{c_npy as npy, version};
use npymap::{DType, Error, Header, Npy, NpyAny, NpyFile, ReadOptions};

/// Counts what the current thread allocates.
#[expect(unsafe_code, reason = "an allocator is unsafe to implement")]
mod counting {
    use std::alloc::{GlobalAlloc, Layout, System};
    use std::cell::Cell;

    thread_local! {
        static LIVE: Cell<isize> = const { Cell::new(0) };
        static PEAK: Cell<isize> = const { Cell::new(0) };
        static TOTAL: Cell<usize> = const { Cell::new(0) };
    }

    struct Counting;

    #[global_allocator]
    static ALLOCATOR: Counting = Counting;

    fn count(size: usize, sign: isize) {
        let size_signed = sign * isize::try_from(size).unwrap_or(isize::MAX);
        LIVE.set(LIVE.get() + size_signed);
        PEAK.set(PEAK.get().max(LIVE.get()));
        if sign > 0 {
            TOTAL.set(TOTAL.get().saturating_add(size));
        }
    }

    // SAFETY: every call is handed on to the system's allocator as it came.
    unsafe impl GlobalAlloc for Counting {
        unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 1);
            // SAFETY: the caller's own promise.
            unsafe { System.alloc(layout) }
        }

        unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
            count(layout.size(), 1);
            // SAFETY: the caller's own promise.
            unsafe { System.alloc_zeroed(layout) }
        }

        unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
            count(layout.size(), -1);
            // SAFETY: the caller's own promise.
            unsafe { System.dealloc(pointer, layout) }
        }

        unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
            count(size, 1);
            count(layout.size(), -1);
            // SAFETY: the caller's own promise.
            unsafe { System.realloc(pointer, layout, size) }
        }
    }

    /// What a call allocates: the most at once, and all in all, in bytes.
    pub struct Cost {
        pub peak: usize,
        pub total: usize,
    }

    pub fn cost<T>(call: impl FnOnce() -> T) -> (T, Cost) {
        LIVE.set(0);
        PEAK.set(0);
        TOTAL.set(0);
        let result = call();
        (result, Cost { peak: PEAK.get().unsigned_abs(), total: TOTAL.get() })
    }
}

use counting::cost;

/// A file in a folder of its own.
struct Saved {
    path: PathBuf,
    _folder: tempfile::TempDir,
}

impl Saved {
    fn new(bytes: &[u8]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("x.npy");
        fs::write(&path, bytes).unwrap();
        Self { path, _folder: folder }
    }

    /// The end of the file, set without writing to it.
    fn set_len(&self, len: u64) {
        self.writer().set_len(len).unwrap();
    }

    fn writer(&self) -> File {
        File::options().write(true).open(&self.path).unwrap()
    }

    fn store(&self, bytes: &[u8], at: u64) {
        std::os::unix::fs::FileExt::write_all_at(&self.writer(), bytes, at).unwrap();
    }
}

#[expect(unsafe_code, reason = "maps files that only this test knows")]
fn map(path: &Path) -> Result<NpyAny, Error> {
    // SAFETY: the file lies in a folder of the test's own, and is not written to while it is mapped.
    unsafe { NpyAny::map(path) }
}

/// A way in, the bytes of the array by it, and the memory that it took at once.
type Way = (&'static str, Result<Vec<u8>, Error>, usize);

/// Opens a file by every way in.
fn ways(file: &[u8]) -> Vec<Way> {
    let saved = Saved::new(file);
    let path = saved.path.as_path();
    let mut ways = Vec::new();
    let mut way = |name, open: &dyn Fn() -> Result<usize, Error>, bytes: &dyn Fn() -> Result<Vec<u8>, Error>| {
        let (opened, cost) = cost(open);
        let found = bytes();
        assert_eq!(opened.is_ok(), found.is_ok(), "{name}");
        ways.push((name, found, cost.peak));
    };
    way("from_bytes", &|| NpyAny::from_bytes(file).map(|array| array.size()), &|| {
        NpyAny::from_bytes(file.to_vec()).map(|array| array.bytes().to_vec())
    });
    way("read", &|| NpyAny::read(path).map(|array| array.size()), &|| {
        NpyAny::read(path).map(|array| array.bytes().to_vec())
    });
    way("map", &|| map(path).map(|array| array.size()), &|| map(path).map(|array| array.bytes().to_vec()));
    way("read_from", &|| NpyAny::read_from(file).map(|array| array.size()), &|| {
        NpyAny::read_from(file).map(|array| array.bytes().to_vec())
    });
    way("NpyFile", &|| NpyFile::open(path)?.read_any().map(|array| array.size()), &|| {
        NpyFile::open(path)?.read_any().map(|array| array.bytes().to_vec())
    });
    ways
}

/// Memory that opening may take: for a header, a hundred times itself; for a stream, one step of room.
fn allowed(way: &str, file: &[u8]) -> usize {
    let step = if way == "read_from" { 1 << 20 } else { 0 };
    16 * 1024 + 100 * file.len() + step
}

/// Asserts that a file gives an error of one of these kinds by every way in.
fn assert_refused(file: &[u8], kinds: &[&str]) {
    for (way, found, peak) in ways(file) {
        let error = found.err().unwrap_or_else(|| panic!("{way} takes it"));
        assert!(kinds.contains(&error.kind()), "{way}: {} {error}", error.kind());
        assert!(peak <= allowed(way, file), "{way} takes {peak} bytes for {}", file.len());
    }
}

/// Asserts that every way in finds these bytes.
fn assert_taken(file: &[u8], bytes: &[u8]) {
    for (way, found, peak) in ways(file) {
        assert_eq!(found.unwrap_or_else(|error| panic!("{way}: {error}")), bytes, "{way}");
        assert!(peak <= allowed(way, file), "{way} takes {peak} bytes for {}", file.len());
    }
}

#[test]
fn brackets_ten_thousand_deep_are_an_error() {
    for open in ["[", "(", "{", "{'a':", "[('a',", "(((", "-(", "{**"] {
        let text = open.repeat(9_990 / open.len());
        assert_refused(&version(1, &text, &[]), &["header_too_deep", "header_syntax"]);
        let text = format!("{{'descr': {text}");
        assert_refused(&version(1, &text, &[]), &["header_too_deep", "header_syntax"]);
        let (file, options) = (version(2, &open.repeat(100_000), &[]), ReadOptions::new().max_header_size(1 << 20));
        let (result, cost) = cost(|| options.parse_header(&file));
        assert!(result.is_err());
        assert!(cost.peak < 1 << 20, "{}", cost.peak);
    }
    assert_refused(&version(1, &"]".repeat(9_990), &[]), &["header_syntax"]);
}

fn npy_of_any_length(descr: &str, data: &[u8]) -> Vec<u8> {
    version(2, &format!("{{'descr': {descr}, 'fortran_order': False, 'shape': ()}}"), data)
}

#[test]
fn the_deepest_dtype_fits_the_stack_of_a_thread() {
    // As deep as the limit on brackets lets them be.
    for (depth, open, close) in [(98, "[('a', ", ")]"), (196, "(", ", (1,))"), (98, "[('b', ", ", (1,))]")] {
        let nested = format!("{}'<f8'{}", open.repeat(depth), close.repeat(depth));
        let file = npy_of_any_length(&format!("[('x', {nested})]"), &[0; 8]);
        let use_it = move || {
            let header = Header::parse(&file).unwrap();
            let dtype = header.dtype().clone();
            assert_eq!((&dtype, dtype.itemsize(), dtype.object_path()), (header.dtype(), 8, None));
            assert_eq!(DType::from_descr(&dtype.to_string()).unwrap(), dtype);
            let _ = format!("{dtype:?}");
            let array = NpyAny::from_bytes(file.as_slice()).unwrap();
            let _ = (array.to_string(), array.value(&[]).is_ok());
        };
        thread::Builder::new().stack_size(2 << 20).spawn(use_it).unwrap().join().unwrap();
    }
}

#[test]
fn a_header_of_four_gibibytes_is_not_believed() {
    for major in [2, 3] {
        let mut file = version(major, "{'descr'", &[]);
        file[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
        assert_eq!(file.len(), 20);
        assert_refused(&file, &["header_truncated", "header_too_long"]);
        for error in [Header::parse(&file).unwrap_err(), NpyFile::read_header(&Saved::new(&file).path).unwrap_err()] {
            assert!(
                matches!(error, Error::HeaderTruncated { part: "header", needed, held: 20 } if needed == (1 << 32) + 11)
            );
        }
        // Also where the limit would allow it.
        let options = ReadOptions::new().max_header_size(usize::MAX);
        let (result, cost) = cost(|| options.read_from(file.as_slice()));
        assert!(matches!(result, Err(Error::HeaderTruncated { part: "header", held: 20, .. })));
        assert!(cost.peak < 4096, "{}", cost.peak);
    }
}

#[test]
fn a_header_over_the_limit_is_refused_before_it_is_read() {
    let saved = Saved::new(&version(2, "{'descr'", &[]));
    saved.store(&0x3fff_ffff_u32.to_le_bytes(), 8);
    // The file does hold it, as a hole.
    saved.set_len(1 << 31);
    let (results, cost) = cost(|| {
        [map(&saved.path).err(), NpyAny::read(&saved.path).err(), NpyFile::open(&saved.path).err()]
            .map(|error| error.unwrap().kind())
    });
    assert_eq!(results, ["header_too_long"; 3]);
    assert!(cost.peak < 16 * 1024, "{}", cost.peak);
}

#[test]
fn shapes_that_promise_too_much_are_errors() {
    let data = [0x41; 48];
    let overflow = ["shape_too_large", "dimension"];
    assert_refused(&npy("'<f8'", "(0, 4294967296, 4294967296)", &data), &overflow);
    assert_refused(&npy("'<f8'", "(4294967296, 4294967296, 0)", &data), &overflow);
    assert_refused(&npy("'<f8'", "(2305843009213693953,)", &data), &overflow);
    assert_refused(&npy("'|u1'", "(9223372036854775808,)", &data), &["dimension"]);
    assert_refused(&npy("'|u1'", &format!("({},)", "9".repeat(40)), &data), &["dimension"]);
    assert_refused(&npy("'|u1'", "(-1,)", &data), &["dimension"]);
    for shape in ["(100000000000,)", "(50000000000, 2)", "(1, 49)", "(9223372036854775807,)", "(49,)"] {
        assert_refused(&npy("'|u1'", shape, &data), &["data_truncated"]);
    }
    // A hole costs nothing to make, and nothing to open.
    let saved = Saved::new(&npy("'|u1'", "(100000000000,)", &[]));
    saved.set_len(128 + 100_000_000_000);
    let (size, cost) = cost(|| (map(&saved.path).unwrap().size(), NpyFile::open(&saved.path).unwrap().shape().len()));
    assert_eq!(size, (100_000_000_000, 1));
    assert!(cost.peak < 16 * 1024);
}

#[test]
fn empty_arrays_are_taken_also_misaligned() {
    for shape in ["(0,)", "(0, 3)", "(3, 0)", "(0, 4294967296)"] {
        assert_taken(&npy("'<f8'", shape, &[]), &[]);
        assert_taken(&npy("'<f8'", shape, b"something after it"), &[]);
    }
    // At byte 55 of a page, as a stored npz member may lie.
    let text = "{'descr':'<f8','fortran_order':False,'shape':(0,3)}";
    let file = version(1, text, &[]);
    assert!(!file.len().is_multiple_of(8));
    assert_taken(&file, &[]);
    let saved = Saved::new(&file);
    assert!(map(&saved.path).unwrap().into_typed::<f64>().unwrap().as_slice().is_empty());
    let buffer = [[0; 55].as_slice(), &file].concat();
    assert!(Npy::<[f64; 3], _>::from_bytes(&buffer[55..]).unwrap().as_slice().is_empty());
}

#[test]
fn a_bad_bool_is_an_error_by_every_way_in() {
    let file = npy("'|b1'", "(5,)", &[0, 1, 2, 1, 255]);
    assert_taken(&file, &[0, 1, 2, 1, 255]);
    let saved = Saved::new(&file);
    let opened = NpyFile::open(&saved.path).unwrap();
    for error in [
        map(&saved.path).unwrap().into_typed::<bool>().unwrap_err(),
        Npy::<bool, _>::read(&saved.path).unwrap_err(),
        Npy::<bool, _>::read_from(file.as_slice()).unwrap_err(),
        Npy::<bool, _>::from_bytes(file.as_slice()).unwrap_err(),
        opened.read_all::<bool>().unwrap_err(),
        opened.value(&[2]).unwrap_err(),
    ] {
        assert!(matches!(error, Error::InvalidBool { index: 2, byte: 2, .. }), "{error}");
    }
    assert_eq!(opened.read_rows::<bool>(0..2).unwrap(), [false, true]);
    assert_eq!(opened.read_rows::<bool>(3..4).unwrap(), [true]);
}

#[test]
fn the_index_of_a_bad_bool_is_right_in_every_chunk_and_array_type() {
    for at in [0, 1, 16_383, 16_384, 16_385, 262_143, 262_144, 262_145, 299_999] {
        let mut data = vec![1; 300_000];
        data[at] = 9;
        let flat = npy("'|b1'", "(300000,)", &data);
        let pairs = npy("'|b1'", "(150000, 2)", &data);
        let saved = (Saved::new(&flat), Saved::new(&pairs));
        let any = NpyAny::from_bytes(pairs.as_slice()).unwrap();
        for (way, error) in [
            ("to_vec", NpyAny::from_bytes(flat.as_slice()).unwrap().to_vec::<bool>().unwrap_err()),
            ("to_vec of pairs", any.to_vec::<[bool; 2]>().unwrap_err()),
            ("typed pairs", any.typed::<[bool; 2]>().unwrap_err()),
            ("read_all", NpyFile::open(&saved.0.path).unwrap().read_all::<bool>().unwrap_err()),
            ("read_all of pairs", NpyFile::open(&saved.1.path).unwrap().read_all::<[bool; 2]>().unwrap_err()),
        ] {
            assert!(matches!(error, Error::InvalidBool { index, byte: 9, .. } if index == at), "{way} {at}: {error}");
        }
    }
}

#[test]
fn a_file_cut_at_any_byte_is_an_error_that_says_what_is_missing() {
    let file = npy("'<f4'", "(2, 3)", &[7; 24]);
    assert_taken(&file, &[7; 24]);
    for held in 0..file.len() {
        let part = match held {
            ..8 => "magic string",
            8..10 => "header length",
            _ => "header",
        };
        for (way, found, _) in ways(&file[..held]) {
            let held = u64::try_from(held).unwrap();
            let as_expected = match found.unwrap_err() {
                Error::HeaderTruncated { part: found, needed, held: said } => {
                    held < 128 && (part, held) == (found, said) && needed > held
                }
                Error::DataTruncated { data_offset: 128, needed: 24, held: said, .. } => {
                    held >= 128 && said == held - 128
                }
                _ => false,
            };
            assert!(as_expected, "{way} of {held} bytes");
        }
    }
}

#[test]
fn a_header_with_any_byte_changed_gives_the_same_by_every_way_in_and_never_a_panic() {
    let file = npy("[('a', '<f4'), ('b', '|S3', (2,))]", "(2,)", &[7; 20]);
    let mut opened = 0;
    for at in 0..128 {
        for byte in [0, b'\n', b' ', b'\'', b'(', b'0', b'9', b',', b'\\', b'}', 0x80, 0xff] {
            let mut file = file.clone();
            file[at] = byte;
            let (bytes, stream) = (NpyAny::from_bytes(file.as_slice()), NpyAny::read_from(file.as_slice()));
            match (&bytes, &stream) {
                (Ok(bytes), Ok(stream)) => {
                    opened += 1;
                    assert_eq!((bytes.header(), bytes.bytes()), (stream.header(), stream.bytes()));
                    let _ = bytes.to_string();
                }
                (Err(bytes), Err(stream)) => {
                    let longer = bytes.kind() == "header_truncated" || stream.kind() == "header_truncated";
                    assert!(longer || bytes.to_string() == stream.to_string(), "{at} {byte}: {bytes}; {stream}");
                }
                _ => panic!("{at} {byte}: {bytes:?} {stream:?}"),
            }
        }
    }
    assert!(opened > 100);
}

#[test]
fn memory_grows_no_faster_than_the_header() {
    type Form = (&'static str, fn(usize) -> String);
    let forms: [Form; 12] = [
        ("fields", |n| fields(n, |i| format!("('f{i}', '<f8')"))),
        ("subarrays", |n| fields(n, |i| format!("('f{i}', '<f8', (1, 2))"))),
        ("titles", |n| fields(n, |i| format!("(('t{i}', 'f{i}'), '<f8')"))),
        ("a name", |n| fields(1, |_| format!("('{}', '<f8')", "x".repeat(n)))),
        ("escapes", |n| fields(1, |_| format!("('{}', '<f8')", "\\x41".repeat(n)))),
        ("many strings", |n| fields(1, |_| format!("({}, '<f8')", "'ab' ".repeat(n)))),
        ("a comma string", |n| format!("'{}'", "f8,".repeat(n))),
        ("digits", |n| format!("'<f8', 'x': {}", "7".repeat(n))),
        ("lists", |n| "[],".repeat(n)),
        ("numbers", |n| "1,".repeat(n)),
        ("long sums", |n| format!("{}1", "(1+2j,), ".repeat(n))),
        ("comments", |n| format!("#{}\n'<f8'", "#".repeat(n))),
    ];
    let options = ReadOptions::new().max_header_size(1 << 30);
    for (form, descr) in forms {
        let measure = |n: usize| {
            let text = format!("{{'descr': {}, 'fortran_order': False, 'shape': (1,)}}", descr(n));
            let file = version(2, &text, &[]);
            (file.len(), cost(|| options.parse_header(&file).map(|header| header.itemsize())).1)
        };
        let ((short_len, short), (long_len, long)) = (measure(400), measure(4_000));
        assert!(long.peak <= 16 * 1024 + 100 * long_len, "{form}: {} bytes for {long_len}", long.peak);
        assert!(long.total <= 20 * short.total.max(short_len), "{form}: {} and {} bytes", short.total, long.total);
    }
}

fn fields(n: usize, field: impl Fn(usize) -> String) -> String {
    format!("[{}]", (0..n).map(field).collect::<Vec<_>>().join(", "))
}

#[test]
fn a_stream_is_given_room_as_it_arrives() {
    let file = npy("'|u1'", "(1000000000000,)", &[1; 3_000_000]);
    let (result, cost) = cost(|| NpyAny::read_from(file.as_slice()));
    assert!(matches!(result, Err(Error::DataTruncated { needed: 1_000_000_000_000, held: 3_000_000, .. })));
    assert!(cost.peak < 16_000_000, "{}", cost.peak);
}

// Files that change.

#[test]
fn a_file_that_is_cut_after_it_was_opened_is_an_error_with_the_bytes_held() {
    let saved = Saved::new(&npy("'<u2'", "(100, 3)", &[1; 600]));
    let file = NpyFile::open(&saved.path).unwrap();
    let truncated = |error: Error, left: u64| matches!(error, Error::DataTruncated { needed: 600, held, data_offset: 128, .. } if held == left);
    saved.set_len(128 + 301);
    assert!(truncated(file.read_all::<u16>().unwrap_err(), 301));
    assert!(truncated(file.read_rows::<[u16; 3]>(50..51).unwrap_err(), 301));
    assert!(truncated(file.read_any().unwrap_err(), 301));
    assert!(truncated(file.value(&[50, 1]).unwrap_err(), 301));
    assert!(truncated(file.read_bytes(600 - 5, &mut [0; 5]).unwrap_err(), 301));
    // The rows that are left can be read.
    assert_eq!(file.read_rows::<[u16; 3]>(49..50).unwrap(), [[0x101; 3]]);
    saved.set_len(5);
    assert!(truncated(file.read_rows::<[u16; 3]>(0..1).unwrap_err(), 0));
    assert_eq!(file.shape(), [100, 3]);
    assert!(matches!(NpyFile::open(&saved.path), Err(Error::HeaderTruncated { held: 5, .. })));
}

/// A 4096-byte header of `|u1` with this count at bytes 64 to 80, and a hole for the rows.
fn log(count: &str, rows: u64) -> Saved {
    let mut file = b"\x93NUMPY\x01\0\xf6\x0f{'descr': '|u1', 'fortran_order': False, ".to_vec();
    file.resize(64 - "'shape': (".len(), b' ');
    file.extend_from_slice(format!("'shape': ({count:>16},), }}").as_bytes());
    file.resize(4095, b' ');
    file.push(b'\n');
    let saved = Saved::new(&file);
    saved.set_len(4096 + rows);
    saved
}

#[test]
fn a_count_that_stays_in_a_carry_is_an_error() {
    for field in ["        0000000 ", "       10000000 "] {
        let saved = log(field, 100_000_050);
        for error in [
            NpyFile::open(&saved.path).err().unwrap(),
            NpyFile::read_header(&saved.path).err().unwrap(),
            map(&saved.path).err().unwrap(),
            NpyAny::read(&saved.path).err().unwrap(),
        ] {
            assert!(matches!(&error, Error::UnfinishedPublish { field: found, .. } if found == field), "{error}");
        }
    }
}

#[test]
fn a_count_that_is_finished_in_time_opens_with_the_final_count() {
    let opens: [fn(&Path) -> usize; 3] = [
        |path| NpyFile::open(path).unwrap().shape()[0],
        |path| NpyFile::read_header(path).unwrap().shape()[0],
        |path| map(path).unwrap().shape()[0],
    ];
    for open in opens {
        let saved = log("        0000000 ", 100_000_050);
        let path = saved.path.clone();
        let (ready, started) = mpsc::channel();
        let reader = thread::spawn(move || {
            ready.send(()).unwrap();
            open(&path)
        });
        started.recv().unwrap();
        thread::sleep(Duration::from_millis(20));
        saved.store(b"       1", 64);
        thread::sleep(Duration::from_millis(5));
        saved.store(b"00000050", 72);
        assert_eq!(reader.join().unwrap(), 100_000_050);
    }
}

#[test]
fn a_finished_count_that_the_file_does_not_hold_is_an_error() {
    let saved = log("100", 99);
    assert!(matches!(NpyFile::open(&saved.path), Err(Error::DataTruncated { needed: 100, held: 99, .. })));
    saved.set_len(4096 + 100);
    let file = NpyFile::open(&saved.path).unwrap();
    assert_eq!((file.header().appendable(), file.header().spare()), (true, 13));
}

// Streams.

#[test]
fn arrays_in_one_stream_come_one_after_another_until_the_first_error() {
    let first = npy("'|u1'", "(3,)", &[1, 2, 3]);
    let second = npy("'|u1'", "(0, 5)", &[]);
    let broken = npy("'|u1'", "(9,)", &[9; 4]);
    let stream = [first.as_slice(), &second, &broken, &[]].concat();
    let mut arrays = NpyAny::read_all_from(stream.as_slice());
    assert_eq!(arrays.next().unwrap().unwrap().bytes(), [1, 2, 3]);
    assert_eq!(arrays.next().unwrap().unwrap().shape(), [0, 5]);
    assert!(matches!(arrays.next(), Some(Err(Error::DataTruncated { needed: 9, held: 4, .. }))));
    assert!(arrays.next().is_none() && arrays.next().is_none());

    let stream = [first.as_slice(), b"\x93NUMPX", &first].concat();
    let kinds = |stream: &[u8]| {
        NpyAny::read_all_from(stream).map(|array| array.map_or_else(|error| error.kind(), |_| "ok")).collect::<Vec<_>>()
    };
    assert_eq!(kinds(&stream), ["ok", "not_npy"]);
    assert_eq!(kinds(&[first.as_slice(), &first, b"\x93NUM"].concat()), ["ok", "ok", "header_truncated"]);
    assert_eq!(kinds(&[first.as_slice(), b"\n"].concat()), ["ok", "not_npy"]);
    assert_eq!(kinds(&first), ["ok"]);
    assert!(kinds(&[]).is_empty());
}

/// Gives out a byte at a time, and asks to be called again in between.
struct Slow<'a>(&'a [u8], bool);

impl Read for Slow<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        self.1 = !self.1;
        if self.1 {
            return Err(std::io::ErrorKind::Interrupted.into());
        }
        let n = self.0.len().min(buffer.len()).min(1);
        buffer[..n].copy_from_slice(&self.0[..n]);
        self.0 = &self.0[n..];
        Ok(n)
    }
}

#[test]
fn nothing_is_read_beyond_the_array_however_slowly_it_comes() {
    let file = npy("'|u1'", "(300,)", &[5; 300]);
    let stream = [file.as_slice(), b"the rest"].concat();
    let mut slow = Slow(&stream, false);
    assert_eq!(NpyAny::read_from(&mut slow).unwrap().bytes(), [5; 300]);
    assert_eq!(slow.0, b"the rest");
    let mut quick = stream.as_slice();
    NpyAny::read_from(&mut quick).unwrap();
    assert_eq!(quick, b"the rest");
    for cut in [3, 9, 100, 200] {
        let error = NpyAny::read_from(Slow(&file[..cut], false)).unwrap_err();
        assert!(matches!(error, Error::HeaderTruncated { .. } | Error::DataTruncated { .. }), "{error}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_fifo_is_read_to_the_end_of_its_array() {
    use rustix::fs::{CWD, FileType, Mode, mknodat};

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("fifo");
    mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).unwrap();
    let written = |bytes: Vec<u8>| {
        let path = path.clone();
        // The reader may have gone before all is written.
        let writer = thread::spawn(move || drop(fs::write(path, bytes)));
        (writer, NpyAny::read(folder.path().join("fifo")))
    };
    let (writer, array) = written(npy("'<u2'", "(100000,)", &[1; 200_000]));
    assert_eq!(array.unwrap().to_vec::<u16>().unwrap(), [0x101; 100_000]);
    writer.join().unwrap();
    let (writer, array) = written(npy("'<u2'", "(100000,)", &[1; 100]));
    assert!(matches!(array, Err(Error::DataTruncated { needed: 200_000, held: 100, .. })));
    writer.join().unwrap();
    let (writer, array) = written(b"\x93NUM".to_vec());
    assert!(matches!(array, Err(Error::HeaderTruncated { held: 4, .. })));
    writer.join().unwrap();
}

#[test]
fn a_folder_and_an_empty_file_are_errors() {
    let saved = Saved::new(&[]);
    assert_refused(&[], &["header_truncated"]);
    let folder = saved.path.parent().unwrap();
    for error in [NpyAny::read(folder).err(), NpyFile::open(folder).err(), map(folder).err()] {
        let error = error.unwrap();
        assert_eq!(error.kind(), "io");
        assert!(error.to_string().contains(folder.to_str().unwrap()), "{error}");
    }
}

// Files that the kernel keeps as they are.

#[cfg(target_os = "linux")]
mod immutable {
    use std::io::Write;

    use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

    use super::*;

    fn memfd(bytes: &[u8], seals: SealFlags) -> File {
        let mut file = File::from(memfd_create("npymap", MemfdFlags::ALLOW_SEALING).unwrap());
        file.write_all(bytes).unwrap();
        fcntl_add_seals(&file, seals).unwrap();
        file
    }

    #[test]
    fn a_sealed_memfd_is_mapped_without_unsafe() {
        let file = npy("'<u2'", "(3,)", &[1, 0, 2, 0, 3, 0]);
        let sealed = memfd(&file, SealFlags::WRITE | SealFlags::SHRINK);
        let array = Npy::<npymap::le::U16>::map_immutable(&sealed).unwrap();
        assert!(Write::write(&mut &sealed, b"x").is_err() && sealed.set_len(10).is_err());
        drop(sealed);
        assert_eq!(array.as_slice().iter().map(|value| value.get()).collect::<Vec<_>>(), [1, 2, 3]);
    }

    #[test]
    fn what_may_change_is_refused() {
        let file = npy("'<u2'", "(3,)", &[1, 0, 2, 0, 3, 0]);
        for seals in
            [SealFlags::empty(), SealFlags::WRITE, SealFlags::SHRINK, SealFlags::FUTURE_WRITE | SealFlags::SHRINK]
        {
            assert!(matches!(NpyAny::map_immutable(&memfd(&file, seals)), Err(Error::NotImmutable)), "{seals:?}");
        }
        let saved = Saved::new(&file);
        assert!(matches!(NpyAny::map_immutable(&File::open(&saved.path).unwrap()), Err(Error::NotImmutable)));
    }

    #[test]
    fn a_sealed_memfd_that_is_too_short_is_an_error() {
        let sealed = memfd(&npy("'<u2'", "(3,)", &[1, 0, 2, 0, 3]), SealFlags::WRITE | SealFlags::SHRINK);
        assert!(matches!(NpyAny::map_immutable(&sealed), Err(Error::DataTruncated { needed: 6, held: 5, .. })));
        let empty = memfd(&npy("'<u2'", "(0,)", &[]), SealFlags::WRITE | SealFlags::SHRINK);
        assert_eq!(NpyAny::map_immutable(&empty).unwrap().size(), 0);
    }
}

// What the counting found on the way.

#[test]
fn an_array_type_may_take_the_only_axis() {
    let file = npy("'|u1'", "(3,)", &[1, 2, 3]);
    let saved = Saved::new(&file);
    let opened = NpyFile::open(&saved.path).unwrap();
    assert_eq!(NpyAny::from_bytes(file.as_slice()).unwrap().to_vec::<[u8; 3]>().unwrap(), [[1, 2, 3]]);
    assert_eq!(opened.read_all::<[u8; 3]>().unwrap(), [[1, 2, 3]]);
    assert_eq!(opened.read_rows::<[u8; 3]>(0..0).unwrap(), [[0; 3]; 0]);
    assert!(matches!(opened.read_rows::<[u8; 3]>(0..1), Err(Error::PartialElement { bytes: 1, size: 3, .. })));
}

#[test]
fn stored_bytes_end_with_the_array() {
    let saved = Saved::new(&npy("'|u1'", "(3,)", b"abcdef"));
    let opened = NpyFile::open(&saved.path).unwrap();
    let mut buffer = [0; 2];
    opened.read_bytes(1, &mut buffer).unwrap();
    assert_eq!(&buffer, b"bc");
    for first in [2, 3, usize::MAX] {
        let error = opened.read_bytes(first, &mut buffer).unwrap_err();
        assert!(matches!(error, Error::OutOfBounds { what: "bytes", len: 3, .. }), "{error}");
    }
    opened.read_bytes(3, &mut []).unwrap();
}
