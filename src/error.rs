//! The one error type. It knows numbers and texts, and nothing of the types that raise it.

use alloc::string::String;
use alloc::vec::Vec;
use core::fmt;

/// The result of every fallible operation of this crate.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// Everything that can go wrong, with the numbers that say how.
///
/// Each message says what was found, what was wanted and, where there is one, the way out. A cause (an I/O error) is
/// in [`source`](core::error::Error::source), not in the text.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// An operating-system call failed.
    #[cfg(feature = "std")]
    #[error("cannot {operation} {}", .path.as_ref().map_or("the stream".into(), |p| p.to_string_lossy()))]
    Io {
        /// What was being done, a verb: `open`, `read`, `map`.
        operation: &'static str,
        /// The file, where it has a name.
        path: Option<std::path::PathBuf>,
        /// What the operating system said.
        source: std::io::Error,
    },

    /// The bytes don't start with the magic string `\x93NUMPY`.
    #[error("starts with {found}, and an .npy file starts with \"\\x93NUMPY\"{hint}", hint = Hint(.looks_like))]
    NotNpy {
        /// The first bytes, escaped.
        found: String,
        /// What they look like instead, if that is known: `a zip archive (.npz)`, `a pickle`.
        looks_like: Option<&'static str>,
    },

    /// The file ends before its header does.
    #[error("the file ends inside its {part}: {needed} bytes are needed, and it holds {held}")]
    HeaderTruncated {
        /// The part that is cut: `magic string`, `header length` or `header`.
        part: &'static str,
        /// How long the file must be at least, in bytes.
        needed: u64,
        /// How long it is, in bytes.
        held: u64,
    },

    /// A format version other than 1.0, 2.0 and 3.0.
    #[error("format version {major}.{minor} is unknown; 1.0, 2.0 and 3.0 are known")]
    Version {
        /// The first version byte.
        major: u8,
        /// The second version byte.
        minor: u8,
    },

    /// The header is longer than the limit on its text, NumPy's `max_header_size`.
    #[error(
        "header of {characters} characters is over the limit of {limit}; raise ReadOptions::max_header_size if you trust the file"
    )]
    HeaderTooLong {
        /// Characters (not bytes) in the header, or a lower bound where it wasn't worth reading.
        characters: usize,
        /// The limit in characters.
        limit: usize,
    },

    /// The header of a version 3.0 file isn't UTF-8.
    #[error("header of version 3.0 is not UTF-8 at its byte {at}")]
    HeaderEncoding {
        /// Bytes of the header text before the offending one.
        at: usize,
    },

    /// The header isn't a Python literal.
    #[error("header has {found} at its character {at}, where {wanted} is wanted")]
    HeaderSyntax {
        /// Characters of the header text before the offending one.
        at: usize,
        /// What stands there, escaped.
        found: String,
        /// What may stand there.
        wanted: &'static str,
    },

    /// The header nests brackets deeper than any dtype needs.
    #[error("header nests brackets more than {limit} deep at its character {at}")]
    HeaderTooDeep {
        /// Characters of the header text before the bracket that is too much.
        at: usize,
        /// The limit.
        limit: usize,
    },

    /// The header is a literal, but not a dictionary with exactly the three keys.
    #[error("header has {found}, and needs a dictionary with exactly the keys 'descr', 'fortran_order' and 'shape'")]
    HeaderKeys {
        /// The kind of literal, or the keys that are there.
        found: String,
    },

    /// A header value has the wrong type.
    #[error("header has {key} {found}, and needs {wanted}")]
    HeaderValue {
        /// `shape` or `fortran_order`.
        key: &'static str,
        /// The value, as Python prints it; shortened if long.
        found: String,
        /// What the value must be.
        wanted: &'static str,
    },

    /// The header length stops at the closing brace, but the padding goes on: the data would start inside it.
    #[error(
        "the header ends at byte {offset} by its length, but at least {padding} more bytes of its padding follow; \
         the data cannot start there"
    )]
    HeaderCutShort {
        /// Where the header length says the data starts, in bytes from the start of the file.
        offset: usize,
        /// How much padding follows, in bytes, as far as was looked.
        padding: usize,
    },

    /// The descr is no dtype.
    #[error("descr {descr} is no dtype: {reason}")]
    Descr {
        /// The descr, as Python prints it; shortened if long.
        descr: String,
        /// What is wrong with it.
        reason: String,
    },

    /// The descr is one that NumPy reads by accident (a dictionary, two-character strings as fields, a title that is
    /// no string); nothing writes these, and this crate refuses them.
    #[error("descr {descr} is accepted by NumPy only by accident, and refused here: {reason}")]
    UnsupportedDescr {
        /// The descr, as Python prints it; shortened if long.
        descr: String,
        /// What is peculiar about it.
        reason: String,
    },

    /// A subarray as the dtype of the whole array: NumPy reads such a file in three different ways, and never
    /// writes one.
    #[error(
        "descr {descr} is a subarray dtype for the whole array, which NumPy itself doesn't read consistently; \
         its dimensions belong into the shape"
    )]
    TopLevelSubarray {
        /// The descr, as Python prints it; shortened if long.
        descr: String,
    },

    /// More dimensions than NumPy has.
    #[error("shape has {found} dimensions, and NumPy allows {limit}")]
    TooManyDimensions {
        /// Dimensions in the shape.
        found: usize,
        /// NumPy's limit, 64.
        limit: usize,
    },

    /// A dimension that is negative or no 64-bit number.
    #[error("dimension {axis} of the shape is {found}, and must be between 0 and {max}", max = isize::MAX)]
    Dimension {
        /// The axis, from 0.
        axis: usize,
        /// The dimension as written; shortened if long.
        found: String,
    },

    /// The array would not fit into the address space: the product of the non-zero dimensions and the itemsize is
    /// beyond `isize::MAX`.
    #[error("shape {shape} of {itemsize}-byte items takes more than the {max} bytes an array can have here", max = isize::MAX)]
    ShapeTooLarge {
        /// The shape, as Python prints it.
        shape: String,
        /// Bytes of one element.
        itemsize: usize,
    },

    /// The file is shorter than its header says.
    #[error("shape {shape} of '{descr}' needs {needed} bytes after byte {data_offset}, and the file holds {held}")]
    DataTruncated {
        /// The shape, as Python prints it.
        shape: String,
        /// The descr, as NumPy writes it.
        descr: String,
        /// Where the data starts, in bytes from the start of the array's magic string.
        data_offset: u64,
        /// Bytes of data that the header promises.
        needed: u64,
        /// Bytes of data that are there.
        held: u64,
    },

    /// An array of Python objects. Its data are a pickle, which this crate never executes.
    #[error(
        "{} of '{descr}' holds Python objects, which are pickled; nothing but Python can read them \
         (np.load with allow_pickle=True), and doing so runs code from the file",
        Place(.field)
    )]
    Object {
        /// The path of the field that holds objects; empty if it is the array itself.
        field: Vec<String>,
        /// The descr of the whole array.
        descr: String,
    },

    /// The count of rows in the header is being changed by a writer that doesn't finish.
    #[error(
        "the row count in the header is {field:?}, a change that its writer did not finish within {waited_ms} ms; \
         if the writer is dead, repair the file"
    )]
    UnfinishedPublish {
        /// The sixteen characters of the count.
        field: String,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },

    /// The file's dtype is not the one asked for.
    #[error("descr {found}{} is not {element} here, which is {wanted}{}", OfField(.field), Fits(.instead))]
    DType {
        /// The path of the field that has it; empty if it is the array's own.
        field: Vec<String>,
        /// The file's descr.
        found: String,
        /// The Rust type asked for.
        element: String,
        /// The descr of that type.
        wanted: String,
        /// The element type that reads the file in place, if there is one.
        instead: Option<String>,
    },

    /// The file's byte order is not the element's: the machine's, or the one that an element states.
    #[error(
        "descr {found}{} is {order}-endian, {element} here is {}-endian; \
         view it as {instead}, or copy with to_vec",
        OfField(.field), OtherOrder(.order)
    )]
    ByteOrder {
        /// The path of the field that has it; empty if it is the array's own.
        field: Vec<String>,
        /// The file's descr.
        found: String,
        /// `big` or `little`: the file's byte order.
        order: &'static str,
        /// The Rust type asked for.
        element: String,
        /// The element type that reads the file in place.
        instead: String,
    },

    /// The data don't start at a multiple of the element's alignment.
    #[error(
        "the data start {excess} bytes past a multiple of {align}, and {element} needs a multiple; \
         copy with to_vec, or view as an unaligned element of npymap::le or npymap::be"
    )]
    Misaligned {
        /// Bytes past the last address that would do.
        excess: usize,
        /// The alignment that is needed, in bytes.
        align: usize,
        /// The Rust type asked for.
        element: String,
    },

    /// A byte that is no `bool`.
    #[error(
        "element {index}{} is the byte {byte:#04x}, and a bool is 0x00 or 0x01; \
         take the bytes as they are with NpyAny::bytes",
        OfField(.field)
    )]
    InvalidBool {
        /// The path of the field that holds it; empty if the element itself is a `bool`.
        field: Vec<String>,
        /// The element, counted in the order in which the file stores them.
        index: usize,
        /// The byte found.
        byte: u8,
    },

    /// A code unit of a string that is no Unicode character.
    #[error("character {character} of element {index}{} is {code:#x}, which is no Unicode scalar value", OfField(.field))]
    InvalidChar {
        /// The path of the field that holds the string; empty if the element itself is one.
        field: Vec<String>,
        /// The element, counted in the order in which the file stores them.
        index: usize,
        /// Characters before it in the string.
        character: usize,
        /// The code unit found.
        code: u32,
    },

    /// A byte string that isn't UTF-8, where text was asked for.
    #[error("element {index}{} is no UTF-8 from its byte {valid} on; take its bytes as they are", OfField(.field))]
    InvalidUtf8 {
        /// The path of the field that holds the string; empty if the element itself is one.
        field: Vec<String>,
        /// The element, counted in the order in which the file stores them.
        index: usize,
        /// Bytes before the first that is no UTF-8.
        valid: usize,
    },

    /// A text that doesn't fit into the strings of the array.
    #[error("text of {length} {unit} for '{descr}', which holds {room}")]
    TextTooLong {
        /// The length of the text.
        length: usize,
        /// `bytes` for `S`, `characters` for `U`.
        unit: &'static str,
        /// How many fit.
        room: usize,
        /// The descr of the string.
        descr: String,
    },

    /// A text that ends in NULs, which fixed-size strings take for padding.
    #[error("text ends in a NUL, which '{descr}' takes for padding and loses")]
    TextEndsInNul {
        /// The descr of the string.
        descr: String,
    },

    /// A record of the file has other fields than the struct asked for, or has them in another order.
    #[error(
        "field {position} of a record{} is {} in the file, and {} in {element}{}",
        OfField(.field), OrNone(.found), OrNone(.wanted), Rename(.found, .wanted)
    )]
    FieldName {
        /// The struct asked for.
        element: String,
        /// The path of the record; empty if it is the array's own.
        field: Vec<String>,
        /// The field's position among those of the record that take bytes, from 0.
        position: usize,
        /// Its name in the file, or `None` if the file has fewer.
        found: Option<String>,
        /// Its name in the struct, or `None` if the struct has fewer.
        wanted: Option<String>,
    },

    /// A field lies elsewhere in a record of the file than in the struct asked for.
    #[error("{} is at byte {file} of the file's record, and at byte {rust} of {element}; {remedy}", Place(.field))]
    FieldOffset {
        /// The struct asked for.
        element: String,
        /// The path of the first field that is off.
        field: Vec<String>,
        /// Its offset in a record of the file, in bytes.
        file: usize,
        /// Its offset in the struct, in bytes.
        rust: usize,
        /// What to write instead.
        remedy: String,
    },

    /// A record of the file is longer or shorter than the struct asked for, with all fields in place.
    #[error("a record{} takes {file} bytes in the file, and {element} takes {rust}; {remedy}", OfField(.field))]
    RecordSize {
        /// The struct asked for.
        element: String,
        /// The path of the record; empty if it is the array's own.
        field: Vec<String>,
        /// Bytes of a record in the file.
        file: usize,
        /// Bytes of the struct.
        rust: usize,
        /// What to write instead.
        remedy: String,
    },

    /// There is no such field.
    #[error("no {}; {}", Place(.field), There(.names, *.omitted))]
    NoField {
        /// The path asked for, up to the name that wasn't found.
        field: Vec<String>,
        /// The first of the names that are there, at most 20; none if the type has no fields.
        names: Vec<String>,
        /// How many more there are.
        omitted: usize,
    },

    /// The elements are no strings.
    #[error("descr {found}{} is no string; strings are S and U", OfField(.field))]
    NotText {
        /// The path of the field; empty if it is the array itself.
        field: Vec<String>,
        /// The descr found.
        found: String,
    },

    /// A number of bytes that is no whole number of elements.
    #[error("{bytes} bytes are no whole number of {element}, which takes {size}")]
    PartialElement {
        /// The bytes at hand.
        bytes: usize,
        /// Bytes of one element.
        size: usize,
        /// The Rust type asked for.
        element: String,
    },

    /// The trailing dimensions of the array are not those of the array type asked for.
    #[error("shape {shape} does not end in {wanted}, the dimensions of {element}")]
    Fold {
        /// The shape, as Python prints it.
        shape: String,
        /// The dimensions of the array type, as Python prints them.
        wanted: String,
        /// The Rust type asked for.
        element: String,
    },

    /// Rows were asked of a Fortran-ordered array of two or more dimensions, whose rows are not contiguous.
    #[error("{operation} needs contiguous rows, and shape {shape} is in Fortran order; use cols, or ndarray")]
    FortranOrder {
        /// What was asked for: `rows`, `x[i]`.
        operation: &'static str,
        /// The shape, as Python prints it.
        shape: String,
    },

    /// Columns were asked of a C-ordered array of two or more dimensions, whose columns are not contiguous.
    #[error("{operation} needs contiguous columns, and shape {shape} is in C order; use rows, or ndarray")]
    COrder {
        /// What was asked for: `cols`.
        operation: &'static str,
        /// The shape, as Python prints it.
        shape: String,
    },

    /// An index or range beyond the array.
    #[error("{what} {start}..{end} is outside of 0..{len}")]
    OutOfBounds {
        /// What is counted: `rows`, `columns`, `axis 1`.
        what: &'static str,
        /// The first index asked for.
        start: usize,
        /// One past the last index asked for.
        end: usize,
        /// How many there are.
        len: usize,
    },

    /// A list of rows names one that there isn't.
    #[error("index {position} of the list is {index}, and there are {rows} rows")]
    RowIndex {
        /// Where in the list it stands, from 0.
        position: usize,
        /// The number.
        index: String,
        /// How many rows there are.
        rows: usize,
    },

    /// The wrong number of indices or dimensions.
    #[error("{found} dimensions asked for, and shape {shape} has {}", .wanted)]
    Rank {
        /// Dimensions asked for.
        found: usize,
        /// Dimensions of the array.
        wanted: usize,
        /// The shape, as Python prints it.
        shape: String,
    },

    /// A buffer of the wrong length.
    #[error("a buffer of {found} elements for {wanted}")]
    BufferLength {
        /// Elements the buffer holds.
        found: usize,
        /// Elements needed.
        wanted: usize,
    },

    /// The operating system doesn't vouch for the file: it is neither a memfd sealed against writing and shrinking
    /// nor protected by fs-verity.
    #[error(
        "the kernel does not guarantee that this file stays as it is (a sealed memfd or fs-verity would); use read, NpyFile, or the unsafe map"
    )]
    NotImmutable,

    /// The allocator has no room.
    #[error("no memory for {bytes} bytes; use NpyFile to read a part, or map the file")]
    OutOfMemory {
        /// Bytes asked for.
        bytes: usize,
    },

    /// A text that is no unit of time.
    #[error("{text} is no unit of time: {reason}")]
    TimeUnit {
        /// The text, as Python prints it; shortened if long.
        text: String,
        /// What is wrong with it.
        reason: String,
    },

    /// Two units between which times of this kind cannot be converted.
    #[error("{from} cannot be converted to {to}: {reason}")]
    TimeConversion {
        /// The dtype at hand: `timedelta64[M]`.
        from: String,
        /// The dtype or type asked for.
        to: String,
        /// Why not, and what can be done.
        reason: String,
    },

    /// A time beyond the range of the unit or type it is to be converted to.
    #[error("a {from} of {value} is out of the range of {to}, {range}")]
    TimeOverflow {
        /// The time: a count if it is one.
        value: String,
        /// The dtype or type at hand: `datetime64[D]`.
        from: String,
        /// The dtype or type asked for.
        to: String,
        /// What that holds.
        range: String,
    },

    /// A time that the unit or type it is to be converted to cannot express.
    #[error(
        "a {from} of {value} falls between two steps of {to}; round it first (convert rounds down), or take a finer unit"
    )]
    TimeInexact {
        /// The time: a count if it is one.
        value: String,
        /// The dtype or type at hand: `datetime64[ms]`.
        from: String,
        /// The dtype or type asked for.
        to: String,
    },

    /// There is a file of this name already, and it was not to be replaced.
    #[cfg(feature = "std")]
    #[error("{} exists already; remove it, or ask for it to be replaced", .path.display())]
    AlreadyExists {
        /// The name asked for.
        path: std::path::PathBuf,
    },

    /// The file system has no room.
    #[cfg(feature = "std")]
    #[error(
        "no space for {needed} bytes in {}: its file system has {available} left",
        .path.as_ref().map_or("the file".into(), |p| p.to_string_lossy())
    )]
    NoSpace {
        /// The file that was to be written, where it has a name.
        path: Option<std::path::PathBuf>,
        /// How many bytes were to be written or allocated.
        needed: u64,
        /// How many the file system says it has left.
        available: u64,
    },

    /// The header has no room for the new length of the growth axis.
    #[error("the new count takes {needed} more bytes of header, and {spare} are spare; npymap relayout makes room")]
    NoHeaderRoom {
        /// Bytes that the header would have to be longer, were none spare.
        needed: usize,
        /// Bytes that are spare.
        spare: usize,
    },

    /// Somebody else is appending to the file, or changing its length.
    #[cfg(feature = "std")]
    #[error("{} is locked by another writer, which was waited for {waited_ms} ms; AppendOptions::wait waits longer", .path.display())]
    Locked {
        /// The file.
        path: std::path::PathBuf,
        /// How long was waited, in milliseconds.
        waited_ms: u64,
    },

    /// The header counts more rows than the file holds: a power cut has lost rows that were not synced.
    #[error("the header counts {header} rows, and the file holds {file}; npymap repair lowers the count")]
    HeaderAhead {
        /// Rows that the header counts.
        header: u64,
        /// Whole rows that the file holds.
        file: u64,
    },

    /// Bytes after the array that may be another array, or anything else.
    #[error(
        "{bytes} bytes follow the {after} of the array, and may be another array; discard_tail cuts them off, relayout_to copies the array alone"
    )]
    TrailingBytes {
        /// Where the array ends, in bytes from the start of the file.
        after: u64,
        /// How many bytes follow.
        bytes: u64,
    },

    /// A write to the file failed before in a way that leaves open what it holds; nothing more is written to it.
    ///
    /// Of an appender's rows, those that are [synced](crate::AppenderAny::synced) are on the disk. Open the file again: it
    /// has so many [rows](crate::AppenderAny::rows), and those that were pushed after them are to be pushed again. After a
    /// failed sync, rows between the two may be damaged on the disk.
    #[cfg(feature = "std")]
    #[error(
        "an earlier {operation} of {} failed, and what the disk holds is unknown since; open the file again to go on",
        .path.display()
    )]
    Poisoned {
        /// The file.
        path: std::path::PathBuf,
        /// What failed: `sync`, `publish`, `check of the size`.
        operation: &'static str,
    },

    /// The file under a name is another one than before, or has got another header.
    #[cfg(feature = "std")]
    #[error("{} had {wanted} when it was opened, and has {found} now; open it again", .path.display())]
    HeaderChanged {
        /// The file.
        path: std::path::PathBuf,
        /// What its header says now.
        found: String,
        /// What it said before.
        wanted: String,
    },

    /// The rows of a file have another shape than those that are to be appended.
    #[error("a row of the file has the shape {found}, and one of {wanted} is to be appended")]
    RowShape {
        /// The shape of a row of the file, as Python prints it.
        found: String,
        /// The shape asked for.
        wanted: String,
    },

    /// A private mapping, whose changes aren't written to the file, was to be flushed or grown.
    #[error("{operation} needs a shared mapping, and this one is private (map_cow); use map_mut")]
    PrivateMapping {
        /// What was asked for: `flush`, `grow`.
        operation: &'static str,
    },
}

impl Error {
    /// Returns the variant's name in snake case, for logs and for the `kind` of the command's JSON.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            #[cfg(feature = "std")]
            Self::Io { .. } => "io",
            Self::NotNpy { .. } => "not_npy",
            Self::HeaderTruncated { .. } => "header_truncated",
            Self::Version { .. } => "version",
            Self::HeaderTooLong { .. } => "header_too_long",
            Self::HeaderEncoding { .. } => "header_encoding",
            Self::HeaderSyntax { .. } => "header_syntax",
            Self::HeaderTooDeep { .. } => "header_too_deep",
            Self::HeaderKeys { .. } => "header_keys",
            Self::HeaderValue { .. } => "header_value",
            Self::HeaderCutShort { .. } => "header_cut_short",
            Self::Descr { .. } => "descr",
            Self::UnsupportedDescr { .. } => "unsupported_descr",
            Self::TopLevelSubarray { .. } => "top_level_subarray",
            Self::TooManyDimensions { .. } => "too_many_dimensions",
            Self::Dimension { .. } => "dimension",
            Self::ShapeTooLarge { .. } => "shape_too_large",
            Self::DataTruncated { .. } => "data_truncated",
            Self::Object { .. } => "object",
            Self::UnfinishedPublish { .. } => "unfinished_publish",
            Self::DType { .. } => "dtype",
            Self::ByteOrder { .. } => "byte_order",
            Self::Misaligned { .. } => "misaligned",
            Self::InvalidBool { .. } => "invalid_bool",
            Self::InvalidChar { .. } => "invalid_char",
            Self::InvalidUtf8 { .. } => "invalid_utf8",
            Self::TextTooLong { .. } => "text_too_long",
            Self::TextEndsInNul { .. } => "text_ends_in_nul",
            Self::FieldName { .. } => "field_name",
            Self::FieldOffset { .. } => "field_offset",
            Self::RecordSize { .. } => "record_size",
            Self::NoField { .. } => "no_field",
            Self::NotText { .. } => "not_text",
            Self::PartialElement { .. } => "partial_element",
            Self::Fold { .. } => "fold",
            Self::FortranOrder { .. } => "fortran_order",
            Self::COrder { .. } => "c_order",
            Self::OutOfBounds { .. } => "out_of_bounds",
            Self::RowIndex { .. } => "row_index",
            Self::Rank { .. } => "rank",
            Self::BufferLength { .. } => "buffer_length",
            Self::NotImmutable => "not_immutable",
            Self::OutOfMemory { .. } => "out_of_memory",
            Self::TimeUnit { .. } => "time_unit",
            Self::TimeConversion { .. } => "time_conversion",
            Self::TimeOverflow { .. } => "time_overflow",
            Self::TimeInexact { .. } => "time_inexact",
            #[cfg(feature = "std")]
            Self::AlreadyExists { .. } => "already_exists",
            #[cfg(feature = "std")]
            Self::NoSpace { .. } => "no_space",
            Self::NoHeaderRoom { .. } => "no_header_room",
            #[cfg(feature = "std")]
            Self::Locked { .. } => "locked",
            Self::HeaderAhead { .. } => "header_ahead",
            Self::TrailingBytes { .. } => "trailing_bytes",
            #[cfg(feature = "std")]
            Self::Poisoned { .. } => "poisoned",
            #[cfg(feature = "std")]
            Self::HeaderChanged { .. } => "header_changed",
            Self::RowShape { .. } => "row_shape",
            Self::PrivateMapping { .. } => "private_mapping",
        }
    }
}

impl Error {
    /// Moves an error that was raised within a field to the record around it.
    pub(crate) fn in_field(mut self, name: &str) -> Self {
        if let Some(field) = self.field_mut() {
            field.insert(0, name.into());
        }
        // Elements are records now, and this is one of them.
        if let Some(index) = self.index_mut() {
            *index = 0;
        }
        self
    }

    /// Moves the element of an error that was counted from a part's start.
    pub(crate) fn at_index(mut self, first: usize) -> Self {
        if let Some(index) = self.index_mut() {
            *index = index.saturating_add(first);
        }
        self
    }

    fn index_mut(&mut self) -> Option<&mut usize> {
        match self {
            Self::InvalidBool { index, .. } | Self::InvalidChar { index, .. } | Self::InvalidUtf8 { index, .. } => {
                Some(index)
            }
            _ => None,
        }
    }

    fn field_mut(&mut self) -> Option<&mut Vec<String>> {
        match self {
            Self::Object { field, .. }
            | Self::DType { field, .. }
            | Self::ByteOrder { field, .. }
            | Self::InvalidBool { field, .. }
            | Self::InvalidChar { field, .. }
            | Self::InvalidUtf8 { field, .. }
            | Self::FieldName { field, .. }
            | Self::FieldOffset { field, .. }
            | Self::RecordSize { field, .. }
            | Self::NoField { field, .. }
            | Self::NotText { field, .. } => Some(field),
            _ => None,
        }
    }
}

/// `; it looks like …`, or nothing.
struct Hint<'a>(&'a Option<&'static str>);

impl fmt::Display for Hint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |what| write!(f, "; it looks like {what}"))
    }
}

/// `the array`, or `field 'a' 'b'`.
struct Place<'a>(&'a [String]);

impl fmt::Display for Place<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() {
            return f.write_str("the array");
        }
        f.write_str("field")?;
        self.0.iter().try_for_each(|name| write!(f, " {}", Quoted(name)))
    }
}

/// ` of field 'a' 'b'`, or nothing.
struct OfField<'a>(&'a [String]);

impl fmt::Display for OfField<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.0.is_empty() { Ok(()) } else { write!(f, " of {}", Place(self.0)) }
    }
}

/// `; … would fit`, or nothing.
struct Fits<'a>(&'a Option<String>);

impl fmt::Display for Fits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.as_ref().map_or(Ok(()), |name| write!(f, "; {name} would fit"))
    }
}

/// The byte order that is not this one, which is the element's.
struct OtherOrder<'a>(&'a str);

impl fmt::Display for OtherOrder<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0 == "big" { "little" } else { "big" })
    }
}

/// `'a'`, with what doesn't print escaped.
struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.0.escape_debug())
    }
}

/// `'a'`, or `none`.
struct OrNone<'a>(&'a Option<String>);

impl fmt::Display for OrNone<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => Quoted(name).fmt(f),
            None => f.write_str("none"),
        }
    }
}

/// How to give a field of a struct the name that it has in the file.
struct Rename<'a>(&'a Option<String>, &'a Option<String>);

impl fmt::Display for Rename<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self(Some(found), Some(_)) => write!(f, "; #[npymap(rename = {found:?})] would fit"),
            _ => Ok(()),
        }
    }
}

/// The names that are there.
struct There<'a>(&'a [String], usize);

impl fmt::Display for There<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self([first, rest @ ..], omitted) = self else { return f.write_str("it has no fields") };
        write!(f, "there are {}", Quoted(first))?;
        rest.iter().try_for_each(|name| write!(f, ", {}", Quoted(name)))?;
        if *omitted == 0 { Ok(()) } else { write!(f, " and {omitted} more") }
    }
}
