//! The struct that an element is derived for, and which structs are refused.

use std::collections::HashSet;

use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::ext::IdentExt;
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Ident, LitStr, Member, Path, Result, Type};

use crate::attributes::{self, FieldAttributes, Repr};
use crate::unit::Unit;

/// A struct that can be an element, as far as its text tells.
pub struct Struct {
    pub name: Ident,
    pub npymap: Path,
    pub repr: Repr,
    pub fields: Vec<Field>,
    /// Whether the struct or a field is deprecated, or may use what is.
    pub is_deprecated: bool,
}

/// A field of it.
pub struct Field {
    pub member: Member,
    pub ty: Type,
    /// The name and the title in a file; none if the field is padding.
    pub named: Option<(String, Option<String>)>,
    pub unit: Option<Unit>,
    /// Where a name or title is stated.
    labelled_at: Option<Span>,
}

impl Struct {
    pub fn parse(input: &DeriveInput) -> Result<Self> {
        let fields = match &input.data {
            Data::Struct(data) => &data.fields,
            Data::Enum(data) => {
                return Err(Error::new(
                    data.enum_token.span,
                    "an enum is no element: a file may hold any bytes, and not all are variants; take the integer, and \
                     convert it",
                ));
            }
            Data::Union(data) => return Err(Error::new(data.union_token.span, "a union is no element: take a struct")),
        };
        if let Some(parameter) = input.generics.params.first() {
            return Err(Error::new(
                parameter.span(),
                "an element has no generic parameters: its fields, offsets and dtype are those of one file; write the \
                 struct out for each type",
            ));
        }
        let repr = attributes::repr(&input.attrs, &input.ident)?;
        let npymap = attributes::crate_path(&input.attrs)?;
        let is_deprecated = attributes::speak_of_deprecation(&input.attrs)
            || fields.iter().any(|field| attributes::speak_of_deprecation(&field.attrs));
        let fields = all(fields.iter().zip(fields.members()).map(Field::parse))?;
        let parsed = Self { name: input.ident.clone(), npymap, repr, fields, is_deprecated };
        parsed.check_fields()?;
        Ok(parsed)
    }

    fn check_fields(&self) -> Result<()> {
        let Some(first) = self.fields.first() else {
            return Err(Error::new(self.name.span(), "an element without fields takes no bytes"));
        };
        if self.repr == Repr::Transparent {
            return match self.fields.get(1) {
                Some(second) => {
                    Err(Error::new(second.ty.span(), "a transparent element has one field, no marker beside it"))
                }
                None if first.named.is_none() => Err(Error::new(first.ty.span(), "padding alone is no element")),
                None => first.labelled_at.map_or(Ok(()), |label| {
                    Err(Error::new(label, "a transparent element is no record, and its field has no name in a file"))
                }),
            };
        }
        let mut taken = HashSet::new();
        for field in &self.fields {
            let Some((name, title)) = &field.named else { continue };
            for name in core::iter::once(name).chain(title) {
                if !taken.insert(name) {
                    let message = format!("{name:?} is the name or title of an earlier field, and NumPy has each once");
                    return Err(Error::new(field.member.span(), message));
                }
            }
        }
        Ok(())
    }
}

impl Field {
    fn parse((field, member): (&syn::Field, Member)) -> Result<Self> {
        if let Type::Reference(reference) = &field.ty {
            return Err(Error::new(
                reference.span(),
                "a reference cannot be in a file; for text write npymap::FixedBytes<N> (`|SN`), npymap::le::Str<N> \
                 (`<UN`) or npymap::be::Str<N> (`>UN`)",
            ));
        }
        refuse_changing_types(field.ty.to_token_stream())?;
        let FieldAttributes { rename, title, unit, padding } = attributes::field(&field.attrs)?;
        let name = match (&rename, &member) {
            (Some(rename), _) => rename.value(),
            (None, Member::Named(name)) => name.unraw().to_string(),
            // Only a transparent struct does without.
            (None, Member::Unnamed(index)) => format!("f{}", index.index),
        };
        let named = (!padding).then(|| (name, title.as_ref().map(LitStr::value)));
        let labelled_at = rename.as_ref().or(title.as_ref()).map(LitStr::span);
        Ok(Self { member, ty: field.ty.clone(), named, unit: unit.map(|(_, unit)| unit), labelled_at })
    }
}

/// Refuses types that may not be the same each time that they are named: the code names them many times, outside of the
/// struct too.
fn refuse_changing_types(tokens: TokenStream) -> Result<()> {
    for token in tokens {
        match token {
            TokenTree::Punct(mark) if mark.as_char() == '!' => {
                return Err(Error::new(
                    mark.span(),
                    "a macro may give another type each time that it is called, and the type of a field is named many \
                     times; write it out, or give it a name by `type`",
                ));
            }
            TokenTree::Ident(name) if name == "Self" => {
                return Err(Error::new(name.span(), "write the name of the struct here rather than `Self`"));
            }
            TokenTree::Group(group) => refuse_changing_types(group.stream())?,
            _ => {}
        }
    }
    Ok(())
}

/// Collects what was parsed, or all errors rather than the first.
fn all<T>(parsed: impl Iterator<Item = Result<T>>) -> Result<Vec<T>> {
    let mut found = Ok(Vec::new());
    for item in parsed {
        match (&mut found, item) {
            (Ok(items), Ok(item)) => items.push(item),
            (Err(errors), Err(error)) => Error::combine(errors, error),
            (found, Err(error)) => *found = Err(error),
            (Err(_), Ok(_)) => {}
        }
    }
    found
}
