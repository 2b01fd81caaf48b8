//! The header as NumPy writes it for a plain dtype, matched without a tree of nodes: what opening many small files
//! costs. Knows one spelling; every other one is for the reader of literals, which takes this one as well and makes
//! the same of it.
//!
//! ```text
//! {'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }          \n
//! ```

use alloc::vec::Vec;
use core::ops::Range;

/// What such a header says.
#[derive(Debug, PartialEq)]
pub(super) struct Plain<'a> {
    pub(super) descr: &'a str,
    pub(super) fortran_order: bool,
    pub(super) shape: Vec<usize>,
    /// Where the growth axis stands in the text: the first, or the last in Fortran order.
    pub(super) growth: Option<Range<usize>>,
    /// Spaces at the end, before the newline.
    pub(super) padding: usize,
}

/// Reads a header, or leaves it to others.
pub(super) fn read(text: &str) -> Option<Plain<'_>> {
    let rest = text.strip_prefix("{'descr': '")?;
    let end = rest.bytes().position(|byte| !byte.is_ascii_graphic() || matches!(byte, b'\'' | b'\\'))?;
    let (descr, rest) = rest.split_at(end);
    let rest = rest.strip_prefix("', 'fortran_order': ")?;
    let (fortran_order, rest) = match rest.strip_prefix("False") {
        Some(rest) => (false, rest),
        None => (true, rest.strip_prefix("True")?),
    };
    let mut rest = rest.strip_prefix(", 'shape': (")?;
    let mut shape = Vec::new();
    let mut growth = None;
    loop {
        rest = rest.trim_start_matches(' ');
        let at = text.len() - rest.len();
        let Some((dim, after)) = dimension(rest) else { break };
        let span = at..text.len() - after.len();
        if shape.is_empty() || fortran_order {
            growth = Some(span);
        }
        shape.push(dim);
        // The space that marks a carry in the publish field stands here.
        rest = after.trim_start_matches(' ');
        match rest.strip_prefix(',') {
            Some(after) => rest = after,
            // `(3)` is a number.
            None if shape.len() == 1 => return None,
            None => break,
        }
    }
    let rest = rest.strip_prefix(')')?;
    let rest = rest.strip_prefix(", ").unwrap_or(rest).strip_prefix('}')?;
    let rest = rest.strip_suffix('\n').unwrap_or(rest);
    let padding = rest.len();
    rest.bytes().all(|byte| byte == b' ').then_some(Plain { descr, fortran_order, shape, growth, padding })
}

/// A decimal number without leading zeros, small enough for any machine word of 64 bits, and what follows it.
fn dimension(text: &str) -> Option<(usize, &str)> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at(digits);
    let is_plain = (1..=18).contains(&digits) && (digits == 1 || !number.starts_with('0'));
    let dim = number.parse().ok().filter(|&dim| isize::try_from(dim).is_ok())?;
    is_plain.then_some((dim, rest))
}

#[cfg(test)]
mod tests {
    use alloc::format;
    use alloc::string::{String, ToString};
    use alloc::vec;

    use proptest::prelude::*;

    use super::super::literal::{self, Literal};
    use super::*;

    /// Descr, order, shape, and where the growth axis stands.
    type Said = (String, bool, Vec<i64>, Option<Range<usize>>);

    /// What the reader of literals makes of a text, if it is such a header.
    fn read_slowly(text: &str) -> Option<Said> {
        let root = literal::parse(text, false).ok()?;
        let Literal::Dict(items) = &root.value else { return None };
        let [(_, descr), (_, fortran_order), (_, shape)] = items.as_slice() else { return None };
        let keys = ["descr", "fortran_order", "shape"];
        assert!(items.iter().zip(keys).all(|((key, _), wanted)| key.value == Literal::Str(wanted.into())), "{text}");
        let (Literal::Str(descr), Literal::Bool(fortran_order)) = (&descr.value, &fortran_order.value) else {
            return None;
        };
        let Literal::Tuple(items) = &shape.value else { return None };
        let dims: Vec<i64> =
            items.iter().map_while(|item| if let Literal::Int(dim) = item.value { Some(dim) } else { None }).collect();
        let growth = if *fortran_order { items.last() } else { items.first() };
        (dims.len() == items.len())
            .then(|| (descr.to_string(), *fortran_order, dims, growth.map(|item| item.at..item.end)))
    }

    fn assert_same(text: &str, plain: &Plain) {
        let shape = plain.shape.iter().map(|&dim| i64::try_from(dim).unwrap()).collect();
        let ours = (plain.descr.to_string(), plain.fortran_order, shape, plain.growth.clone());
        assert_eq!(read_slowly(text), Some(ours), "{text}");
        let unpadded = text.trim_end_matches('\n').trim_end_matches(' ');
        assert_eq!(plain.padding, text.trim_end_matches('\n').len() - unpadded.len(), "{text}");
    }

    #[test]
    fn headers_by_numpy_are_matched_and_mean_what_the_literal_means() {
        let cases = [
            ("{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }    \n", vec![1000, 3]),
            ("{'descr': '|b1', 'fortran_order': True, 'shape': (), }\n", vec![]),
            ("{'descr': '<M8[25s]', 'fortran_order': False, 'shape': (0,), }", vec![0]),
            ("{'descr': '>c16', 'fortran_order': True, 'shape': (7, 0, 12)}  ", vec![7, 0, 12]),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (             123, 4), }\n", vec![123, 4]),
            ("{'descr': '<f8', 'fortran_order': False, 'shape': (       10000000 ,), }\n", vec![10_000_000]),
        ];
        for (text, shape) in cases {
            let plain = read(text).unwrap();
            assert_eq!(plain.shape, shape, "{text}");
            assert_same(text, &plain);
        }
    }

    #[test]
    fn other_spellings_are_left_to_the_reader_of_literals() {
        let others = [
            r#"{"descr": '<f4', 'fortran_order': False, 'shape': (3,), }"#,
            "{'descr': '<f4' , 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4' 'x', 'fortran_order': False, 'shape': (3,), }",
            r"{'descr': '\x3cf4', 'fortran_order': False, 'shape': (3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (03,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3L,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (-3,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3 4), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (1234567890123456789,), }",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), 'x': 1}",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }x",
            "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }\n\n",
            "{'descr': '<f4', 'fortran_order': Falsely, 'shape': (3,), }",
            "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (3,), }",
        ];
        for text in others {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
        fn whatever_is_matched_means_what_the_literal_means(
            descr in "[<>|=]?[a-zA-Z?][0-9]{0,3}|[ -~]{0,4}",
            order in "True|False|False ",
            shape in r"\(( {0,3}[0-9]{1,4} {0,2},){0,3} {0,2}([0-9]{1,3})?\)|[(),0-9 ]{0,6}",
            end in ", }|}| }|, } {0,9}\n?|[ -~\n]{0,4}",
        ) {
            let text = format!("{{'descr': '{descr}', 'fortran_order': {order}, 'shape': {shape}{end}");
            if let Some(plain) = read(&text) {
                assert_same(&text, &plain);
            }
        }
    }
}
