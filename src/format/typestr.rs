//! One type string, `<f8` or `3i4,(2,2)f4`, as NumPy reads it. Knows codes, names and sizes; lists of fields are in
//! `descr.rs`.

use alloc::boxed::Box;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::dtype::{ByteOrder, DType, DatetimeUnit, StructField, StructType, TimeUnit};
use super::layout::{MAX_DIMENSIONS, shape_repr};
use super::literal::{self, Literal, Node};
use super::repr::{Repr, shortened};

/// NumPy keeps itemsizes, dimensions and datetime counts in a C int.
pub(super) const MAX_INT: usize = 0x7fff_ffff;

/// Why a text is no dtype.
pub(super) struct Refusal {
    pub(super) reason: String,
    /// Whether NumPy accepts it nevertheless.
    pub(super) by_accident: bool,
}

type Reading<T> = Result<T, Refusal>;

fn wrong<T>(reason: impl Into<String>) -> Reading<T> {
    Err(Refusal { reason: reason.into(), by_accident: false })
}

/// The refusal of what NumPy accepts though nothing writes it.
fn peculiar<T>(reason: impl Into<String>) -> Reading<T> {
    Err(Refusal { reason: reason.into(), by_accident: true })
}

/// Reads a type string. The result may be a subarray.
pub(super) fn parse(text: &str) -> Reading<DType> {
    if text.is_empty() {
        return wrong("it is empty");
    }
    if is_comma_string(text) { comma_string(text) } else { single(text) }
}

/// Whether NumPy reads the text as types separated by commas: by a leading count or shape, or a comma outside of `[]`.
fn is_comma_string(text: &str) -> bool {
    let unordered = text.strip_prefix(['<', '>', '=', '|']).unwrap_or(text);
    if unordered.starts_with(|first: char| first.is_ascii_digit()) || text.starts_with("()") {
        return true;
    }
    if unordered.starts_with("()") && text.len() > 3 {
        return true;
    }
    let mut depth: isize = 0;
    text.bytes().any(|byte| {
        match byte {
            b'[' => depth += 1,
            b']' => depth -= 1,
            _ => {}
        }
        byte == b',' && depth == 0
    })
}

/// Reads one type, with or without its byte order.
fn single(text: &str) -> Reading<DType> {
    let order = if text.starts_with('<') {
        ByteOrder::Little
    } else if text.starts_with('>') {
        ByteOrder::Big
    } else {
        ByteOrder::NATIVE
    };
    let code = text.strip_prefix(['<', '>', '=', '|']).unwrap_or(text);
    let metadata = |names: [&str; 2]| names.iter().find_map(|name| code.strip_prefix(name));
    if let Some(metadata) = metadata(["M8", "datetime64"]) {
        return Ok(DType::Datetime64(order, time_unit(metadata)?));
    }
    if let Some(metadata) = metadata(["m8", "timedelta64"]) {
        return Ok(DType::Timedelta64(order, time_unit(metadata)?));
    }
    let mut characters = code.chars();
    let Some(kind) = characters.next() else { return wrong("it is a byte order without a type") };
    let size = characters.as_str();
    if size.is_empty() && kind.is_ascii() {
        if let Some(dtype) = coded(kind, order) {
            return Ok(dtype);
        }
        if u32::from(kind) < 24 {
            return peculiar(format!("the character {} is the number of a type, not its name", u32::from(kind)));
        }
    }
    if let Some((size, "")) = c_integer(size) {
        return sized(kind, size, order);
    }
    named(text)
}

/// The type of a single character.
fn coded(kind: char, order: ByteOrder) -> Option<DType> {
    Some(match kind {
        '?' => DType::Bool,
        'b' => DType::Int8,
        'B' => DType::UInt8,
        'h' => DType::Int16(order),
        'H' => DType::UInt16(order),
        'i' => DType::Int32(order),
        'I' => DType::UInt32(order),
        // C's long is that of x86-64 Linux on every machine: a file must mean the same everywhere.
        'l' | 'q' | 'p' | 'n' => DType::Int64(order),
        'L' | 'Q' | 'P' | 'N' => DType::UInt64(order),
        'e' => DType::Float16(order),
        'f' => DType::Float32(order),
        'd' => DType::Float64(order),
        'g' => DType::LongDouble(order),
        'F' => DType::Complex64(order),
        'D' => DType::Complex128(order),
        'G' => DType::ComplexLongDouble(order),
        'M' => DType::Datetime64(order, GENERIC),
        'm' => DType::Timedelta64(order, GENERIC),
        'c' => DType::Bytes(1),
        'S' => DType::Bytes(0),
        'U' => DType::Str(order, 0),
        'V' => DType::Void(0),
        'O' | 'T' => DType::Object,
        _ => return None,
    })
}

/// The type of a character and a size.
fn sized(kind: char, size: i64, order: ByteOrder) -> Reading<DType> {
    let Ok(size) = usize::try_from(size) else { return wrong(format!("its size {size} is negative")) };
    let dtype = match (kind, size) {
        ('b', 1) => DType::Bool,
        ('i', 1) => DType::Int8,
        ('i', 2) => DType::Int16(order),
        ('i', 4) => DType::Int32(order),
        ('i', 8) => DType::Int64(order),
        ('u', 1) => DType::UInt8,
        ('u', 2) => DType::UInt16(order),
        ('u', 4) => DType::UInt32(order),
        ('u', 8) => DType::UInt64(order),
        ('f', 2) => DType::Float16(order),
        ('f', 4) => DType::Float32(order),
        ('f', 8) => DType::Float64(order),
        ('f', 16) => DType::LongDouble(order),
        ('c', 8) => DType::Complex64(order),
        ('c', 16) => DType::Complex128(order),
        ('c', 32) => DType::ComplexLongDouble(order),
        ('M', 8) => DType::Datetime64(order, GENERIC),
        ('m', 8) => DType::Timedelta64(order, GENERIC),
        ('O', 4 | 8) => DType::Object,
        ('S' | 'a', _) => return resized(DType::Bytes(0), size),
        ('U', _) => return resized(DType::Str(order, 0), size),
        ('V', _) => return resized(DType::Void(0), size),
        _ => {
            if let ('f', 12) | ('c', 24) = (kind, size) {
                return wrong(format!(
                    "{kind}{size} is the long double of 32-bit x86, 12 bytes of which 10 count, and NumPy reads it only there"
                ));
            }
            let sizes = match kind {
                'b' => "1 byte",
                'i' | 'u' => "1, 2, 4 or 8 bytes",
                'f' => "2, 4, 8 or 16 bytes",
                'c' => "8, 16 or 32 bytes",
                'M' | 'm' => "8 bytes",
                'O' => "8 or 4 bytes",
                _ => return wrong("NumPy has no type of this name"),
            };
            return wrong(format!("a type of kind {kind} takes {sizes}, not {size}"));
        }
    };
    Ok(dtype)
}

/// The type of a name, which takes no byte order.
fn named(text: &str) -> Reading<DType> {
    let order = ByteOrder::NATIVE;
    Ok(match text {
        "bool" | "bool_" => DType::Bool,
        "int8" | "byte" => DType::Int8,
        "uint8" | "ubyte" => DType::UInt8,
        "int16" | "short" => DType::Int16(order),
        "uint16" | "ushort" => DType::UInt16(order),
        "int32" | "intc" => DType::Int32(order),
        "uint32" | "uintc" => DType::UInt32(order),
        "int64" | "int" | "int_" | "intp" | "long" | "longlong" => DType::Int64(order),
        "uint64" | "uint" | "uintp" | "ulong" | "ulonglong" => DType::UInt64(order),
        "float16" | "half" => DType::Float16(order),
        "float32" | "single" => DType::Float32(order),
        "float64" | "float" | "double" => DType::Float64(order),
        "float128" | "longdouble" => DType::LongDouble(order),
        "complex64" | "csingle" => DType::Complex64(order),
        "complex128" | "complex" | "cdouble" => DType::Complex128(order),
        "complex256" | "clongdouble" => DType::ComplexLongDouble(order),
        "bytes" | "bytes_" | "a" => DType::Bytes(0),
        "str" | "str_" | "unicode" => DType::Str(order, 0),
        "void" => DType::Void(0),
        "object" | "object_" => DType::Object,
        _ => return wrong("NumPy has no type of this name"),
    })
}

const GENERIC: TimeUnit = TimeUnit { unit: DatetimeUnit::Generic, count: 1 };

/// Reads what follows `M8`: nothing, or `[25s]`, or `[D/24]`.
fn time_unit(metadata: &str) -> Reading<TimeUnit> {
    if metadata.is_empty() {
        return Ok(GENERIC);
    }
    let Some(inside) = metadata.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        return wrong("its unit is not in brackets, like [ns]");
    };
    bare_time_unit(inside)
}

/// Reads a unit without its brackets: `25s`, `D/24`.
pub(super) fn bare_time_unit(inside: &str) -> Reading<TimeUnit> {
    let (count, rest) = c_integer(inside).unwrap_or((1, inside));
    if count < 0 || count > i64::from(i32::MAX) {
        return wrong(format!("its count {count} is not between 0 and {MAX_INT}"));
    }
    let (name, divisor) = match rest.split_once('/') {
        Some((name, divisor)) => (name, Some(divisor)),
        None => (rest, None),
    };
    let Some(unit) = datetime_unit(name) else {
        return wrong("its unit is none of Y, M, W, D, h, m, s, ms, us, ns, ps, fs and as");
    };
    let divisor = match divisor.map(c_integer) {
        None => 1,
        Some(Some((divisor, ""))) => divisor,
        Some(_) => return wrong("its divisor is no integer"),
    };
    if divisor == 1 {
        let count = if unit == DatetimeUnit::Generic { 1 } else { count };
        return Ok(TimeUnit { unit, count: u32::try_from(count).unwrap_or_default() });
    }
    if divisor == 0 {
        // NumPy divides by it nevertheless, and Python dies of SIGFPE.
        return wrong("its divisor is 0");
    }
    if i32::try_from(divisor).is_err() {
        return peculiar(format!("its divisor {divisor} is over {MAX_INT}, and NumPy takes its low 32 bits"));
    }
    let Some(&(finer, steps)) = finer_units(unit).iter().find(|(_, steps)| steps % divisor == 0) else {
        if unit == DatetimeUnit::Week {
            return peculiar(format!("its divisor {divisor} makes NumPy read 0 years past the end of a table"));
        }
        return wrong(format!("its divisor {divisor} makes no whole number of a finer unit"));
    };
    let count = count * (steps / divisor);
    match u32::try_from(count) {
        Ok(small) if count <= i64::from(i32::MAX) => Ok(TimeUnit { unit: finer, count: small }),
        _ => peculiar(format!(
            "its count {count} is not between 0 and {MAX_INT}, which NumPy checks before dividing only"
        )),
    }
}

fn datetime_unit(name: &str) -> Option<DatetimeUnit> {
    use DatetimeUnit as Unit;
    Some(match name {
        "Y" => Unit::Year,
        "M" => Unit::Month,
        "W" => Unit::Week,
        "D" => Unit::Day,
        "h" => Unit::Hour,
        "m" => Unit::Minute,
        "s" => Unit::Second,
        "ms" => Unit::Millisecond,
        // U+03BC; NumPy refuses the micro sign, U+00B5.
        "us" | "\u{3bc}s" => Unit::Microsecond,
        "ns" => Unit::Nanosecond,
        "ps" => Unit::Picosecond,
        "fs" => Unit::Femtosecond,
        "as" => Unit::Attosecond,
        "generic" => Unit::Generic,
        _ => return None,
    })
}

/// The units that NumPy tries for a divided unit, and how many of them it has. A month has 4 weeks and 30 days here.
fn finer_units(unit: DatetimeUnit) -> &'static [(DatetimeUnit, i64)] {
    use DatetimeUnit as Unit;
    match unit {
        Unit::Year => &[(Unit::Month, 12), (Unit::Week, 52), (Unit::Day, 365)],
        Unit::Month => &[(Unit::Week, 4), (Unit::Day, 30), (Unit::Hour, 720)],
        Unit::Week => &[(Unit::Day, 7), (Unit::Hour, 168), (Unit::Minute, 10_080)],
        Unit::Day => &[(Unit::Hour, 24), (Unit::Minute, 1440), (Unit::Second, 86_400)],
        Unit::Hour => &[(Unit::Minute, 60), (Unit::Second, 3600)],
        Unit::Minute => &[(Unit::Second, 60), (Unit::Millisecond, 60_000)],
        Unit::Second => &[(Unit::Millisecond, 1000), (Unit::Microsecond, 1_000_000)],
        Unit::Millisecond => &[(Unit::Microsecond, 1000), (Unit::Nanosecond, 1_000_000)],
        Unit::Microsecond => &[(Unit::Nanosecond, 1000), (Unit::Picosecond, 1_000_000)],
        Unit::Nanosecond => &[(Unit::Picosecond, 1000), (Unit::Femtosecond, 1_000_000)],
        Unit::Picosecond => &[(Unit::Femtosecond, 1000), (Unit::Attosecond, 1_000_000)],
        Unit::Femtosecond => &[(Unit::Attosecond, 1000)],
        Unit::Attosecond | Unit::Generic => &[],
    }
}

/// Reads an integer as C's `strtol` does, white space and sign included, and saturates. Returns what follows it.
fn c_integer(text: &str) -> Option<(i64, &str)> {
    let unsigned = text.trim_start_matches([' ', '\t', '\n', '\x0b', '\x0c', '\r']);
    let digits = unsigned.strip_prefix(['+', '-']).unwrap_or(unsigned);
    let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
    let (digits, rest) = digits.split_at_checked(end).filter(|(digits, _)| !digits.is_empty())?;
    let value =
        digits.bytes().fold(0_i64, |value, byte| value.saturating_mul(10).saturating_add(i64::from(byte - b'0')));
    Some((if unsigned.starts_with('-') { -value } else { value }, rest))
}

/// Reads types separated by commas, each with an optional count or shape before it: a struct of fields `f0`, `f1`, …,
/// or without a comma, one type or subarray.
fn comma_string(text: &str) -> Reading<DType> {
    let mut rest = text;
    let mut items = Vec::new();
    let mut is_list = false;
    while !rest.is_empty() {
        let item;
        (item, rest) = CommaItem::split(rest);
        let spaceless = rest.trim_start_matches(is_python_space);
        if spaceless.is_empty() {
            rest = spaceless;
        } else if let Some(next) = spaceless.strip_prefix(',') {
            rest = next.trim_start_matches(is_python_space);
            is_list = true;
        } else {
            return wrong(format!("its item {} is not followed by a comma", items.len() + 1));
        }
        match item.read() {
            // An item of nothing, or of the native byte order alone, is ignored at the end.
            Ok(None) if is_list && rest.is_empty() && !items.is_empty() => {}
            Ok(Some(dtype)) => items.push(dtype),
            Ok(None) => return wrong(format!("its item {} is empty", items.len() + 1)),
            Err(Refusal { reason, by_accident }) => {
                let reason = format!("in its item {}, {reason}", items.len() + 1);
                return Err(Refusal { reason, by_accident });
            }
        }
    }
    if !is_list {
        return items.pop().map_or_else(|| wrong("it is empty"), Ok);
    }
    let mut record = StructType { fields: Vec::with_capacity(items.len()), itemsize: 0 };
    for (index, dtype) in items.into_iter().enumerate() {
        let field = StructField { name: format!("f{index}"), title: None, offset: record.itemsize, dtype };
        // NumPy checks the sum for lists of fields only.
        record.itemsize = add_sizes(record.itemsize, field.dtype.itemsize())
            .map_err(|Refusal { reason, .. }| Refusal { reason, by_accident: true })?;
        record.fields.push(field);
    }
    Ok(DType::Struct(record))
}

/// The parts of one item of a comma string, as NumPy's regular expression takes them.
struct CommaItem<'a> {
    order: &'a str,
    repeats: &'a str,
    inner_order: &'a str,
    code: &'a str,
}

impl<'a> CommaItem<'a> {
    /// Takes an item, which may be nothing at all, from the start of a text.
    fn split(text: &'a str) -> (Self, &'a str) {
        let mut rest = text;
        let mut take = |length: usize| {
            let (taken, left) = rest.split_at_checked(length).unwrap_or((rest, ""));
            rest = left;
            (taken, left)
        };
        let order_length = |text: &str| usize::from(text.starts_with(['<', '>', '|', '=']));
        let (order, left) = take(order_length(text));
        let (repeats, left) = take(repeats_length(left));
        let (inner_order, left) = take(order_length(left));
        let (code, left) = take(code_length(left));
        (Self { order, repeats, inner_order, code }, left)
    }

    /// Reads the item; `None` if nothing is left of it.
    fn read(&self) -> Reading<Option<DType>> {
        let resolved = |order| if order == "=" { native() } else { order };
        let order = match (self.order, self.inner_order) {
            (order, "") | ("", order) => order,
            (outer, inner) if resolved(outer) == resolved(inner) => resolved(outer),
            (outer, inner) => return wrong(format!("the byte orders {outer} and {inner} contradict each other")),
        };
        let order = if matches!(order, "|" | "=") || order == native() { "" } else { order };
        let text = format!("{order}{}", self.code);
        if self.repeats.is_empty() {
            return if text.is_empty() { Ok(None) } else { parse(&text).map(Some) };
        }
        // The code may start with a count of its own (`3<4i4`), but the code within that may not.
        let base = parse(&text)?;
        match literal::parse(self.repeats, false) {
            Ok(repeats) => extended(base, &repeats).map(Some),
            Err(_) => wrong(format!("the shape {} is no shape", shortened(&Repr(self.repeats)))),
        }
    }
}

fn native() -> &'static str {
    if ByteOrder::NATIVE == ByteOrder::Little { "<" } else { ">" }
}

/// The length of ` *[(]?[ ,0-9]*[)]? *`.
fn repeats_length(text: &str) -> usize {
    let rest = text.trim_start_matches(' ');
    let rest = rest.strip_prefix('(').unwrap_or(rest);
    let rest = rest.trim_start_matches(|c: char| c == ' ' || c == ',' || c.is_ascii_digit());
    let rest = rest.strip_prefix(')').unwrap_or(rest);
    text.len() - rest.trim_start_matches(' ').len()
}

/// The length of `[A-Za-z0-9.?]*(?:\[[a-zA-Z0-9,.]+\])?`.
fn code_length(text: &str) -> usize {
    let rest = text.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == '.' || c == '?');
    let unit = rest.strip_prefix('[').and_then(|inside| {
        let after = inside.trim_start_matches(|c: char| c.is_ascii_alphanumeric() || c == ',' || c == '.');
        if after.len() == inside.len() { None } else { after.strip_prefix(']') }
    });
    text.len() - unit.unwrap_or(rest).len()
}

/// What `\s` matches in Python: Rust's white space, and four separators.
fn is_python_space(character: char) -> bool {
    character.is_whitespace() || matches!(character, '\x1c'..='\x1f')
}

/// The type of a `(base, extent)` tuple, or of a field with an extent: a subarray of `base` in a shape, or, where
/// `base` has no size yet, `base` in the size that the extent is.
pub(super) fn extended(base: DType, extent: &Node) -> Reading<DType> {
    let (items, is_tuple) = match &extent.value {
        Literal::Int(size) if is_unsized(&base) => {
            let Ok(size) = usize::try_from(*size) else { return wrong(format!("its size {size} is negative")) };
            return resized(base, size);
        }
        Literal::Int(_) | Literal::BigInt(_) => (core::slice::from_ref(extent), false),
        Literal::Tuple(items) => (items.as_slice(), true),
        Literal::List(items) => (items.as_slice(), false),
        _ => return wrong(format!("its shape is {}, neither an int nor a tuple of ints", extent.kind())),
    };
    let mut shape = Vec::with_capacity(items.len());
    for item in items {
        match &item.value {
            Literal::Int(dim) => match usize::try_from(*dim) {
                Ok(dim) if dim <= MAX_INT => shape.push(dim),
                _ => return wrong(format!("its dimension {dim} is not between 0 and {MAX_INT}")),
            },
            Literal::BigInt(_) => {
                return wrong(format!("its dimension {} is not between 0 and {MAX_INT}", item.shortened()));
            }
            _ => return wrong(format!("its shape has {}, and is to hold ints", item.kind())),
        }
    }
    if is_unsized(&base) {
        return wrong("a type without a size takes a size, an int, and no shape");
    }
    if shape.is_empty() {
        return if is_tuple { Ok(base) } else { wrong("its shape is an empty list") };
    }
    if shape.len() > MAX_DIMENSIONS {
        return wrong(format!("its shape has {} dimensions, and NumPy allows {MAX_DIMENSIONS}", shape.len()));
    }
    // In NumPy a zero saves a product only from the dimensions after it.
    let count =
        shape.iter().take_while(|&&dim| dim != 0).try_fold(1_i64, |n, &dim| n.checked_mul(i64::try_from(dim).ok()?));
    let count = if shape.contains(&0) { count.map(|_| 0) } else { count };
    let bytes = count.and_then(|count| usize::try_from(count).ok()?.checked_mul(base.itemsize()));
    if count.is_none_or(|count| count > i64::from(i32::MAX)) || bytes.is_none_or(|bytes| bytes > MAX_INT) {
        let (size, shape) = (base.itemsize(), shape_repr(&shape));
        return wrong(format!("its shape {shape} of {size}-byte items is over NumPy's limit of {MAX_INT} bytes"));
    }
    Ok(DType::Subarray(Box::new(base), shape))
}

/// Whether NumPy takes an int beside the type for its size: strings, bytes and raw bytes of none, and empty subarrays.
pub(super) fn is_unsized(dtype: &DType) -> bool {
    dtype.itemsize() == 0 && !matches!(dtype, DType::Struct(_))
}

/// The type in a size, which counts characters in `U`.
fn resized(dtype: DType, size: usize) -> Reading<DType> {
    let unit = if matches!(dtype, DType::Str(..)) { 4 } else { 1 };
    if size > MAX_INT / unit {
        return wrong(format!("its {size} items of {unit} bytes are over NumPy's limit of {MAX_INT} bytes"));
    }
    match dtype {
        DType::Bytes(_) => Ok(DType::Bytes(size)),
        DType::Str(order, _) => Ok(DType::Str(order, size)),
        DType::Void(_) => Ok(DType::Void(size)),
        _ => peculiar("NumPy gives an empty subarray any size"),
    }
}

/// The size of a struct with one more field.
pub(super) fn add_sizes(total: usize, more: usize) -> Reading<usize> {
    match total.checked_add(more) {
        Some(sum) if sum <= MAX_INT => Ok(sum),
        _ => wrong(format!("its fields take {total} and {more} bytes, over NumPy's limit of {MAX_INT} bytes")),
    }
}

/// The refusal of a shape, size or type beside a type that NumPy takes for another type.
pub(super) fn union(reason: &str) -> Refusal {
    Refusal { reason: reason.to_string(), by_accident: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        match parse(text) {
            Ok(dtype) => dtype.to_string(),
            Err(Refusal { reason, .. }) => panic!("{text:?}: {reason}"),
        }
    }

    fn reason(text: &str) -> String {
        match parse(text) {
            Ok(dtype) => panic!("{text:?} reads as {dtype}"),
            Err(Refusal { reason, by_accident }) => reason + if by_accident { " (accident)" } else { "" },
        }
    }

    /// Compares with NumPy's `dtype(text).descr`, where `=` stands for the native byte order.
    fn assert_reads(cases: &[(&str, &str)]) {
        let native = if ByteOrder::NATIVE == ByteOrder::Little { "<" } else { ">" };
        for (text, dtype) in cases {
            assert_eq!(read(text), dtype.replace('=', native), "{text:?}");
        }
    }

    #[test]
    fn codes_have_the_sizes_of_x86_64_linux() {
        assert_reads(&[
            ("?", "|b1"),
            ("b", "|i1"),
            ("B", "|u1"),
            ("h", "=i2"),
            ("H", "=u2"),
            ("i", "=i4"),
            ("I", "=u4"),
            ("l", "=i8"),
            ("L", "=u8"),
            ("q", "=i8"),
            ("Q", "=u8"),
            ("p", "=i8"),
            ("P", "=u8"),
            ("n", "=i8"),
            ("N", "=u8"),
            ("e", "=f2"),
            ("f", "=f4"),
            (">d", ">f8"),
            ("<g", "<f16"),
            ("F", "=c8"),
            ("D", "=c16"),
            ("G", "=c32"),
            ("c", "|S1"),
            ("S", "|S0"),
            (">U", ">U0"),
            ("V", "|V0"),
            ("O", "|O"),
            ("T", "|O"),
            (">M", ">M8"),
            ("m", "=m8"),
        ]);
        assert_eq!(reason("x"), "NumPy has no type of this name");
        assert_eq!(reason("\n"), "the character 10 is the number of a type, not its name (accident)");
    }

    #[test]
    fn names_are_those_of_numpy() {
        assert_reads(&[
            ("bool", "|b1"),
            ("bool_", "|b1"),
            ("byte", "|i1"),
            ("uint8", "|u1"),
            ("short", "=i2"),
            ("uint16", "=u2"),
            ("intc", "=i4"),
            ("uint32", "=u4"),
            ("int", "=i8"),
            ("long", "=i8"),
            ("intp", "=i8"),
            ("uint", "=u8"),
            ("half", "=f2"),
            ("single", "=f4"),
            ("float", "=f8"),
            ("longdouble", "=f16"),
            ("csingle", "=c8"),
            ("complex", "=c16"),
            ("complex256", "=c32"),
            ("a", "|S0"),
            ("str", "=U0"),
            ("void", "|V0"),
            ("object", "|O"),
            ("datetime64", "=M8"),
            (">timedelta64[us]", ">m8[us]"),
        ]);
        for name in ["Float64", "<float64", "|a", "int0", "int4", "bfloat16", "float8_e4m3fn", "record", "StringDType"]
        {
            assert_eq!(reason(name), "NumPy has no type of this name", "{name}");
        }
    }

    #[test]
    fn sizes_are_read_as_c_reads_them() {
        assert_reads(&[
            ("<f8", "<f8"),
            ("=f8", "=f8"),
            ("|i8", "=i8"),
            (">i1", "|i1"),
            ("<f08", "<f8"),
            ("<f+8", "<f8"),
            ("f \t8", "=f8"),
            ("b1", "|b1"),
            ("|O4", "|O"),
            ("M08", "=M8"),
            ("a5", "|S5"),
            (">S3", "|S3"),
            ("|S2147483647", "|S2147483647"),
            ("<U536870911", "<U536870911"),
            ("<V2", "|V2"),
            ("S-0", "|S0"),
        ]);
        assert_eq!(reason("<f-8"), "its size -8 is negative");
        assert_eq!(reason("<f3"), "a type of kind f takes 2, 4, 8 or 16 bytes, not 3");
        let foreign = " is the long double of 32-bit x86, 12 bytes of which 10 count, and NumPy reads it only there";
        assert_eq!(reason("<f12"), format!("f12{foreign}"));
        assert_eq!(reason(">c24"), format!("c24{foreign}"));
        assert_eq!(reason("i16"), "a type of kind i takes 1, 2, 4 or 8 bytes, not 16");
        assert_eq!(reason("c4"), "a type of kind c takes 8, 16 or 32 bytes, not 4");
        assert_eq!(reason("b4"), "a type of kind b takes 1 byte, not 4");
        assert_eq!(reason("M4"), "a type of kind M takes 8 bytes, not 4");
        assert_eq!(reason("O16"), "a type of kind O takes 8 or 4 bytes, not 16");
        assert_eq!(reason("S2147483648"), "its 2147483648 items of 1 bytes are over NumPy's limit of 2147483647 bytes");
        assert_eq!(reason("<U536870912"), "its 536870912 items of 4 bytes are over NumPy's limit of 2147483647 bytes");
        assert_eq!(reason(""), "it is empty");
        assert_eq!(reason("<"), "it is a byte order without a type");
        for text in [" f8", "f8 ", "<<f8", "!f8", "<f8x", "f8\0", "(2)f8", "|T16", "|t4", "q8", "d8", "é", "é8", "V٣"]
        {
            assert_eq!(reason(text), "NumPy has no type of this name", "{text:?}");
        }
    }

    #[test]
    fn datetime_units_take_counts_and_divisors() {
        assert_reads(&[
            ("<M8", "<M8"),
            ("<M8[25s]", "<M8[25s]"),
            ("<M8[1D]", "<M8[D]"),
            ("m8[0s]", "=m8[0s]"),
            ("M8[ +2s]", "=M8[2s]"),
            ("M8[2147483647as]", "=M8[2147483647as]"),
            ("M8[\u{3bc}s]", "=M8[us]"),
            ("M8[generic]", "=M8"),
            ("M8[7generic]", "=M8"),
            ("M8[D/24]", "=M8[h]"),
            ("M8[s/10]", "=M8[100ms]"),
            ("M8[7D/2]", "=M8[84h]"),
            ("M8[Y/52]", "=M8[W]"),
            ("M8[M/5]", "=M8[6D]"),
            ("M8[W/7]", "=M8[D]"),
            ("M8[h/1]", "=M8[h]"),
            ("M8[s/1000000]", "=M8[us]"),
            ("M8[fs/2]", "=M8[500as]"),
        ]);
        for (text, expected) in [
            ("M8[]", "its unit is none of Y, M, W, D, h, m, s, ms, us, ns, ps, fs and as"),
            ("M8[B]", "its unit is none of Y, M, W, D, h, m, s, ms, us, ns, ps, fs and as"),
            ("M8[\u{b5}s]", "its unit is none of Y, M, W, D, h, m, s, ms, us, ns, ps, fs and as"),
            ("M8[s", "its unit is not in brackets, like [ns]"),
            ("M8[s]x", "its unit is not in brackets, like [ns]"),
            ("M8[-1s]", "its count -1 is not between 0 and 2147483647"),
            ("M8[2147483648s]", "its count 2147483648 is not between 0 and 2147483647"),
            ("M8[s/]", "its divisor is no integer"),
            ("M8[s/2/2]", "its divisor is no integer"),
            ("M8[s/0]", "its divisor is 0"),
            ("M8[D/7]", "its divisor 7 makes no whole number of a finer unit"),
            ("M8[as/2]", "its divisor 2 makes no whole number of a finer unit"),
            ("M8[generic/2]", "its divisor 2 makes no whole number of a finer unit"),
            ("M8[W/11]", "its divisor 11 makes NumPy read 0 years past the end of a table (accident)"),
            (
                "M8[2147483647D/2]",
                "its count 25769803764 is not between 0 and 2147483647, which NumPy checks before dividing only (accident)",
            ),
            (
                "M8[s/-2]",
                "its count -500 is not between 0 and 2147483647, which NumPy checks before dividing only (accident)",
            ),
            (
                "M8[s/4294967298]",
                "its divisor 4294967298 is over 2147483647, and NumPy takes its low 32 bits (accident)",
            ),
        ] {
            assert_eq!(reason(text), expected, "{text}");
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
    fn commas_make_structs_and_counts_make_subarrays() {
        assert_reads(&[
            ("<f8,", "[('f0', '<f8')]"),
            ("<f8, >i4 ", "[('f0', '<f8'), ('f1', '>i4')]"),
            ("3<i4,|S3", "[('f0', '<i4', (3,)), ('f1', '|S3')]"),
            ("i1,(2, 3)<f4,2,2?", "[('f0', '|i1'), ('f1', '<f4', (2, 3)), ('f2', '|b1', (2, 2))]"),
            ("2<f8", "('<f8', (2,))"),
            ("(2,)>f8", "('>f8', (2,))"),
            ("()<f8", "<f8"),
            ("<()f8", "<f8"),
            ("=2=f8", "('=f8', (2,))"),
            ("3>4i4", "(('>i4', (4,)), (3,))"),
            ("2S,3>U", "[('f0', '|S2'), ('f1', '>U3')]"),
            ("?\u{a0},\x1c<f8\n", "[('f0', '|b1'), ('f1', '<f8')]"),
            ("<f8,|", "[('f0', '<f8')]"),
            ("<M8[2s],i1", "[('f0', '<M8[2s]'), ('f1', '|i1')]"),
            ("0<i4,i1", "[('f0', '<i4', (0,)), ('f1', '|i1')]"),
        ]);
        for (text, expected) in [
            ("f8 i4,", "its item 1 is not followed by a comma"),
            ("M8[s/2],f8", "its item 1 is not followed by a comma"),
            ("bool_,f8", "its item 1 is not followed by a comma"),
            ("2", "in its item 1, it is empty"),
            ("<f8,,i4", "in its item 2, the shape ',' is no shape"),
            (">2<f8", "in its item 1, the byte orders > and < contradict each other"),
            ("|2<f8", "in its item 1, the byte orders | and < contradict each other"),
            ("f8,03i4", "in its item 2, the shape '03' is no shape"),
            ("(2,i4", "in its item 1, the shape '(2,' is no shape"),
            ("f8,x9", "in its item 2, NumPy has no type of this name"),
            ("(2,)S", "in its item 1, a type without a size takes a size, an int, and no shape"),
            ("2147483648b,b", "in its item 1, its dimension 2147483648 is not between 0 and 2147483647"),
            (
                "65536i4,65536,65536i4",
                "in its item 2, its shape (65536, 65536) of 4-byte items is over NumPy's limit of 2147483647 bytes",
            ),
            (
                "V2147483647,b",
                "its fields take 2147483647 and 1 bytes, over NumPy's limit of 2147483647 bytes (accident)",
            ),
        ] {
            assert_eq!(reason(text), expected, "{text}");
        }
        assert!(matches!(parse("f8,<,"), Err(Refusal { by_accident: false, .. })));
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn many_items_do_not_take_quadratic_time() {
        let text = "u1,".repeat(100_000);
        assert!(parse(&text).is_ok_and(|dtype| dtype.itemsize() == 100_000));
    }
}
