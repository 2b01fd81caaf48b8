//! The Rust struct that fits a dtype, as text. Knows how Rust lays structs out; names are made in `names.rs`, the types
//! of single elements in `types.rs`, lines in `text.rs`.

mod names;
mod text;
mod types;

use std::collections::HashMap;

use npymap::{DType, DatetimeUnit, StructType};

pub use names::type_name;
use names::{Names, camel_case, identifiers, is_snake_case, literal, spelled};
use text::Line;
use types::RustType;

/// The name of the struct, or of the type where elements are no records, unless another is asked for.
const ROOT: (&str, &str) = ("Record", "Element");

/// Returns the Rust source of the type that views elements of this dtype in place on this machine: structs that derive
/// `npymap::Element`, the outermost first, or a type alias. `None` if the elements take no bytes.
///
/// A struct is `repr(C)` where Rust's padding is the file's, and else packed, with the file's padding as fields.
pub fn source(dtype: &DType, name: Option<&str>) -> Option<String> {
    if dtype.itemsize() == 0 {
        return None;
    }
    let mut structs = Structs::default();
    match dtype {
        DType::Struct(record) => {
            structs.names.reserve(name.unwrap_or(ROOT.0));
            structs.add(name.unwrap_or(ROOT.0), record)?;
        }
        _ => {
            let RustType { name: element, .. } = structs.element(dtype, "")?;
            let step = unit(dtype).map_or_else(String::new, |unit| format!("// One step is {unit}.\n"));
            return Some(format!("{step}pub type {} = {element};\n", name.unwrap_or(ROOT.1)));
        }
    }
    Some(structs.texts.join("\n"))
}

/// The structs of a dtype, as far as they are written.
#[derive(Default)]
struct Structs<'a> {
    /// Outer ones before inner ones.
    texts: Vec<String>,
    names: Names,
    /// What the fields of one name and one dtype share.
    known: HashMap<(String, &'a StructType), RustType>,
}

/// A field that takes bytes.
struct Field {
    attributes: Vec<String>,
    identifier: String,
    element: RustType,
    offset: usize,
    size: usize,
}

impl<'a> Structs<'a> {
    /// Writes a struct and those within it, and returns its type. `None` if something in it has no Rust type.
    fn add(&mut self, name: &str, record: &'a StructType) -> Option<RustType> {
        let at = self.texts.len();
        self.texts.push(String::new());
        let identifiers = identifiers(record.fields.iter().map(|field| field.name.as_str()));
        let mut lines = Vec::new();
        for (field, identifier) in record.fields.iter().zip(&identifiers) {
            let size = field.dtype.itemsize();
            if size == 0 {
                lines.push(Line::Comment(format!("{} takes no bytes: {}", literal(&field.name), field.dtype.descr())));
                continue;
            }
            let mut attributes = Vec::new();
            if field.name != *identifier {
                attributes.push(format!("rename = {}", literal(&field.name)));
            }
            if let Some(title) = &field.title {
                attributes.push(format!("title = {}", literal(title)));
            }
            if let Some(unit) = unit(&field.dtype) {
                attributes.push(format!("unit = {}", literal(&unit)));
            }
            let element = self.element(&field.dtype, identifier)?;
            let identifier = identifier.clone();
            lines.push(Line::Field(Field { attributes, identifier, element, offset: field.offset, size }));
        }
        let align = c_align(&lines, record.itemsize);
        if align.is_none() {
            pad(&mut lines, record.itemsize, identifiers.iter().cloned().collect());
        }
        let is_snake_case = lines.iter().all(|line| match line {
            Line::Field(field) => is_snake_case(&field.identifier),
            Line::Comment(_) => true,
        });
        if let Some(text) = self.texts.get_mut(at) {
            *text = text::of_struct(name, &lines, align.is_none(), is_snake_case);
        }
        Some(RustType { name: name.into(), align: align.unwrap_or(1) })
    }

    /// The type of an element, whose structs are named after `field`.
    fn element(&mut self, dtype: &'a DType, field: &str) -> Option<RustType> {
        match dtype {
            DType::Struct(record) => {
                let wanted = camel_case(field);
                if let Some(known) = self.known.get(&(wanted.clone(), record)) {
                    return Some(known.clone());
                }
                let name = self.names.unique(&wanted);
                let added = self.add(&name, record)?;
                self.known.insert((wanted, record), added.clone());
                Some(added)
            }
            DType::Subarray(base, shape) => {
                let mut element = self.element(base, field)?;
                for length in shape.iter().rev() {
                    element.name = format!("[{}; {length}]", element.name);
                }
                Some(element)
            }
            plain => types::plain(plain),
        }
    }
}

/// The alignment of a `repr(C)` struct of these fields, if Rust lays it out as the file does.
fn c_align(lines: &[Line], itemsize: usize) -> Option<usize> {
    let (mut end, mut align) = (0_usize, 1);
    for line in lines {
        let Line::Field(field) = line else { continue };
        if end.checked_next_multiple_of(field.element.align)? != field.offset {
            return None;
        }
        end = field.offset.checked_add(field.size)?;
        align = align.max(field.element.align);
    }
    (end.checked_next_multiple_of(align)? == itemsize).then_some(align)
}

/// Puts fields where a packed struct would have no bytes and the file has some.
fn pad(lines: &mut Vec<Line>, itemsize: usize, mut names: Names) {
    let (mut end, mut count) = (0, 0);
    let mut padding = |bytes: usize, offset: usize| {
        let identifier = names.unique(&format!("_pad{count}"));
        count += 1;
        let element = RustType { name: format!("[u8; {bytes}]"), align: 1 };
        Line::Field(Field { attributes: vec!["padding".into()], identifier, element, offset, size: bytes })
    };
    let mut padded = Vec::with_capacity(lines.len() + 1);
    for line in lines.drain(..) {
        if let Line::Field(field) = &line {
            if field.offset > end {
                padded.push(padding(field.offset - end, end));
            }
            end = field.offset + field.size;
        }
        padded.push(line);
    }
    if itemsize > end {
        padded.push(padding(itemsize - end, end));
    }
    *lines = padded;
}

/// What stands in the brackets of a datetime64 or timedelta64, also as the type of a subarray: `25s`.
fn unit(dtype: &DType) -> Option<String> {
    match dtype {
        DType::Subarray(base, _) => unit(base),
        _ => dtype.time_unit().filter(|unit| unit.unit != DatetimeUnit::Generic).map(|unit| unit.to_string()),
    }
}

#[cfg(test)]
mod tests;
