//! Dtypes to and from the `descr` of a header: strings, `(type, shape)` tuples and lists of fields. Knows the rules of
//! NumPy's `descr_to_dtype` and `dtype_to_descr`; single type strings are read in `typestr.rs`.

use alloc::collections::BTreeSet;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};
use core::str::FromStr;

use super::dtype::{DType, DatetimeUnit, StructField, StructType, TimeUnit};
use super::layout::shape_repr;
use super::literal::{self, Literal, Node};
use super::repr::{Repr, shortened};
use super::typestr::{self, Refusal};
use crate::{Error, Result};

impl DType {
    /// Reads a dtype as NumPy prints it: `<f8`, or a Python literal such as `'<f8'` or `[('a', '<i4')]`.
    ///
    /// Everything that a header of NumPy's may hold is understood, and what `numpy.dtype` accepts beyond it: names
    /// (`float64`), single characters (`d`), types separated by commas (`f8,i4`). Types whose size depends on the
    /// machine (`int`, `l`, `longdouble`) have the size they have on x86-64 Linux.
    ///
    /// # Errors
    ///
    /// [`Error::Descr`] says what is wrong, [`Error::UnsupportedDescr`] what NumPy accepts but nothing writes,
    /// [`Error::TopLevelSubarray`] is for `(2,)f8` and `('<f8', (2,))`, which only fields may have.
    ///
    /// ```
    /// use npymap::{ByteOrder, DType};
    ///
    /// assert_eq!(DType::from_descr("<f8")?, DType::Float64(ByteOrder::Little));
    /// assert_eq!(DType::from_descr("[('id', '>u2'), ('xyz', '<f4', (3,))]")?.itemsize(), 14);
    /// # Ok::<(), npymap::Error>(())
    /// ```
    pub fn from_descr(text: &str) -> Result<Self> {
        let is_literal = text.contains(['\'', '"']) || text.trim_start().starts_with(['[', '{']);
        if !is_literal {
            let refuse = |refusal| refused(&Repr(text), refusal);
            return whole(typestr::parse(text).map_err(refuse)?, &Repr(text));
        }
        let node = literal::parse(text, false).map_err(|error| match error {
            Error::HeaderSyntax { at, found, wanted } => {
                let reason = format!("it has {found} at its character {at}, where {wanted} is wanted");
                Error::Descr { descr: shortened(&text), reason }
            }
            Error::HeaderTooDeep { at, limit } => {
                let reason = format!("it nests brackets more than {limit} deep at its character {at}");
                Error::Descr { descr: shortened(&text), reason }
            }
            other => other,
        })?;
        Self::from_literal(&node)
    }

    /// Makes the dtype of an array out of the value that a header has for `descr`.
    pub(super) fn from_literal(node: &Node) -> Result<Self> {
        whole(read(node)?, node)
    }

    /// Makes the dtype of an array out of a descr that is a string; `None` if it is none, or one for a field only.
    pub(super) fn from_plain(descr: &str) -> Option<Self> {
        typestr::parse(descr).ok().filter(|dtype| !matches!(dtype, Self::Subarray(..)))
    }

    /// Returns the descr as NumPy writes it into a header, a Python literal: `'<f8'`, `[('a', '<i4')]`.
    ///
    /// ```
    /// # use npymap::DType;
    /// assert_eq!(DType::from_descr("f8")?.descr(), "'<f8'");
    /// assert_eq!(DType::from_descr("u1,2i2")?.descr(), "[('f0', '|u1'), ('f1', '<i2', (2,))]");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[must_use]
    pub fn descr(&self) -> String {
        Quoted(self).to_string()
    }

    /// Returns NumPy's `dtype.str`: as [`descr`](Self::descr) without quotes, but `|V12` for a struct or subarray of
    /// 12 bytes.
    ///
    /// ```
    /// # use npymap::DType;
    /// assert_eq!(DType::from_descr("[('a', '<i4'), ('b', '<f8')]")?.str(), "|V12");
    /// # Ok::<(), npymap::Error>(())
    /// ```
    #[must_use]
    pub fn str(&self) -> String {
        match self {
            Self::Struct(_) | Self::Subarray(..) => format!("|V{}", self.itemsize()),
            _ => self.to_string(),
        }
    }
}

impl FromStr for DType {
    type Err = Error;

    /// Is [`DType::from_descr`].
    fn from_str(text: &str) -> Result<Self> {
        Self::from_descr(text)
    }
}

/// Refuses a subarray as the type of a whole array.
fn whole(dtype: DType, descr: &impl Display) -> Result<DType> {
    match dtype {
        DType::Subarray(..) => Err(Error::TopLevelSubarray { descr: shortened(descr) }),
        _ => Ok(dtype),
    }
}

fn refused(descr: &impl Display, Refusal { reason, by_accident }: Refusal) -> Error {
    let descr = shortened(descr);
    if by_accident { Error::UnsupportedDescr { descr, reason } } else { Error::Descr { descr, reason } }
}

fn wrong(node: &Node, reason: impl Into<String>) -> Error {
    Error::Descr { descr: node.shortened(), reason: reason.into() }
}

fn peculiar(node: &Node, reason: impl Into<String>) -> Error {
    Error::UnsupportedDescr { descr: node.shortened(), reason: reason.into() }
}

/// Reads a type that may be a subarray. Recursion is as deep as the literal, at most [`literal::MAX_DEPTH`]; what makes
/// messages is kept out of the functions that recurse, so that a small stack is enough.
fn read(node: &Node) -> Result<DType> {
    match &node.value {
        Literal::Str(text) => read_string(text, node),
        Literal::Tuple(items) => match items.as_slice() {
            [base, extent] => extended(read(base)?, extent, node),
            _ => Err(no_type(node)),
        },
        Literal::List(items) => read_struct(items, node),
        _ => Err(no_type(node)),
    }
}

fn read_string(text: &str, node: &Node) -> Result<DType> {
    typestr::parse(text).map_err(|refusal| refused(node, refusal))
}

fn no_type(node: &Node) -> Error {
    match &node.value {
        Literal::Tuple(items) if items.len() > 2 => {
            peculiar(node, format!("it has {} items, and only two count", items.len()))
        }
        Literal::Tuple(items) => wrong(node, format!("a tuple is a type and its shape, not {} items", items.len())),
        Literal::Dict(_) => peculiar(node, "its keys would be fields"),
        Literal::Set(_) => peculiar(node, "its items would be fields in no order"),
        Literal::Bytes(bytes) if bytes.is_empty() => peculiar(node, "it would be an empty list"),
        _ => wrong(node, format!("it is {}, neither a str nor a tuple nor a list", node.kind())),
    }
}

/// The type of a `(base, extent)` pair anywhere within `node`.
fn extended(base: DType, extent: &Node, node: &Node) -> Result<DType> {
    let is_ints = match &extent.value {
        Literal::Int(_) | Literal::BigInt(_) => true,
        Literal::Tuple(items) => items.iter().all(is_int),
        Literal::List(items) => !items.is_empty() && items.iter().all(is_int),
        _ => false,
    };
    if !is_ints {
        check_union(&base, extent).map_err(|refusal| refused(node, refusal))?;
    }
    typestr::extended(base, extent).map_err(|refusal| refused(node, refusal))
}

fn is_int(node: &Node) -> bool {
    matches!(node.value, Literal::Int(_) | Literal::BigInt(_))
}

/// NumPy takes what is no shape for a second type: the same bytes under two names.
fn check_union(base: &DType, extent: &Node) -> Result<(), Refusal> {
    let other = match &extent.value {
        Literal::Dict(_) => return Err(typestr::union("a dictionary is no shape")),
        Literal::Str(text) if text.is_empty() => return Err(typestr::union("an empty str is no shape")),
        // NumPy takes it for a type or, a bytes being a sequence of ints, for a shape.
        Literal::Bytes(_) => return Err(typestr::union("a bytes is no shape")),
        Literal::None => Some(8),
        _ => read(extent).ok().map(|other| other.itemsize()),
    };
    match other {
        Some(size) if typestr::is_unsized(base) || size == base.itemsize() => {
            Err(typestr::union("a type in place of the shape would be another view of the same bytes"))
        }
        _ => Ok(()),
    }
}

/// Reads a list of fields.
fn read_struct(items: &[Node], node: &Node) -> Result<DType> {
    let mut names = BTreeSet::new();
    let mut record = StructType { fields: Vec::new(), itemsize: 0 };
    for item in items {
        read_field(item)?.append(&mut record, &mut names, item, node)?;
    }
    Ok(DType::Struct(record))
}

/// One item of a list of fields.
struct Field<'a> {
    name: &'a str,
    title: Option<&'a str>,
    /// Whether the name stands in a tuple with a title, which may be None.
    is_titled: bool,
    dtype: DType,
}

impl<'a> Field<'a> {
    /// Adds the field to the fields before it. `item` is the field's, `node` the struct's.
    fn append(self, record: &mut StructType, names: &mut BTreeSet<&'a str>, item: &Node, node: &Node) -> Result<()> {
        let offset = record.itemsize;
        record.itemsize =
            typestr::add_sizes(offset, self.dtype.itemsize()).map_err(|refusal| refused(node, refusal))?;
        if self.is_padding(item)? {
            return Ok(());
        }
        if !names.insert(self.name) {
            return Err(wrong(item, format!("the name {} is taken", shortened(&Repr(self.name)))));
        }
        if let Some(title) = self.title
            && !names.insert(title)
        {
            return Err(wrong(item, format!("the title {} is taken", shortened(&Repr(title)))));
        }
        let (name, title) = (self.name.to_string(), self.title.map(ToString::to_string));
        record.fields.push(StructField { name, title, offset, dtype: self.dtype });
        Ok(())
    }

    /// Whether the item is a gap between fields: raw bytes without a name.
    fn is_padding(&self, item: &Node) -> Result<bool> {
        if !self.name.is_empty() || self.is_titled {
            return Ok(false);
        }
        let mut base = &self.dtype;
        while let DType::Subarray(inner, _) = base {
            base = inner;
        }
        match (base, &self.dtype) {
            (DType::Void(_), _) => Ok(true),
            (_, DType::Subarray(..)) => Err(peculiar(item, "a subarray without a name would be padding")),
            _ => Ok(false),
        }
    }
}

fn read_field<'a>(item: &'a Node) -> Result<Field<'a>> {
    let (name, descr, shape) = field_parts(item)?;
    let (name, title, is_titled) = read_name(name, item)?;
    let dtype = match (read(descr), shape) {
        (Ok(base), Some(shape)) => extended(base, shape, item),
        (dtype, _) => dtype,
    };
    match dtype {
        Ok(dtype) => Ok(Field { name, title, is_titled, dtype }),
        Err(error) => Err(in_field(error, name)),
    }
}

/// Takes apart `(name, type)` or `(name, type, shape)`.
fn field_parts<'a>(item: &'a Node<'a>) -> Result<(&'a Node<'a>, &'a Node<'a>, Option<&'a Node<'a>>)> {
    match &item.value {
        Literal::Tuple(parts) | Literal::List(parts) => match parts.as_slice() {
            [name, descr] => Ok((name, descr, None)),
            [name, descr, shape] => Ok((name, descr, Some(shape))),
            _ => {
                let count = parts.len();
                Err(wrong(item, format!("a field has a name, a type and maybe a shape, not {count} items")))
            }
        },
        Literal::Str(text) if matches!(text.chars().count(), 2 | 3) => {
            Err(peculiar(item, "its characters would be a name and a type"))
        }
        Literal::Dict(pairs) if matches!(pairs.len(), 2 | 3) => Err(peculiar(item, "it is a dict, not a field")),
        Literal::Set(items) if matches!(items.len(), 2 | 3) => Err(peculiar(item, "it is a set, not a field")),
        _ => Err(wrong(item, format!("a field is a tuple, not {}", item.kind()))),
    }
}

/// Reads `'name'` or `('title', 'name')`.
fn read_name<'a>(node: &'a Node, item: &Node) -> Result<(&'a str, Option<&'a str>, bool)> {
    let no_name = |node: &Node| wrong(item, format!("its name is {}, and has to be a str", node.kind()));
    match &node.value {
        Literal::Str(name) => Ok((name, None, false)),
        Literal::Tuple(parts) => match parts.as_slice() {
            [title, name] => {
                let Literal::Str(name) = &name.value else { return Err(no_name(name)) };
                match &title.value {
                    Literal::Str(title) => Ok((name, Some(title), true)),
                    Literal::None => Ok((name, None, true)),
                    _ => Err(peculiar(item, format!("its title is {}, no str", title.kind()))),
                }
            }
            _ => Err(wrong(item, format!("its name is a tuple of {} items, not of title and name", parts.len()))),
        },
        _ => Err(no_name(node)),
    }
}

/// Adds the field to the error of its type.
fn in_field(mut error: Error, name: &str) -> Error {
    if let Error::Descr { reason, .. } | Error::UnsupportedDescr { reason, .. } = &mut error {
        reason.push_str(", in field ");
        reason.push_str(&shortened(&Repr(name)));
    }
    error
}

impl Display for DType {
    /// Writes what [`descr`](Self::descr) returns, without the quotes around a string: `<f8`, `[('a', '<i4')]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let order = self.byte_order().map_or('|', |order| order.char());
        match self {
            Self::Datetime64(_, unit) | Self::Timedelta64(_, unit) => {
                write!(f, "{order}{}8", self.kind())?;
                if unit.unit == DatetimeUnit::Generic { Ok(()) } else { write!(f, "[{unit}]") }
            }
            Self::Str(_, characters) => write!(f, "{order}U{characters}"),
            Self::Object => f.write_str("|O"),
            Self::Struct(record) => record.fmt(f),
            Self::Subarray(base, shape) => write!(f, "({}, {})", Quoted(base), shape_repr(shape)),
            _ => write!(f, "{order}{}{}", self.kind(), self.itemsize()),
        }
    }
}

/// A dtype as it stands in a list: strings in quotes.
struct Quoted<'a>(&'a DType);

impl Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            DType::Struct(_) | DType::Subarray(..) => self.0.fmt(f),
            plain => write!(f, "'{plain}'"),
        }
    }
}

impl Display for TimeUnit {
    /// Writes what a descr has in brackets: `ns`, `25s`; and `generic`, which a descr leaves out.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.unit, self.count) {
            (unit @ DatetimeUnit::Generic, _) | (unit, 1) => f.pad(unit.name()),
            (unit, count) => f.pad(&format!("{count}{}", unit.name())),
        }
    }
}

impl FromStr for TimeUnit {
    type Err = Error;

    /// Reads a unit as NumPy does: `ns`, `25s`, `D/24` (an hour), `generic`, with or without the brackets of a descr.
    ///
    /// # Errors
    ///
    /// [`Error::TimeUnit`] says what is wrong.
    fn from_str(text: &str) -> Result<Self> {
        let bare = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).unwrap_or(text);
        typestr::bare_time_unit(bare)
            .map_err(|Refusal { reason, .. }| Error::TimeUnit { text: shortened(&Repr(text)), reason })
    }
}

impl Display for StructType {
    /// Writes the list of fields, gaps between and after them as `('', '|V4')`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        let mut end = 0;
        f.write_str("[")?;
        for StructField { name, title, offset, dtype } in &self.fields {
            if *offset > end {
                write!(f, "{separator}('', '|V{}')", offset - end)?;
                separator = ", ";
            }
            match title {
                Some(title) => write!(f, "{separator}(({}, {}), ", Repr(title), Repr(name))?,
                None => write!(f, "{separator}({}, ", Repr(name))?,
            }
            match dtype {
                DType::Subarray(base, shape) => write!(f, "{}, {})", Quoted(base), shape_repr(shape))?,
                _ => write!(f, "{})", Quoted(dtype))?,
            }
            separator = ", ";
            end = offset.saturating_add(dtype.itemsize());
        }
        if self.itemsize > end {
            write!(f, "{separator}('', '|V{}')", self.itemsize - end)?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use crate::ByteOrder;
    use alloc::boxed::Box;
    use proptest::collection::{btree_set, vec};
    use proptest::prelude::*;

    fn read(text: &str) -> DType {
        DType::from_descr(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn error(text: &str) -> String {
        match DType::from_descr(text) {
            Ok(dtype) => panic!("{text} reads as {dtype}"),
            Err(error) => error.to_string(),
        }
    }

    /// What NumPy reads from a descr, as it writes it.
    fn assert_reads(cases: &[(&str, &str)]) {
        for (text, descr) in cases {
            assert_eq!(read(text).descr(), *descr, "{text}");
        }
    }

    fn assert_errors(cases: &[(&str, &str)]) {
        for (text, message) in cases {
            assert_eq!(error(text), *message, "{text}");
        }
    }

    #[test]
    fn descrs_are_written_as_numpy_writes_them() {
        for descr in [
            "'|b1'",
            "'|i1'",
            "'<i4'",
            "'>u8'",
            "'<f16'",
            "'>c32'",
            "'|S5'",
            "'|S0'",
            "'<U3'",
            "'>U0'",
            "'|V3'",
            "'|O'",
            "'<M8'",
            "'>m8[25s]'",
            "'<M8[1000us]'",
            "'<M8[0s]'",
            "[]",
            "[('', '|V8')]",
            "[('a', '<i4'), ('b', '>f8')]",
            "[('a', '|i1'), ('', '|V3'), ('b', '<i4'), ('', '|V4')]",
            "[('', '|V2'), ('a', '<f8', (2, 3)), ('b', '|i1', (1,))]",
            "[('a', [('x', '<i4'), ('', '|V4')]), ('b', [('y', '<f4')], (2,))]",
            "[('c', ('<f8', (5,)), (2,)), ('d', ([('x', '<i2')], (2,)), (0,))]",
            "[(('title', 'n'), '<i4'), ((\"it's\", ''), '|V4')]",
            r#"[("it's", '<i4'), ('say "x"', '<i4'), ('a\\\n\xad', '<i4'), ('整形 é', '<i4')]"#,
        ] {
            assert_eq!(read(descr).descr(), descr);
        }
    }

    #[test]
    fn display_is_the_descr_without_quotes_and_str_is_that_of_numpy() {
        for (descr, displayed, str) in [
            ("'<f8'", "<f8", "<f8"),
            ("[('a', '<i4'), ('b', '<f8')]", "[('a', '<i4'), ('b', '<f8')]", "|V12"),
            ("'>M8[7D]'", ">M8[7D]", ">M8[7D]"),
            ("O8", "|O", "|O"),
        ] {
            let dtype = read(descr);
            assert_eq!(dtype.to_string(), displayed);
            assert_eq!(dtype.str(), str);
            assert_eq!(displayed.parse::<DType>().unwrap(), dtype);
        }
        let subarray = DType::Subarray(Box::new(DType::Float64(ByteOrder::Little)), alloc::vec![2, 3]);
        assert_eq!((subarray.descr(), subarray.str()), ("('<f8', (2, 3))".into(), "|V48".into()));
    }

    #[test]
    fn descrs_are_bare_or_literals() {
        let float = DType::Float64(ByteOrder::Little);
        for text in ["<f8", "'<f8'", "u'<f8'", " '<f8' ", "('<f8', ())", "\"<f8\""] {
            assert_eq!(read(text), float);
        }
        assert_errors(&[
            ("", "descr '' is no dtype: it is empty"),
            (" <f8", "descr ' <f8' is no dtype: NumPy has no type of this name"),
            (
                "['<f8'",
                "descr ['<f8' is no dtype: it has the end at its character 6, where the ']' of an open bracket is wanted",
            ),
            (
                "'<f8' 3",
                "descr '<f8' 3 is no dtype: it has '3' at its character 6, where the end of the header is wanted",
            ),
            (
                &"[".repeat(201),
                &[
                    "descr ",
                    &"[".repeat(80),
                    "… is no dtype: it nests brackets more than 200 deep at its character 200",
                ]
                .concat(),
            ),
        ]);
    }

    #[test]
    fn offsets_are_running_sums_and_padding_has_no_field() {
        let DType::Struct(record) = read("[('a', '|i1'), ('', '|V3'), ('b', '<i4'), ('', '|V2', (2,)), ('c', '|V1')]")
        else {
            panic!("no struct")
        };
        let fields: Vec<_> = record.fields.iter().map(|field| (field.name.as_str(), field.offset)).collect();
        assert_eq!((fields, record.itemsize), (alloc::vec![("a", 0), ("b", 4), ("c", 12)], 13));
    }

    #[test]
    fn only_raw_bytes_without_a_name_are_padding() {
        assert_reads(&[
            ("[('', '|V4'), ('', 'V', 4)]", "[('', '|V8')]"),
            ("[('', '2V2'), ('a', '|V0')]", "[('', '|V4'), ('a', '|V0')]"),
            ("[('', '<f8'), ('a', '|V1')]", "[('', '<f8'), ('a', '|V1')]"),
            ("[('', [('x', '<i4')])]", "[('', [('x', '<i4')])]"),
            ("[(('t', ''), '|V4')]", "[(('t', ''), '|V4')]"),
        ]);
        let nameless =
            "is accepted by NumPy only by accident, and refused here: a subarray without a name would be padding";
        for item in ["('', '<f4', (2,))", "('', [('x', '<i4')], (2,))", "('', '2i4')"] {
            assert_eq!(error(&alloc::format!("[{item}]")), alloc::format!("descr {item} {nameless}"));
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
    fn field_shapes_are_ints_tuples_and_lists() {
        assert_reads(&[
            ("[('a', '<i4', 2)]", "[('a', '<i4', (2,))]"),
            ("[('a', '<i4', [2, 3])]", "[('a', '<i4', (2, 3))]"),
            ("[('a', '<i4', ())]", "[('a', '<i4')]"),
            ("[['a', '<i4', (0, 2147483647)]]", "[('a', '<i4', (0, 2147483647))]"),
            ("[('a', ('<i4', 3))]", "[('a', '<i4', (3,))]"),
            ("[('a', '2<i4', 3)]", "[('a', ('<i4', (2,)), (3,))]"),
            ("[('a', '<i1', (2147483647, 2147483647, 0))]", "[('a', '|i1', (2147483647, 2147483647, 0))]"),
        ]);
        assert_errors(&[
            (
                "[('a', '<i4', -1)]",
                "descr ('a', '<i4', -1) is no dtype: its dimension -1 is not between 0 and 2147483647, in field 'a'",
            ),
            (
                "[('a', '<i4', (2147483648,))]",
                "descr ('a', '<i4', (2147483648,)) is no dtype: its dimension 2147483648 is not between 0 and 2147483647, in field 'a'",
            ),
            (
                "[('a', '<i4', (65536, 65536))]",
                "descr ('a', '<i4', (65536, 65536)) is no dtype: its shape (65536, 65536) of 4-byte items is over NumPy's \
                 limit of 2147483647 bytes, in field 'a'",
            ),
            (
                "[('a', '<i4', 2.0)]",
                "descr ('a', '<i4', 2.0) is no dtype: its shape is a float, neither an int nor a tuple of ints, in field 'a'",
            ),
            (
                "[('a', '<i4', (True,))]",
                "descr ('a', '<i4', (True,)) is no dtype: its shape has a bool, and is to hold ints, in field 'a'",
            ),
            ("[('a', '<i4', [])]", "descr ('a', '<i4', []) is no dtype: its shape is an empty list, in field 'a'"),
            (
                "[('a', ('<i4', 0), (2,))]",
                "descr ('a', ('<i4', 0), (2,)) is no dtype: a type without a size takes a size, an int, and no shape, in field 'a'",
            ),
            (
                "[('a', '<i1', (2147483647, 2147483647, 2147483647, 0))]",
                "descr ('a', '<i1', (2147483647, 2147483647, 2147483647, 0)) is no dtype: its shape \
                 (2147483647, 2147483647, 2147483647, 0) of 1-byte items is over NumPy's limit of 2147483647 bytes, in field 'a'",
            ),
        ]);
        let shape = |dimensions: usize| alloc::format!("[('a', '|i1', ({}))]", "1, ".repeat(dimensions));
        assert_eq!(read(&shape(64)).itemsize(), 1);
        assert!(error(&shape(65)).ends_with("its shape has 65 dimensions, and NumPy allows 64, in field 'a'"));
    }

    #[test]
    fn types_without_a_size_take_one_anywhere() {
        assert_reads(&[
            ("('|S', 5)", "'|S5'"),
            ("('|V', 4)", "'|V4'"),
            ("('>U', 2)", "'>U2'"),
            ("(('|V', 4), ())", "'|V4'"),
            ("[('a', 'S', 3), ('b', ('<U', 2), (2,))]", "[('a', '|S3'), ('b', '<U2', (2,))]"),
        ]);
        assert_errors(&[
            ("('S', -1)", "descr ('S', -1) is no dtype: its size -1 is negative"),
            ("('S', ())", "descr ('S', ()) is no dtype: a type without a size takes a size, an int, and no shape"),
            (
                "('<U', 536870912)",
                "descr ('<U', 536870912) is no dtype: its 536870912 items of 4 bytes are over NumPy's limit of 2147483647 bytes",
            ),
            (
                "(('<f8', 0), 5)",
                "descr (('<f8', 0), 5) is accepted by NumPy only by accident, and refused here: NumPy gives an empty subarray any size",
            ),
        ]);
    }

    #[test]
    fn subarrays_are_for_fields_only() {
        for descr in ["('<f8', (2,))", "('<f8', 0)", "('<f8', [2])"] {
            let message = alloc::format!(
                "descr {descr} is a subarray dtype for the whole array, which NumPy itself doesn't read consistently; \
                 its dimensions belong into the shape"
            );
            assert_eq!(error(descr), message);
        }
        for descr in ["(2,)f8", "2f8", "'2f8'", "([('a', '<i4')], 2)"] {
            assert!(matches!(DType::from_descr(descr), Err(Error::TopLevelSubarray { .. })), "{descr}");
        }
    }

    #[test]
    fn names_and_titles_are_unique() {
        assert_reads(&[
            ("[((None, 'a'), '<i4')]", "[('a', '<i4')]"),
            ("[(('', 'a'), '<i4'), (('t', 'b'), '<f8')]", "[(('', 'a'), '<i4'), (('t', 'b'), '<f8')]"),
            ("[('é', '<i4'), ('e\u{301}', '<i4')]", "[('é', '<i4'), ('e\u{301}', '<i4')]"),
        ]);
        assert_errors(&[
            ("[('a', '<i4'), ('a', '<f8')]", "descr ('a', '<f8') is no dtype: the name 'a' is taken"),
            ("[('', '<i4'), ('', '<f8')]", "descr ('', '<f8') is no dtype: the name '' is taken"),
            ("[(('a', 'a'), '<i4')]", "descr (('a', 'a'), '<i4') is no dtype: the title 'a' is taken"),
            ("[(('b', 'a'), 'u1'), ('b', 'u1')]", "descr ('b', 'u1') is no dtype: the name 'b' is taken"),
            ("[(1, '<i4')]", "descr (1, '<i4') is no dtype: its name is an int, and has to be a str"),
            (
                "[(('t', b'a'), '<i4')]",
                "descr (('t', b'a'), '<i4') is no dtype: its name is a bytes, and has to be a str",
            ),
            ("[((), '<i4')]", "descr ((), '<i4') is no dtype: its name is a tuple of 0 items, not of title and name"),
        ]);
    }

    #[test]
    fn what_is_no_descr_is_refused() {
        assert_errors(&[
            ("[3]", "descr 3 is no dtype: a field is a tuple, not an int"),
            ("['<f8,']", "descr '<f8,' is no dtype: a field is a tuple, not a str"),
            ("[('a',)]", "descr ('a',) is no dtype: a field has a name, a type and maybe a shape, not 1 items"),
            (
                "[('a', 'u1', 2, 3)]",
                "descr ('a', 'u1', 2, 3) is no dtype: a field has a name, a type and maybe a shape, not 4 items",
            ),
            ("[('a', 4)]", "descr 4 is no dtype: it is an int, neither a str nor a tuple nor a list, in field 'a'"),
            (
                "[('a', [('x', '<f9')])]",
                "descr '<f9' is no dtype: a type of kind f takes 2, 4, 8 or 16 bytes, not 9, in field 'x', in field 'a'",
            ),
            ("('<f8',)", "descr ('<f8',) is no dtype: a tuple is a type and its shape, not 1 items"),
            (
                "('<f8', '<i4')",
                "descr ('<f8', '<i4') is no dtype: its shape is a str, neither an int nor a tuple of ints",
            ),
            ("b'<f8'", "descr b'<f8' is no dtype: it is a bytes, neither a str nor a tuple nor a list"),
            (
                "[('a', 'V2147483647'), ('b', 'u1')]",
                "descr [('a', 'V2147483647'), ('b', 'u1')] is no dtype: its fields take 2147483647 and 1 bytes, \
                 over NumPy's limit of 2147483647 bytes",
            ),
        ]);
    }

    #[test]
    fn accidents_of_numpy_are_refused_by_name() {
        for (descr, reason) in [
            ("{}", "its keys would be fields"),
            ("{'ab': 1}", "its keys would be fields"),
            ("{'<f8'}", "its items would be fields in no order"),
            ("b''", "it would be an empty list"),
            ("('<f8', (2,), 1)", "it has 3 items, and only two count"),
            ("('<f8', None)", "a type in place of the shape would be another view of the same bytes"),
            ("('<f8', '<i8')", "a type in place of the shape would be another view of the same bytes"),
            ("('a', '<f8')", "a type in place of the shape would be another view of the same bytes"),
            (
                "('<i4', [('a', '<i2'), ('b', '<i2')])",
                "a type in place of the shape would be another view of the same bytes",
            ),
            ("('S', [])", "a type in place of the shape would be another view of the same bytes"),
            ("('<f8', '')", "an empty str is no shape"),
            ("('<f8', b'ab')", "a bytes is no shape"),
            ("('<f8', {'x': 1})", "a dictionary is no shape"),
        ] {
            let message = "is accepted by NumPy only by accident, and refused here";
            assert_eq!(error(descr), alloc::format!("descr {descr} {message}: {reason}"));
        }
        for (item, reason) in [
            ("'ai'", "its characters would be a name and a type"),
            ("{'a': 1, 'f8': 2}", "it is a dict, not a field"),
            ("{'a', 'f8'}", "it is a set, not a field"),
            ("((1, 'a'), '<i4')", "its title is an int, no str"),
        ] {
            let message = "is accepted by NumPy only by accident, and refused here";
            assert_eq!(error(&alloc::format!("[{item}]")), alloc::format!("descr {item} {message}: {reason}"));
        }
    }

    #[test]
    fn objects_are_described() {
        for descr in ["'O'", "'|O8'", "'<O4'", "'T'"] {
            assert_eq!(read(descr), DType::Object);
        }
        let path = read("[('a', 'u1'), ('b', [('c', 'O', (2,))])]").object_path();
        assert_eq!(path, Some(alloc::vec!["b".to_string(), "c".to_string()]));
    }

    #[test]
    fn long_names_are_shortened_in_errors() {
        let name = "n".repeat(1000);
        let message = error(&alloc::format!("[('{name}', '<f9')]"));
        assert!(message.ends_with(&alloc::format!("not 9, in field '{}…", &name[..79])), "{message}");
    }

    #[test]
    #[cfg_attr(miri, ignore = "as deep as can be: minutes there")]
    fn deepest_dtypes_fit_a_small_stack() {
        let work = || {
            for (open, close, depth) in [("[('a', ", ")]", 100), ("[('a', '<f4', 2), ('b', ", ", 1)]", 99)] {
                let text = [&open.repeat(depth), "'u1'", &close.repeat(depth)].concat();
                let dtype = read(&text);
                assert_eq!(dtype.clone(), dtype);
                assert_eq!(read(&dtype.descr()).itemsize(), dtype.itemsize());
                assert!(!alloc::format!("{dtype:?}").is_empty());
            }
            // Subarrays of subarrays, which count once more each.
            let text = ["[('a', ", &"(".repeat(198), "'u1'", &", 1)".repeat(198), ")]"].concat();
            let dtype = read(&text);
            assert_eq!(dtype.itemsize(), 1);
            assert!(dtype.object_path().is_none());
            assert_eq!(read(&dtype.descr()), dtype);
            assert!(DType::from_descr(&["(".repeat(200), ", None)".repeat(200)].concat()).is_err());
            let text = ["('S', ".repeat(199), "'u1'".into(), ")".repeat(199)].concat();
            assert!(DType::from_descr(&text).is_err());
        };
        std::thread::Builder::new().stack_size(512 << 10).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn many_fields_do_not_take_quadratic_time() {
        let mut text = String::from("[");
        for index in 0..50_000 {
            text.push_str(&alloc::format!("('{index}', 'u1'), "));
        }
        text.push(']');
        assert_eq!(read(&text).itemsize(), 50_000);
    }

    fn scalar() -> impl Strategy<Value = DType> {
        let order = prop_oneof![Just(ByteOrder::Little), Just(ByteOrder::Big)];
        let unit = (0..14_usize, 0..=0x7fff_ffff_u32).prop_map(|(unit, count)| {
            use DatetimeUnit as Unit;
            let units = [
                Unit::Year,
                Unit::Month,
                Unit::Week,
                Unit::Day,
                Unit::Hour,
                Unit::Minute,
                Unit::Second,
                Unit::Millisecond,
                Unit::Microsecond,
                Unit::Nanosecond,
                Unit::Picosecond,
                Unit::Femtosecond,
                Unit::Attosecond,
                Unit::Generic,
            ];
            let unit = units[unit];
            TimeUnit { unit, count: if unit == Unit::Generic { 1 } else { count } }
        });
        (0..22_usize, order, unit, 0..1000_usize).prop_map(|(kind, order, unit, size)| match kind {
            0 => DType::Bool,
            1 => DType::Int8,
            2 => DType::UInt8,
            3 => DType::Int16(order),
            4 => DType::UInt16(order),
            5 => DType::Int32(order),
            6 => DType::UInt32(order),
            7 => DType::Int64(order),
            8 => DType::UInt64(order),
            9 => DType::Float16(order),
            10 => DType::Float32(order),
            11 => DType::Float64(order),
            12 => DType::LongDouble(order),
            13 => DType::Complex64(order),
            14 => DType::Complex128(order),
            15 => DType::ComplexLongDouble(order),
            16 => DType::Datetime64(order, unit),
            17 => DType::Timedelta64(order, unit),
            18 => DType::Bytes(size),
            19 => DType::Str(order, size),
            20 => DType::Void(size),
            _ => DType::Object,
        })
    }

    /// Structs of any types, with gaps and titles.
    fn record(inner: impl Strategy<Value = DType> + Clone) -> impl Strategy<Value = DType> {
        let gap = prop_oneof![Just(0), 0..9_usize];
        let shape = prop_oneof![Just(Vec::new()), vec(0..4_usize, 0..3)];
        let names = btree_set(prop_oneof!["[a-e'\"\\\\\n é]{1,3}", any::<String>()], 8);
        (vec((inner, gap.clone(), shape, any::<bool>()), 0..5), names, gap).prop_map(|(fields, names, last)| {
            let mut names = names.into_iter().filter(|name| !name.is_empty());
            let mut record = StructType { fields: Vec::new(), itemsize: 0 };
            for (mut dtype, gap, shape, is_titled) in fields {
                let Some(name) = names.next() else { break };
                let title = if is_titled { names.next() } else { None };
                if !shape.is_empty() && !typestr::is_unsized(&dtype) {
                    dtype = DType::Subarray(Box::new(dtype), shape);
                }
                let offset = record.itemsize + gap;
                record.itemsize = offset + dtype.itemsize();
                record.fields.push(StructField { name, title, offset, dtype });
            }
            record.itemsize += last;
            DType::Struct(record)
        })
    }

    fn dtype() -> impl Strategy<Value = DType> {
        prop_oneof![scalar(), scalar().prop_recursive(3, 24, 4, |inner| record(inner.boxed()))]
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
        fn dtypes_survive_their_descr(dtype in dtype()) {
            let descr = dtype.descr();
            prop_assert_eq!(&DType::from_descr(&descr).unwrap(), &dtype);
            prop_assert_eq!(&DType::from_descr(&dtype.to_string()).unwrap(), &dtype);
            prop_assert_eq!(DType::from_descr(&descr).unwrap().descr(), descr);
        }

        #[test]
        #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
        fn no_text_panics(text in any::<String>()) {
            let _ = DType::from_descr(&text);
        }

        #[test]
        #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
        fn no_mutated_descr_panics(
            dtype in dtype(),
            cuts in vec((any::<prop::sample::Index>(), 0..4_usize, r#"[\[\](){},:'"<>|=iufSUVM8\-0-9 Ls/\\]{0,4}"#), 1..5),
        ) {
            let mut text: Vec<char> = dtype.descr().chars().collect();
            for (at, length, insert) in cuts {
                let at = at.index(text.len() + 1);
                text.splice(at..text.len().min(at + length), insert.chars());
            }
            let text: String = text.into_iter().collect();
            if let Ok(dtype) = DType::from_descr(&text) {
                let descr = dtype.descr();
                // A titled field may have lost its title, and with it what told it from padding.
                if !descr.contains("('', ") {
                    prop_assert_eq!(DType::from_descr(&descr).unwrap(), dtype);
                }
            }
        }

        #[test]
        #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
        fn no_type_string_panics(text in r#"([(),0-9 <>|=]|i4|f8|M8\[|s/|\]|S|U5|V|O|\+|-){0,8}"#) {
            let _ = DType::from_descr(&text);
        }
    }
}
