//! Texts out of their fixed-size fields, beside what must be done at least: the same characters validated as UTF-8.

use std::hint::black_box;

use npymap::{Element, FixedBytes, be, le};

use npymap_benches::Setting;
use npymap_benches::race::{Race, Verdict, each, repeated};

/// Strings of a race: few enough for the first-level caches.
const COUNT: usize = 64;

const SCRIPTS: [(&str, &str); 4] =
    [("ASCII", "quick-brown_fox"), ("Latin-1", "Åéßaîçdüöx"), ("CJK", "天地玄黃宇宙洪荒"), ("emoji", "😀🦊🚀🌍")];

pub fn text(setting: &Setting) -> Vec<Verdict> {
    let mut verdicts = Vec::new();
    for (script, chars) in SCRIPTS {
        verdicts.extend(ucs4::<8>(setting, script, chars));
        verdicts.extend(ucs4::<64>(setting, script, chars));
    }
    for (script, chars) in &SCRIPTS[..2] {
        verdicts.extend(bytes::<8>(setting, script, chars));
        verdicts.extend(bytes::<64>(setting, script, chars));
    }
    verdicts
}

/// Texts of some characters fewer than `length` each, at most `size` bytes of UTF-8.
fn texts(chars: &str, length: usize, size: usize) -> Vec<String> {
    let text = |index: usize| {
        let length = length - index % (length / 4);
        let mut chars = chars.chars().cycle().skip(index).take(length).collect::<String>();
        while chars.len() > size {
            chars.pop();
        }
        chars
    };
    (0..COUNT).map(text).collect()
}

fn ucs4<const N: usize>(setting: &Setting, script: &str, chars: &str) -> Vec<Verdict> {
    let texts = texts(chars, N, usize::MAX);
    let little: Vec<le::Str<N>> = texts.iter().map(|text| le::Str::new(text).expect("short")).collect();
    let big: Vec<be::Str<N>> = texts.iter().map(|text| be::Str::new(text).expect("short")).collect();
    let utf8: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    let [mut ours, mut swapped, mut naive] = [const { String::new() }; 3];
    Race::new(format!("text: <U{N}, {script}"), "string")
        .lane(
            "npymap le::Str::append_to",
            each(
                COUNT,
                repeated(|| {
                    for text in &little {
                        ours.clear();
                        text.append_to(&mut ours).expect("text");
                        black_box(&ours);
                    }
                }),
            ),
        )
        .lane(
            "npymap be::Str::append_to",
            each(
                COUNT,
                repeated(|| {
                    for text in &big {
                        swapped.clear();
                        text.append_to(&mut swapped).expect("text");
                        black_box(&swapped);
                    }
                }),
            ),
        )
        .lane(
            "str::from_utf8 of the same text",
            each(
                COUNT,
                repeated(|| {
                    utf8.iter().for_each(|text| {
                        black_box(std::str::from_utf8(text)).expect("text");
                    });
                }),
            ),
        )
        .lane(
            "char::from_u32, character by character",
            each(
                COUNT,
                repeated(|| {
                    for text in &little {
                        naive.clear();
                        for unit in text.units() {
                            naive.push(char::from_u32(unit.get()).expect("a character"));
                        }
                        black_box(&naive);
                    }
                }),
            ),
        )
        .run(setting.rounds(100))
}

fn bytes<const N: usize>(setting: &Setting, script: &str, chars: &str) -> Vec<Verdict> {
    let texts = texts(chars, N, N);
    let stored: Vec<u8> =
        texts.iter().flat_map(|text| *FixedBytes::<N>::new(text).expect("short").as_array()).collect();
    let stored = FixedBytes::<N>::view(&stored).expect("whole");
    let utf8: Vec<&[u8]> = texts.iter().map(String::as_bytes).collect();
    Race::new(format!("text: |S{N}, {script}"), "string")
        .lane(
            "npymap FixedBytes::to_str",
            each(
                COUNT,
                repeated(|| {
                    stored.iter().for_each(|text| {
                        black_box(text.to_str()).expect("text");
                    });
                }),
            ),
        )
        .lane(
            "str::from_utf8 of the same text, trimmed before",
            each(
                COUNT,
                repeated(|| {
                    utf8.iter().for_each(|text| {
                        black_box(std::str::from_utf8(text)).expect("text");
                    });
                }),
            ),
        )
        .run(setting.rounds(100))
}
