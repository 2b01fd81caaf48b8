//! Every route from safe code to undefined behaviour that reading offers, walked: natively, and under Miri on this
//! machine, big-endian and 32-bit. Arrays are made in memory, for Miri maps no files.
//!
//! What must not compile is in `tests/compile_fail/`.

#![allow(clippy::unwrap_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicPtr, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread;

use made::npy;
use npymap::{
    Aligned, ByteOrder, Bytes, DType, Datetime64, Element, ElementMut, Error, Header, Mapping, Npy, NpyAny, Order,
    ReadOptions, Result, Rows, Timedelta64, be, le,
};

/// A descr in the byte order of this machine.
fn native(kind: &str) -> String {
    format!("'{}{kind}'", ByteOrder::NATIVE.char())
}

/// A file at `excess` bytes past a multiple of 64, and the buffer that holds it.
fn at_excess(excess: usize, file: &[u8]) -> Aligned {
    Aligned::copy_of(&[vec![0xaa; excess].as_slice(), file].concat()).unwrap()
}

fn aligned(file: &[u8]) -> Aligned {
    at_excess(0, file)
}

fn f64s(count: usize) -> (Vec<f64>, Vec<u8>) {
    let values: Vec<f64> = (0..count).map(|i| f64::from(u32::try_from(i).unwrap()) - 1.5).collect();
    let bytes = values.iter().flat_map(|value| value.to_ne_bytes()).collect();
    (values, bytes)
}

/// Elements to look at one by one.
const SOME: usize = if cfg!(miri) { 4 } else { 100 };

/// Uses everything that an array can be asked for, and fails no test by what it says.
fn use_up<T: Element + Debug, B: Bytes + Clone>(x: &Npy<T, B>) {
    let all = x.as_slice();
    let _ = format!("{x:?} {x} {all:?} {:?} {:?}", x.strides(), x.as_ptr());
    for unit in [x.rows(), x.cols()].into_iter().flatten() {
        use_up_rows(unit);
    }
    for i in [0, 1, x.size(), usize::MAX] {
        let _ = (x.get(i), x.at(&[i]), x.at(&[i, i]), x.at(&[]));
    }
    let _ = x.iter().take(SOME).map(|element| format!("{element:?}")).collect::<Vec<_>>();
    let _ = x.to_vec::<T>().map(|elements| format!("{elements:?}"));
    for value in NpyAny::iter(x).take(SOME) {
        let _ = value.map(|value| value.to_string());
    }
    let _ = x.typed::<T>().map(|typed| format!("{:?}", typed.as_slice()));
}

fn use_up_rows<T: Debug>(rows: Rows<'_, T>) {
    let _ = (rows.get(0), rows.get(usize::MAX));
    let _ = rows.clone().take(2).map(|row| format!("{row:?}")).collect::<Vec<_>>();
    let _ = rows.clone().rev().take(2).map(|row| format!("{row:?}")).collect::<Vec<_>>();
    let mut rows = rows;
    let _ = (rows.nth(1), rows.next_back(), rows.len(), rows.nth(usize::MAX), rows.next(), rows.next_back());
}

// Validity is checked through the borrow it is used by.

#[test]
fn bytes_that_are_no_bool_are_refused_when_the_array_is_typed() {
    for byte in [2, 0x80, 0xfe, 255] {
        let file = npy("'|b1'", false, "(2, 3)", &[0, 1, 1, 0, byte, 1]);
        let any = NpyAny::from_bytes(file.as_slice()).unwrap();
        let refused = |error| matches!(error, Error::InvalidBool { index: 4, byte: found, .. } if found == byte);
        assert!(refused(any.typed::<bool>().unwrap_err()));
        assert!(refused(any.typed::<[bool; 3]>().unwrap_err()));
        assert!(refused(any.typed::<[[bool; 3]; 2]>().unwrap_err()));
        assert!(refused(any.to_vec::<bool>().unwrap_err()));
        assert!(refused(any.to_vec::<[bool; 3]>().unwrap_err()));
        assert!(refused(Npy::<bool, _>::from_bytes(file.clone()).unwrap_err()));
        assert!(refused(Npy::<bool, _>::read_from(file.as_slice()).unwrap_err()));
        assert!(refused(any.value(&[1, 1]).unwrap_err()));
        assert_eq!(any.bytes()[4], byte);
        // The rows around it are fine.
        assert_eq!(any.slice_rows(0..1).unwrap().typed::<bool>().unwrap().as_slice(), [false, true, true]);
        assert!(any.slice_rows(1..2).unwrap().typed::<bool>().is_err());
    }
}

#[test]
fn a_bad_bool_beyond_the_first_block_is_found() {
    let places: &[usize] = if cfg!(miri) { &[0, 4096] } else { &[0, 4095, 4096, 8191, 16384, 16385] };
    for &at in places {
        let mut data = vec![1; if cfg!(miri) { at + 2 } else { 20_000 }];
        data[at] = 3;
        let file = npy("'|b1'", false, &format!("({},)", data.len()), &data);
        let any = NpyAny::from_bytes(file).unwrap();
        for error in [any.typed::<bool>().unwrap_err(), any.to_vec::<bool>().unwrap_err()] {
            assert!(matches!(error, Error::InvalidBool { index, byte: 3, .. } if index == at), "{at}: {error}");
        }
    }
}

#[test]
fn bytes_written_through_the_untyped_array_are_checked_again_when_it_is_typed() {
    let x = Npy::<bool, _>::from_bytes(npy("'|b1'", false, "(3,)", &[0, 1, 0])).unwrap();
    let mut any = x.into_any();
    any.bytes_mut()[1] = 7;
    assert!(matches!(any.typed::<bool>(), Err(Error::InvalidBool { index: 1, byte: 7, .. })));
    assert!(matches!(any.into_typed::<bool>(), Err(Error::InvalidBool { index: 1, byte: 7, .. })));
}

#[test]
fn a_typed_array_of_bools_stays_valid_whatever_is_stored_through_it() {
    let mut file = npy("'|b1'", false, "(2, 2)", &[0, 1, 1, 0]);
    let mut x = Npy::<bool, _>::from_bytes(file.as_mut_slice()).unwrap();
    x.as_mut_slice().fill(true);
    x[[1, 1]] = false;
    x[0][0] = false;
    assert_eq!(x.as_slice(), [false, true, true, false]);
    let mut pairs = x.into_any().into_typed::<[bool; 2]>().unwrap();
    pairs.as_mut_slice()[1] = [true, true];
    assert_eq!((pairs.as_slice(), pairs.bytes()), ([[false, true], [true, true]].as_slice(), [0, 1, 1, 1].as_slice()));
    assert_eq!(file[file.len() - 4..], [0, 1, 1, 1]);
}

#[test]
fn parts_of_a_typed_array_are_as_valid_as_the_whole() {
    let x = Npy::<bool, _>::from_bytes(Arc::<[u8]>::from(npy("'|b1'", false, "(4, 2)", &[0, 1, 1, 0, 0, 0, 1, 1])));
    let x = x.unwrap();
    let part = x.slice_rows(1..3).unwrap();
    drop(x);
    assert_eq!((part.as_slice(), part.shape()), ([true, false, false, false].as_slice(), [2, 2].as_slice()));
    let part = part.slice_rows(1..2).unwrap().into_any().into_typed::<[bool; 2]>().unwrap();
    assert_eq!(part.as_slice(), [[false, false]]);
    assert!(part.slice_rows(1..1).unwrap().as_slice().is_empty());
    assert!(matches!(part.slice_rows(0..2), Err(Error::OutOfBounds { .. })));
    #[expect(clippy::reversed_empty_ranges, reason = "asks for the impossible")]
    let backwards = part.slice_rows(1..0);
    assert!(matches!(backwards, Err(Error::OutOfBounds { .. })));
    assert!(matches!(part.slice_rows(usize::MAX - 1..usize::MAX), Err(Error::OutOfBounds { .. })));
}

// Owners keep their bytes still.

#[test]
fn views_stay_good_when_their_owner_moves() {
    let (values, data) = f64s(6);
    let file = npy(&native("f8"), false, "(2, 3)", &data);

    fn moved<B: Bytes + Send>(x: Npy<f64, B>, values: &[f64]) {
        let before = x.as_ptr().addr();
        let mut boxed = vec![Box::new(x)];
        boxed.reserve(100);
        assert_eq!((boxed[0].as_slice(), boxed[0].as_ptr().addr()), (values, before));
        let x = *boxed.remove(0);
        let x = thread::scope(|scope| scope.spawn(move || (x[1][2], x)).join().unwrap().1);
        assert_eq!((&x[0], x.as_ptr().addr()), (&values[..3], before));
    }
    moved(Npy::from_bytes(aligned(&file)).unwrap(), &values);
    // `Vec` and `Arc` promise no alignment: where the bytes lie well, the views are good.
    if let Ok(x) = Npy::from_bytes(file.clone()) {
        moved(x, &values);
    }
    if let Ok(x) = Npy::from_bytes(Arc::<[u8]>::from(file.as_slice())) {
        moved(x, &values);
    }
    let mut borrowed = aligned(&file);
    moved(Npy::from_bytes(&mut borrowed[..]).unwrap(), &values);
}

#[test]
fn bytes_of_any_alignment_stay_good_when_their_owner_moves() {
    let file = npy("'<u2'", false, "(3,)", &[1, 0, 2, 0, 3, 1]);
    let expected = [1, 2, 0x103];
    let get = |x: &[le::U16]| [x[0].get(), x[1].get(), x[2].get()];

    let vec = Npy::<le::U16>::from_bytes(file.clone()).unwrap();
    let arc = Npy::<le::U16>::from_bytes(Arc::<[u8]>::from(file.clone())).unwrap();
    let mut buffer = file.clone();
    let exclusive = Npy::<le::U16, _>::from_bytes(buffer.as_mut_slice()).unwrap();
    let many = (vec, arc, exclusive);
    let boxed = Box::new(many);
    let (vec, arc, exclusive) = *boxed;
    assert_eq!(get(vec.as_slice()), expected);
    assert_eq!(get(arc.as_slice()), expected);
    assert_eq!(get(exclusive.as_slice()), expected);
}

#[test]
fn shared_bytes_cannot_be_changed_under_an_array() {
    let mut bytes: Arc<[u8]> = npy("'|b1'", false, "(2,)", &[0, 1]).into();
    let x = Npy::<bool, _>::from_bytes(bytes.clone()).unwrap();
    let part = x.slice_rows(1..2).unwrap();
    assert!(Arc::get_mut(&mut bytes).is_none());
    // A copy is changed instead.
    Arc::make_mut(&mut bytes).fill(0xff);
    assert_eq!((x.as_slice(), part.as_slice()), ([false, true].as_slice(), [true].as_slice()));
}

#[test]
fn a_clone_is_independent_and_as_good_as_the_original() {
    let (values, data) = f64s(4);
    let x = Npy::<f64, _>::from_bytes(aligned(&npy(&native("f8"), false, "(4,)", &data))).unwrap();
    let mut clone = x.clone();
    clone.as_mut_slice()[0] = 99.0;
    assert_eq!((x.as_slice(), clone[[0]]), (values.as_slice(), 99.0));
    let part = x.slice_rows(1..3).unwrap();
    drop(x);
    assert_eq!(part.as_slice(), &values[1..3]);

    let x = Npy::<bool, _>::from_bytes(aligned(&npy("'|b1'", false, "(2,)", &[0, 1]))).unwrap();
    let mut clone = x.clone();
    clone.as_mut_slice().swap(0, 1);
    assert_eq!((x.as_slice(), clone.as_slice()), ([false, true].as_slice(), [true, false].as_slice()));
}

#[test]
fn a_part_that_is_a_copy_lies_as_well_as_the_whole() {
    let (values, data) = f64s(4);
    let x = Npy::<f64>::from_bytes(aligned(&npy(&native("f8"), false, "(4,)", &data))).unwrap();
    let part = x.slice_rows(1..3).unwrap();
    assert_eq!(part.as_slice(), &values[1..3]);
    assert_eq!(part.as_ptr().addr() % 64, 0);
}

#[test]
fn reads_and_writes_alternate_over_a_borrowed_buffer() {
    let (_, data) = f64s(6);
    let mut buffer = aligned(&npy(&native("f8"), false, "(3, 2)", &data));
    let mut x = Npy::<f64, _>::from_bytes(&mut buffer[..]).unwrap();
    let sum: f64 = x.as_slice().iter().sum();
    x[1][1] = sum;
    assert_eq!(x[1][1], sum);
    x.as_mut_slice()[5] = x[[1, 1]] + 1.0;
    x[[0, 0]] = 7.0;
    let pointer = x.as_ptr();
    assert_eq!(x.as_slice().as_ptr(), pointer);
    let any = x.into_any();
    let pairs = any.typed::<[f64; 2]>().unwrap();
    assert_eq!((pairs[[0]][0], pairs.as_slice()[2][1]), (7.0, sum + 1.0));
    let last = buffer[buffer.len() - 8..].try_into().unwrap();
    assert_eq!(f64::from_ne_bytes(last), sum + 1.0);
}

#[test]
#[expect(unsafe_code, reason = "reads through the raw parts, as callers of C code do")]
fn the_raw_parts_describe_the_array() {
    let (values, data) = f64s(6);
    let x = Npy::<f64, _>::from_bytes(aligned(&npy(&native("f8"), true, "(2, 3)", &data))).unwrap();
    assert_eq!((x.size(), x.strides()), (6, vec![8, 16]));
    for (i, value) in values.iter().enumerate() {
        // SAFETY: `i` is below `size`, and the array is borrowed for as long as the pointer is used.
        assert_eq!(unsafe { *x.as_ptr().add(i) }, *value);
    }
    assert_eq!(x.at(&[1, 2]), Some(&values[1 + 2 * 2]));
}

#[test]
fn typed_arrays_are_shared_between_threads() {
    let x = Npy::<bool, _>::from_bytes(Arc::<[u8]>::from(npy("'|b1'", false, "(4,)", &[1, 0, 1, 1]))).unwrap();
    thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| assert_eq!(x.as_slice().iter().filter(|flag| **flag).count(), 3));
        }
        let clone = x.clone();
        scope.spawn(move || assert_eq!(clone.rows().unwrap().count(), 4));
    });
}

/// Compiles if the types are what a struct shared between threads needs.
#[test]
fn arrays_views_and_errors_are_send_sync_and_unpin() {
    fn shareable<T: Send + Sync + Unpin>() {}
    fn stored<T: Send + Sync + Clone + 'static>() {}
    stored::<Npy<f32>>();
    stored::<Npy<bool, Arc<[u8]>>>();
    stored::<NpyAny>();
    stored::<Mapping>();
    stored::<Header>();
    shareable::<Rows<'_, f32>>();
    shareable::<Npy<f64, &mut [u8]>>();
    shareable::<NpyAny<Aligned>>();
    shareable::<ReadOptions>();
    shareable::<Error>();
    #[cfg(not(target_os = "none"))]
    shareable::<npymap::NpyFile>();
}

// Alignment is tested on the address at hand.

#[test]
fn a_misaligned_array_is_an_error_or_right_at_every_offset() {
    let (values, data) = f64s(5);
    let file = npy(&native("f8"), false, "(5,)", &data);
    for excess in (0..16).step_by(if cfg!(miri) { 4 } else { 1 }).flat_map(|excess| [excess, excess ^ 1]) {
        let mut buffer = at_excess(excess, &file);
        let any = NpyAny::from_bytes(&buffer[excess..]).unwrap();
        let well = any.bytes().as_ptr().addr().is_multiple_of(align_of::<f64>());
        assert_eq!(well, excess.is_multiple_of(align_of::<f64>()));
        match any.typed::<f64>() {
            Ok(x) => assert!(well && x.as_slice() == values),
            Err(Error::Misaligned { excess: found, align, .. }) => {
                assert!(!well);
                assert_eq!((found, align), (excess % align_of::<f64>(), align_of::<f64>()));
            }
            Err(error) => panic!("{error}"),
        }
        assert_eq!(any.typed::<[f64; 5]>().is_ok(), well);
        assert_eq!(any.to_vec::<f64>().unwrap(), values);
        assert_eq!(any.to_vec::<[f64; 5]>().unwrap()[0].as_slice(), values);
        let printed = any.value(&[3]).unwrap().to_string();
        assert_eq!(printed.parse::<f64>().unwrap(), values[3]);
        match ByteOrder::NATIVE {
            ByteOrder::Little => assert_eq!(any.typed::<le::F64>().unwrap().as_slice()[4].get(), values[4]),
            ByteOrder::Big => assert_eq!(any.typed::<be::F64>().unwrap().as_slice()[4].get(), values[4]),
        }
        // For writing, too.
        if let Ok(mut x) = Npy::<f64, _>::from_bytes(&mut buffer[excess..]) {
            x.as_mut_slice()[0] = 1.0;
            assert!(well && x[[0]] == 1.0);
        }
    }
}

#[test]
fn every_number_is_viewed_where_it_may_be_and_copied_from_anywhere() {
    fn check<T: ElementMut + Debug>(size: usize, descr: &str) {
        let data: Vec<u8> = (0..3 * size).map(|i| u8::try_from(i).unwrap().wrapping_mul(89)).collect();
        let file = npy(descr, false, "(3,)", &data);
        for excess in (0..align_of::<T>().max(2)).step_by(if cfg!(miri) { 7 } else { 1 }) {
            let buffer = at_excess(excess, &file);
            let any = NpyAny::from_bytes(&buffer[excess..]).unwrap();
            let copied = any.to_vec::<T>().unwrap();
            match any.typed::<T>() {
                Ok(x) => {
                    assert!(excess.is_multiple_of(align_of::<T>()));
                    assert_eq!(format!("{:?}", x.as_slice()), format!("{copied:?}"));
                    if !cfg!(miri) || size == 2 {
                        use_up(&x);
                    }
                }
                Err(error) => {
                    assert!(matches!(error, Error::Misaligned { .. }) && !excess.is_multiple_of(align_of::<T>()));
                }
            }
            let mut back = vec![0; size];
            copied.iter().zip(data.chunks(size)).for_each(|(value, stored)| {
                value.write(&mut back);
                assert_eq!(back, stored);
            });
        }
        let swapped = if descr.contains('<') { descr.replace('<', ">") } else { descr.replace('>', "<") };
        if swapped != descr {
            let any = NpyAny::from_bytes(npy(&swapped, false, "(3,)", &data)).unwrap();
            let mut bytes = vec![0; size];
            any.to_vec::<T>().unwrap()[2].write(&mut bytes);
            // Complex numbers are turned round by parts.
            let parts = if descr.contains('c') { 2 } else { 1 };
            bytes.chunks_mut(size / parts).for_each(<[u8]>::reverse);
            assert_eq!(bytes, data[2 * size..]);
        }
    }
    check::<i8>(1, "'|i1'");
    check::<u8>(1, "'|u1'");
    check::<i16>(2, &native("i2"));
    check::<u16>(2, &native("u2"));
    check::<i32>(4, &native("i4"));
    check::<u32>(4, &native("u4"));
    check::<i64>(8, &native("i8"));
    check::<u64>(8, &native("u8"));
    check::<f32>(4, &native("f4"));
    check::<f64>(8, &native("f8"));
    check::<Datetime64>(8, &native("M8[ns]"));
    check::<Timedelta64>(8, &native("m8[D]"));
    check::<[u8; 5]>(5, "'|S5'");
    check::<[u8; 5]>(5, "'|V5'");
    #[cfg(feature = "half")]
    check::<half::f16>(2, &native("f2"));
    #[cfg(feature = "num-complex")]
    check::<num_complex::Complex<f32>>(8, &native("c8"));
    #[cfg(feature = "num-complex")]
    check::<num_complex::Complex<f64>>(16, &native("c16"));
}

// Arrays without bytes.

#[test]
fn arrays_without_elements_can_be_used_wherever_their_bytes_would_lie() {
    for shape in ["(0,)", "(0, 3)", "(3, 0)", "(2, 0, 5)", "(0, 0)", "(0, 10000, 20000)"] {
        for fortran in [false, true] {
            let file = npy(&native("f8"), fortran, shape, &[]);
            for excess in (0..8).step_by(if cfg!(miri) { 5 } else { 1 }) {
                let mut buffer = at_excess(excess, &file);
                let any = NpyAny::from_bytes(&buffer[excess..]).unwrap();
                assert!(any.bytes().is_empty() && any.size() == 0);
                let x = any.typed::<f64>().unwrap();
                assert!(x.as_slice().is_empty() && x.iter().next().is_none());
                assert!(x.as_ptr().is_aligned() && !x.as_ptr().is_null());
                if excess == 3 && x.ndim() < 3 {
                    use_up(&x);
                }
                assert!(any.to_vec::<f64>().unwrap().is_empty());
                let mut x = Npy::<f64, _>::from_bytes(&mut buffer[excess..]).unwrap();
                assert!(x.as_mut_slice().is_empty());
            }
        }
    }
}

#[test]
fn rows_of_no_elements_are_counted_and_empty() {
    let file = npy(&native("f4"), false, "(5, 0)", &[]);
    let x = Npy::<f32>::from_bytes(file.as_slice()).unwrap();
    assert_eq!(x.rows().unwrap().map(<[f32]>::len).collect::<Vec<_>>(), [0; 5]);
    assert!(x[4].is_empty() && x.get(5).is_none());
    assert_eq!(NpyAny::slice_rows(&x, 1..4).unwrap().shape(), [3, 0]);
}

#[test]
fn a_misaligned_array_without_elements_is_no_reference_to_nowhere() {
    // A stored npz member of length 0 that starts at byte 55.
    let file = npy(&native("f8"), false, "(0, 4)", &[]);
    let buffer = at_excess(55, &file);
    let x = Npy::<[f64; 4], _>::from_bytes(&buffer[55..]).unwrap();
    assert_eq!((x.as_slice().len(), x.shape()), (0, [0, 4].as_slice()));
    let x = Npy::<bool, _>::from_bytes(npy("'|b1'", false, "(0,)", &[])).unwrap();
    assert!(x.as_slice().is_empty());
}

#[test]
fn elements_of_no_bytes_are_known_at_run_time_only() {
    let many = isize::MAX.unsigned_abs();
    for descr in ["'|S0'", "'|V0'", "'<U0'", "[]", "[('a', '|V0')]"] {
        let file = npy(descr, false, &format!("({many},)"), &[]);
        let any = NpyAny::from_bytes(file.as_slice()).unwrap();
        assert_eq!((any.itemsize(), any.size(), any.bytes().len()), (0, many, 0));
        assert!(any.value(&[many - 1]).is_ok() && any.value(&[many]).is_err());
        assert_eq!(any.slice_rows(5..many).unwrap().size(), many - 5);
        assert_eq!(any.iter().len(), many);
        assert!(any.iter().take(3).all(|value| value.is_ok()));
        let _ = format!("{any} {any:?}");
        assert!(any.typed::<u8>().is_err() && any.typed::<[u8; 1]>().is_err() && any.to_vec::<[u8; 1]>().is_err());
    }
}

// Sizes.

#[test]
fn shapes_whose_product_overflows_are_errors_also_beside_a_zero() {
    let shapes = [
        ("<f8", "(2305843009213693953,)"),
        ("<f8", "(1152921504606846976,)"),
        ("<f8", "(4294967296, 4294967296)"),
        ("<f8", "(0, 4294967296, 4294967296)"),
        ("<f8", "(4294967296, 0, 4294967296)"),
        ("<f8", "(4294967296, 4294967296, 0)"),
        ("|V0", "(4294967296, 4294967296)"),
        ("<U536870911", "(8589934592, 0)"),
        ("|u1", "(9223372036854775807, 2)"),
        ("|u1", "(9223372036854775808,)"),
        ("|u1", "(18446744073709551616,)"),
        ("|u1", "(99999999999999999999999999999999999999999,)"),
        ("|u1", "(-1,)"),
    ];
    for (descr, shape) in shapes.into_iter().step_by(if cfg!(miri) { 3 } else { 1 }) {
        for fortran in [false, true] {
            let file = npy(&format!("'{descr}'"), fortran, shape, &[0; 48]);
            let error = Header::parse(&file).unwrap_err();
            assert!(matches!(error, Error::ShapeTooLarge { .. } | Error::Dimension { .. }), "{shape}: {error}");
            assert!(NpyAny::from_bytes(file.as_slice()).is_err());
            assert!(NpyAny::read_from(file.as_slice()).is_err());
        }
    }
    let ones = vec!["1"; 65].join(", ");
    let error = Header::parse(&npy("'|u1'", false, &format!("({ones})"), &[1])).unwrap_err();
    assert!(matches!(error, Error::TooManyDimensions { found: 65, limit: 64 }), "{error}");
}

#[test]
fn shapes_at_the_edge_of_the_address_space_are_measured_without_overflow() {
    let most = isize::MAX.unsigned_abs();
    for (descr, shape) in [
        ("|u1", format!("({most},)")),
        ("|u1", format!("({most}, 1, 1)")),
        ("|u1", format!("(0, {most})")),
        ("|u1", format!("({most}, 0)")),
        ("|u1", format!("(0, {most}, 0)")),
        ("<f8", format!("({},)", most / 8)),
        ("<f8", format!("(0, {})", most / 8)),
        ("<f8", format!("({}, 0, 2)", most / 16)),
    ] {
        for fortran in [false, true] {
            let file = npy(&format!("'{descr}'"), fortran, &shape, &[]);
            let header = Header::parse(&file).unwrap();
            assert_eq!(header.nbytes(), header.size() * header.itemsize());
            assert_eq!(header.strides().len(), header.shape().len());
            match NpyAny::from_bytes(file.as_slice()) {
                Ok(any) => {
                    assert_eq!(any.bytes().len(), 0);
                    assert!(any.iter().next().is_none());
                    let empty = if fortran { any.slice_cols(0..0) } else { any.slice_rows(0..0) };
                    assert_eq!(empty.unwrap().size(), 0);
                }
                Err(error) => assert!(matches!(error, Error::DataTruncated { held: 0, .. }), "{error}"),
            }
            // A stream ends before much is asked of the allocator.
            let streamed = NpyAny::read_from(file.as_slice());
            assert!(streamed.is_ok() == (header.nbytes() == 0));
        }
    }
}

#[test]
fn aligned_memory_of_impossible_size_is_an_error() {
    for len in [usize::MAX, usize::MAX - 62, usize::MAX - 63, isize::MAX.unsigned_abs(), isize::MAX.unsigned_abs() - 62]
    {
        assert!(matches!(Aligned::zeroed(len), Err(Error::OutOfMemory { bytes }) if bytes == len));
    }
    assert!(Aligned::zeroed(0).unwrap().is_empty());
    let mut bytes = Aligned::zeroed(65).unwrap();
    assert_eq!((bytes.len(), bytes.as_ptr().addr() % 64), (65, 0));
    bytes.fill(1);
    assert_eq!(bytes.clone()[..], [1; 65]);
}

#[test]
fn data_that_end_early_are_an_error_with_both_numbers() {
    let (_, data) = f64s(4);
    let file = npy(&native("f8"), false, "(4,)", &data);
    let start = file.len() - 32;
    for held in (0..32).step_by(if cfg!(miri) { 8 } else { 1 }) {
        let cut = &file[..start + held];
        let held = u64::try_from(held).unwrap();
        for error in [NpyAny::from_bytes(cut).unwrap_err(), NpyAny::read_from(cut).unwrap_err()] {
            assert!(matches!(error, Error::DataTruncated { needed: 32, held: found, .. } if found == held), "{error}");
        }
    }
    assert!(NpyAny::from_bytes(file.as_slice()).is_ok());
}

// An array's bytes are its data and nothing else.

#[test]
fn an_array_never_borrows_its_header() {
    let file = npy("'|u1'", false, "(3,)", &[1, 2, 3]);
    let more = [file.as_slice(), &[9; 10]].concat();
    let mut any = NpyAny::from_bytes(aligned(&more)).unwrap();
    assert_eq!(any.bytes(), [1, 2, 3]);
    assert_eq!(any.bytes_mut(), [1, 2, 3]);
    // A part reaches no byte of the others.
    let mut part = any.slice_rows(1..2).unwrap();
    part.bytes_mut()[0] = 7;
    assert_eq!((part.bytes(), any.bytes()), ([7].as_slice(), [1, 2, 3].as_slice()));
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
#[expect(unsafe_code, reason = "maps")]
fn a_header_rewritten_after_opening_changes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    let file = npy("'<u2'", false, "(3,)", &[1, 0, 2, 0, 3, 0]);
    std::fs::write(&path, &file).unwrap();
    // SAFETY: only the header is written to, which the contract allows, and nothing is cut.
    let mapped = unsafe { Npy::<le::U16>::map(&path) }.unwrap();
    let part = mapped.slice_rows(1..3).unwrap();
    let opened = npymap::NpyFile::open(&path).unwrap();

    let lie = npy("'|b1'", false, "(6000,)", &[]);
    let writer = std::fs::File::options().write(true).open(&path).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&writer, &lie, 0).unwrap();
    assert!(matches!(NpyAny::read(&path), Err(Error::DataTruncated { needed: 6000, held: 6, .. })));

    assert_eq!(mapped.as_slice().iter().map(|value| value.get()).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!((part.as_slice()[1].get(), mapped.shape(), mapped.bytes().len()), (3, [3].as_slice(), 6));
    assert_eq!(opened.read_all::<u16>().unwrap(), [1, 2, 3]);
}

#[test]
#[cfg_attr(miri, ignore = "Miri maps no files")]
#[expect(unsafe_code, reason = "maps")]
fn a_mapping_of_no_bytes_maps_nothing_and_one_may_outlive_its_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    std::fs::write(&path, npy(&native("f8"), false, "(0, 3)", &[])).unwrap();
    // SAFETY: nobody else knows the file.
    let empty = unsafe { Npy::<f64>::map(&path) }.unwrap();
    assert!(empty.as_slice().is_empty() && empty.as_ptr().is_aligned());

    let (values, data) = f64s(3);
    std::fs::write(&path, npy(&native("f8"), false, "(3,)", &data)).unwrap();
    // SAFETY: nobody else knows the file.
    let x = unsafe { Npy::<f64>::map(&path) }.unwrap();
    std::fs::remove_file(&path).unwrap();
    let clone = x.clone();
    drop(x);
    assert_eq!(thread::spawn(move || clone.as_slice().to_vec()).join().unwrap(), values);
}

// The publish field: every state that an appender stores parses, and never says more rows than are written.

/// A 4096-byte header of `<f8` whose row count is `field`, at bytes 64 to 80.
fn appendable(field: &str) -> Vec<u8> {
    assert_eq!(field.len(), 16);
    let mut file = b"\x93NUMPY\x01\x00\xf6\x0f{'descr': '<f8', 'fortran_order': False, ".to_vec();
    file.resize(64 - "'shape': (".len(), b' ');
    file.extend_from_slice(b"'shape': (");
    file.extend_from_slice(field.as_bytes());
    file.extend_from_slice(b",), }");
    file.resize(4095, b' ');
    file.push(b'\n');
    file
}

/// The sixteen characters of a finished count.
fn finished(rows: u64) -> String {
    format!("{rows:>16}")
}

/// What is stored on the way from one count to another, as attack.md 1.2 says.
fn published(from: u64, to: u64) -> Vec<String> {
    let (old, new) = (finished(from), finished(to));
    if old[..8] == new[..8] {
        return vec![new];
    }
    vec![format!("{}0000000 ", &old[..8]), format!("{}0000000 ", &new[..8]), new]
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn every_state_of_a_publish_parses_and_never_says_too_much() {
    let transitions: [(u64, u64); 12] = [
        (0, 1),
        (9, 10),
        (0, 99_999_999),
        (99_999_999, 100_000_000),
        (99_999_990, 100_000_050),
        (5, 100_000_005),
        (0, 300_000_000),
        (99_999_999, 300_000_007),
        (199_999_990, 200_000_050),
        (999_999_999, 1_000_000_050),
        (9_999_999_999, 10_000_000_000),
        (999_999_999_999_999, 9_999_999_999_999_999),
    ];
    for (from, to) in transitions.into_iter().step_by(if cfg!(miri) { 4 } else { 1 }) {
        let mut states = vec![finished(from)];
        states.extend(published(from, to));
        for field in states {
            let header = match Header::parse(&appendable(&field)) {
                Ok(header) => header,
                Err(Error::Dimension { .. } | Error::ShapeTooLarge { .. }) if usize::BITS < 64 => continue,
                Err(error) => panic!("{field:?}: {error}"),
            };
            let rows = u64::try_from(header.shape()[0]).unwrap();
            assert!(header.appendable(), "{field:?}");
            assert_eq!(header.data_offset(), 4096);
            if field.ends_with(' ') {
                assert!(rows < to, "{field:?} says {rows}");
                assert_eq!(rows, field[..8].trim().parse::<u64>().unwrap_or(0) * 10_000_000, "{field:?}");
            } else {
                assert_eq!((rows, header.spare()), (field.trim().parse().unwrap(), 16 - field.trim().len()));
            }
        }
    }
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn a_count_that_is_no_publish_field_is_not_taken_for_one() {
    // Not a whole field: a digit before it, a tab within, digits that end early, one word only.
    for field in ["              1\t", "        1      0", "1 0000000       ", "          17    ", "0x00000000000011"] {
        if let Ok(header) = Header::parse(&appendable(field)) {
            assert!(!header.appendable(), "{field:?}");
        }
    }
    let header = Header::parse(&npy("'<f8'", false, "(12, 3)", &[])).unwrap();
    assert!(!header.appendable());
    let header = Header::parse(&appendable("              17")).unwrap();
    assert_eq!((header.appendable(), header.spare(), header.growth_axis()), (true, 14, Some(0)));
}

#[test]
#[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
fn bytes_left_in_a_carry_are_not_taken_for_fewer_rows() {
    let file = [appendable("       10000000 "), vec![0; 80_000_000 / if cfg!(miri) { 10_000 } else { 100 }]].concat();
    for error in [NpyAny::from_bytes(file.as_slice()).unwrap_err(), NpyAny::read_from(file.as_slice()).unwrap_err()] {
        assert!(matches!(&error, Error::UnfinishedPublish { field, .. } if field == "       10000000 "), "{error}");
    }
    // The header can still be described.
    assert_eq!(Header::parse(&file).unwrap().shape(), [10_000_000]);
}

// Implementations of Element that lie.

static KEPT: Mutex<Vec<AtomicPtr<Liar>>> = Mutex::new(Vec::new());
static CALLS: AtomicUsize = AtomicUsize::new(0);
static LIES: [Liar; 7] =
    [Liar([1, 2, 3]), Liar([4; 3]), Liar([5; 3]), Liar([6; 3]), Liar([7; 3]), Liar([8; 3]), Liar([9; 3])];

/// Says yes to every dtype and gives other elements than it was asked for, another number of them each time.
#[derive(Clone, Copy, Debug)]
struct Liar(#[expect(dead_code, reason = "printed")] [u16; 3]);

impl Element for Liar {
    fn name() -> String {
        "Liar".into()
    }

    fn dtype() -> DType {
        DType::Float64(ByteOrder::Big)
    }

    fn check(_: &DType) -> Result<()> {
        Ok(())
    }

    fn view(_: &[u8]) -> Result<&[Self]> {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        if call % 11 == 10 {
            return Err(Error::InvalidBool { field: Vec::new(), index: usize::MAX, byte: 0 });
        }
        Ok(&LIES[..call % 8])
    }

    fn read(_: &[u8]) -> Result<Self> {
        Ok(Self([0; 3]))
    }

    fn write(&self, out: &mut [u8]) {
        out.fill(0xff);
    }

    fn decode(_: &DType, _: &[u8], out: &mut [Self]) -> Result<()> {
        out.fill(Self([3; 3]));
        Ok(())
    }
}

impl ElementMut for Liar {
    fn view_mut(_: &mut [u8]) -> Result<&mut [Self]> {
        let call = CALLS.fetch_add(1, Ordering::Relaxed);
        if call % 5 == 4 {
            return Ok(&mut []);
        }
        let elements = Box::leak(LIES[..call % 8].to_vec().into_boxed_slice());
        // Kept in sight, so that Miri does not call it lost.
        KEPT.lock().unwrap().push(AtomicPtr::new(elements.as_mut_ptr()));
        Ok(elements)
    }
}

/// A liar whose dtype is chosen by the test, of no bytes.
#[derive(Clone, Copy, Debug)]
struct Shaped<const WHICH: usize>;

impl<const WHICH: usize> Element for Shaped<WHICH> {
    fn name() -> String {
        "Shaped".into()
    }

    fn dtype() -> DType {
        let nested = DType::Subarray(DType::UInt8.into(), vec![2]);
        match WHICH {
            0 => DType::Subarray(DType::UInt8.into(), vec![]),
            1 => DType::Subarray(DType::UInt8.into(), vec![usize::MAX, 2]),
            2 => DType::Subarray(DType::UInt8.into(), vec![0]),
            3 => DType::Subarray(nested.into(), vec![3]),
            4 => DType::Subarray(DType::Bytes(usize::MAX).into(), vec![3, 2]),
            5 => DType::Subarray(DType::Object.into(), vec![2, 3, 2]),
            _ => DType::UInt8,
        }
    }

    fn check(dtype: &DType) -> Result<()> {
        match dtype {
            DType::Subarray(..) => Ok(()),
            _ if WHICH == 6 => Ok(()),
            _ => Err(Error::NotImmutable),
        }
    }

    fn view(bytes: &[u8]) -> Result<&[Self]> {
        Ok(if bytes.is_empty() { &[] } else { &[Self; 5] })
    }

    fn read(_: &[u8]) -> Result<Self> {
        Ok(Self)
    }

    fn write(&self, _: &mut [u8]) {}
}

impl<const WHICH: usize> ElementMut for Shaped<WHICH> {
    fn view_mut(_: &mut [u8]) -> Result<&mut [Self]> {
        Ok(Box::leak(Box::new([Self; 5])))
    }
}

#[test]
fn an_element_that_lies_panics_or_is_wrong_and_nothing_worse() {
    let files = [
        npy(&native("f8"), false, "(2, 3, 2)", &[0xff; 96]),
        npy("'|u1'", true, "(3, 2)", &[2; 6]),
        npy("'|u1'", false, "(7,)", &[2; 7]),
        npy("'|u1'", false, "(2, 3, 0)", &[]),
        npy("'|S6'", false, "()", &[1; 6]),
        npy("[('a', '|b1'), ('b', '<f8')]", false, "(3,)", &[0xff; 27]),
    ];
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let mut panics = 0;
    for file in files.iter().take(if cfg!(miri) { 2 } else { files.len() }) {
        for _ in 0..if cfg!(miri) { 1 } else { 40 } {
            panics += lie::<Liar>(file);
            panics += lie::<[Liar; 2]>(file);
            panics += lie::<[[Liar; 1]; 3]>(file);
        }
        panics += lie::<Shaped<0>>(file);
        panics += lie::<Shaped<1>>(file);
        panics += lie::<Shaped<2>>(file);
        panics += lie::<Shaped<3>>(file);
        panics += lie::<Shaped<4>>(file);
        panics += lie::<Shaped<5>>(file);
        panics += lie::<Shaped<6>>(file);
    }
    std::panic::set_hook(hook);
    assert!(panics > 0);
}

/// Does all that an array of `T` can, each by itself, and counts the panics.
fn lie<T: ElementMut + Debug>(file: &[u8]) -> usize {
    let mut file = aligned(file);
    let mut panics = 0;
    {
        let any = NpyAny::from_bytes(&file[..]).unwrap();
        let mut attempt = |action: &dyn Fn()| panics += usize::from(catch_unwind(AssertUnwindSafe(action)).is_err());
        attempt(&|| drop(any.to_vec::<T>().map(|elements| format!("{elements:?}"))));
        attempt(&|| {
            let Ok(x) = any.typed::<T>() else { return };
            let attempt = |action: &dyn Fn()| drop(catch_unwind(AssertUnwindSafe(action)));
            attempt(&|| use_up(&x));
            attempt(&|| drop(format!("{:?}", x.iter().collect::<Vec<_>>())));
            attempt(&|| drop(format!("{:?}", &x[0])));
            attempt(&|| drop(format!("{:?}", &x[1])));
            attempt(&|| drop(format!("{:?}", x[[0, 0, 0]])));
            attempt(&|| drop(x.slice_rows(0..1).map(|part| use_up(&part))));
            attempt(&|| drop(x.slice_cols(0..1).map(|part| use_up(&part))));
            attempt(&|| drop(x.rows().map(|rows| format!("{:?}", &rows[1]))));
            #[cfg(feature = "ndarray")]
            attempt(&|| drop(x.ndarray::<ndarray::IxDyn>().map(|view| format!("{view:?}"))));
            assert!(x.as_slice().len() < 100);
        });
    }
    panics += usize::from(
        catch_unwind(AssertUnwindSafe(|| {
            let Ok(mut x) = Npy::<T, _>::from_bytes(&mut file[..]) else { return };
            let spare = T::read(&[]).unwrap_or_else(|_| panic!("a liar reads anything"));
            x.as_mut_slice().fill(spare);
            x[0].fill(spare);
            x[[0, 0, 0]] = spare;
            #[cfg(feature = "ndarray")]
            drop(x.ndarray_mut::<ndarray::IxDyn>().map(|mut view| view.fill(spare)));
        }))
        .is_err(),
    );
    panics
}

// Views of the ndarray crate.

#[test]
#[cfg(feature = "ndarray")]
fn ndarray_views_are_the_array_in_either_order() {
    use ndarray::{ArrayView2, ArrayViewD, ArrayViewMut2};

    let (values, data) = f64s(6);
    for fortran in [false, true] {
        let mut buffer = aligned(&npy(&native("f8"), fortran, "(2, 3)", &data));
        let mut x = Npy::<f64, _>::from_bytes(&mut buffer[..]).unwrap();
        let view: ArrayView2<f64> = x.ndarray().unwrap();
        for i in 0..2 {
            for j in 0..3 {
                assert_eq!(view[[i, j]], values[if fortran { i + 2 * j } else { 3 * i + j }]);
                assert_eq!(view[[i, j]], x[[i, j]]);
            }
        }
        assert_eq!(view.t().iter().count(), 6);
        let mut view: ArrayViewMut2<f64> = x.ndarray_mut().unwrap();
        view.row_mut(1).fill(0.0);
        view[[0, 2]] = 8.0;
        assert_eq!((x[[1, 0]], x[[1, 2]], x[[0, 2]]), (0.0, 0.0, 8.0));
        assert!(x.ndarray::<ndarray::Ix1>().is_err() && x.ndarray::<ndarray::Ix3>().is_err());
    }
    for shape in ["(0, 3)", "(3, 0)", "(0, 0)"] {
        let x = Npy::<f64, _>::from_bytes(npy(&native("f8"), true, shape, &[])).unwrap();
        let view: ArrayViewD<f64> = x.ndarray().unwrap();
        assert_eq!((view.shape(), view.iter().count()), (x.shape(), 0));
    }
    let mut x = Npy::<bool, _>::from_bytes(npy("'|b1'", false, "(2, 2)", &[0, 1, 1, 1])).unwrap();
    x.ndarray_mut::<ndarray::Ix2>().unwrap()[[0, 0]] = true;
    assert_eq!(x.bytes(), [1; 4]);
}

#[test]
fn orders_are_never_mixed_up() {
    let file = npy("'|u1'", true, "(2, 3)", &[0, 10, 1, 11, 2, 12]);
    let x = Npy::<u8>::from_bytes(file.as_slice()).unwrap();
    assert_eq!((x.order(), x.get(0)), (Order::Fortran, None));
    assert!(matches!(x.rows(), Err(Error::FortranOrder { .. })));
    assert!(matches!(NpyAny::slice_rows(&x, 0..1), Err(Error::FortranOrder { .. })));
    assert!(catch_unwind(AssertUnwindSafe(|| x[0].len())).is_err());
    assert_eq!(x.cols().unwrap().map(<[u8]>::to_vec).collect::<Vec<_>>(), [[0, 10], [1, 11], [2, 12]]);
    assert_eq!(x.iter().copied().collect::<Vec<_>>(), [0, 1, 2, 10, 11, 12]);
}

#[test]
fn gathered_rows_fill_memory_that_was_not_initialized() {
    let file = aligned(&npy(&native("u2"), false, "(4, 3)", &[7; 24]));
    let x = NpyAny::from_bytes(&file[..]).unwrap().into_typed::<u16>().unwrap();
    let mut memory = [std::mem::MaybeUninit::uninit(); 9];
    assert_eq!(x.gather_uninit(&[3_u32, 0, 3], &mut memory).unwrap(), [0x0707; 9]);
    // Nothing is handed out where something is wrong.
    assert!(x.gather_uninit(&[3_u32, 4], &mut memory[..6]).is_err());
    assert!(x.gather_uninit(&[3_u32, 0], &mut memory[..7]).is_err());
    let none = aligned(&npy(&native("u2"), false, "(4, 0)", &[]));
    let none = NpyAny::from_bytes(&none[..]).unwrap().into_typed::<u16>().unwrap();
    assert!(none.gather_uninit(&[3_i64, 0], &mut memory[..0]).unwrap().is_empty());
    assert_eq!(none.gather_vec(&[3_i64, 0]).unwrap(), []);
}
