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

/// Reads a type that may be a subarray. Recursion is as deep as the literal, at most [`literal::MAX_DEPTH`].
fn read(node: &Node) -> Result<DType> {
    match &node.value {
        Literal::Str(text) => typestr::parse(text).map_err(|refusal| refused(node, refusal)),
        Literal::Tuple(items) => match items.as_slice() {
            [base, extent] => extended(read(base)?, extent, node),
            [_, _, _, ..] => Err(peculiar(node, format!("it has {} items, and only two count", items.len()))),
            _ => Err(wrong(node, format!("a tuple is a type and its shape, not {} items", items.len()))),
        },
        Literal::List(items) => read_struct(items, node),
        Literal::Dict(_) => Err(peculiar(node, "its keys would be fields")),
        Literal::Set(_) => Err(peculiar(node, "its items would be fields in no order")),
        Literal::Bytes(bytes) if bytes.is_empty() => Err(peculiar(node, "it would be an empty list")),
        _ => Err(wrong(node, format!("it is {}, neither a str nor a tuple nor a list", node.kind()))),
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
        let field = read_field(item)?;
        let offset = record.itemsize;
        record.itemsize =
            typestr::add_sizes(offset, field.dtype.itemsize()).map_err(|refusal| refused(node, refusal))?;
        if field.is_padding(item)? {
            continue;
        }
        if !names.insert(field.name) {
            return Err(wrong(item, format!("the name {} is taken", shortened(&Repr(field.name)))));
        }
        if let Some(title) = field.title
            && !names.insert(title)
        {
            return Err(wrong(item, format!("the title {} is taken", shortened(&Repr(title)))));
        }
        let (name, title) = (field.name.to_string(), field.title.map(ToString::to_string));
        record.fields.push(StructField { name, title, offset, dtype: field.dtype });
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

impl Field<'_> {
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

fn read_field(item: &Node) -> Result<Field<'_>> {
    let parts = match &item.value {
        Literal::Tuple(parts) | Literal::List(parts) => parts.as_slice(),
        Literal::Str(text) if matches!(text.chars().count(), 2 | 3) => {
            return Err(peculiar(item, "its characters would be a name and a type"));
        }
        Literal::Dict(pairs) if matches!(pairs.len(), 2 | 3) => {
            return Err(peculiar(item, "it is a dict, not a field"));
        }
        Literal::Set(items) if matches!(items.len(), 2 | 3) => return Err(peculiar(item, "it is a set, not a field")),
        _ => return Err(wrong(item, format!("a field is a tuple, not {}", item.kind()))),
    };
    let (name, descr, shape) = match parts {
        [name, descr] => (name, descr, None),
        [name, descr, shape] => (name, descr, Some(shape)),
        _ => {
            return Err(wrong(
                item,
                format!("a field has a name, a type and maybe a shape, not {} items", parts.len()),
            ));
        }
    };
    let (name, title, is_titled) = read_name(name, item)?;
    let dtype = read(descr).and_then(|dtype| match shape {
        Some(shape) => extended(dtype, shape, item),
        None => Ok(dtype),
    });
    let dtype = dtype.map_err(|error| in_field(error, name))?;
    Ok(Field { name, title, is_titled, dtype })
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
            Self::Datetime64(_, unit) | Self::Timedelta64(_, unit) => write!(f, "{order}{}8{unit}", self.kind()),
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
    /// Writes the bracket of a descr: `[ns]`, `[25s]`, nothing for a generic unit.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.unit, self.count) {
            (DatetimeUnit::Generic, _) => Ok(()),
            (unit, 1) => write!(f, "[{}]", unit.name()),
            (unit, count) => write!(f, "[{count}{}]", unit.name()),
        }
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
