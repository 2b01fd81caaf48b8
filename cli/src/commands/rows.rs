//! Rows from elsewhere, as the file stores them, from bytes as they arrive: of an `.npy` file, CSV, or as they are. Knows
//! no file that they go to.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use npymap::{DType, Error, Header};

use crate::arguments::From;
use crate::convert::Converter;
use crate::parse::{Table, Unfit};
use crate::source::shape_text;
use crate::trouble::{Result, Trouble};

/// How an `.npy` file begins.
const MAGIC: &[u8] = b"\x93NUMPY";

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

/// Where rows come from, opened.
pub struct Input {
    pub from: From,
    pub reader: Box<dyn Read + Send>,
    /// Bytes that it is going to give, where that is known.
    pub size: Option<u64>,
    /// What an `.npy` file begins with; the reader goes on after it.
    pub header: Option<Header>,
}

impl Input {
    /// Opens a file, or `-` for standard input. Without a word, the name says what it holds, or how it begins.
    ///
    /// Of a file that grows, even by what is read from it, the input is what it has now.
    pub fn open(path: &Path, from: Option<From>) -> Result<Self> {
        let (mut reader, mut size): (Box<dyn Read + Send>, _) = if path == Path::new("-") {
            (Box::new(io::stdin()), None)
        } else {
            let file = File::open(path).map_err(|error| Trouble::Said(format!("cannot open: {error}")))?;
            let there = file.metadata().map_err(cannot_read)?;
            // Files that the kernel makes up as they are read have no size.
            match there.len() {
                size if size > 0 && there.is_file() => (Box::new(file.take(size)), Some(size)),
                _ => (Box::new(file), None),
            }
        };
        let extension = path.extension().and_then(std::ffi::OsStr::to_str);
        let from = match (from, extension) {
            (Some(from), _) => from,
            (None, Some("npy")) => From::Npy,
            (None, Some("csv")) => From::Csv,
            _ => {
                let mut start = Vec::new();
                reader.by_ref().take(MAGIC.len() as u64).read_to_end(&mut start).map_err(cannot_read)?;
                if start != MAGIC {
                    return Err(Trouble::Said("is no .npy file; say what it is: --from csv or raw".into()));
                }
                reader = Box::new(io::Cursor::new(start).chain(reader));
                From::Npy
            }
        };
        let mut header = None;
        if from == From::Npy {
            let read = Header::read_from(&mut reader)?;
            match (read.check_data(size.unwrap_or(u64::MAX)), size) {
                (Err(error), Some(_)) => return Err(error.into()),
                // How much a stream holds is seen at its end.
                (Err(error @ Error::Object { .. }), None) => return Err(error.into()),
                _ => size = size.map(|_| read.nbytes() as u64),
            }
            header = Some(read);
        }
        Ok(Self { from, reader, size, header })
    }
}

/// Turns bytes of the input into those that a file of a kind stores.
pub enum Rows {
    Npy(Box<Stored>),
    Csv(Box<Table>),
    Raw,
}

/// The data of an `.npy` file.
pub struct Stored {
    header: Header,
    /// Bytes that have arrived.
    arrived: usize,
    converter: Option<Converter>,
    /// The beginning of an element whose end hasn't arrived yet.
    partial: Vec<u8>,
}

impl Rows {
    /// What makes rows of this kind of such an input.
    pub fn new(input: &Input, kind: &Kind) -> Result<Self> {
        match (input.from, &input.header) {
            (From::Npy, Some(header)) => Stored::new(header, kind).map(|stored| Self::Npy(Box::new(stored))),
            (From::Csv, _) => {
                // In Fortran order a line is a column, which is what grows.
                let per_line = match kind.fortran_order {
                    true => kind.row_shape.iter().product(),
                    false => kind.row_shape.last().copied().unwrap_or(1),
                };
                Ok(Self::Csv(Box::new(Table::new(&kind.dtype, per_line))))
            }
            _ => Ok(Self::Raw),
        }
    }

    /// Adds what has arrived to `out`; whoever takes rows out of it leaves parts of a row there.
    ///
    /// What came before something wrong is added.
    pub fn take(&mut self, bytes: Vec<u8>, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Npy(stored) => stored.take(&bytes, out),
            Self::Csv(table) => return table.take(&bytes, out).map_err(unfit),
            Self::Raw if out.is_empty() => *out = bytes,
            Self::Raw => out.extend_from_slice(&bytes),
        }
        Ok(())
    }

    /// Adds what the end of the input brings.
    pub fn end(&mut self, out: &mut Vec<u8>) -> Result<()> {
        match self {
            Self::Npy(stored) => {
                let held = stored.arrived as u64 + stored.header.data_offset() as u64;
                Ok(stored.header.check_data(held)?)
            }
            Self::Csv(table) => table.end(out).map_err(unfit),
            Self::Raw => Ok(()),
        }
    }

    /// Says that the input has ended within a row, of which so many bytes are there.
    pub fn ended_within(&self, partial: usize, row_bytes: usize) -> Trouble {
        let (there, wanted, what) = match self {
            Self::Csv(table) => {
                let lines = |bytes: usize| bytes / table.line_bytes().max(1);
                (lines(partial), lines(row_bytes), "lines")
            }
            _ => (partial, row_bytes, "bytes"),
        };
        Trouble::Said(format!("the input ends within a row, of whose {wanted} {what} it has {there}"))
    }
}

impl Stored {
    /// Rows of an `.npy` file, which must be of this kind, but for byte orders and the layout of records.
    fn new(header: &Header, kind: &Kind) -> Result<Self> {
        let found = Kind::of(header);
        let differs =
            |found: String, wanted: String| Err(Trouble::Said(format!("the input has {found}, the file {wanted}")));
        if header.growth_axis().is_none() {
            return Err(Trouble::Said("the input is a 0-d array, which has no rows".into()));
        }
        if found.row_shape != kind.row_shape {
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
        Ok(Self { header: header.clone(), arrived: 0, converter, partial: Vec::new() })
    }

    fn take(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        // What follows the array isn't of it.
        let bytes = &bytes[..bytes.len().min(self.header.nbytes() - self.arrived)];
        self.arrived += bytes.len();
        let Some(converter) = &self.converter else { return out.extend_from_slice(bytes) };
        self.partial.extend_from_slice(bytes);
        let whole = self.partial.len() - self.partial.len() % self.header.itemsize().max(1);
        converter.convert(&self.partial[..whole], out);
        self.partial.drain(..whole);
    }
}

fn unfit(Unfit(why): Unfit) -> Trouble {
    Trouble::Said(why)
}

fn cannot_read(error: io::Error) -> Trouble {
    Trouble::Said(format!("cannot read: {error}"))
}
