//! A header's bytes, as NumPy writes them. Knows the spelling and the padding; the picture of the format is in
//! `header.rs`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::header::{MAGIC, VERSION_END};
use super::{DType, Layout, Order, shape_repr};
use crate::{Error, Header, Result};

/// Digits that the length of the growth axis has room for: those of 2⁶⁴ and one more.
const GROWTH: usize = 21;

/// Where data are aligned to.
const ALIGNMENT: usize = 64;

/// The versions, in the order in which NumPy tries them.
const VERSIONS: [(u8, u8); 3] = [(1, 0), (2, 0), (3, 0)];

impl Header {
    /// Makes the header that NumPy 2.4 writes for such an array: of the lowest version that can hold it, with room for
    /// the growth axis to become 21 digits long, and with data aligned to 64 bytes.
    ///
    /// An array that lies in memory alike in both orders is written as C's, as NumPy does.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyDimensions`], [`Error::ShapeTooLarge`]; [`Error::TopLevelSubarray`]; [`Error::Descr`] for a
    /// dtype that no descr describes: fields that overlap, or share a name.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{ByteOrder, DType, Header, Order};
    ///
    /// let header = Header::new(DType::Float32(ByteOrder::Little), [1000, 3], Order::C)?;
    /// let bytes = header.to_bytes()?;
    /// assert_eq!((bytes.len(), header.data_offset(), header.spare()), (128, 128, 55));
    /// assert!(bytes[10..].starts_with(b"{'descr': '<f4', 'fortran_order': False, 'shape': (1000, 3), }  "));
    /// assert_eq!(Header::parse(&bytes)?, header);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[doc(alias = "write_array_header_1_0")]
    pub fn new(dtype: DType, shape: impl Into<Vec<usize>>, order: Order) -> Result<Self> {
        let layout = Layout::new(shape.into(), order, dtype.itemsize())?;
        let text = text(&dtype, layout.shape(), fortran_order(&layout));
        let bytes = VERSIONS.into_iter().find_map(|version| with_text(version, &text));
        Self::of_bytes(&bytes.ok_or_else(|| too_long(&text))?, &dtype)
    }

    /// Returns the same header in another version of the format, 1.0, 2.0 or 3.0: spelled as NumPy does.
    ///
    /// # Errors
    ///
    /// [`Error::Version`]; [`Error::HeaderTooLong`] where version 1.0 has no room for it; [`Error::HeaderEncoding`] for
    /// names that aren't Latin-1 in a version below 3.0.
    #[doc(alias = "write_array_header_2_0")]
    pub fn with_version(&self, version: (u8, u8)) -> Result<Self> {
        Self::of_bytes(&self.bytes_of_version(version)?, self.dtype())
    }

    /// Returns the bytes that NumPy 2.4 writes for this header in its version.
    ///
    /// One that was parsed may have been spelled or padded otherwise: its data start elsewhere then.
    ///
    /// # Errors
    ///
    /// [`Error::HeaderTooLong`], [`Error::HeaderEncoding`]: those of a header that was parsed, and that NumPy would
    /// write in a higher version.
    #[doc(alias = "tobytes")]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        self.bytes_of_version(self.version())
    }

    fn bytes_of_version(&self, version: (u8, u8)) -> Result<Vec<u8>> {
        let (major, minor) = version;
        if !VERSIONS.contains(&version) {
            return Err(Error::Version { major, minor });
        }
        let text = text(self.dtype(), self.shape(), fortran_order(self.layout()));
        with_text(version, &text).ok_or_else(|| match text.char_indices().find(|&(_, char)| u32::from(char) > 0xff) {
            Some((at, _)) if major < 3 => Error::HeaderEncoding { at },
            _ => too_long(&text),
        })
    }

    /// Reads what was written: what a dtype made by hand says must come back.
    fn of_bytes(bytes: &[u8], dtype: &DType) -> Result<Self> {
        let header = Self::parse_within(bytes, usize::MAX)?;
        if header.dtype() == dtype {
            return Ok(header);
        }
        let (descr, reason) = (dtype.descr(), format!("it would be read as {}", header.dtype().descr()));
        Err(Error::Descr { descr, reason })
    }
}

/// Whether NumPy calls the order Fortran's: where C's is the same, it calls it C's.
fn fortran_order(layout: &Layout) -> bool {
    let longer = layout.shape().iter().filter(|&&dim| dim != 1).count();
    layout.order() == Order::Fortran && longer > 1 && layout.len() > 0
}

/// The dictionary, and spaces for the growth axis.
fn text(dtype: &DType, shape: &[usize], fortran_order: bool) -> String {
    let order = if fortran_order { "True" } else { "False" };
    let growing = if fortran_order { shape.last() } else { shape.first() };
    let spare = growing.map_or(0, |dim| GROWTH.saturating_sub(dim.to_string().len()));
    let (descr, shape) = (dtype.descr(), shape_repr(shape));
    format!("{{'descr': {descr}, 'fortran_order': {order}, 'shape': {shape}, }}{:spare$}", "")
}

/// The header of a version, if that can hold the text.
fn with_text(version: (u8, u8), text: &str) -> Option<Vec<u8>> {
    let text: Vec<u8> = match version.0 {
        1 | 2 => text.chars().map(|char| u8::try_from(char).ok()).collect::<Option<_>>()?,
        _ => text.into(),
    };
    let length_field = if version.0 == 1 { 2 } else { 4 };
    let unpadded = VERSION_END + length_field + text.len() + 1;
    // From 1 to 64 spaces, never none.
    let padding = ALIGNMENT - unpadded % ALIGNMENT;
    let length = text.len() + padding + 1;
    let mut bytes = Vec::with_capacity(unpadded + padding);
    bytes.extend(MAGIC);
    bytes.extend([version.0, version.1]);
    match version.0 {
        1 => bytes.extend(u16::try_from(length).ok()?.to_le_bytes()),
        _ => bytes.extend(u32::try_from(length).ok()?.to_le_bytes()),
    }
    bytes.extend(text);
    bytes.resize(bytes.len() + padding, b' ');
    bytes.push(b'\n');
    Some(bytes)
}

fn too_long(text: &str) -> Error {
    // What a length of two bytes leaves, for there is no memory for one that four can't hold.
    Error::HeaderTooLong { characters: text.len(), limit: usize::from(u16::MAX) }
}
