//! JSON, one value a line for each index of the first axis.

use std::io::Write;

use npymap::{DType, Value};

use super::{each_element, scalar};
use crate::blocks::each_block;
use crate::escape;
use crate::output::Output;
use crate::select::Selection;
use crate::source::Source;
use crate::trouble::Result;

/// How values become JSON.
pub struct Json {
    /// NaN and infinities are strings instead of null.
    nan_as_string: bool,
    terminal: bool,
    /// Where a scalar is written before it is looked at.
    text: Vec<u8>,
}

impl Json {
    pub fn new(nan_as_string: bool, terminal: bool) -> Self {
        Self { nan_as_string, terminal, text: Vec::new() }
    }

    pub fn write(&mut self, source: &mut Source, selection: &Selection, output: &mut Output) -> Result<()> {
        let (dtype, shape) = (selection.dtype(), selection.shape());
        let (rows, inner) = shape.split_first().map_or((1, shape.as_slice()), |(&rows, inner)| (rows, inner));
        if inner.contains(&0) {
            return (0..rows).try_for_each(|_| {
                self.nested(inner, output, &mut |_, _| Ok(()))?;
                Ok(output.write_all(b"\n")?)
            });
        }
        let mut brackets = Brackets::new(inner);
        let mut done = 0;
        each_block(source, selection, |count, bytes| {
            each_element(count, bytes, done, |element| {
                brackets.open(output)?;
                self.element(&dtype, element, output)?;
                brackets.close(output)
            })?;
            done += count;
            Ok(())
        })
    }

    fn element(&mut self, dtype: &DType, bytes: &[u8], out: &mut Output) -> Result<()> {
        match dtype {
            DType::Struct(record) => {
                out.write_all(b"{")?;
                for (at, field) in record.fields.iter().enumerate() {
                    if at > 0 {
                        out.write_all(b",")?;
                    }
                    self.string(&field.name, out)?;
                    out.write_all(b":")?;
                    self.element(&field.dtype, &bytes[field.offset..field.offset + field.dtype.itemsize()], out)?;
                }
                out.write_all(b"}")?;
            }
            DType::Subarray(base, shape) => {
                let size = base.itemsize();
                let mut first = 0;
                self.nested(shape, out, &mut |json, out| {
                    let own = &bytes[first..first + size];
                    first += size;
                    json.element(base, own, out)
                })?;
            }
            DType::Bool => match bytes {
                [1] => out.write_all(b"true")?,
                [0] => out.write_all(b"false")?,
                // The library says what is wrong.
                _ => drop(dtype.value(bytes)?),
            },
            DType::Bytes(_) => {
                let bytes = scalar::without_nuls(bytes);
                match std::str::from_utf8(bytes) {
                    Ok(text) => self.string(text, out)?,
                    Err(_) => base64(bytes, out)?,
                }
            }
            DType::Void(_) => base64(bytes, out)?,
            DType::Str(..) => match dtype.value(bytes)? {
                Value::Str(text) => self.string(&text, out)?,
                other => self.string(&other.to_string(), out)?,
            },
            DType::Datetime64(..) => {
                self.text.clear();
                scalar::append(dtype, bytes, false, &mut self.text)?;
                match self.text.as_slice() {
                    b"NaT" => out.write_all(b"null")?,
                    text => write!(out, "\"{}\"", String::from_utf8_lossy(text))?,
                }
            }
            DType::Complex64(order) => self.complex(&DType::Float32(*order), bytes, out)?,
            DType::Complex128(order) => self.complex(&DType::Float64(*order), bytes, out)?,
            DType::ComplexLongDouble(order) => self.complex(&DType::LongDouble(*order), bytes, out)?,
            number => self.number(number, bytes, out)?,
        }
        Ok(())
    }

    /// Integers and floats are written as in text, which is JSON too but for what is no number.
    fn number(&mut self, dtype: &DType, bytes: &[u8], out: &mut Output) -> Result<()> {
        self.text.clear();
        scalar::append(dtype, bytes, false, &mut self.text)?;
        let text: &[u8] = match (self.text.as_slice(), self.nan_as_string) {
            (b"NaT", _) | (b"nan" | b"inf" | b"-inf", false) => b"null",
            (b"nan", true) => b"\"NaN\"",
            (b"inf", true) => b"\"Infinity\"",
            (b"-inf", true) => b"\"-Infinity\"",
            (text, _) => text,
        };
        Ok(out.write_all(text)?)
    }

    fn complex(&mut self, part: &DType, bytes: &[u8], out: &mut Output) -> Result<()> {
        let [re, im] = scalar::halves(bytes);
        out.write_all(b"[")?;
        self.number(part, re, out)?;
        out.write_all(b",")?;
        self.number(part, im, out)?;
        Ok(out.write_all(b"]")?)
    }

    fn string(&self, text: &str, out: &mut Output) -> Result<()> {
        // JSON escapes what ASCII has of control characters; a terminal obeys more.
        if !self.terminal || !text.chars().any(escape::is_obeyed) {
            return serde_json::to_writer(out, text).map_err(|error| std::io::Error::from(error).into());
        }
        out.write_all(b"\"")?;
        for character in text.chars() {
            match character {
                '"' | '\\' => write!(out, "\\{character}")?,
                // All of them are in the basic plane.
                _ if escape::is_obeyed(character) => write!(out, "\\u{:04x}", u32::from(character))?,
                _ => write!(out, "{character}")?,
            }
        }
        Ok(out.write_all(b"\"")?)
    }

    /// Writes nested lists; `element` is called for each element in C order.
    fn nested(
        &mut self,
        shape: &[usize],
        out: &mut Output,
        element: &mut impl FnMut(&mut Self, &mut Output) -> Result<()>,
    ) -> Result<()> {
        let Some((&len, inner)) = shape.split_first() else { return element(self, out) };
        out.write_all(b"[")?;
        for at in 0..len {
            if at > 0 {
                out.write_all(b",")?;
            }
            self.nested(inner, out, element)?;
        }
        Ok(out.write_all(b"]")?)
    }
}

/// The brackets and commas around elements that come one by one.
struct Brackets<'a> {
    shape: &'a [usize],
    index: Vec<usize>,
    /// Lists to open before the next element.
    opening: usize,
}

impl<'a> Brackets<'a> {
    fn new(shape: &'a [usize]) -> Self {
        Self { shape, index: vec![0; shape.len()], opening: shape.len() }
    }

    fn open(&mut self, out: &mut Output) -> Result<()> {
        (0..self.opening).try_for_each(|_| Ok(out.write_all(b"[")?))
    }

    fn close(&mut self, out: &mut Output) -> Result<()> {
        self.opening = 0;
        for (index, &len) in self.index.iter_mut().zip(self.shape).rev() {
            *index += 1;
            if *index < len {
                return Ok(out.write_all(b",")?);
            }
            *index = 0;
            self.opening += 1;
            out.write_all(b"]")?;
        }
        Ok(out.write_all(b"\n")?)
    }
}

/// Writes `{"base64":"AAEC"}`.
fn base64(bytes: &[u8], out: &mut Output) -> Result<()> {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out.write_all(b"{\"base64\":\"")?;
    for triple in bytes.chunks(3) {
        let mut group = [0; 4];
        let (mut bits, mut characters) = (0_usize, triple.len() + 1);
        for at in 0..3 {
            bits = bits << 8 | usize::from(triple.get(at).copied().unwrap_or(0));
        }
        for place in group.iter_mut().rev() {
            *place = ALPHABET[bits & 63];
            bits >>= 6;
        }
        while characters < 4 {
            group[characters] = b'=';
            characters += 1;
        }
        out.write_all(&group)?;
    }
    Ok(out.write_all(b"\"}")?)
}
