//! Lines of text and comma-separated values: what a line is, and what its columns are called.

use std::io::Write;

use npymap::DType;

use super::{each_element, each_scalar, scalar};
use crate::blocks::each_block;
use crate::escape;
use crate::output::Output;
use crate::select::Selection;
use crate::source::Source;
use crate::trouble::Result;

/// Lines of cells: one element of an array of one dimension, one row of the last axis of more, or one record.
pub struct Lines {
    csv: bool,
    terminal: bool,
    /// The dtype whose column names were written last.
    titled: Option<DType>,
}

impl Lines {
    /// Cells separated by spaces.
    pub fn text(terminal: bool) -> Self {
        Self { csv: false, terminal, titled: None }
    }

    /// Cells separated by commas, quoted where they must be; records have a line with the names of their columns,
    /// again only where they change from one file to the next.
    pub fn csv(terminal: bool) -> Self {
        Self { csv: true, terminal, titled: None }
    }

    /// Writes the names of the columns, unless they were the last ones.
    pub fn titles(&mut self, dtype: &DType, output: &mut Output) -> Result<()> {
        if !self.csv || !matches!(dtype, DType::Struct(_)) || self.titled.as_ref() == Some(dtype) {
            return Ok(());
        }
        let terminal = self.terminal;
        let mut quoted = Quoted::new(output);
        each_name(dtype, &mut String::new(), &mut |name| match terminal {
            true => quoted.cell(escape::for_terminal(name).as_bytes()),
            false => quoted.cell(name.as_bytes()),
        })?;
        quoted.end_line()?;
        quoted.finish()?;
        self.titled = Some(dtype.clone());
        Ok(())
    }

    pub fn write(&mut self, source: &mut Source, selection: &Selection, output: &mut Output) -> Result<()> {
        let dtype = selection.dtype();
        let per_line = match &dtype {
            DType::Struct(_) => 1,
            _ => selection.shape().get(1..).and_then(<[usize]>::last).copied().unwrap_or(1),
        };
        let terminal = self.terminal;
        if !self.csv {
            return lines(source, selection, &dtype, per_line, &mut Spaced { output, started: false }, terminal);
        }
        self.titles(&dtype, output)?;
        if needs_no_quotes(&dtype) {
            return lines(source, selection, &dtype, per_line, &mut Bare { output, started: false }, terminal);
        }
        let mut quoted = Quoted::new(output);
        lines(source, selection, &dtype, per_line, &mut quoted, terminal)?;
        quoted.finish()
    }
}

fn lines(
    source: &mut Source,
    selection: &Selection,
    dtype: &DType,
    per_line: usize,
    cells: &mut impl Cells,
    terminal: bool,
) -> Result<()> {
    let mut text = Vec::new();
    let mut done = 0;
    let mut in_line = 0;
    each_block(source, selection, |count, bytes| {
        each_element(count, bytes, done, |element| {
            each_scalar(dtype, element, &mut |scalar, bytes| {
                text.clear();
                scalar::append(scalar, bytes, terminal, &mut text)?;
                cells.cell(&text)
            })?;
            in_line += 1;
            if in_line == per_line {
                in_line = 0;
                cells.end_line()?;
            }
            Ok(())
        })?;
        done += count;
        Ok(())
    })
}

/// Whether no text of this dtype can hold a comma, a quote or a newline, or be empty.
fn needs_no_quotes(dtype: &DType) -> bool {
    match dtype {
        DType::Struct(record) => {
            !record.fields.is_empty() && record.fields.iter().all(|field| needs_no_quotes(&field.dtype))
        }
        DType::Subarray(base, shape) => !shape.contains(&0) && needs_no_quotes(base),
        DType::Void(size) => *size > 0,
        DType::Bytes(_) | DType::Str(..) | DType::Object => false,
        _ => true,
    }
}

/// Calls `visit` with the name of every column: `a.b` for nested fields, `a[0]`, `a[0][1]` for subarrays.
fn each_name(dtype: &DType, name: &mut String, visit: &mut impl FnMut(&str) -> Result<()>) -> Result<()> {
    let length = name.len();
    match dtype {
        DType::Struct(record) => record.fields.iter().try_for_each(|field| {
            if length > 0 {
                name.push('.');
            }
            name.push_str(&field.name);
            each_name(&field.dtype, name, visit)?;
            name.truncate(length);
            Ok(())
        }),
        DType::Subarray(base, shape) => each_index(base, shape, name, visit),
        _ => visit(name),
    }
}

fn each_index(
    base: &DType,
    shape: &[usize],
    name: &mut String,
    visit: &mut impl FnMut(&str) -> Result<()>,
) -> Result<()> {
    let Some((&len, inner)) = shape.split_first() else { return each_name(base, name, visit) };
    let length = name.len();
    (0..len).try_for_each(|index| {
        name.push_str(&format!("[{index}]"));
        each_index(base, inner, name, visit)?;
        name.truncate(length);
        Ok(())
    })
}

/// Where cells go.
trait Cells {
    fn cell(&mut self, text: &[u8]) -> Result<()>;
    fn end_line(&mut self) -> Result<()>;
}

/// Cells with spaces between them.
struct Spaced<'a> {
    output: &'a mut Output,
    started: bool,
}

/// Cells with commas between them, none of which needs quotes.
struct Bare<'a> {
    output: &'a mut Output,
    started: bool,
}

/// Cells with commas between them, quoted where they must be.
struct Quoted<'a> {
    writer: csv::Writer<&'a mut Output>,
}

impl Cells for Spaced<'_> {
    fn cell(&mut self, text: &[u8]) -> Result<()> {
        separated(self.output, b" ", &mut self.started, text)
    }

    fn end_line(&mut self) -> Result<()> {
        self.started = false;
        Ok(self.output.write_all(b"\n")?)
    }
}

impl Cells for Bare<'_> {
    fn cell(&mut self, text: &[u8]) -> Result<()> {
        separated(self.output, b",", &mut self.started, text)
    }

    fn end_line(&mut self) -> Result<()> {
        self.started = false;
        Ok(self.output.write_all(b"\n")?)
    }
}

fn separated(output: &mut Output, separator: &[u8], started: &mut bool, text: &[u8]) -> Result<()> {
    if *started {
        output.write_all(separator)?;
    }
    *started = true;
    Ok(output.write_all(text)?)
}

impl<'a> Quoted<'a> {
    fn new(output: &'a mut Output) -> Self {
        Self { writer: csv::WriterBuilder::new().flexible(true).has_headers(false).from_writer(output) }
    }

    fn finish(mut self) -> Result<()> {
        Ok(self.writer.flush()?)
    }
}

impl Cells for Quoted<'_> {
    fn cell(&mut self, text: &[u8]) -> Result<()> {
        Ok(self.writer.write_field(text)?)
    }

    fn end_line(&mut self) -> Result<()> {
        Ok(self.writer.write_record(None::<&[u8]>)?)
    }
}
