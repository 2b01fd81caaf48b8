//! Where elements come from: a file read by positions, or a stream that goes by once.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;
use std::time::Duration;

use npymap::{Error, Header, NpyFile, Order};

use crate::trouble::{Result, Trouble};

/// Rows that the system is told of at a time.
const FETCHED: usize = 512;

/// An array in a file or a stream, open for reading.
pub struct Source {
    header: Header,
    data: Data,
}

enum Data {
    File(NpyFile),
    Stream(Stream),
    Memory(Vec<u8>),
    Rows(Rows),
}

/// Some rows of another source, one after another.
struct Rows {
    source: Box<Source>,
    rows: Vec<usize>,
    row_bytes: usize,
    /// How many of them the system was told of.
    told: usize,
}

/// A stream whose first `at` bytes of data have gone by.
struct Stream {
    reader: Box<dyn Read>,
    at: usize,
}

impl Source {
    /// Opens a file; what isn't a regular one, and `-` for standard input, is read as a stream.
    pub fn open(path: &Path) -> Result<Self> {
        if let Some(stream) = open_stream(path)? {
            return Self::from_stream(stream);
        }
        let file = NpyFile::open(path)?;
        Ok(Self { header: file.header().clone(), data: Data::File(file) })
    }

    /// Reads an array from a stream.
    pub fn from_stream(mut reader: Box<dyn Read>) -> Result<Self> {
        let header = Header::read_from(&mut reader)?;
        if let Err(error @ Error::Object { .. }) = header.check_data(u64::MAX) {
            return Err(error.into());
        }
        Ok(Self { header, data: Data::Stream(Stream { reader, at: 0 }) })
    }

    /// The source of some of its rows, in this order: a stream is read into memory for it.
    pub fn of_rows(mut self, rows: Vec<usize>) -> Result<Self> {
        let (dtype, shape) = (self.header.dtype().clone(), self.header.shape());
        let Some((&count, inner)) = shape.split_first() else {
            return Err(Trouble::Said("a 0-d array has no rows".into()));
        };
        if self.header.fortran_order() && shape.len() > 1 {
            return Err(Trouble::Said("its rows are not in one piece each (Fortran order)".into()));
        }
        if let Some(row) = rows.iter().find(|&&row| row >= count) {
            return Err(Trouble::Said(format!("there is no row {row}: it has {count}")));
        }
        let header = Header::new(dtype, [&[rows.len()], inner].concat(), Order::C)?;
        let row_bytes = inner.iter().product::<usize>() * self.header.itemsize();
        self.rewindable()?;
        let rows = Rows { source: Box::new(self), rows, row_bytes, told: 0 };
        Ok(Self { header, data: Data::Rows(rows) })
    }

    /// Waits until a file has more rows than `seen`, or so long, and returns how many it has; `None` of what is no file.
    pub fn wait(&mut self, seen: usize, timeout: Duration) -> Result<Option<usize>> {
        let Data::File(file) = &mut self.data else { return Ok(None) };
        let rows = file.wait(seen, timeout)?;
        self.header = file.header().clone();
        Ok(Some(rows))
    }

    /// What the header says.
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Makes all data readable in any order; a stream is read into memory for it.
    pub fn rewindable(&mut self) -> Result<()> {
        if let Data::Stream(stream) = &mut self.data {
            let mut bytes = Vec::new();
            let all = self.header.nbytes() as u64;
            // Grows with what arrives, not with what the header claims.
            stream.reader.by_ref().take(all).read_to_end(&mut bytes).map_err(cannot_read)?;
            check_held(&self.header, bytes.len() as u64)?;
            self.data = Data::Memory(bytes);
        }
        Ok(())
    }

    /// Fills `buffer` with stored bytes of the elements from byte `first` on.
    ///
    /// A stream can only go on: `first` must not be before the end of what was read last.
    pub fn read(&mut self, first: usize, buffer: &mut [u8]) -> npymap::Result<()> {
        match &mut self.data {
            Data::File(file) => file.read_bytes(first, buffer)?,
            Data::Stream(stream) => {
                let held = stream.read(first, buffer)?;
                if held < first + buffer.len() {
                    check_held(&self.header, held as u64)?;
                }
            }
            Data::Rows(rows) => rows.read(first, buffer)?,
            // All of it is there.
            Data::Memory(bytes) => buffer.copy_from_slice(&bytes[first..first + buffer.len()]),
        }
        Ok(())
    }
}

impl Rows {
    /// Fills `buffer` from byte `first` of the first row on.
    fn read(&mut self, first: usize, mut buffer: &mut [u8]) -> npymap::Result<()> {
        let mut at = first;
        while !buffer.is_empty() {
            let (which, within) = (at / self.row_bytes, at % self.row_bytes);
            if which >= self.told
                && let Data::File(file) = &self.source.data
            {
                let end = self.rows.len().min(which + FETCHED);
                file.prefetch(&self.rows[which..end])?;
                self.told = end;
            }
            let (part, rest) = buffer.split_at_mut(buffer.len().min(self.row_bytes - within));
            self.source.read(self.rows[which] * self.row_bytes + within, part)?;
            at += part.len();
            buffer = rest;
        }
        Ok(())
    }
}

impl Stream {
    /// Returns where the stream is afterwards: before the end of the buffer if it has ended.
    fn read(&mut self, first: usize, buffer: &mut [u8]) -> npymap::Result<usize> {
        let skip = first.saturating_sub(self.at);
        let skipped = io::copy(&mut self.reader.by_ref().take(skip as u64), &mut io::sink()).map_err(cannot_read)?;
        self.at += usize::try_from(skipped).unwrap_or(0);
        let mut filled = 0;
        while self.at == first + filled && filled < buffer.len() {
            match self.reader.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(n) => (filled, self.at) = (filled + n, self.at + n),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(cannot_read(error)),
            }
        }
        Ok(self.at)
    }
}

/// What `info` knows of a file: its header and size, and what is wrong with its data.
pub struct Inspection {
    /// The header.
    pub header: Header,
    /// The size of the file, or the bytes of the stream.
    pub size: u64,
    /// Why the data cannot be read, if they cannot.
    pub trouble: Option<Error>,
}

/// Looks at a file without reading its data; a stream is read to its end.
pub fn inspect(path: &Path) -> Result<Inspection> {
    if let Some(mut stream) = open_stream(path)? {
        let header = Header::read_from(&mut stream)?;
        let held = io::copy(&mut stream, &mut io::sink()).map_err(cannot_read)?;
        let trouble = check_held(&header, held).err();
        return Ok(Inspection { size: held + header.data_offset() as u64, header, trouble });
    }
    let (header, trouble) = match NpyFile::open(path) {
        Ok(file) => (file.header().clone(), None),
        Err(error @ (Error::DataTruncated { .. } | Error::Object { .. })) => (NpyFile::read_header(path)?, Some(error)),
        Err(error) => return Err(error.into()),
    };
    // Rows are written before they are counted: the size, taken last, is not behind the header.
    let size = std::fs::metadata(path).map_err(io_error("stat", path))?.len();
    Ok(Inspection { header, size, trouble })
}

/// The stream behind a path, unless it is a regular file.
fn open_stream(path: &Path) -> Result<Option<Box<dyn Read>>> {
    if path == Path::new("-") {
        return Ok(Some(Box::new(io::stdin().lock())));
    }
    let metadata = std::fs::metadata(path).map_err(io_error("open", path))?;
    if metadata.is_dir() {
        return Err(io_error("read", path)(io::ErrorKind::IsADirectory.into()).into());
    }
    if metadata.is_file() {
        return Ok(None);
    }
    Ok(Some(Box::new(File::open(path).map_err(io_error("open", path))?)))
}

/// Refuses objects, and data of which only `held` bytes are there.
fn check_held(header: &Header, held: u64) -> npymap::Result<()> {
    header.check_data(held.saturating_add(header.data_offset() as u64))
}

/// A shape as Python prints the tuple.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        all => format!("({})", all.iter().map(usize::to_string).collect::<Vec<_>>().join(", ")),
    }
}

fn cannot_read(source: io::Error) -> Error {
    Error::Io { operation: "read", path: None, source }
}

fn io_error(operation: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Error {
    let path = Some(path.to_path_buf());
    move |source| Error::Io { operation, path, source }
}
