//! Records as a table: a column a field, with its name above it.

use npymap::DType;

use super::numpy::{self, Style};
use super::{each_element, scalar};
use crate::arguments::Printing;
use crate::blocks::each_block;
use crate::escape;
use crate::select::Selection;
use crate::source::Source;
use crate::trouble::Result;

/// Whether a selection is best shown as a table: records in a row.
pub fn is_table(selection: &Selection) -> bool {
    let named = matches!(selection.dtype(), DType::Struct(record) if !record.fields.is_empty());
    named && selection.axes().len() < 2
}

/// Prints all records of a selection, a line each, under the names of their fields.
///
/// Nested fields have columns of their own (`a.b`), a subarray has one.
pub fn table(source: &mut Source, selection: &Selection, printing: &Printing, terminal: bool) -> Result<String> {
    let mut columns = Vec::new();
    add_columns(&selection.dtype(), "", 0, terminal, &mut columns);
    let mut done = 0;
    each_block(source, selection, |count, bytes| {
        each_element(count, bytes, done, |record| {
            columns.iter_mut().try_for_each(|column| column.add(record, terminal))
        })?;
        done += count;
        Ok(())
    })?;
    let style = Style::new(printing, terminal);
    let columns: Vec<Finished> = columns.into_iter().map(|column| column.finish(&style)).collect::<Result<_>>()?;
    let mut text = String::new();
    for line in 0..=done {
        for (at, column) in columns.iter().enumerate() {
            if at > 0 {
                text.push_str("  ");
            }
            column.cell(line, &mut text);
        }
        text.truncate(text.trim_end_matches(' ').len());
        text.push('\n');
    }
    text.pop();
    Ok(text)
}

/// One column, while its cells are collected.
struct Column {
    name: String,
    dtype: DType,
    offset: usize,
    cells: Cells,
}

enum Cells {
    /// What looks best when it is formatted together.
    Floats(Vec<npymap::Value>),
    Texts(Vec<String>),
}

fn add_columns(dtype: &DType, name: &str, offset: usize, terminal: bool, columns: &mut Vec<Column>) {
    if let DType::Struct(record) = dtype {
        for field in &record.fields {
            let own = if terminal { escape::for_terminal(&field.name) } else { field.name.as_str().into() };
            let name = if name.is_empty() { own.into_owned() } else { format!("{name}.{own}") };
            add_columns(&field.dtype, &name, offset + field.offset, terminal, columns);
        }
        return;
    }
    let cells = match dtype.kind() {
        'f' => Cells::Floats(Vec::new()),
        _ => Cells::Texts(Vec::new()),
    };
    columns.push(Column { name: name.to_owned(), dtype: dtype.clone(), offset, cells });
}

impl Column {
    fn add(&mut self, record: &[u8], terminal: bool) -> Result<()> {
        let bytes = &record[self.offset..self.offset + self.dtype.itemsize()];
        match (&mut self.cells, &self.dtype) {
            (Cells::Floats(values), dtype) => values.push(dtype.value(bytes)?),
            // NumPy breaks and abridges it; a cell has one line.
            (Cells::Texts(texts), DType::Subarray(..)) => {
                let text = self.dtype.value(bytes)?.to_string();
                texts.push(text.split_whitespace().collect::<Vec<_>>().join(" "));
            }
            (Cells::Texts(texts), dtype) => {
                let mut text = Vec::new();
                scalar::append(dtype, bytes, terminal, &mut text)?;
                texts.push(String::from_utf8_lossy(&text).into_owned());
            }
        }
        Ok(())
    }

    fn finish(self, style: &Style) -> Result<Finished> {
        let texts = match self.cells {
            Cells::Floats(values) => numpy::texts(&self.dtype, values, style)?,
            Cells::Texts(texts) => texts,
        };
        let lines = std::iter::once(&self.name).chain(&texts);
        let width = lines.map(|text| text.chars().count()).max().unwrap_or(0);
        Ok(Finished { right: scalar::is_number(&self.dtype), name: self.name, texts, width })
    }
}

/// One column, ready to be printed.
struct Finished {
    name: String,
    texts: Vec<String>,
    width: usize,
    right: bool,
}

impl Finished {
    /// Adds a cell; that of line 0 is the name.
    fn cell(&self, line: usize, out: &mut String) {
        let text = line.checked_sub(1).map_or(Some(&self.name), |at| self.texts.get(at)).map_or("", String::as_str);
        let padding = " ".repeat(self.width.saturating_sub(text.chars().count()));
        let (before, after) = if self.right { (padding.as_str(), "") } else { ("", padding.as_str()) };
        out.extend([before, text, after]);
    }
}
