//! How files are read. Knows the limits and no files.

use crate::format::DEFAULT_MAX_HEADER_SIZE;
use crate::storage::Bytes;
use crate::{Header, NpyAny, Result};

/// How a file is read: the limits that differ from NumPy's only if one asks for it.
///
/// # Example
///
/// ```no_run
/// use npymap::ReadOptions;
///
/// // A table of ten thousand named columns.
/// let x = ReadOptions::new().max_header_size(1_000_000).read("wide.npy")?;
/// # Ok::<(), npymap::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct ReadOptions {
    pub(crate) max_header_size: usize,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self { max_header_size: DEFAULT_MAX_HEADER_SIZE }
    }
}

impl ReadOptions {
    /// Returns NumPy's defaults.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Sets the longest header text that is taken, in characters; NumPy's and our default is 10,000.
    ///
    /// Reading a header takes time and memory in proportion to its length, whatever it says.
    #[must_use]
    pub fn max_header_size(mut self, characters: usize) -> Self {
        self.max_header_size = characters;
        self
    }

    /// Parses the header at the start of `bytes`, which may hold anything after it.
    ///
    /// # Errors
    ///
    /// As [`Header::parse`].
    pub fn parse_header(&self, bytes: &[u8]) -> Result<Header> {
        Header::parse_within(bytes, self.max_header_size)
    }

    /// Views the `.npy` file that `bytes` hold from their start; more may follow it.
    ///
    /// # Errors
    ///
    /// As [`NpyAny::from_bytes`].
    pub fn from_bytes<B: Bytes>(&self, bytes: B) -> Result<NpyAny<B>> {
        let header = self.parse_header(bytes.as_bytes())?;
        header.refuse_carry()?;
        let start = header.data_offset();
        NpyAny::new(header, bytes, start)
    }
}
