//! Rows from elsewhere, as the file stores them: from an `.npy` file, CSV, raw bytes. Knows no file that they go to.

use std::io::{self, Read};
use std::path::Path;

use npymap::{DType, Header};

use crate::convert::Converter;
use crate::parse::{self, Column};
use crate::source::{Source, shape_text};
use crate::trouble::{Result, Trouble};

/// Bytes that are read at a time.
const BLOCK: usize = 1 << 20;

/// What rows a file has.
pub struct Kind {
    pub dtype: DType,
    /// The lengths of all axes but the one that grows.
    pub row_shape: Vec<usize>,
    pub fortran_order: bool,
}

impl Kind {
    pub fn of(header: &Header) -> Self {
        let mut row_shape = header.shape().to_vec();
        if let Some(axis) = header.growth_axis() {
            row_shape.remove(axis);
        }
        // Of one axis there is one order.
        let fortran_order = header.fortran_order() && !row_shape.is_empty();
        Self { dtype: header.dtype().clone(), row_shape, fortran_order }
    }

    /// Bytes of a row.
    pub fn row_bytes(&self) -> usize {
        self.row_shape.iter().product::<usize>() * self.dtype.itemsize()
    }
}

/// Where rows come from.
pub enum Rows {
    Npy(Box<Stored>),
    Csv(Box<Table>),
    Raw(Box<dyn Read>),
}

/// Rows of an `.npy` file, of which `at` bytes were read.
pub struct Stored {
    source: Source,
    converter: Option<Converter>,
    row_bytes: usize,
    at: usize,
}

impl Rows {
    /// Rows of an `.npy` file, which must be of this kind, but for byte orders and the layout of records.
    pub fn of_npy(source: Source, kind: &Kind) -> Result<Self> {
        let found = Kind::of(source.header());
        let differs =
            |found: String, wanted: String| Err(Trouble::Said(format!("the input has {found}, the file {wanted}")));
        if source.header().growth_axis().is_none() || found.row_shape != kind.row_shape {
            let row = |kind: &Kind| format!("rows of shape {}", shape_text(&kind.row_shape));
            return differs(row(&found), row(kind));
        }
        if found.fortran_order != kind.fortran_order {
            let order = |kind: &Kind| if kind.fortran_order { "Fortran order" } else { "C order" }.into();
            return differs(order(&found), order(kind));
        }
        let converter = match found.dtype == kind.dtype {
            true => None,
            false => match Converter::new(&found.dtype, &kind.dtype) {
                Some(converter) => Some(converter),
                None => return differs(format!("dtype {}", found.dtype), kind.dtype.to_string()),
            },
        };
        Ok(Self::Npy(Box::new(Stored { source, converter, row_bytes: found.row_bytes(), at: 0 })))
    }

    pub fn of_csv(reader: Box<dyn Read>, kind: &Kind) -> Result<Self> {
        Table::new(reader, kind).map(|table| Self::Csv(Box::new(table)))
    }

    /// Fills `out` with some more rows as a file of this kind stores them; with none at the end.
    pub fn next(&mut self, kind: &Kind, out: &mut Vec<u8>) -> Result<()> {
        out.clear();
        let row_bytes = kind.row_bytes();
        match self {
            Self::Npy(stored) => stored.next(out),
            Self::Csv(table) => table.next(row_bytes, out),
            Self::Raw(reader) => {
                let step = (BLOCK / row_bytes.max(1)).max(1) * row_bytes;
                reader.take(step as u64).read_to_end(out).map_err(cannot_read)?;
                let partial = out.len() % row_bytes.max(1);
                if partial > 0 {
                    out.truncate(out.len() - partial);
                    // The whole ones go first, and the part is found again by the next call.
                    if out.is_empty() {
                        let told = format!("the input ends after {partial} bytes of a row, which takes {row_bytes}");
                        return Err(Trouble::Said(told));
                    }
                    *self = Self::Raw(Box::new(io::Cursor::new(vec![0; partial])));
                }
                Ok(())
            }
        }
    }
}

impl Stored {
    fn next(&mut self, out: &mut Vec<u8>) -> Result<()> {
        let left = self.source.header().nbytes() - self.at;
        let step = ((BLOCK / self.row_bytes.max(1)).max(1) * self.row_bytes).min(left);
        let mut block = vec![0; step];
        self.source.read(self.at, &mut block)?;
        self.at += step;
        match &self.converter {
            Some(converter) => converter.convert(&block, out),
            None => *out = block,
        }
        Ok(())
    }
}

/// Comma-separated values, which `cat --csv` prints.
pub struct Table {
    reader: csv::Reader<Box<dyn Read>>,
    record: csv::ByteRecord,
    /// The scalars of a line: where in the line each is, and where in the elements that a line has.
    cells: Vec<(usize, Column)>,
    /// Columns of a line.
    width: usize,
    /// Bytes of the elements of a line.
    line_bytes: usize,
    lines: usize,
}

impl Table {
    fn new(reader: Box<dyn Read>, kind: &Kind) -> Result<Self> {
        let named = matches!(kind.dtype, DType::Struct(_));
        let mut reader = csv::ReaderBuilder::new().has_headers(named).flexible(true).from_reader(reader);
        let columns = parse::columns(&kind.dtype);
        let itemsize = kind.dtype.itemsize();
        let (cells, width, per_line) = if named {
            let names = reader.byte_headers().map_err(|error| cannot_parse(&error))?.clone();
            let place = |name: &[u8]| columns.iter().find(|column| column.name.as_bytes() == name).cloned();
            let mut cells: Vec<(usize, Column)> = Vec::new();
            for (at, name) in names.iter().enumerate() {
                let shown = String::from_utf8_lossy(name);
                let Some(column) = place(name) else {
                    let there: Vec<&str> = columns.iter().take(20).map(|column| column.name.as_str()).collect();
                    return Err(Trouble::Said(format!("no column {shown:?} is in the file; there are {there:?}")));
                };
                if cells.iter().any(|(_, other)| *other == column) {
                    return Err(Trouble::Said(format!("the column {shown:?} is given twice")));
                }
                cells.push((at, column));
            }
            (cells, names.len(), 1)
        } else {
            let per_line = if kind.fortran_order {
                kind.row_shape.iter().product()
            } else {
                kind.row_shape.last().copied().unwrap_or(1)
            };
            let place = |at: usize| Column { name: String::new(), dtype: kind.dtype.clone(), offset: at * itemsize };
            ((0..per_line).map(|at| (at, place(at))).collect(), per_line, per_line)
        };
        let (record, lines) = (csv::ByteRecord::new(), 0);
        Ok(Self { reader, record, cells, width, line_bytes: per_line * itemsize, lines })
    }

    fn next(&mut self, row_bytes: usize, out: &mut Vec<u8>) -> Result<()> {
        while out.len() < BLOCK || !out.len().is_multiple_of(row_bytes.max(1)) {
            if !self.reader.read_byte_record(&mut self.record).map_err(|error| cannot_parse(&error))? {
                let partial = out.len() % row_bytes.max(1);
                if partial > 0 {
                    let lines = partial / self.line_bytes.max(1);
                    return Err(Trouble::Said(format!("the input ends after {lines} lines of a row")));
                }
                return Ok(());
            }
            self.lines += 1;
            let line = self.record.position().map_or(self.lines as u64, csv::Position::line);
            if self.record.len() != self.width {
                let (found, wanted) = (self.record.len(), self.width);
                return Err(Trouble::Said(format!("line {line} has {found} columns, where {wanted} are wanted")));
            }
            let start = out.len();
            out.resize(start + self.line_bytes, 0);
            for (at, column) in &self.cells {
                let text = self.record.get(*at).unwrap_or_default();
                let place = start + column.offset;
                let out = &mut out[place..place + column.dtype.itemsize()];
                parse::scalar(&column.dtype, text, out).map_err(|parse::Unfit(why)| {
                    let name = match column.name.as_str() {
                        "" => (at + 1).to_string(),
                        name => format!("{name:?}"),
                    };
                    Trouble::Said(format!("line {line}, column {name}: {why}"))
                })?;
            }
        }
        Ok(())
    }
}

/// The input behind a path.
pub fn open(path: &Path) -> Result<Box<dyn Read>> {
    if path == Path::new("-") {
        return Ok(Box::new(io::stdin().lock()));
    }
    match std::fs::File::open(path) {
        Ok(file) => Ok(Box::new(file)),
        Err(error) => Err(Trouble::Said(format!("cannot open {}: {error}", path.display()))),
    }
}

fn cannot_read(error: io::Error) -> Trouble {
    Trouble::Said(format!("cannot read the input: {error}"))
}

fn cannot_parse(error: &csv::Error) -> Trouble {
    Trouble::Said(format!("cannot read the input: {error}"))
}
