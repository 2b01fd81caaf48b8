//! Every route from safe code to undefined behaviour that writing offers, walked: natively, and under Miri on this
//! machine, big-endian and 32-bit. Miri maps no files, and files get their names there in the way of systems that have no
//! unnamed ones.
//!
//! What must not compile is in `tests/compile_fail/`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;

use std::fmt::Debug;
use std::io::{self, Cursor, Seek, SeekFrom, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use made::npy;
use npymap::{
    Aligned, ByteOrder, DType, Datetime64, Element, ElementMut, Error, FixedBytes, Npy, NpyAny, Order, Result,
    RowWriter, Void, WriteOptions, be, le,
};

/// A descr in the byte order of this machine.
fn native(kind: &str) -> String {
    format!("'{}{kind}'", ByteOrder::NATIVE.char())
}

fn aligned(file: &[u8]) -> Aligned {
    Aligned::copy_of(file).unwrap()
}

/// Writes elements in all ways that need no file, and reads every byte of what was written.
fn written<T: Element + Debug>(elements: &[T]) -> Vec<u8> {
    let mut stream = Vec::new();
    npymap::write_to(&mut stream, [elements.len()], elements).unwrap();
    let mut rows = RowWriter::<T, _>::new(Cursor::new(Vec::new())).unwrap();
    let (first, rest) = elements.split_at(elements.len() / 2);
    first.iter().for_each(|element| rows.push(element).unwrap());
    rows.flush().unwrap();
    rows.extend(rest).unwrap();
    let by_rows = rows.finish().unwrap().into_inner();
    assert_eq!(by_rows, stream);

    // Over memory that held something else.
    let mut used = stream.clone();
    let data = stream.len() - elements.len() * size_of::<T>().min(stream.len());
    used[data..].fill(1);
    let mut any = NpyAny::from_bytes(used.as_mut_slice()).unwrap();
    any.copy_rows_from(0, elements).unwrap();
    let mut copied = Vec::new();
    any.write_to(&mut copied).unwrap();
    assert_eq!(copied, stream);
    stream
}

#[test]
fn elements_of_every_kind_are_written_and_read_back() {
    assert_eq!(written(&[true, false, true]).last(), Some(&1));
    written(&[1_u8, 2, 3]);
    written(&[1_i16, -2]);
    written(&[0.5_f64, f64::NAN]);
    written(&[[0.5_f32, 1.5], [2.5, 3.5]]);
    written(&[[[true; 2]; 3]; 2]);
    written(&[be::F64::new(1.5), be::F64::new(2.5)]);
    written(&[le::Str::<3>::new("aé").unwrap()]);
    written(&[FixedBytes::<3>::new("ab").unwrap(); 2]);
    written(&[Void::<3>::from([1, 2, 3])]);
    written(&[le::LongDouble::new(npymap::LongDouble::from_f64(1.5))]);
    written::<f64>(&[]);
    #[cfg(feature = "num-complex")]
    written(&[num_complex::Complex::new(0.5_f32, 1.5)]);
    #[cfg(feature = "half")]
    written(&[half::f16::from_f32(1.5)]);
    let options = WriteOptions::new().dtype(DType::from_descr("<M8[ms]").unwrap());
    let mut stream = Vec::new();
    options.write_to(&mut stream, [2], &[Datetime64(1), Datetime64(i64::MIN)]).unwrap();
    assert_eq!(stream[128..136], [1, 0, 0, 0, 0, 0, 0, 0]);
}

#[test]
#[cfg(feature = "derive")]
fn padding_is_never_read_and_written_as_zeros() {
    #[derive(Clone, Copy, Debug, Element)]
    #[repr(C)]
    struct Padded {
        a: u8,
        b: u32,
        c: bool,
    }
    #[derive(Clone, Copy, Debug, Element)]
    #[repr(C)]
    struct Around {
        padded: [Padded; 2],
        d: u16,
    }
    #[derive(Clone, Copy, Debug, Element)]
    #[repr(C, packed)]
    struct Packed {
        a: u8,
        b: f64,
    }

    let padded = |a: u8| Padded { a, b: u32::from(a) + 1, c: a.is_multiple_of(2) };
    let file = written(&[padded(1), padded(2)]);
    let data = &file[file.len() - 2 * size_of::<Padded>()..];
    assert_eq!((&data[1..4], &data[9..12], &data[13..16]), ([0; 3].as_slice(), [0; 3].as_slice(), [0; 3].as_slice()));
    let file = written(&[Around { padded: [padded(1), padded(2)], d: 3 }; 2]);
    assert_eq!(NpyAny::from_bytes(file.as_slice()).unwrap().bytes()[26..28], [0, 0]);
    written(&[[padded(1)]; 3]);
    written(&[Packed { a: 1, b: 1.5 }; 2]);

    // Whatever was there before: views of what is copied in are valid, and every byte is initialized.
    let mut x = Npy::<Padded>::from_bytes(file_of::<Padded>(3, 1)).unwrap();
    x.copy_rows_from(1, &[padded(4)]).unwrap();
    assert_eq!((x.as_slice()[1].b, x.as_slice()[0].a), (5, 1));
    assert_eq!(x.bytes().iter().filter(|&&byte| byte == 0).count(), 9);
    let any = x.into_any();
    assert_eq!(any.typed::<Padded>().unwrap()[2][0].a, 1);
}

/// A file of `count` elements all of whose bytes are `byte`.
#[cfg(feature = "derive")]
fn file_of<T: Element>(count: usize, byte: u8) -> Aligned {
    aligned(&npy(&T::dtype().descr(), false, &format!("({count},)"), &vec![byte; count * T::dtype().itemsize()]))
}

#[test]
fn rows_are_copied_into_bytes_at_any_address_and_in_either_order() {
    let file = npy("'>u4'", false, "(3, 2)", &[9; 24]);
    for excess in 0..8 {
        let mut buffer = [vec![0; excess], file.clone()].concat();
        let mut any = NpyAny::from_bytes(&mut buffer[excess..]).unwrap();
        any.copy_rows_from(1, &[1_u32, 2]).unwrap();
        any.copy_rows_from(2, &[[3_u32, 4]]).unwrap();
        any.copy_rows_from(0, &[be::U32::new(5), be::U32::new(6)]).unwrap();
        assert_eq!(any.to_vec::<u32>().unwrap(), [5, 6, 1, 2, 3, 4]);
        assert_eq!(any.bytes()[..4], [0, 0, 0, 5]);
        for (first, elements) in [(3, 2), (2, 4), (0, 3), (usize::MAX, 2), (usize::MAX / 2, 4)] {
            assert!(any.copy_rows_from(first, &vec![7_u32; elements]).is_err(), "{elements} at {first}");
        }
        assert!(matches!(any.copy_rows_from(0, &[1_f32, 2.0]), Err(Error::DType { .. })));
        assert_eq!(any.to_vec::<u32>().unwrap(), [5, 6, 1, 2, 3, 4]);
    }
    // Columns, and arrays without any.
    let mut any = NpyAny::from_bytes(npy("'|u1'", true, "(2, 3)", &[0; 6])).unwrap();
    any.copy_rows_from(1, &[1_u8, 2]).unwrap();
    assert_eq!(any.bytes(), [0, 0, 1, 2, 0, 0]);
    for shape in ["(0, 3)", "(3, 0)", "()"] {
        let mut any = NpyAny::from_bytes(npy("'|u1'", false, shape, &[0])).unwrap();
        any.copy_rows_from::<u8>(0, &[]).unwrap_or_else(|error| assert_eq!(error.kind(), "rank"));
        assert!(any.copy_rows_from(0, &[1_u8, 2]).is_err(), "{shape}");
    }
}

#[test]
fn a_typed_array_of_bools_stays_valid_whatever_is_copied_into_it() {
    let mut x = Npy::<bool>::from_bytes(npy("'|b1'", false, "(2, 2)", &[0, 1, 1, 0])).unwrap();
    x.copy_rows_from(1, &[true, true]).unwrap();
    x.rows_mut().unwrap().for_each(|row| row[0] = false);
    x.chunks_mut(2).unwrap().for_each(|chunk| chunk[1] = false);
    assert_eq!(x.as_slice(), [false, false, false, true]);
    let mut pairs = x.into_any().into_typed::<[bool; 2]>().unwrap();
    pairs.copy_rows_from(0, &[[true, false]]).unwrap();
    assert_eq!(pairs.bytes(), [1, 0, 0, 1]);
}

#[test]
fn parts_for_writing_do_not_overlap_and_may_all_be_held_at_once() {
    let file = npy(&native("u4"), false, "(7, 3)", &[0; 84]);
    let mut x = Npy::<u32>::from_bytes(aligned(&file)).unwrap();
    for rows in [1, 2, 3, 7, 8, usize::MAX] {
        let mut parts: Vec<&mut [u32]> = x.chunks_mut(rows).unwrap().collect();
        // Written in turns, first to last and back.
        for part in parts.iter_mut() {
            part[0] += 1;
        }
        for part in parts.iter_mut().rev() {
            *part.last_mut().unwrap() += 1;
        }
        assert_eq!(parts.iter().map(|part| part.len()).sum::<usize>(), 21);
    }
    // From both ends, and with some left out.
    let mut rows = x.rows_mut().unwrap();
    let (first, last) = (rows.next().unwrap(), rows.next_back().unwrap());
    let third = rows.nth(1).unwrap();
    let second_last = rows.next_back().unwrap();
    for (row, number) in [first, last, third, second_last].into_iter().zip(100..) {
        row.fill(number);
    }
    assert_eq!((rows.len(), rows.nth(5).map(|row| row.len()), rows.next_back().map(|row| row.len())), (2, None, None));
    assert_eq!([x[0][1], x[6][1], x[2][1], x[5][1]], [100, 101, 102, 103]);
    let chunks = x.chunks_mut(3).unwrap();
    assert_eq!(chunks.rev().map(|chunk| chunk.len()).collect::<Vec<_>>(), [3, 9, 9]);

    let mut columns = Npy::<u8>::from_bytes(npy("'|u1'", true, "(2, 3)", &[0; 6])).unwrap();
    columns.cols_mut().unwrap().zip(1..).for_each(|(column, number)| column.fill(number));
    assert_eq!(columns.bytes(), [1, 1, 2, 2, 3, 3]);
}

#[test]
fn parts_are_written_to_by_threads() {
    let file = npy(&native("u4"), false, "(8, 3)", &[0; 96]);
    let mut x = Npy::<u32>::from_bytes(aligned(&file)).unwrap();
    thread::scope(|scope| {
        for (chunk, number) in x.chunks_mut(3).unwrap().zip(1..) {
            scope.spawn(move || chunk.fill(number));
        }
    });
    assert_eq!(x.rows().unwrap().map(|row| row[2]).collect::<Vec<_>>(), [1, 1, 1, 2, 2, 2, 3, 3]);
    // What is written is shared afterwards.
    let shared = Arc::new(x);
    let other = shared.clone();
    assert_eq!(thread::spawn(move || other[7][0]).join().unwrap(), shared[7][0]);
}

#[test]
fn rows_of_no_elements_are_counted_for_writing_too() {
    let mut x = Npy::<f64>::from_bytes(npy(&native("f8"), false, "(5, 0)", &[])).unwrap();
    assert_eq!(x.rows_mut().unwrap().map(|row| row.len()).collect::<Vec<_>>(), [0; 5]);
    assert_eq!(x.chunks_mut(2).unwrap().rev().count(), 3);
    let mut x = Npy::<f64>::from_bytes(npy(&native("f8"), false, "(0, 4611686018427387904)", &[])).ok();
    if let Some(x) = &mut x {
        assert_eq!(x.chunks_mut(usize::MAX).unwrap().len(), 0);
        assert!(x.rows_mut().unwrap().nth(usize::MAX).is_none());
    }
    // Longer than could be counted in elements, and of none.
    let mut x = Npy::<u8>::from_bytes(npy("'|u1'", false, "(1000000, 0)", &[])).unwrap();
    assert_eq!(x.chunks_mut(usize::MAX).unwrap().len(), 1);
    assert_eq!(x.rows_mut().unwrap().nth(999_999).map(|row| row.len()), Some(0));
}

/// A stream that fails, lies about how much it wrote, or goes elsewhere, now and then.
struct Fickle {
    inner: Cursor<Vec<u8>>,
    calls: usize,
    period: usize,
}

impl Fickle {
    fn is_time(&mut self) -> bool {
        self.calls += 1;
        self.calls.is_multiple_of(self.period)
    }
}

impl Write for Fickle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match (self.is_time(), self.period % 3) {
            (true, 0) => Err(io::ErrorKind::Interrupted.into()),
            (true, 1) => Err(io::ErrorKind::StorageFull.into()),
            (true, _) => Ok(0),
            (false, _) => self.inner.write(&bytes[..bytes.len().min(100)]),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.is_time() { Err(io::ErrorKind::BrokenPipe.into()) } else { Ok(()) }
    }
}

impl Seek for Fickle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        if self.is_time() { Err(io::ErrorKind::NotSeekable.into()) } else { self.inner.seek(to) }
    }
}

#[test]
fn a_stream_that_fails_now_and_then_gets_all_rows_in_the_end() {
    const ROWS: u32 = if cfg!(miri) { 6 } else { 20 };
    for period in if cfg!(miri) { 5..8 } else { 3..40 } {
        let stream = Fickle { inner: Cursor::new(Vec::new()), calls: 0, period };
        let Ok(mut rows) = RowWriter::<u32, _>::new(stream) else { continue };
        let mut errors = 0;
        for number in 0..ROWS {
            rows.push(&number).unwrap();
            // What was pushed is kept, and flushing tries again.
            errors += usize::from(rows.flush().is_err());
        }
        assert_eq!(rows.rows(), usize::try_from(ROWS).unwrap());
        if let Some(()) = (0..period).find_map(|_| rows.flush().ok()) {
            let Ok(stream) = rows.finish() else { continue };
            let x = Npy::<u32>::from_bytes(aligned(stream.inner.get_ref())).unwrap();
            assert_eq!(x.as_slice(), (0..ROWS).collect::<Vec<_>>(), "{period}, {errors} errors");
        }
    }
}

#[test]
fn a_stream_near_the_end_of_all_numbers_is_an_error_or_written_to() {
    struct Far(u64);
    impl Write for Far {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            Ok(bytes.len())
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    impl Seek for Far {
        fn seek(&mut self, _: SeekFrom) -> io::Result<u64> {
            Ok(self.0)
        }
    }
    for start in [u64::MAX, u64::MAX - 127, u64::MAX - 128, u64::MAX - 130, i64::MAX.unsigned_abs()] {
        let done = RowWriter::<u8, _>::new(Far(start)).and_then(|mut rows| {
            rows.extend(&[1; 3])?;
            rows.flush()?;
            rows.extend(&[2; 3])?;
            rows.finish().map(drop)
        });
        // No panic is all that is asked for.
        let _ = done.map_err(|error| error.to_string());
    }
}

// Implementations of Element that lie.

static KEPT: Mutex<Vec<AtomicPtr<Liar>>> = Mutex::new(Vec::new());
static CALLS: AtomicUsize = AtomicUsize::new(0);

/// Encodes to something else each time, and says that it lies in memory as other bytes than its own.
#[derive(Clone, Copy, Debug)]
struct Liar(u8);

impl Element for Liar {
    fn name() -> String {
        "Liar".into()
    }

    fn dtype() -> DType {
        match CALLS.fetch_add(1, Ordering::Relaxed) % 5 {
            0 => DType::Float64(ByteOrder::Big),
            1 => DType::Subarray(DType::UInt8.into(), vec![3]),
            2 => DType::Bytes(0),
            3 => DType::Object,
            _ => DType::UInt8,
        }
    }

    fn check(_: &DType) -> Result<()> {
        if CALLS.fetch_add(1, Ordering::Relaxed) % 7 == 6 { Err(Error::NotImmutable) } else { Ok(()) }
    }

    fn view(bytes: &[u8]) -> Result<&[Self]> {
        Ok(if bytes.is_empty() { &[] } else { &[Liar(1), Liar(2)] })
    }

    fn read(_: &[u8]) -> Result<Self> {
        Ok(Self(3))
    }

    fn write(&self, out: &mut [u8]) {
        out.fill(self.0);
    }

    fn encode(_: &DType, _: &[Self], out: &mut [u8]) -> Result<()> {
        if CALLS.fetch_add(1, Ordering::Relaxed) % 11 == 10 {
            return Err(Error::NotImmutable);
        }
        out.fill(0xee);
        Ok(())
    }

    fn as_stored(_: &[Self]) -> Option<&[u8]> {
        match CALLS.fetch_add(1, Ordering::Relaxed) % 3 {
            0 => Some(&[1; 17]),
            1 => Some(&[]),
            _ => None,
        }
    }
}

impl ElementMut for Liar {
    fn view_mut(_: &mut [u8]) -> Result<&mut [Self]> {
        match CALLS.fetch_add(1, Ordering::Relaxed) % 3 {
            0 => Ok(&mut []),
            _ => {
                let elements = Box::leak(Box::new([Liar(4); 5]));
                // Kept in sight, so that Miri does not call it lost.
                KEPT.lock().unwrap().push(AtomicPtr::new(elements.as_mut_ptr()));
                Ok(elements)
            }
        }
    }
}

#[test]
fn an_element_that_lies_writes_nonsense_or_panics_and_nothing_worse() {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    for _ in 0..if cfg!(miri) { 4 } else { 300 } {
        let attempt = |action: &dyn Fn()| drop(catch_unwind(AssertUnwindSafe(action)));
        let liars = [Liar(7); 6];
        attempt(&|| drop(npymap::write_to(Vec::new(), [6], &liars)));
        attempt(&|| drop(npymap::write_to(Vec::new(), [2, 3], &[[Liar(7); 2]; 6])));
        attempt(&|| drop(WriteOptions::new().order(Order::Fortran).write_to(Vec::new(), [2, 3], &liars)));
        attempt(&|| {
            let Ok(mut rows) = RowWriter::<Liar, _>::new(Cursor::new(Vec::new())) else { return };
            let _ = (rows.push(&liars[0]), rows.extend(&liars), rows.flush(), rows.extend(&liars));
            if let Ok(stream) = rows.finish() {
                let _ = NpyAny::from_bytes(stream.into_inner()).map(|any| format!("{:?}", any.bytes()));
            }
        });
        attempt(&|| {
            let Ok(mut rows) = WriteOptions::new().row_writer::<Liar, _>(Cursor::new(Vec::new()), [3]) else { return };
            let _ = (rows.extend(&liars), rows.finish());
        });
        attempt(&|| {
            let file = npy("'|b1'", false, "(6, 1)", &[1; 6]);
            let Ok(mut x) = Npy::<Liar>::from_bytes(file) else { return };
            let _ = (x.copy_rows_from(0, &liars), x.copy_rows_from(5, &liars[..1]));
            x.rows_mut().unwrap().for_each(|row| row.fill(Liar(9)));
            x.chunks_mut(4).unwrap().rev().for_each(|chunk| chunk.fill(Liar(9)));
            let _ = format!("{:?}", x.as_slice());
            // The bytes are no bools any more, and whoever asks for bools is told.
            let any = x.into_any();
            let _ = any.typed::<bool>().map(|bools| format!("{:?}", bools.as_slice()));
        });
    }
    std::panic::set_hook(hook);
}

#[test]
fn bools_that_an_untyped_array_was_written_over_are_refused_again() {
    let mut any = NpyAny::from_bytes(npy("'|b1'", false, "(3,)", &[0, 1, 1])).unwrap();
    any.bytes_mut()[1] = 2;
    assert!(matches!(any.typed::<bool>(), Err(Error::InvalidBool { index: 1, byte: 2, .. })));
    any.copy_rows_from(1, &[false]).unwrap();
    assert_eq!(any.typed::<bool>().unwrap().as_slice(), [false, false, true]);
}

#[test]
fn a_file_is_saved_whole() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let options = WriteOptions::new().durable(false);
    options.save(&path, [2, 2], &[1_u16, 2, 3, 4]).unwrap();
    assert_eq!(Npy::<u16>::read(&path).unwrap().as_slice(), [1, 2, 3, 4]);
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[test]
#[cfg_attr(miri, ignore = "Miri allocates no blocks of files")]
fn a_draft_is_written_to_moved_and_published() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let options = WriteOptions::new().durable(false);
    let mut draft = options.draft::<bool>(&path, [4]).unwrap();
    draft.as_mut_slice()[1] = true;
    draft.copy_rows_from(3, &[true]).unwrap();
    draft.chunks_mut(2).unwrap().for_each(|chunk| chunk[0] = true);
    assert_eq!(draft.as_slice(), [true, true, true, true]);
    let moved = thread::spawn(move || draft).join().unwrap();
    moved.publish_over().unwrap();
    assert_eq!(Npy::<bool>::read(&path).unwrap().as_slice(), [true; 4]);
}

#[test]
#[cfg_attr(miri, ignore = "Miri allocates no blocks of files")]
fn drafts_whose_arrays_change_places_are_still_whole_files() {
    let folder = tempfile::tempdir().unwrap();
    let draft = |name: &str, len: usize| WriteOptions::new().draft::<u8>(folder.path().join(name), [len]).unwrap();
    let (mut first, mut second) = (draft("first", 1), draft("second", 100));
    std::mem::swap(&mut *first, &mut *second);
    first.as_mut_slice()[99] = 1;
    drop(second);
    first.publish().unwrap();
    let names: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(names.len(), 1);
    assert_eq!(Npy::<u8>::read(&names[0]).unwrap().as_slice()[99], 1);
}
