//! Where elements come from: a file read by positions, or a stream that goes by once.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use npymap::{Error, Header, NpyFile};

use crate::trouble::Result;

/// Bytes of a header that are read from a stream at most: many times NumPy's limit on its characters.
const MAX_HEADER: u64 = 1 << 20;

/// Bytes after a header that tell whether its length is right.
const PADDING_WINDOW: u64 = 64;

/// An array in a file or a stream, open for reading.
pub struct Source {
    header: Header,
    data: Data,
}

enum Data {
    File(NpyFile),
    Stream(Stream),
    Memory(Vec<u8>),
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
        let (header, following) = read_header(&mut reader)?;
        refuse_objects(&header)?;
        let reader = Box::new(io::Cursor::new(following).chain(reader));
        Ok(Self { header, data: Data::Stream(Stream { reader, at: 0 }) })
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
            if bytes.len() < self.header.nbytes() {
                return Err(truncated(&self.header, bytes.len() as u64).into());
            }
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
                    return Err(truncated(&self.header, held as u64));
                }
            }
            Data::Memory(bytes) => match bytes.get(first..first + buffer.len()) {
                Some(bytes) => buffer.copy_from_slice(bytes),
                None => return Err(truncated(&self.header, bytes.len() as u64)),
            },
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
        let (header, following) = read_header(&mut stream)?;
        let rest = io::copy(&mut stream, &mut io::sink()).map_err(cannot_read)?;
        let held = rest + following.len() as u64;
        let short = held < header.nbytes() as u64;
        let trouble = objects(&header).or_else(|| short.then(|| truncated(&header, held)));
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

/// Reads a header from a stream, and the bytes after it that tell whether its length is right.
fn read_header(reader: &mut dyn Read) -> Result<(Header, Vec<u8>)> {
    let mut head = Vec::new();
    let mut read = |head: &mut Vec<u8>, n: u64| reader.take(n).read_to_end(head).map_err(cannot_read);
    read(&mut head, 10)?;
    let length = match head.as_slice() {
        [0x93, b'N', b'U', b'M', b'P', b'Y', 1, 0, low, high] => u64::from(u16::from_le_bytes([*low, *high])),
        [0x93, b'N', b'U', b'M', b'P', b'Y', 2 | 3, 0, low, high] => {
            let (low, high) = (*low, *high);
            read(&mut head, 2)?;
            match head.get(10..12) {
                Some(&[third, highest]) => u64::from(u32::from_le_bytes([low, high, third, highest])),
                _ => 0,
            }
        }
        // The library says what is wrong.
        _ => 0,
    };
    if length > MAX_HEADER {
        let characters = usize::try_from(length).unwrap_or(usize::MAX);
        return Err(Error::HeaderTooLong { characters, limit: 10_000 }.into());
    }
    read(&mut head, length)?;
    // Only a header without its padding may have a wrong length; otherwise nothing is waited for.
    if head.ends_with(b"}") {
        read(&mut head, PADDING_WINDOW)?;
    }
    let header = Header::parse(&head)?;
    let following = head.split_off(header.data_offset().min(head.len()));
    Ok((header, following))
}

fn refuse_objects(header: &Header) -> Result<()> {
    objects(header).map_or(Ok(()), |error| Err(error.into()))
}

fn objects(header: &Header) -> Option<Error> {
    let field = header.dtype().object_path()?;
    Some(Error::Object { field, descr: header.dtype().to_string() })
}

fn truncated(header: &Header, held: u64) -> Error {
    Error::DataTruncated {
        shape: shape_text(header.shape()),
        descr: header.dtype().to_string(),
        data_offset: header.data_offset() as u64,
        needed: header.nbytes() as u64,
        held,
    }
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
