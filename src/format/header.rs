//! Bytes to [`Header`]. Knows the picture of the format, and no files.
//!
//! ```text
//! byte 0            6       7       8                10 (12)                         data_offset
//!      +------------+-------+-------+----------------+--------------------------------+--------
//!      | \x93 NUMPY | major | minor | HEADER_LEN     | {'descr': '<f8', …, }   …   \n | data …
//!      +------------+-------+-------+----------------+--------------------------------+--------
//!                     1       0       u16, little     latin-1
//!                     2       0       u32, little     latin-1
//!                     3       0       u32, little     UTF-8
//! ```
//!
//! `HEADER_LEN` counts everything from the brace to the newline; the data follow at once, aligned or not.
//! The text is a Python dictionary of exactly three keys: `descr` (the dtype), `fortran_order`, `shape`.
//!
//! **The publish field.** A header made for appending keeps the length of its growth axis in sixteen characters,
//! right-aligned with spaces, which fill two aligned 8-byte words of one 64-byte line, so that a store of one word
//! is never seen torn:
//!
//! ```text
//! byte 64       72       80
//!      +--------+--------+
//!      |        |12345678|,), }
//!      +--------+--------+
//!       high     low            12,345,678 rows
//! ```
//!
//! A finished count ends in a digit. While the high word is being changed, the low word is seven zeros and a space; such
//! a count is never taken. `publish.rs` has the order of the stores.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::ToString;
use alloc::sync::Arc;
use alloc::vec::Vec;
use core::ops::Range;

use super::literal::{self, Literal, Node};
use super::plain::{self, Plain};
use super::publish::{FIELD_LEN, PublishField};
use super::{DType, Layout, Order};
use crate::{Error, Result};

pub(crate) const MAGIC: [u8; 6] = *b"\x93NUMPY";

/// Bytes before the header length: the magic string and the version.
pub(super) const VERSION_END: usize = 8;

/// How far a header length may stop short of its padding's end for that to be noticed: NumPy pads to 64 bytes.
pub(crate) const PADDING_WINDOW: usize = 64;

/// NumPy's `max_header_size`: the longest header text, in characters, that a reader takes by default.
pub(crate) const DEFAULT_MAX_HEADER_SIZE: usize = 10_000;

/// What the start of an `.npy` file says: dtype, shape, order, and where the data are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    version: (u8, u8),
    dtype: DType,
    layout: Arc<Layout>,
    data_offset: usize,
    spare: usize,
    publish_field: Option<usize>,
    /// The sixteen characters of the publish field, if they are a carry: the shape is not what is written then.
    carry: Option<[u8; FIELD_LEN]>,
}

impl Header {
    /// Parses the header at the start of `bytes`, which may hold anything after it, the data for instance.
    ///
    /// Does not look at how many bytes follow, and takes arrays of Python objects, which can be described but not
    /// read. The text may have 10,000 characters, NumPy's `max_header_size`; more are a matter of
    /// [`ReadOptions`](crate::ReadOptions). Takes time linear in the header's length.
    ///
    /// # Errors
    ///
    /// [`Error::NotNpy`], [`Error::Version`], [`Error::HeaderTruncated`], [`Error::HeaderTooLong`] and the other
    /// `Header…` variants; [`Error::Descr`], [`Error::UnsupportedDescr`] or [`Error::TopLevelSubarray`] where the
    /// dtype is at fault; [`Error::TooManyDimensions`], [`Error::Dimension`] or [`Error::ShapeTooLarge`] where the
    /// shape is.
    ///
    /// # Example
    ///
    /// ```
    /// use npymap::{ByteOrder, DType, Header};
    ///
    /// let file = b"\x93NUMPY\x01\x00\x3b\x00{'descr': '<f4', 'fortran_order': False, 'shape': (10, 3)}\n";
    /// let header = Header::parse(file)?;
    /// assert_eq!(header.dtype(), &DType::Float32(ByteOrder::Little));
    /// assert_eq!(header.shape(), [10, 3]);
    /// assert_eq!(header.strides(), [12, 4]);
    /// assert_eq!((header.data_offset(), header.nbytes()), (69, 120));
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn parse(bytes: &[u8]) -> Result<Self> {
        Self::parse_within(bytes, DEFAULT_MAX_HEADER_SIZE)
    }

    /// Like [`parse`](Self::parse), with another limit on the characters of the text.
    pub(crate) fn parse_within(bytes: &[u8], max_header_size: usize) -> Result<Self> {
        let preamble = Preamble::parse(bytes, bytes.len() as u64)?;
        preamble.check(bytes.len() as u64, max_header_size)?;
        let (head, following) = bytes.split_at(preamble.data_offset);
        let raw = &head[preamble.text_start..];
        let text = preamble.decode(raw)?;
        // A text has no more characters than bytes.
        if raw.len() > max_header_size && text.chars().count() > max_header_size {
            return Err(Error::HeaderTooLong { characters: text.chars().count(), limit: max_header_size });
        }
        let Meaning { dtype, order, shape, growth, padding } = match Meaning::at_a_glance(&text) {
            Some(meaning) => meaning,
            None => Meaning::of_literal(&text, preamble.version.0 < 3)?,
        };
        let layout = Layout::new(shape, order, dtype.itemsize())?;
        let digits = growth.map(|span| preamble.file_span(&text, span));
        let publish_field = digits.as_ref().and_then(|span| publish_field(head, span));
        let spare = match (&digits, publish_field) {
            (None, _) => 0,
            (Some(span), Some(_)) => FIELD_LEN.saturating_sub(span.len()),
            (Some(_), None) => padding,
        };
        let header = Self {
            version: preamble.version,
            dtype,
            layout: Arc::new(layout),
            data_offset: preamble.data_offset,
            spare,
            publish_field: publish_field.map(|(at, _)| at),
            carry: publish_field
                .and_then(|(_, field)| (PublishField::parse(&field)? == PublishField::Carry).then_some(field)),
        };
        if raw.last() == Some(&b'}') {
            header.refuse_cut_padding(following, false)?;
        }
        Ok(header)
    }

    /// Refuses a header length that stops at the closing brace while the padding goes on: the first elements would
    /// be spaces. `following` are the bytes after the header, as many as are at hand; of a stream these are the data
    /// alone, and `more_may_follow`.
    pub(crate) fn refuse_cut_padding(&self, following: &[u8], more_may_follow: bool) -> Result<()> {
        let window = &following[..following.len().min(PADDING_WINDOW)];
        let spaces = window.iter().take_while(|&&byte| byte == b' ').count();
        let ends = window.get(spaces) == Some(&b'\n') && (self.data_offset + spaces + 1).is_multiple_of(16);
        let goes_on = more_may_follow && spaces == window.len();
        if spaces > 0 && (ends || goes_on) {
            return Err(Error::HeaderCutShort { offset: self.data_offset, padding: spaces + usize::from(ends) });
        }
        Ok(())
    }

    /// Returns the format version: (1, 0), (2, 0) or (3, 0).
    #[must_use]
    pub fn version(&self) -> (u8, u8) {
        self.version
    }

    /// Returns the type of one element.
    #[must_use]
    pub fn dtype(&self) -> &DType {
        &self.dtype
    }

    /// Returns the lengths of the axes, in NumPy's order, whatever the [`order`](Self::order) in memory.
    #[must_use]
    pub fn shape(&self) -> &[usize] {
        self.layout.shape()
    }

    /// Returns the order in which the elements are stored.
    #[must_use]
    pub fn order(&self) -> Order {
        self.layout.order()
    }

    /// Returns NumPy's `fortran_order`: whether the first index runs fastest.
    #[must_use]
    pub fn fortran_order(&self) -> bool {
        self.order() == Order::Fortran
    }

    /// Returns the bytes of one element.
    #[must_use]
    pub fn itemsize(&self) -> usize {
        self.layout.itemsize()
    }

    /// Returns the number of elements, NumPy's `size`: the product of the shape, 1 for a 0-d array.
    #[must_use]
    pub fn size(&self) -> usize {
        self.layout.len()
    }

    /// Returns the bytes of all elements. The file must hold as many after [`data_offset`](Self::data_offset).
    #[must_use]
    pub fn nbytes(&self) -> usize {
        self.layout.nbytes()
    }

    /// Returns the bytes from one index to the next, axis by axis, NumPy's `strides`.
    #[must_use]
    pub fn strides(&self) -> Vec<usize> {
        self.layout.strides()
    }

    /// Returns where the data start, in bytes from the start of the magic string.
    #[must_use]
    pub fn data_offset(&self) -> usize {
        self.data_offset
    }

    /// Where the array ends, in bytes from the start of the magic string.
    #[cfg(feature = "std")]
    pub(crate) fn data_end(&self) -> u64 {
        self.data_offset as u64 + self.nbytes() as u64
    }

    /// Returns the axis along which the file can grow in place: the first, or the last in Fortran order; `None` for a
    /// 0-d array.
    #[must_use]
    pub fn growth_axis(&self) -> Option<usize> {
        self.layout.growth_axis()
    }

    /// Returns by how many characters the length of the growth axis (the first; the last in Fortran order) can grow
    /// in place: the spaces left in the publish field if there is one, else those at the end of the header; 0 for a
    /// 0-d array.
    #[must_use]
    pub fn spare(&self) -> usize {
        self.spare
    }

    /// Returns whether the header keeps the length of its growth axis in a publish field: sixteen characters in two
    /// aligned words, which an appender can rewrite under a reader's eyes.
    #[must_use]
    pub fn appendable(&self) -> bool {
        self.publish_field.is_some()
    }

    pub(crate) fn layout(&self) -> &Arc<Layout> {
        &self.layout
    }

    /// Where the publish field starts, in bytes from the start of the magic string.
    #[cfg(feature = "std")]
    pub(crate) fn publish_field(&self) -> Option<usize> {
        self.publish_field
    }

    /// What stands in the publish field, and where it starts.
    #[cfg(feature = "std")]
    pub(crate) fn field(&self) -> Option<(usize, [u8; FIELD_LEN])> {
        let at = self.publish_field?;
        let spelled = || u64::try_from(self.layout.rows()).ok().and_then(PublishField::spell);
        Some((at, self.carry.or_else(spelled)?))
    }

    /// Whether the count was being changed when the bytes were taken.
    #[cfg(feature = "std")]
    pub(crate) fn is_carry(&self) -> bool {
        self.carry.is_some()
    }

    /// The same header with another length of the growth axis.
    #[cfg(feature = "std")]
    pub(crate) fn with_rows(self, rows: usize) -> Result<Self> {
        let spare = if self.appendable() { FIELD_LEN.saturating_sub(rows.to_string().len()) } else { self.spare };
        Ok(Self { layout: Arc::new(self.layout.with_rows(rows)?), spare, carry: None, ..self })
    }

    /// Refuses a count that was being changed when the bytes were taken: it is less than what is written.
    pub(crate) fn refuse_carry(&self) -> Result<()> {
        let unfinished = |field: [u8; FIELD_LEN]| Error::UnfinishedPublish {
            field: field.iter().map(|&byte| char::from(byte)).collect(),
            waited_ms: 0,
        };
        self.carry.map_or(Ok(()), |field| Err(unfinished(field)))
    }

    /// Refuses arrays whose data are pickled objects.
    pub(crate) fn refuse_objects(&self) -> Result<()> {
        self.dtype.object_path().map_or(Ok(()), |field| Err(Error::Object { field, descr: self.dtype.to_string() }))
    }

    /// The error for data that end too early.
    pub(crate) fn truncated(&self, held: u64) -> Error {
        Error::DataTruncated {
            shape: super::shape_repr(self.shape()),
            descr: self.dtype.to_string(),
            data_offset: self.data_offset as u64,
            needed: self.nbytes() as u64,
            held,
        }
    }

    /// Checks that a file of `size` bytes holds data that can be read: for those who map or read it by themselves.
    ///
    /// # Errors
    ///
    /// [`Error::Object`] if the data are pickled Python objects, [`Error::DataTruncated`] if the file ends before they
    /// do.
    pub fn check_data(&self, size: u64) -> Result<()> {
        self.refuse_objects()?;
        let held = size.saturating_sub(self.data_offset as u64);
        if held < self.nbytes() as u64 { Err(self.truncated(held)) } else { Ok(()) }
    }
}

/// The fixed start of a file: what comes before the header's text.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Preamble {
    version: (u8, u8),
    text_start: usize,
    /// Where the header ends, in bytes from the start of the magic string.
    pub(crate) data_offset: usize,
}

impl Preamble {
    /// The least bytes that a preamble has.
    #[cfg(feature = "std")]
    pub(crate) const MIN_LEN: usize = VERSION_END + 2;

    /// The most bytes that [`parse`](Self::parse) looks at.
    #[cfg(feature = "std")]
    pub(crate) const MAX_LEN: usize = VERSION_END + 4;

    /// Reads the start of a file of `size` bytes, of which `bytes` are the first.
    pub(crate) fn parse(bytes: &[u8], size: u64) -> Result<Self> {
        let magic_len = bytes.len().min(MAGIC.len());
        if bytes[..magic_len] != MAGIC[..magic_len] {
            return Err(not_npy(bytes));
        }
        let truncated = |part, needed: usize| Error::HeaderTruncated { part, needed: needed as u64, held: size };
        let &[_, _, _, _, _, _, major, minor, ref rest @ ..] = bytes else {
            return Err(truncated("magic string", VERSION_END));
        };
        let (length_size, length) = match (major, minor) {
            (1, 0) => (2, rest.first_chunk().map(|&length| u32::from(u16::from_le_bytes(length)))),
            (2 | 3, 0) => (4, rest.first_chunk().map(|&length| u32::from_le_bytes(length))),
            _ => return Err(Error::Version { major, minor }),
        };
        let text_start = VERSION_END + length_size;
        let length = length.ok_or_else(|| truncated("header length", text_start))?;
        let data_offset = usize::try_from(length).ok().and_then(|length| text_start.checked_add(length));
        let data_offset = data_offset.ok_or_else(|| truncated("header", usize::MAX))?;
        Ok(Self { version: (major, minor), text_start, data_offset })
    }

    /// Refuses a header that `size` bytes don't hold, or that is surely longer than the limit: before anything of
    /// its length is allocated.
    pub(crate) fn check(&self, size: u64, max_header_size: usize) -> Result<()> {
        if self.data_offset as u64 > size {
            return Err(Error::HeaderTruncated { part: "header", needed: self.data_offset as u64, held: size });
        }
        self.check_limit(max_header_size)
    }

    /// Refuses a header that is surely longer than the limit.
    pub(crate) fn check_limit(&self, max_header_size: usize) -> Result<()> {
        let bytes = self.data_offset - self.text_start;
        // A character takes one byte in latin-1 and at most four in UTF-8.
        let characters = if self.version.0 == 3 { bytes.div_ceil(4) } else { bytes };
        if characters > max_header_size {
            return Err(Error::HeaderTooLong { characters, limit: max_header_size });
        }
        Ok(())
    }

    fn decode<'a>(&self, raw: &'a [u8]) -> Result<Cow<'a, str>> {
        match core::str::from_utf8(raw) {
            Ok(text) if self.version.0 == 3 || raw.is_ascii() => Ok(Cow::Borrowed(text)),
            Err(error) if self.version.0 == 3 => Err(Error::HeaderEncoding { at: error.valid_up_to() }),
            // Latin-1: each byte is the code point of its number.
            _ => Ok(Cow::Owned(raw.iter().map(|&byte| char::from(byte)).collect())),
        }
    }

    /// Turns a span of the decoded text into one of the file.
    fn file_span(&self, text: &str, span: Range<usize>) -> Range<usize> {
        // Latin-1 beyond ASCII has grown by being decoded.
        let same_bytes = text.len() == self.data_offset - self.text_start;
        let bytes_before = |at: usize| if same_bytes { at } else { text[..at].chars().count() };
        self.text_start + bytes_before(span.start)..self.text_start + bytes_before(span.end)
    }
}

/// What the text of a header says.
struct Meaning {
    dtype: DType,
    order: Order,
    shape: Vec<usize>,
    /// Where the growth axis stands in the text.
    growth: Option<Range<usize>>,
    /// Spaces at the end, before the newline.
    padding: usize,
}

impl Meaning {
    /// Reads the one spelling that NumPy gives most headers; `None` for others, and for whatever is wrong.
    fn at_a_glance(text: &str) -> Option<Self> {
        let Plain { descr, fortran_order, shape, growth, padding } = plain::read(text)?;
        let dtype = DType::from_plain(descr)?;
        let order = if fortran_order { Order::Fortran } else { Order::C };
        Some(Self { dtype, order, shape, growth, padding })
    }

    /// Reads any spelling, and says what is wrong.
    fn of_literal(text: &str, python2: bool) -> Result<Self> {
        let root = literal::parse(text, python2)?;
        let Entries { descr, fortran_order, shape } = Entries::find(&root)?;
        let dtype = DType::from_literal(descr)?;
        let order = order_from(fortran_order)?;
        let (shape, dimensions) = dimensions_from(shape)?;
        let growth = match order {
            Order::C => dimensions.first(),
            Order::Fortran => dimensions.last(),
        };
        let growth = growth.map(|dimension| dimension.at..dimension.end);
        Ok(Self { dtype, order, shape, growth, padding: trailing_spaces(text) })
    }
}

/// The three values of the dictionary.
struct Entries<'a> {
    descr: &'a Node<'a>,
    fortran_order: &'a Node<'a>,
    shape: &'a Node<'a>,
}

impl<'a> Entries<'a> {
    /// Finds them; of equal keys the last counts.
    fn find(root: &'a Node) -> Result<Self> {
        let Literal::Dict(items) = &root.value else {
            return Err(Error::HeaderKeys { found: root.shortened() });
        };
        let (mut descr, mut fortran_order, mut shape) = (None, None, None);
        for (key, value) in items {
            let slot = match &key.value {
                Literal::Str(name) if name == "descr" => &mut descr,
                Literal::Str(name) if name == "fortran_order" => &mut fortran_order,
                Literal::Str(name) if name == "shape" => &mut shape,
                _ => return Err(Error::HeaderKeys { found: format!("the key {}", key.shortened()) }),
            };
            *slot = Some(value);
        }
        match (descr, fortran_order, shape) {
            (Some(descr), Some(fortran_order), Some(shape)) => Ok(Self { descr, fortran_order, shape }),
            (descr, fortran_order, shape) => {
                let missing = [("'descr'", descr), ("'fortran_order'", fortran_order), ("'shape'", shape)];
                let missing: Vec<&str> =
                    missing.iter().filter(|(_, value)| value.is_none()).map(|(key, _)| *key).collect();
                Err(Error::HeaderKeys { found: format!("no key {}", missing.join(" and ")) })
            }
        }
    }
}

/// `True` or `False`, bare: NumPy takes it in parentheses too, but nothing writes that.
fn order_from(node: &Node) -> Result<Order> {
    match node.value {
        Literal::Bool(fortran) if !node.parenthesized => Ok(if fortran { Order::Fortran } else { Order::C }),
        _ => Err(Error::HeaderValue {
            key: "fortran_order",
            found: if node.parenthesized { format!("({})", node.shortened()) } else { node.shortened() },
            wanted: "True or False",
        }),
    }
}

/// The dimensions, and where they stand.
fn dimensions_from<'a>(node: &'a Node<'a>) -> Result<(Vec<usize>, &'a [Node<'a>])> {
    let wrong = || Error::HeaderValue { key: "shape", found: node.shortened(), wanted: "a tuple of integers" };
    let Literal::Tuple(items) = &node.value else { return Err(wrong()) };
    let mut shape = Vec::with_capacity(items.len());
    for (axis, item) in items.iter().enumerate() {
        let dim = match item.value {
            Literal::Int(value) => usize::try_from(value).ok().filter(|&dim| isize::try_from(dim).is_ok()),
            Literal::BigInt(_) => None,
            _ => return Err(wrong()),
        };
        shape.push(dim.ok_or_else(|| Error::Dimension { axis, found: item.shortened() })?);
    }
    Ok((shape, items))
}

/// Where the publish field starts and what stands in it, if `digits` (a span of `head`) is the count in one.
fn publish_field(head: &[u8], digits: &Range<usize>) -> Option<(usize, [u8; FIELD_LEN])> {
    // In a carry, the space that marks it stands after the digits.
    let end = digits.end.next_multiple_of(8);
    let start = end.checked_sub(FIELD_LEN)?;
    let field = *head.get(start..end)?.first_chunk()?;
    let one_line = start / 64 == (end - 1) / 64;
    let number = PublishField::parse(&field)?;
    let whole = digits.start >= start && (digits.end == end || number == PublishField::Carry);
    (one_line && whole).then_some((start, field))
}

/// Spaces at the end of the header's text, before its newline.
fn trailing_spaces(text: &str) -> usize {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.bytes().rev().take_while(|&byte| byte == b' ').count()
}

/// Says what a file is instead, as far as its first bytes tell.
fn not_npy(bytes: &[u8]) -> Error {
    let known: [(&[u8], &'static str); 8] = [
        (b"PK\x03\x04", "a zip archive (.npz)"),
        (b"PK\x05\x06", "an empty zip archive (.npz)"),
        (b"\x1f\x8b", "gzip, decompress it first"),
        (b"\x28\xb5\x2f\xfd", "zstd, decompress it first"),
        (b"\xef\xbb\xbf", "text with a byte-order mark"),
        (b"\x89HDF\r\n", "HDF5"),
        (b"\x80", "a pickle, which this crate never executes"),
        (b"MATLAB ", "a MATLAB file"),
    ];
    let looks_like = known.iter().find(|(magic, _)| bytes.starts_with(magic)).map(|(_, name)| *name);
    let start = &bytes[..bytes.len().min(8)];
    Error::NotNpy { found: format!("\"{}\"", start.escape_ascii()), looks_like }
}

#[cfg(test)]
mod tests;
