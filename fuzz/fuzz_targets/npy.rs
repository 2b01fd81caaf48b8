//! Any bytes to an array, by every way in and at every alignment, and then everything that can be asked of it. Every
//! byte of every slice is read, so that the sanitizer sees what lies outside.
#![no_main]

use std::fmt::Debug;
use std::sync::Arc;

use libfuzzer_sys::fuzz_target;
use npymap::{
    Aligned, Bytes, BytesClone, Datetime64, Element, ElementMut, Error, Npy, NpyAny, Order, Timedelta64, be, le,
};

/// Elements beyond which an array is not walked one by one.
const CAP: usize = 50;

fuzz_target!(|bytes: &[u8]| {
    let owned = NpyAny::from_bytes(Aligned::copy_of(bytes).unwrap());
    // A stream knows no file size, and takes memory only for what arrives.
    let streamed = NpyAny::read_from(bytes);
    match (&owned, &streamed) {
        (Ok(owned), Ok(streamed)) => {
            assert_eq!(owned.header(), streamed.header());
            assert_eq!(owned.bytes(), streamed.bytes());
        }
        (Err(owned), Err(streamed)) => same_error(owned, streamed),
        // A stream can't be looked into beyond the array: data of spaces behind a bare brace are refused there.
        (Ok(owned), Err(Error::HeaderCutShort { .. })) => {
            assert!(owned.bytes().iter().take(64).all(|&byte| byte == b' '))
        }
        _ => panic!("from_bytes: {:?}, read_from: {:?}", owned.as_ref().err(), streamed.as_ref().err()),
    }
    let Ok(array) = owned else { return };

    // At another address each time, as the length would have it; exactly as long as the bytes, for the sanitizer.
    let excess = [1, 2, 4, 8, 15][bytes.len() % 5];
    let mut buffer = vec![0; excess];
    buffer.extend_from_slice(bytes);
    let buffer = buffer.into_boxed_slice();
    let shifted = NpyAny::from_bytes(&buffer[excess..]).unwrap();
    assert_eq!(shifted.bytes(), array.bytes());
    typed(&shifted);
    assert_eq!(NpyAny::from_bytes(Arc::<[u8]>::from(bytes)).unwrap().bytes(), array.bytes());
    typed(&array);
    written(array.clone());
    walked(&array);
    parts(&array);
    // What follows may be more arrays.
    let all =
        NpyAny::read_all_from(bytes).take(20).filter_map(Result::ok).map(|array| array.size()).collect::<Vec<_>>();
    assert_eq!(all.first().copied(), streamed.ok().map(|_| array.size()));
});

/// The same array twice: what is wrong with it may be seen at different times, but not differently.
fn same_error(owned: &Error, streamed: &Error) {
    let order =
        ["header_too_long", "header_truncated", "object", "unfinished_publish", "data_truncated", "header_cut_short"];
    assert!(
        owned.to_string() == streamed.to_string()
            || (order.contains(&owned.kind()) && order.contains(&streamed.kind())),
        "from_bytes: {owned}, read_from: {streamed}"
    );
}

macro_rules! every_type {
    ($call:ident($array:expr)) => {
        $call::<bool>($array);
        $call::<i8>($array);
        $call::<u8>($array);
        $call::<i16>($array);
        $call::<u16>($array);
        $call::<i32>($array);
        $call::<u32>($array);
        $call::<i64>($array);
        $call::<u64>($array);
        $call::<f32>($array);
        $call::<f64>($array);
        $call::<Datetime64>($array);
        $call::<Timedelta64>($array);
        $call::<half::f16>($array);
        $call::<half::bf16>($array);
        $call::<num_complex::Complex<f32>>($array);
        $call::<num_complex::Complex<f64>>($array);
        $call::<le::I16>($array);
        $call::<le::U32>($array);
        $call::<le::I64>($array);
        $call::<le::F32>($array);
        $call::<le::F64>($array);
        $call::<be::I16>($array);
        $call::<be::U32>($array);
        $call::<be::I64>($array);
        $call::<be::F32>($array);
        $call::<be::F64>($array);
        $call::<[u8; 1]>($array);
        $call::<[u8; 3]>($array);
        $call::<[u8; 16]>($array);
        $call::<[bool; 2]>($array);
        $call::<[[bool; 2]; 3]>($array);
        $call::<[f64; 2]>($array);
        $call::<[[i16; 3]; 2]>($array);
        $call::<[be::F32; 3]>($array);
    };
}

fn typed<B: Bytes>(array: &NpyAny<B>) {
    let mut fits = 0;
    every_type!(check(&mut Check { array, fits: &mut fits }));
    assert!(fits <= 4 || array.bytes().is_empty());
}

struct Check<'a, B> {
    array: &'a NpyAny<B>,
    fits: &'a mut usize,
}

trait Checked {
    fn check<T: Element + Debug>(&mut self);
}

impl<B: Bytes> Checked for Check<'_, B> {
    fn check<T: Element + Debug>(&mut self) {
        let copy = self.array.to_vec::<T>();
        match self.array.typed::<T>() {
            Ok(view) => {
                *self.fits += 1;
                let copy = copy.unwrap();
                assert_eq!(view.as_slice().len(), copy.len());
                assert_eq!(size_of_val(view.as_slice()), self.array.bytes().len());
                view.as_slice().iter().zip(&copy).for_each(|(view, copy)| assert_eq!(stored(view), stored(copy)));
                look(&view);
            }
            Err(error) => {
                let text = error.to_string();
                assert!(!text.is_empty());
                match error {
                    // A copy is the way out, unless something else is wrong as well.
                    Error::Misaligned { .. } => assert!(copy.is_ok()),
                    Error::ByteOrder { .. } => assert!(matches!(copy, Ok(_) | Err(Error::FortranOrder { .. }))),
                    Error::InvalidBool { index, byte, .. } => {
                        assert!(byte > 1 && self.array.bytes()[index] == byte);
                        assert!(copy.unwrap_err().to_string() == text);
                    }
                    _ => assert!(copy.is_err(), "{text}"),
                }
            }
        }
    }
}

fn check<T: Element + Debug>(checked: &mut impl Checked) {
    checked.check::<T>();
}

/// The bytes of an element, each of them read.
fn stored<T: Element>(element: &T) -> Vec<u8> {
    let mut bytes = vec![0xa5; size_of::<T>()];
    element.write(&mut bytes);
    bytes
}

fn sum<T: Element>(elements: &[T]) -> u64 {
    elements.iter().flat_map(stored).map(u64::from).sum()
}

fn look<T: Element + Debug, B: Bytes>(view: &Npy<T, B>) {
    let all = sum(view.as_slice());
    for rows in [view.rows(), view.cols()].into_iter().flatten() {
        if rows.len() <= CAP {
            assert_eq!(rows.clone().map(sum).sum::<u64>(), all);
            assert_eq!(rows.clone().rev().map(sum).sum::<u64>(), all);
            let last = rows.len().checked_sub(1);
            assert_eq!(last.map(|last| sum(&rows[last])), rows.clone().next_back().map(sum));
            assert!(rows.get(rows.len()).is_none());
        }
    }
    if view.order() == Order::C && view.ndim() > 0 {
        assert!(view.get(usize::MAX).is_none());
        let _ = view.get(0).map(sum);
    }
    let count = view.as_slice().len();
    if count <= CAP {
        assert_eq!(view.iter().map(|element| sum(std::slice::from_ref(element))).sum::<u64>(), all);
        assert_eq!(view.iter().len(), count);
    }
    let nd = view.ndarray::<ndarray::IxDyn>().unwrap();
    if nd.len() <= CAP {
        assert_eq!(nd.len(), count);
        assert!(nd.iter().zip(view.iter()).all(|(a, b)| std::ptr::eq(a, b)));
    }
    let _ = view.ndarray::<ndarray::Ix2>().map(|nd| nd.t().iter().take(CAP).map(stored).count());
}

/// Writes what is there, by every type that may.
fn written(array: NpyAny<Aligned>) {
    fn write<T: ElementMut + Debug>(array: &NpyAny<Aligned>) {
        let Ok(mut view) = array.clone().into_typed::<T>() else { return };
        let before = view.bytes().to_vec();
        view.as_mut_slice().reverse();
        view.as_mut_slice().reverse();
        if let Some(first) = view.as_slice().first().copied() {
            view.as_mut_slice()[0] = first;
            view.ndarray_mut::<ndarray::IxDyn>().unwrap().iter_mut().take(CAP).for_each(|element| *element = *element);
        }
        assert_eq!(view.bytes(), before);
        look(&view.clone());
    }
    every_type!(write(&array));
}

/// Values, one by one, and as text.
fn walked<B: Bytes>(array: &NpyAny<B>) {
    for value in array.iter().take(CAP) {
        match value {
            Ok(value) => drop(format!("{value} {value:?}")),
            Err(error) => assert!(matches!(error.kind(), "invalid_bool" | "invalid_char"), "{error}"),
        }
    }
    assert_eq!(array.iter().len(), array.size());
    let shape = array.shape();
    let last: Vec<usize> = shape.iter().map(|&dim| dim.wrapping_sub(1)).collect();
    if array.size() > 0 {
        let _ = array.value(&last).map(|value| value.to_string());
    } else {
        assert!(array.value(&last).is_err());
    }
    assert!(array.value(shape).is_err() || shape.is_empty());
    let _ = format!("{array} {array:?}");
}

fn parts<B: BytesClone>(array: &NpyAny<B>) {
    for (part, axis) in [(array.slice_rows(1..2), 0), (array.slice_cols(1..2), array.ndim().wrapping_sub(1))] {
        let Ok(part) = part else { continue };
        assert_eq!(part.shape()[axis], 1);
        let whole: u64 = array.bytes().iter().copied().map(u64::from).sum();
        assert!(part.bytes().iter().copied().map(u64::from).sum::<u64>() <= whole);
        walked(&part);
        assert_eq!(part.typed::<u8>().is_ok(), array.typed::<u8>().is_ok());
        let _ = part.slice_rows(0..0).map(|none| assert!(none.bytes().is_empty() && none.size() == 0));
    }
    let _ = array.slice_rows(0..array.shape().first().copied().unwrap_or(0)).map(|all| {
        assert_eq!(all.bytes(), array.bytes());
    });
}
