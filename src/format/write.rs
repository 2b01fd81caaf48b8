//! A header's bytes: as NumPy writes them, and with room to be changed in place. Knows the spelling and the padding; the
//! picture of the format is in `header.rs`.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::header::{MAGIC, VERSION_END};
use super::publish::{FIELD_LEN, PublishField, WORD_LEN};
use super::{DType, Layout, Order, shape_repr};
use crate::{Error, Header, Result};

/// Digits that the length of the growth axis has room for: those of 2⁶⁴ and one more.
const GROWTH: usize = 21;

/// Where NumPy aligns data to.
pub(crate) const ALIGNMENT: usize = 64;

/// Bytes of a header that is made for appending: a page, so that rows start on one.
const APPENDABLE_LEN: usize = 4096;

/// Bytes that reach other processors at once, or not at all.
const CACHE_LINE: usize = 64;

/// The versions, in the order in which NumPy tries them.
const VERSIONS: [(u8, u8); 3] = [(1, 0), (2, 0), (3, 0)];

/// How a header is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// As NumPy does, but for the alignment of the data: 64 is NumPy's.
    Aligned(usize),
    /// The same for an array that grows along its outer axis, whose order matters even while it is empty.
    #[cfg_attr(not(feature = "std"), allow(dead_code, reason = "only streams and files grow"))]
    Growing(usize),
    /// With a publish field, in a page.
    Appendable,
}

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
        Self::build(&dtype, shape.into(), order, Form::Aligned(ALIGNMENT), None).map(|(header, _)| header)
    }

    /// Makes a header for appending: of 4096 bytes, with the length of the growth axis in a publish field, which an
    /// appender can rewrite under a reader's eyes. NumPy reads it like any other.
    ///
    /// The growth axis is the first, in Fortran order the last.
    ///
    /// # Errors
    ///
    /// As [`new`](Self::new); [`Error::Rank`] for a 0-d array, which cannot grow; [`Error::NoHeaderRoom`] for a length
    /// of more than sixteen digits.
    ///
    /// # Examples
    ///
    /// ```
    /// use npymap::{ByteOrder, DType, Header, Order};
    ///
    /// let header = Header::new_appendable(DType::Float32(ByteOrder::Little), [1000, 3], Order::C)?;
    /// let bytes = header.to_bytes()?;
    /// assert_eq!((bytes.len(), header.data_offset(), header.appendable()), (4096, 4096, true));
    /// assert_eq!(&bytes[64..91], b"            1000, 3), }    ");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn new_appendable(dtype: DType, shape: impl Into<Vec<usize>>, order: Order) -> Result<Self> {
        Self::build(&dtype, shape.into(), order, Form::Appendable, None).map(|(header, _)| header)
    }

    /// Makes a header and its bytes, of the lowest version that can hold it or of the one that is given.
    pub(crate) fn build(
        dtype: &DType,
        shape: Vec<usize>,
        order: Order,
        form: Form,
        version: Option<(u8, u8)>,
    ) -> Result<(Self, Vec<u8>)> {
        let layout = Layout::new(shape, order, dtype.itemsize())?;
        let text = match form {
            Form::Aligned(_) => Text::as_numpy_does(dtype, &layout),
            Form::Growing(_) | Form::Appendable => Text::growing(dtype, &layout)?,
        };
        let bytes = |version| match form {
            Form::Aligned(alignment) | Form::Growing(alignment) => text.aligned(version, alignment),
            Form::Appendable => text.appendable(version),
        };
        let bytes = match version {
            Some(version) => bytes(version)?,
            None => {
                let [first, second, last] = VERSIONS;
                bytes(first).or_else(|_| bytes(second)).or_else(|_| bytes(last))?
            }
        };
        Ok((Self::of_bytes(&bytes, dtype)?, bytes))
    }

    /// Returns the same header in another version of the format, 1.0, 2.0 or 3.0: spelled as NumPy does, or with a
    /// publish field if it has one.
    ///
    /// # Errors
    ///
    /// [`Error::Version`]; [`Error::HeaderTooLong`] where version 1.0 has no room for it; [`Error::HeaderEncoding`] for
    /// names that aren't Latin-1 in a version below 3.0.
    #[doc(alias = "write_array_header_2_0")]
    pub fn with_version(&self, version: (u8, u8)) -> Result<Self> {
        let is_numpys = !self.appendable() || self.as_numpys().is_some();
        let form = if is_numpys { Form::Aligned(ALIGNMENT) } else { Form::Appendable };
        Self::build(self.dtype(), self.shape().into(), self.order(), form, Some(version)).map(|(header, _)| header)
    }

    /// Returns the bytes that NumPy 2.4 writes for this header in its version; those with the publish field, if it is
    /// [`appendable`](Self::appendable).
    ///
    /// One that was parsed may have been spelled or padded otherwise: its data start elsewhere then.
    ///
    /// # Errors
    ///
    /// [`Error::HeaderTooLong`], [`Error::HeaderEncoding`]: those of a header that was parsed, and that NumPy would
    /// write in a higher version. [`Error::NoHeaderRoom`] for an appendable one that was spelled in fewer bytes.
    #[doc(alias = "tobytes")]
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        if self.appendable() {
            return self.as_numpys().map_or_else(|| self.relaid(self.layout().rows(), true), Ok);
        }
        Text::as_numpy_does(self.dtype(), self.layout()).aligned(self.version(), ALIGNMENT)
    }

    /// The bytes that NumPy writes, if a count of fifteen or sixteen digits happens to be a publish field in them, the one
    /// of this header.
    fn as_numpys(&self) -> Option<Vec<u8>> {
        let bytes = Text::as_numpy_does(self.dtype(), self.layout()).aligned(self.version(), ALIGNMENT).ok()?;
        let header = Self::parse_within(&bytes, usize::MAX).ok()?;
        (header == *self).then_some(bytes)
    }

    /// The bytes of this header with another number of rows, in the very length that it has: with a publish field, or
    /// as short as can be.
    pub(crate) fn relaid(&self, rows: usize, publish_field: bool) -> Result<Vec<u8>> {
        let text = Text::growing(self.dtype(), &self.layout().with_rows(rows)?)?;
        let now = Text::growing(self.dtype(), self.layout())?.shortest_len(self.version())?;
        let bytes = text.exactly(self.version(), publish_field, self.data_offset(), now)?;
        Self::of_bytes(&bytes, self.dtype())?;
        Ok(bytes)
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

/// The dictionary, around the length of the growth axis.
struct Text {
    before: String,
    /// `None` for a 0-d array.
    count: Option<usize>,
    after: String,
}

impl Text {
    fn new(dtype: &DType, shape: &[usize], fortran_order: bool) -> Self {
        let order = if fortran_order { "True" } else { "False" };
        let mut before = format!("{{'descr': {}, 'fortran_order': {order}, 'shape': (", dtype.descr());
        let (count, after) = match shape {
            [] => (None, "), }".to_string()),
            &[count] => (Some(count), ",), }".to_string()),
            &[ref inner @ .., count] if fortran_order => {
                inner.iter().for_each(|dim| before.push_str(&format!("{dim}, ")));
                (Some(count), "), }".to_string())
            }
            &[count, ref inner @ ..] => {
                let inner: String = inner.iter().map(|dim| format!(", {dim}")).collect();
                (Some(count), format!("{inner}), }}"))
            }
        };
        Self { before, count, after }
    }

    /// The text of an array as it is.
    fn as_numpy_does(dtype: &DType, layout: &Layout) -> Self {
        Self::new(dtype, layout.shape(), fortran_order(layout))
    }

    /// The text of an array that grows: its order matters even while it is empty.
    fn growing(dtype: &DType, layout: &Layout) -> Result<Self> {
        let shape = layout.shape();
        if shape.is_empty() {
            return Err(Error::Rank { found: 1, wanted: 0, shape: shape_repr(shape) });
        }
        Ok(Self::new(dtype, shape, layout.order() == Order::Fortran && shape.len() > 1))
    }

    /// The count in as few characters as can be.
    fn digits(&self) -> String {
        self.count.map_or_else(String::new, |count| count.to_string())
    }

    /// The header as NumPy writes it, but for the alignment of the data.
    fn aligned(&self, version: (u8, u8), alignment: usize) -> Result<Vec<u8>> {
        let digits = self.digits();
        let spare = self.count.map_or(0, |_| GROWTH.saturating_sub(digits.len()));
        let text = encoded(version, &format!("{}{digits}{}{:spare$}", self.before, self.after, ""))?;
        let unpadded = text_start(version) + text.len() + 1;
        // From 1 to 64 spaces, never none.
        framed(version, text, unpadded + alignment - unpadded % alignment)
    }

    /// The header with a publish field, in a page or as many as it takes; in fewer bytes where a page more would make
    /// it longer than NumPy reads.
    fn appendable(&self, version: (u8, u8)) -> Result<Vec<u8>> {
        let text = self.with_field(version)?;
        let needed = text_start(version) + text.len() + 1;
        let pages = needed.next_multiple_of(APPENDABLE_LEN);
        let readable = super::DEFAULT_MAX_HEADER_SIZE;
        let total = if pages > readable { needed.next_multiple_of(ALIGNMENT) } else { pages };
        framed(version, text, total)
    }

    /// The text with the count in as few characters as can be.
    fn shortest(&self, version: (u8, u8)) -> Result<Vec<u8>> {
        encoded(version, &format!("{}{}{}", self.before, self.digits(), self.after))
    }

    /// Bytes of the shortest header.
    fn shortest_len(&self, version: (u8, u8)) -> Result<usize> {
        Ok(text_start(version) + self.shortest(version)?.len() + 1)
    }

    /// The header in exactly `total` bytes, instead of one that could do with `now` of them.
    fn exactly(&self, version: (u8, u8), publish_field: bool, total: usize, now: usize) -> Result<Vec<u8>> {
        let text = if publish_field { self.with_field(version)? } else { self.shortest(version)? };
        let needed = text_start(version) + text.len() + 1;
        if needed > total {
            return Err(Error::NoHeaderRoom { needed: needed.saturating_sub(now), spare: total.saturating_sub(now) });
        }
        framed(version, text, total)
    }

    /// The text with the count in a publish field, moved by spaces to where two words of one cache line are.
    fn with_field(&self, version: (u8, u8)) -> Result<Vec<u8>> {
        let rows = self.count.unwrap_or(0);
        let field = u64::try_from(rows).ok().and_then(PublishField::spell);
        let needed = rows.to_string().len();
        let field = field.ok_or(Error::NoHeaderRoom { needed, spare: FIELD_LEN })?;
        let mut text = encoded(version, &self.before)?;
        let mut at = (text_start(version) + text.len()).next_multiple_of(WORD_LEN);
        if at % CACHE_LINE + FIELD_LEN > CACHE_LINE {
            at = at.next_multiple_of(CACHE_LINE);
        }
        text.resize(at - text_start(version), b' ');
        text.extend(field);
        text.extend(self.after.as_bytes());
        Ok(text)
    }
}

/// Where the text starts.
fn text_start(version: (u8, u8)) -> usize {
    VERSION_END + if version.0 == 1 { 2 } else { 4 }
}

/// The text in a version's encoding.
fn encoded(version: (u8, u8), text: &str) -> Result<Vec<u8>> {
    let (major, minor) = version;
    match version {
        (1 | 2, 0) => {
            let latin_1 = |(at, char)| u8::try_from(u32::from(char)).map_err(|_| Error::HeaderEncoding { at });
            text.char_indices().map(latin_1).collect()
        }
        (3, 0) => Ok(text.into()),
        _ => Err(Error::Version { major, minor }),
    }
}

/// A header of `total` bytes around a text that they can hold.
fn framed(version: (u8, u8), text: Vec<u8>, total: usize) -> Result<Vec<u8>> {
    let length = total - text_start(version);
    // There is no memory for a text that four bytes can't count.
    let too_long = |_| Error::HeaderTooLong { characters: text.len(), limit: usize::from(u16::MAX) };
    let mut bytes = Vec::with_capacity(total);
    bytes.extend(MAGIC);
    bytes.extend([version.0, version.1]);
    match version.0 {
        1 => bytes.extend(u16::try_from(length).map_err(too_long)?.to_le_bytes()),
        _ => bytes.extend(u32::try_from(length).map_err(too_long)?.to_le_bytes()),
    }
    bytes.extend(&text);
    bytes.resize(total - 1, b' ');
    bytes.push(b'\n');
    Ok(bytes)
}
