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
pub(super) fn compound(value: &Value) -> String {
    let options = PrintOptions::default();
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
            layout(&axes, &shown, &options)
        }
        record => Format::new(&[record], Origin::Record, &options).text(record, &mut Printer::new(&options)),
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
