//! Texts against NumPy: what it stores is read as it was meant, and what is stored here is what it stores and reads.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test reports trouble by panicking")]

mod made;
mod support;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD as BASE64;
use npymap::{Element, FixedBytes, be, le};
use serde_json::Value;

const COUNT: usize = 2000;

/// What NumPy stored.
fn bytes(value: &Value) -> Vec<u8> {
    BASE64.decode(value.as_str().unwrap()).unwrap()
}

/// Texts that the bytes hold, those bytes made anew of the texts, and the texts that NumPy reads from a file of these.
fn there_and_back<T: Element>(
    stored: &[u8],
    texts: &[String],
    new: impl Fn(&str) -> T,
    text: impl Fn(&T) -> String,
) -> [Vec<String>; 2] {
    let read = T::view(stored).unwrap().iter().map(text).collect();
    let made: Vec<T> = texts.iter().map(|text| new(text)).collect();
    let mut encoded = vec![0xff; stored.len()];
    T::encode(&T::dtype(), &made, &mut encoded).unwrap();
    assert_eq!(encoded, stored, "{}", T::name());
    let mut written = vec![0xff; stored.len()];
    for (text, out) in texts.iter().zip(written.chunks_exact_mut(size_of::<T>())) {
        T::dtype().write_text(text, out).unwrap();
    }
    assert_eq!(written, stored, "{}", T::name());

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("x.npy");
    std::fs::write(&path, made::npy(&T::dtype().descr(), false, &format!("({COUNT},)"), &encoded)).unwrap();
    let loaded = support::python("texts", &["read", path.to_str().unwrap()]);
    [read, serde_json::from_str(&loaded).unwrap()]
}

#[test]
#[cfg_attr(miri, ignore = "runs Python")]
fn texts_of_either_byte_order_are_those_of_numpy_and_back() {
    let [seed, _] = support::seed_and_cases(0);
    let printed: Value =
        serde_json::from_str(&support::python("texts", &["write", &COUNT.to_string(), &seed])).unwrap();
    let texts: Vec<String> = serde_json::from_value(printed["texts"].clone()).unwrap();
    assert_eq!(texts.len(), COUNT);
    let (little, big) = (bytes(&printed["U"]["<"]), bytes(&printed["U"][">"]));

    let ways = [
        there_and_back(&little, &texts, |text| le::Str::<7>::new(text).unwrap(), |own| own.to_text().unwrap()),
        there_and_back(&big, &texts, |text| be::Str::<7>::new(text).unwrap(), |own| own.to_text().unwrap()),
        there_and_back(&big, &texts, |text| text.parse::<be::Str<7>>().unwrap(), |own| own.to_string()),
        there_and_back(
            &bytes(&printed["S"]),
            &texts,
            |text| FixedBytes::<28>::new(text).unwrap(),
            |own| own.to_str().unwrap().into(),
        ),
    ];
    for way in ways.iter().flatten() {
        assert_eq!(*way, texts);
    }

    let mut sorted = le::Str::<7>::view(&little).unwrap().to_vec();
    sorted.sort();
    let wanted: Vec<String> = serde_json::from_value(printed["sorted"].clone()).unwrap();
    assert_eq!(sorted.iter().map(|text| text.to_text().unwrap()).collect::<Vec<_>>(), wanted);
    assert!(sorted.iter().zip(&wanted).all(|(own, text)| own == text));

    // Copied from the other order.
    let mut copied = vec![le::Str::<7>::default(); COUNT];
    le::Str::decode(&be::Str::<7>::dtype(), &big, &mut copied).unwrap();
    assert_eq!(copied, le::Str::<7>::view(&little).unwrap());
}
