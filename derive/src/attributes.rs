//! What is said in `#[repr(...)]` and `#[npymap(...)]`.

use proc_macro2::TokenTree;
use syn::meta::ParseNestedMeta;
use syn::spanned::Spanned;
use syn::{Attribute, Error, LitInt, LitStr, Path, Result, token};

use crate::unit::{self, Unit};

/// How a struct lies in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Repr {
    /// `repr(C)`, also with `packed` or `align(N)`.
    C,
    /// `repr(transparent)`.
    Transparent,
}

/// The `#[npymap(...)]` of a field.
#[derive(Default)]
pub struct FieldAttributes {
    pub rename: Option<LitStr>,
    pub title: Option<LitStr>,
    pub unit: Option<(LitStr, Unit)>,
    pub padding: bool,
}

const REPRS: &str = "write #[repr(C, packed)] for NumPy's default layout, #[repr(C)] for aligned fields (align=True), or \
                     #[repr(transparent)] for a wrapper of one element; `npymap schema FILE` prints the struct that \
                     fits a file";

/// Finds the layout among a struct's attributes.
pub fn repr(attributes: &[Attribute], name: &syn::Ident) -> Result<Repr> {
    let mut repr = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("repr")) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("C") {
                repr = Some(Repr::C);
            } else if meta.path.is_ident("transparent") {
                repr = Some(Repr::Transparent);
            } else if meta.path.is_ident("packed") {
                let span = meta.path.span();
                if meta.input.peek(token::Paren) && number(&meta)? != 1 {
                    return Err(Error::new(
                        span,
                        "packed(N) with N above 1 is a layout that NumPy never has; write #[repr(C, packed)]",
                    ));
                }
            } else if meta.path.is_ident("align") {
                number(&meta)?;
            } else {
                return Err(meta.error(format!("an element needs a layout that Rust guarantees: {REPRS}")));
            }
            Ok(())
        })?;
    }
    repr.ok_or_else(|| Error::new(name.span(), format!("an element needs a layout that Rust guarantees: {REPRS}")))
}

fn number(meta: &ParseNestedMeta) -> Result<u64> {
    let content;
    syn::parenthesized!(content in meta.input);
    content.parse::<LitInt>()?.base10_parse()
}

/// Reads `#[npymap(crate = path)]` of a struct; the path is `::npymap` otherwise.
pub fn crate_path(attributes: &[Attribute]) -> Result<Path> {
    let mut path = syn::parse_quote!(::npymap);
    for attribute in of_npymap(attributes) {
        attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("crate") {
                let value = meta.value()?;
                if value.peek(LitStr) {
                    return Err(value.error("write the path itself, without quotation marks: crate = path::of::npymap"));
                }
                path = value.call(Path::parse_mod_style)?;
                return Ok(());
            }
            Err(meta.error("on a struct npymap knows `crate = path`; rename, title, unit and padding are for fields"))
        })?;
    }
    Ok(path)
}

/// Reads the attributes of a field.
pub fn field(attributes: &[Attribute]) -> Result<FieldAttributes> {
    let mut found = FieldAttributes::default();
    for attribute in of_npymap(attributes) {
        attribute.parse_nested_meta(|meta| {
            let again = || Err(meta.error("said twice"));
            if meta.path.is_ident("rename") {
                let name = meta.value()?.parse()?;
                return if found.rename.replace(name).is_some() { again() } else { Ok(()) };
            }
            if meta.path.is_ident("title") {
                let title = meta.value()?.parse()?;
                return if found.title.replace(title).is_some() { again() } else { Ok(()) };
            }
            if meta.path.is_ident("unit") {
                let text: LitStr = meta.value()?.parse()?;
                let unit = unit::parse(&text.value()).ok_or_else(|| {
                    Error::new(
                        text.span(),
                        "no unit of NumPy: Y M W D h m s ms us ns ps fs as, after a number where a step is several, \
                         as in \"25s\"",
                    )
                })?;
                return if found.unit.replace((text, unit)).is_some() { again() } else { Ok(()) };
            }
            if meta.path.is_ident("padding") {
                found.padding = true;
                return Ok(());
            }
            Err(meta.error(
                "for a field npymap knows `rename = \"name in the file\"`, `title = \"...\"`, `unit = \"ns\"` and \
                 `padding`",
            ))
        })?;
        if let (true, Some(said)) = (found.padding, found.rename.as_ref().or(found.title.as_ref())) {
            return Err(Error::new(said.span(), "padding has no name in a file"));
        }
        if let (true, Some((said, _))) = (found.padding, &found.unit) {
            return Err(Error::new(said.span(), "padding has no unit"));
        }
    }
    Ok(found)
}

/// Whether attributes say that something is deprecated, or that deprecated things may be used here: what the compiler
/// would otherwise warn of a second time, in code that the user cannot change.
pub fn speak_of_deprecation(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let names = |token| matches!(token, TokenTree::Ident(name) if name == "deprecated");
        path.is_ident("deprecated")
            || ["allow", "expect"].iter().any(|level| path.is_ident(level))
                && attribute.meta.require_list().is_ok_and(|list| list.tokens.clone().into_iter().any(names))
    })
}

fn of_npymap(attributes: &[Attribute]) -> impl Iterator<Item = &Attribute> {
    attributes.iter().filter(|attribute| attribute.path().is_ident("npymap"))
}
