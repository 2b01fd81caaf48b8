//! Arrays as text, exactly as NumPy 2.4's `str(a)`: brackets, line breaks, summaries.
//!
//! The layout is that of NumPy's `arrayprint.py` (Konrad Hinsen, Jim Hugunin, Perry Greenfield, Travis Oliphant and
//! the NumPy developers; BSD-3-Clause). Knows nothing of where the elements come from.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::format::{Edges, Format, Origin, Printer, bytes_repr, product, void_text};
use super::value::Value;
use crate::{DType, Result};

pub use super::format::PrintOptions;

/// Prints an array as NumPy 2.4's `str(a)` does, by default to the last character.
///
/// Asks `element` for the elements that are printed and no others, each once, in C order: of an array of more than
/// [`threshold`](PrintOptions::threshold) elements those at the edges, so that a large file costs no more than a small
/// one. Keeps them all in memory while printing. A 0-d array is printed as its element, in full precision and without
/// quotes.
///
/// Elements that take no bytes (`|S0`) are asked for once and assumed to be alike. What NumPy would print of them
/// without end is `[...]` here beyond 16 MiB of text. A datetime without a unit, which NumPy refuses to print, is
/// printed as a count.
///
/// # Errors
///
/// Those of `element`.
///
/// # Examples
///
/// ```
/// use npymap::{ByteOrder, DType, PrintOptions, Value, array2string};
///
/// let dtype = DType::Float64(ByteOrder::Little);
/// let text = array2string(&dtype, &[2, 2], &PrintOptions::default(), |index| {
///     Ok(Value::Float64([1.0, 2.5, -3.0, f64::NAN][index[0] * 2 + index[1]]))
/// })?;
/// assert_eq!(text, "[[ 1.   2.5]\n [-3.   nan]]");
/// # Ok::<(), npymap::Error>(())
/// ```
pub fn array2string(
    dtype: &DType,
    shape: &[usize],
    options: &PrintOptions,
    mut element: impl FnMut(&[usize]) -> Result<Value>,
) -> Result<String> {
    if shape.is_empty() {
        return Ok(match element(&[])? {
            Value::Bytes(bytes) => format!("np.bytes_({})", bytes_repr(&bytes)),
            record @ Value::Record(_) => compound(&record, options),
            value => value.to_string(),
        });
    }
    let size = product(shape);
    if size == 0 {
        return Ok("[]".into());
    }
    let axes: Vec<Edges> =
        shape.iter().map(|&dim| Edges::new(dim, size > options.threshold, options.edgeitems)).collect();
    let alike = dtype.itemsize() == 0;
    let mut values = Vec::new();
    let mut at = alloc::vec![0; shape.len()];
    let mut index = alloc::vec![0; shape.len()];
    loop {
        for ((index, &at), axis) in index.iter_mut().zip(&at).zip(&axes) {
            *index = axis.index(at);
        }
        values.push(element(&index)?);
        if alike || !advance(&mut at, &axes) {
            break;
        }
    }
    Ok(layout(&axes, &values, options))
}

/// Steps to the next printed item in C order; false after the last one.
fn advance(at: &mut [usize], axes: &[Edges]) -> bool {
    for (at, axis) in at.iter_mut().zip(axes).rev() {
        *at += 1;
        if *at < axis.len() {
            return true;
        }
        *at = 0;
    }
    false
}

/// Prints what has no simple text: bytes, voids, records and subarrays on their own.
pub(super) fn compound(value: &Value, options: &PrintOptions) -> String {
    match value {
        Value::Bytes(bytes) => bytes_repr(bytes),
        Value::Void(bytes) => void_text(bytes),
        Value::Array { shape, .. } if product(shape) == 0 => "[]".into(),
        Value::Array { values, .. } if values.is_empty() => "[...]".into(),
        Value::Array { shape, values } => {
            let (size, edgeitems) = (product(shape), options.edgeitems);
            let axes: Vec<Edges> =
                shape.iter().map(|&dim| Edges::new(dim, size > options.threshold, edgeitems)).collect();
            let mut shown = Vec::new();
            let mut at = alloc::vec![0; shape.len()];
            loop {
                let places = at.iter().zip(&axes).zip(shape);
                let position = places.fold(0_usize, |position, ((&at, axis), &dim)| {
                    position.saturating_mul(dim).saturating_add(axis.index(at))
                });
                shown.extend(values.get(position).cloned());
                if values.len() < size || !advance(&mut at, &axes) {
                    break;
                }
            }
            layout(&axes, &shown, options)
        }
        record => Format::new(&[record], Origin::Record, options).text(record, &mut Printer::new(options)),
    }
}

/// Prints the values of all printed items, or the single one that stands for them all.
fn layout(axes: &[Edges], values: &[Value], options: &PrintOptions) -> String {
    let mut printer = Printer::new(options);
    let format = Format::new(&values.iter().collect::<Vec<_>>(), Origin::Array, options);
    let mut alike = None;
    if let ([value], true) = (values, axes.iter().any(|axis| axis.len() > 1)) {
        let text = format.text(value, &mut printer);
        if !printer.affords(axes, &text) {
            return "[...]".into();
        }
        alike = Some(text);
    }
    let mut layout = Layout { format, values: values.iter(), alike, printer, out: String::new() };
    layout.axis(axes, 1, options.linewidth);
    layout.out
}

/// The text of an array while it grows.
struct Layout<'v> {
    format: Format,
    /// Those not yet printed.
    values: core::slice::Iter<'v, Value>,
    /// The text of each element, if all are alike.
    alike: Option<String>,
    printer: Printer<'v>,
    out: String,
}

impl Layout<'_> {
    /// Prints one bracketed axis. Lines after the first start with `indent` spaces, and have `width` characters.
    fn axis(&mut self, axes: &[Edges], indent: usize, width: usize) {
        let Some((axis, inner)) = axes.split_first() else { return };
        self.out.push('[');
        if inner.is_empty() {
            self.row(*axis, indent, width.saturating_sub(1));
        } else {
            for item in 0..axis.len() {
                self.separate(item == 0, inner, indent);
                if axis.elided && item == axis.head {
                    self.out.push_str("...");
                    self.separate(false, inner, indent);
                }
                self.axis(inner, indent + 1, width.saturating_sub(1));
            }
        }
        self.out.push(']');
    }

    /// Starts the next of several rows, with an empty line for each dimension beyond two.
    fn separate(&mut self, first: bool, inner: &[Edges], indent: usize) {
        if !first {
            self.out.extend(core::iter::repeat_n('\n', inner.len()));
            self.out.extend(core::iter::repeat_n(' ', indent));
        }
    }

    /// Prints the elements of the last axis, broken into lines of `width` characters.
    fn row(&mut self, axis: Edges, indent: usize, width: usize) {
        let mut line = Line { indent, width, length: indent };
        for item in 0..axis.len() {
            if item > 0 {
                line.space(&mut self.out);
            }
            if axis.elided && item == axis.head {
                line.word(&mut self.out, "...");
                line.space(&mut self.out);
            }
            match (&self.alike, self.values.next()) {
                (Some(word), _) => line.word(&mut self.out, word),
                (None, Some(value)) => line.word(&mut self.out, &self.format.text(value, &mut self.printer)),
                (None, None) => {}
            }
        }
    }
}

/// How far the present line has come, in characters.
struct Line {
    indent: usize,
    width: usize,
    length: usize,
}

impl Line {
    /// Adds a word, on a new line if it doesn't fit and the line has one already.
    fn word(&mut self, out: &mut String, word: &str) {
        let length = word.chars().count();
        if self.length + length > self.width && self.length > self.indent {
            out.truncate(out.trim_end_matches(' ').len());
            out.push('\n');
            out.extend(core::iter::repeat_n(' ', self.indent));
            self.length = self.indent;
        }
        out.push_str(word);
        self.length += length;
    }

    fn space(&mut self, out: &mut String) {
        out.push(' ');
        self.length += 1;
    }
}

#[cfg(test)]
mod tests {
    use core::cell::RefCell;

    use super::*;
    use crate::{ByteOrder, DatetimeUnit, Error, TimeUnit};

    const F8: DType = DType::Float64(ByteOrder::Little);
    const I8: DType = DType::Int64(ByteOrder::Little);

    /// Prints values given in C order; the dtype only says that they take bytes.
    fn print(shape: &[usize], options: &PrintOptions, values: impl Fn(usize) -> Value) -> String {
        let element = |index: &[usize]| {
            Ok(values(index.iter().zip(shape).fold(0, |position, (index, dim)| position * dim + index)))
        };
        array2string(&I8, shape, options, element).unwrap()
    }

    fn count(at: usize) -> Value {
        Value::UInt(at as u64)
    }

    fn one_dimensional<T: Copy>(values: &[T], value: impl Fn(T) -> Value) -> String {
        print(&[values.len()], &PrintOptions::default(), |at| value(values[at]))
    }

    fn floats(values: &[f64]) -> String {
        one_dimensional(values, Value::Float64)
    }

    #[test]
    fn floats_share_their_digits_and_widths() {
        assert_eq!(floats(&[1.0, 2.5, -3.25]), "[ 1.    2.5  -3.25]");
        assert_eq!(floats(&[0.1, 0.123456789123]), "[0.1        0.12345679]");
        assert_eq!(floats(&[1.0, f64::NAN, f64::NEG_INFINITY]), "[  1.  nan -inf]");
        assert_eq!(floats(&[f64::NAN, f64::INFINITY]), "[nan inf]");
        assert_eq!(floats(&[-0.0, 0.0]), "[-0.  0.]");
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
    fn floats_far_apart_get_exponents() {
        assert_eq!(floats(&[1e8, 1.0]), "[1.e+08 1.e+00]");
        assert_eq!(floats(&[99999999.0, 1e5]), "[99999999.   100000.]");
        assert_eq!(floats(&[0.0001, 0.00009]), "[1.e-04 9.e-05]");
        assert_eq!(floats(&[1.0, 1000.0]), "[   1. 1000.]");
        assert_eq!(floats(&[1.0, 1000.5]), "[1.0000e+00 1.0005e+03]");
        assert_eq!(floats(&[1e300, f64::NAN]), "[1.e+300     nan]");
        assert_eq!(one_dimensional(&[1000.0, 1.0, 2.0], Value::Float16), "[1.e+03 1.e+00 2.e+00]");
        assert_eq!(one_dimensional(&[1e6, 1000.0], Value::Float32), "[1.e+06 1.e+03]");
        assert_eq!(one_dimensional(&[0.1, 0.0004, 0.3333], Value::Float16), "[0.1    0.0004 0.3333]");
    }

    #[test]
    fn complex_parts_have_a_format_each() {
        let parts = [[1.5, -2.0], [10.0, f64::NAN], [0.0, 1e9]];
        assert_eq!(one_dimensional(&parts, Value::Complex128), "[ 1.5-2.e+00j 10.    +nanj  0. +1.e+09j]");
        assert_eq!(one_dimensional(&[[1.0, 1.0], [1.0, 1.25]], Value::Complex128), "[1.+1.j   1.+1.25j]");
    }

    #[test]
    fn integers_and_bools_are_right_aligned() {
        assert_eq!(one_dimensional(&[1, -20, 300], Value::Int), "[  1 -20 300]");
        assert_eq!(one_dimensional(&[0, u64::MAX], Value::UInt), "[                   0 18446744073709551615]");
        assert_eq!(one_dimensional(&[true, false], Value::Bool), "[ True False]");
    }

    #[test]
    fn times_are_quoted_and_nat_is_padded() {
        let unit = TimeUnit { unit: DatetimeUnit::Day, count: 1 };
        let dates = one_dimensional(&[0, i64::MIN], |count| Value::Datetime64(count, unit));
        assert_eq!(dates, "['1970-01-01'        'NaT']");
        assert_eq!(one_dimensional(&[i64::MIN], |count| Value::Datetime64(count, unit)), "['NaT']");
        assert_eq!(one_dimensional(&[1, i64::MIN], |count| Value::Timedelta64(count, unit)), "[    1 'NaT']");
    }

    #[test]
    fn strings_are_quoted_as_python_quotes_them() {
        let texts = ["a", "it's", "'\"", "\n\\", "é\u{301}\u{ad}\u{2028}\u{e0001}"];
        let printed = "['a' \"it's\" '\\'\"' '\\n\\\\' 'é\u{301}\\xad\\u2028\\U000e0001']";
        assert_eq!(one_dimensional(&texts, |text| Value::Str(text.into())), printed);
        assert_eq!(one_dimensional(&[b"a'b"], |bytes| Value::Bytes(bytes.into())), "[b\"a'b\"]");
        assert_eq!(one_dimensional(&[b"a\0"], |bytes| Value::Void(bytes.into())), "[b'\\x61\\x00']");
    }

    #[test]
    fn records_format_each_field_over_the_whole_array() {
        let row = |at: usize| {
            let values = [1.0, 1.5, 1e9];
            let array = Value::Array { shape: [2].into(), values: [count(0), count(at * 5)].into() };
            let inner = Value::Record([("x".into(), Value::Bool(at == 2))].into());
            Value::Record([("a".into(), Value::Float64(values[at])), ("b".into(), array), ("c".into(), inner)].into())
        };
        let printed = "[(1.0e+00, [ 0,  0], (False,)) (1.5e+00, [ 0,  5], (False,))\n (1.0e+09, [ 0, 10], ( True,))]";
        assert_eq!(print(&[3], &PrintOptions::default(), row), printed);
        assert_eq!(print(&[], &PrintOptions::default(), |_| row(1)), "(1.5, [0, 5], (False,))");
    }

    #[test]
    fn a_0d_array_prints_as_its_element() {
        let print = |value: Value| print(&[], &PrintOptions::default(), |_| value.clone());
        assert_eq!(print(Value::Float64(0.1234567890123)), "0.1234567890123");
        assert_eq!(print(Value::Str("a".into())), "a");
        assert_eq!(print(Value::Bool(true)), "True");
        assert_eq!(print(Value::Bytes(b"a".into())), "np.bytes_(b'a')");
    }

    #[test]
    fn empty_arrays_are_two_brackets() {
        for shape in [&[0][..], &[0, 3], &[3, 0], &[usize::MAX, 0, 2]] {
            assert_eq!(print(shape, &PrintOptions::default(), |_| unreachable!()), "[]");
        }
    }

    #[test]
    fn higher_dimensions_get_empty_lines() {
        let print = |shape: &[usize]| print(shape, &PrintOptions::default(), count);
        assert_eq!(print(&[2, 2]), "[[0 1]\n [2 3]]");
        assert_eq!(print(&[2, 1, 2]), "[[[0 1]]\n\n [[2 3]]]");
        assert_eq!(print(&[2, 1, 1, 1]), "[[[[0]]]\n\n\n [[[1]]]]");
    }

    #[test]
    fn lines_break_where_numpy_breaks_them() {
        let text = print(&[30], &PrintOptions::default(), |at| count(at * 100));
        assert_eq!(
            text,
            "[   0  100  200  300  400  500  600  700  800  900 1000 1100 1200 1300\n \
             1400 1500 1600 1700 1800 1900 2000 2100 2200 2300 2400 2500 2600 2700\n \
             2800 2900]"
        );
        let narrow = PrintOptions { linewidth: 10, ..PrintOptions::default() };
        assert_eq!(print(&[2, 3], &narrow, |at| count(1000 + at)), "[[1000\n  1001\n  1002]\n [1003\n  1004\n  1005]]");
        let longer_than_the_line = print(&[2], &narrow, |_| Value::Str("abcdefghijkl".into()));
        assert_eq!(longer_than_the_line, "['abcdefghijkl'\n 'abcdefghijkl']");
    }

    #[test]
    fn a_summary_asks_only_for_the_edges_each_once() {
        let asked = RefCell::new(Vec::new());
        let text = array2string(&I8, &[1 << 20, 1 << 20], &PrintOptions::default(), |index| {
            asked.borrow_mut().push(index.to_vec());
            Ok(Value::Int(1))
        });
        let row = " [1 1 1 ... 1 1 1]";
        let all = [row, row, row, " ...", row, row, row].join("\n");
        assert_eq!(text.unwrap(), format!("[{}]", &all[1..]));
        let mut asked = asked.into_inner();
        assert_eq!(asked.len(), 36);
        assert_eq!(asked[35], [(1 << 20) - 1, (1 << 20) - 1]);
        asked.dedup();
        assert!(asked.len() == 36 && asked.is_sorted());
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
    fn summaries_start_above_the_threshold() {
        let print = |count| print(&[count], &PrintOptions::default(), |_| Value::Int(7));
        assert!(!print(1000).contains("..."));
        assert_eq!(print(1001), "[7 7 7 ... 7 7 7]");
        let options = PrintOptions { threshold: 0, edgeitems: 1, ..PrintOptions::default() };
        assert_eq!(super::tests::print(&[3], &options, count), "[0 ... 2]");
        let options = PrintOptions { threshold: 0, edgeitems: 0, ..PrintOptions::default() };
        assert_eq!(super::tests::print(&[3], &options, count), "[... 2]");
    }

    #[test]
    fn options_change_digits() {
        let print = |options: PrintOptions, values: &[f64]| print(&[2], &options, |at| Value::Float64(values[at]));
        let precision = |precision| PrintOptions { precision, ..PrintOptions::default() };
        assert_eq!(print(precision(2), &[0.126, 3.0]), "[0.13 3.  ]");
        assert_eq!(print(precision(0), &[0.5, 1.5]), "[0. 2.]");
        assert_eq!(print(precision(usize::MAX), &[0.1, 0.3333333333333333]), "[0.1                0.3333333333333333]");
        let suppress = PrintOptions { suppress: true, ..PrintOptions::default() };
        assert_eq!(print(suppress, &[1e-10, 1.0]), "[0. 1.]");
    }

    #[test]
    fn elements_without_bytes_are_asked_for_once() {
        let asked = RefCell::new(0);
        let print = |shape: &[usize], threshold| {
            let options = PrintOptions { threshold, ..PrintOptions::default() };
            array2string(&DType::Bytes(0), shape, &options, |_| {
                *asked.borrow_mut() += 1;
                Ok(Value::Bytes([].into()))
            })
            .unwrap()
        };
        assert_eq!(print(&[3], 1000), "[b'' b'' b'']");
        assert_eq!(print(&[usize::MAX / 4], 1000), "[b'' b'' b'' ... b'' b'' b'']");
        assert_eq!(print(&[usize::MAX / 4], usize::MAX), "[...]");
        assert_eq!(print(&[6; 24], 1000), "[...]");
        assert_eq!(asked.into_inner(), 4);
    }

    #[test]
    fn errors_of_an_element_come_through() {
        let result = array2string(&F8, &[2], &PrintOptions::default(), |_| DType::Bool.value(&[7]));
        assert!(matches!(result, Err(Error::InvalidBool { byte: 7, .. })));
    }
}
