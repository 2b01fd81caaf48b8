//! How one element of an array is printed, chosen by looking at all of them: common widths, digits and exponents.
//!
//! The rules are those of the format classes in NumPy's `arrayprint.py` (Konrad Hinsen, Jim Hugunin, Perry Greenfield,
//! Travis Oliphant and the NumPy developers; BSD-3-Clause). Knows values; how lines are laid out is in `text.rs`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::Write;

use super::dragon4::{self, Style, Trim};
use super::value::Value;
use crate::element::calendar::{self, NAT};
use crate::element::real::{Class, Real};
use crate::format::str_repr;

/// How arrays are printed: NumPy's `set_printoptions`, of which the default has the same values.
#[derive(Clone, Debug, PartialEq, Eq)]
#[doc(alias = "set_printoptions")]
pub struct PrintOptions {
    /// An array of more elements is summarized: only the edges are printed, `...` between them. 1000 by default.
    pub threshold: usize,
    /// Items at each end of each axis that a summary shows, 3 by default.
    pub edgeitems: usize,
    /// Characters in a line, 75 by default. An element that is longer still gets a line.
    pub linewidth: usize,
    /// Digits after the point at most, of floating-point numbers. 8 by default.
    pub precision: usize,
    /// Whether floating-point numbers are never printed with an exponent because they are small; false by default.
    pub suppress: bool,
}

impl Default for PrintOptions {
    fn default() -> Self {
        Self { threshold: 1000, edgeitems: 3, linewidth: 75, precision: 8, suppress: false }
    }
}

/// The items of one axis that are printed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edges {
    /// Items before the `...`; 0 without one.
    pub(super) head: usize,
    /// The first item after the `...`; 0 without one.
    tail: usize,
    dim: usize,
    /// Whether there is a `...`.
    pub(super) elided: bool,
}

impl Edges {
    pub(super) fn new(dim: usize, summary: bool, edgeitems: usize) -> Self {
        if summary && dim > edgeitems.saturating_mul(2) {
            // NumPy prints the last item even where it is told to print none.
            return Self { head: edgeitems, tail: dim - edgeitems.max(1), dim, elided: true };
        }
        Self { head: 0, tail: 0, dim, elided: false }
    }

    /// Items printed.
    pub(super) fn len(self) -> usize {
        self.head + (self.dim - self.tail)
    }

    /// The index on the axis of the printed item `at`.
    pub(super) fn index(self, at: usize) -> usize {
        if at < self.head { at } else { self.tail + (at - self.head) }
    }
}

/// What is needed to print elements: the options, and how many more bytes of text may be printed for which a file has
/// no byte.
///
/// A subarray of a million `S0` takes no bytes; a few characters of a header would make gigabytes of text.
pub(super) struct Printer<'o> {
    pub(super) options: &'o PrintOptions,
    free: usize,
}

impl<'o> Printer<'o> {
    pub(super) fn new(options: &'o PrintOptions) -> Self {
        Self { options, free: 16 << 20 }
    }

    /// Whether all items of these axes may be printed, though one text, or none, stands for all of them.
    pub(super) fn affords(&mut self, axes: &[Edges], text: &str) -> bool {
        let (mut items, mut brackets) = (1_usize, 0_usize);
        for axis in axes {
            items = items.saturating_mul(axis.len());
            brackets = brackets.saturating_add(items);
        }
        let cost = brackets.saturating_mul(text.len() + axes.len() + 2);
        let left = self.free.checked_sub(cost);
        self.free = left.unwrap_or(self.free);
        left.is_some()
    }
}

/// How the elements of one dtype are printed.
pub(super) enum Format {
    /// As the scalar prints: void, and the floats of a record that is printed on its own.
    Scalar,
    /// Strings, quoted as Python quotes them.
    Quoted,
    /// ` True` as wide as `False`.
    Bool { padded: bool },
    /// Integers, to the right.
    Integer { width: usize },
    /// Datetimes in quotes and timedeltas as counts, to the right.
    Time { width: usize },
    /// Floating-point numbers.
    Real(RealFormat),
    /// Complex numbers.
    Complex(RealFormat, RealFormat),
    /// Records: how each field is printed.
    Record(Vec<Format>),
    /// Subarrays: how each element is printed.
    Array(Box<Format>),
}

/// Where the elements are from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// An array of one or more dimensions.
    Array,
    /// A record on its own.
    Record,
    /// A subarray in a record on its own.
    RecordArray,
}

impl Format {
    /// Chooses the format for elements of one dtype.
    pub(super) fn new(data: &[&Value], origin: Origin, options: &PrintOptions) -> Self {
        match data.first() {
            Some(Value::Bool(_)) => Self::Bool { padded: origin != Origin::Record },
            Some(Value::Int(_) | Value::UInt(_)) => {
                Self::Integer { width: extremes_width(data, integer, |n| n.to_string()) }
            }
            Some(Value::Datetime64(..) | Value::Timedelta64(..)) => {
                let width = data.iter().filter(|value| !is_nat(value)).copied().collect::<Vec<_>>();
                let width = extremes_width(&width, time, time_text);
                let nat = if data.iter().any(|value| is_nat(value)) { "'NaT'".len() } else { 0 };
                Self::Time { width: width.max(nat) }
            }
            Some(Value::Bytes(_) | Value::Str(_)) => Self::Quoted,
            Some(Value::Record(fields)) => {
                let field = |at: usize| {
                    let values = data.iter().filter_map(|value| match value {
                        Value::Record(fields) => fields.get(at).map(|(_, value)| value),
                        _ => None,
                    });
                    Self::new(&values.collect::<Vec<_>>(), origin, options)
                };
                Self::Record((0..fields.len()).map(field).collect())
            }
            Some(Value::Array { .. }) => {
                let origin = if origin == Origin::Record { Origin::RecordArray } else { origin };
                let values = data.iter().flat_map(|value| match value {
                    Value::Array { values, .. } => values.as_slice(),
                    _ => &[],
                });
                Self::Array(Box::new(Self::new(&values.collect::<Vec<_>>(), origin, options)))
            }
            Some(value) if value.complex().is_some() => {
                let parts: Vec<[Real; 2]> = data.iter().filter_map(|value| value.complex()).collect();
                let part = |at: usize, plus| {
                    let parts: Vec<Real> = parts.iter().filter_map(|parts| parts.get(at).copied()).collect();
                    RealFormat::new(&parts, plus, options)
                };
                Self::Complex(part(0, false), part(1, true))
            }
            Some(value) if value.real().is_some() && origin == Origin::Array => {
                let reals: Vec<Real> = data.iter().filter_map(|value| value.real()).collect();
                Self::Real(RealFormat::new(&reals, false, options))
            }
            _ => Self::Scalar,
        }
    }

    /// Prints an element. One that is not of the dtype the format was chosen for is printed as a scalar.
    pub(super) fn text(&self, value: &Value, printer: &mut Printer<'_>) -> String {
        match (self, value) {
            (Self::Quoted, Value::Str(text)) => str_repr(text),
            (Self::Bool { padded: true }, Value::Bool(true)) => " True".into(),
            (Self::Integer { width }, _) => format!("{value:>width$}"),
            (Self::Time { width }, Value::Datetime64(..) | Value::Timedelta64(..)) => {
                format!("{:>width$}", time_text(value))
            }
            (Self::Record(formats), Value::Record(fields)) => {
                let texts: Vec<String> =
                    formats.iter().zip(fields).map(|(format, (_, value))| format.text(value, printer)).collect();
                match texts.as_slice() {
                    [only] => format!("({only},)"),
                    all => format!("({})", all.join(", ")),
                }
            }
            (Self::Array(format), Value::Array { shape, values }) => {
                let mut text = String::new();
                format.subarray(shape, values, printer, &mut text);
                text
            }
            _ => match (self, value.real(), value.complex()) {
                (Self::Real(format), Some(real), _) => format.text(&real),
                (Self::Complex(re_format, im_format), _, Some([re, im])) => {
                    let mut text = re_format.text(&re);
                    let im = im_format.text(&im);
                    let digits = im.trim_end_matches(' ');
                    text += digits;
                    text.push('j');
                    text += im.get(digits.len()..).unwrap_or("");
                    text
                }
                _ => value.to_string(),
            },
        }
    }

    /// Prints `[[1, 2], [3, 4]]` on one line.
    fn subarray(&self, shape: &[usize], values: &[Value], printer: &mut Printer<'_>, out: &mut String) {
        let (size, edgeitems) = (product(shape), printer.options.edgeitems);
        let summary = size > printer.options.threshold;
        let axes: Vec<Edges> = shape.iter().map(|&dim| Edges::new(dim, summary, edgeitems)).collect();
        if size > values.len() || size == 0 {
            let text = values.first().map(|value| self.text(value, printer)).unwrap_or_default();
            if printer.affords(&axes, &text) {
                nested(&axes, 0, &mut |_, out| out.push_str(&text), out);
            } else {
                out.push_str("[...]");
            }
            return;
        }
        let mut item = |at: usize, out: &mut String| {
            out.push_str(&values.get(at).map(|value| self.text(value, printer)).unwrap_or_default());
        };
        nested(&axes, 0, &mut item, out);
    }
}

/// Prints the brackets of the axes, and the items, which are counted in C order from the first one of the subarray.
fn nested(axes: &[Edges], at: usize, item: &mut dyn FnMut(usize, &mut String), out: &mut String) {
    let Some((axis, inner)) = axes.split_first() else { return item(at, out) };
    out.push('[');
    for place in 0..axis.len() {
        out.push_str(if place == 0 { "" } else { ", " });
        if axis.elided && place == axis.head {
            out.push_str("..., ");
        }
        let index = at.saturating_mul(axis.dim).saturating_add(axis.index(place));
        nested(inner, index, item, out);
    }
    out.push(']');
}

/// The product of the dimensions, or as much as a `usize` holds.
pub(super) fn product(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1, |product, &dim| product.saturating_mul(dim)) }
}

/// The width of the larger of the texts of the largest and the smallest element, as NumPy finds it.
fn extremes_width<K: Ord>(data: &[&Value], key: impl Fn(&Value) -> K, text: impl Fn(&Value) -> String) -> usize {
    let extremes = [data.iter().max_by_key(|value| key(value)), data.iter().min_by_key(|value| key(value))];
    extremes.into_iter().flatten().map(|value| text(value).len()).max().unwrap_or(0)
}

fn integer(value: &Value) -> i128 {
    match value {
        Value::Int(value) => (*value).into(),
        Value::UInt(value) => (*value).into(),
        _ => 0,
    }
}

fn time(value: &Value) -> i64 {
    match value {
        Value::Datetime64(count, _) | Value::Timedelta64(count, _) => *count,
        _ => NAT,
    }
}

fn is_nat(value: &Value) -> bool {
    time(value) == NAT
}

/// A datetime in quotes, a timedelta as its bare count.
fn time_text(value: &Value) -> String {
    match value {
        Value::Datetime64(count, unit) if *count != NAT => format!("'{}'", calendar::datetime(*count, *unit)),
        Value::Timedelta64(count, _) if *count != NAT => count.to_string(),
        _ => "'NaT'".into(),
    }
}

/// How floating-point numbers are printed: NumPy's `FloatingFormat`.
pub(super) struct RealFormat {
    style: Style,
    scientific: bool,
    /// Characters after the point, exponent included.
    after: usize,
}

impl RealFormat {
    fn new(data: &[Real], plus: bool, options: &PrintOptions) -> Self {
        let finite: Vec<&Real> = data.iter().filter(|real| real.is_finite()).collect();
        let nonzero = finite.iter().filter(|real| !real.is_zero());
        let largest = nonzero.clone().max_by(|a, b| a.cmp_magnitude(b));
        let smallest = nonzero.min_by(|a, b| a.cmp_magnitude(b));
        let scientific = largest.zip(smallest).is_some_and(|(largest, smallest)| {
            // 1e-4 in the type of the numbers, and ten to the digits it holds, or to 8.
            let (small, large) = match largest.precision {
                11 => (Real::positive(1678, -24), 1_000),
                24 => (Real::from_f32(1e-4), 1_000_000),
                _ => (Real::from_f64(1e-4), 100_000_000),
            };
            largest.cmp_magnitude(&Real::positive(large, 0)).is_ge()
                || (!options.suppress
                    && (smallest.cmp_magnitude(&small).is_lt() || largest.exceeds_thousandfold(smallest)))
        });
        let precision = i32::try_from(options.precision.min(100_000)).unwrap_or(100_000);
        let first = Style { most: Some(precision), plus, ..Style::SHORTEST };
        let (mut before, mut fraction, mut exponent) = (0, 0, 0);
        for real in &finite {
            let text = if scientific { dragon4::scientific(real, &first) } else { dragon4::positional(real, &first) };
            let (number, power) = text.split_once('e').unwrap_or((&text, ""));
            let (whole, digits) = number.split_once('.').unwrap_or((number, ""));
            before = before.max(whole.len());
            fraction = fraction.max(digits.len());
            exponent = exponent.max(power.len().saturating_sub(1));
        }
        let after = if scientific { exponent + 2 + fraction } else { fraction };
        if finite.len() < data.len() {
            let signed = plus || data.iter().any(|real| real.class == Class::Infinite && real.negative);
            before = before.max(("inf".len() + usize::from(signed)).saturating_sub(after + 1));
            before = before.max("nan".len().saturating_sub(after + 1));
        }
        let style = if scientific {
            let digits = i32::try_from(fraction).ok();
            Style { most: digits, least: digits, trim: Trim::Keep, plus, before, exponent }
        } else {
            Style { before, ..first }
        };
        Self { style, scientific, after }
    }

    fn text(&self, real: &Real) -> String {
        if !real.is_finite() {
            let sign = if self.style.plus && real.class == Class::Nan { "+" } else { "" };
            let text = format!("{sign}{}", dragon4::positional(real, &self.style));
            return format!("{text:>0$}", self.style.before + self.after + 1);
        }
        if self.scientific {
            return dragon4::scientific(real, &self.style);
        }
        let mut text = dragon4::positional(real, &self.style);
        let digits = text.len() - text.find('.').map_or(0, |point| point + 1);
        text.extend(core::iter::repeat_n(' ', self.after.saturating_sub(digits)));
        text
    }
}

/// Writes bytes as Python's `repr`: `b'a\x00'`.
pub(super) fn bytes_repr(bytes: &[u8]) -> String {
    let quote = if bytes.contains(&b'\'') && !bytes.contains(&b'"') { '"' } else { '\'' };
    let mut text = format!("b{quote}");
    for &byte in bytes {
        match byte {
            b'\t' => text.push_str("\\t"),
            b'\n' => text.push_str("\\n"),
            b'\r' => text.push_str("\\r"),
            b' '..=b'~' => {
                let character = char::from(byte);
                text.push_str(if character == quote || character == '\\' { "\\" } else { "" });
                text.push(character);
            }
            _ => {
                // Writing to a String cannot fail.
                let _ = write!(text, "\\x{byte:02x}");
            }
        }
    }
    text.push(quote);
    text
}

/// Writes raw bytes as NumPy prints a void: `b'\x61\xFF'`.
pub(super) fn void_text(bytes: &[u8]) -> String {
    let mut text = String::from("b'");
    // Writing to a String cannot fail.
    for byte in bytes {
        let _ = write!(text, "\\x{byte:02X}");
    }
    text.push('\'');
    text
}
