//! Names of fields, which are any text, as names that Rust allows.

use std::collections::{HashMap, HashSet};

/// Keywords of every edition up to 2024, strict and reserved; all but the first four can be raw identifiers.
const KEYWORDS: [&str; 52] = [
    "self", "Self", "super", "crate", "abstract", "as", "async", "await", "become", "box", "break", "const",
    "continue", "do", "dyn", "else", "enum", "extern", "false", "final", "fn", "for", "gen", "if", "impl", "in", "let",
    "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub", "ref", "return", "static", "struct",
    "trait", "true", "try", "type", "typeof", "unsafe", "unsized", "use", "virtual", "where", "while", "yield",
];

/// Types that the source names, and the crate that their paths start with.
const USED: [&str; 12] = ["bool", "i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64", "f32", "f64", "npymap"];

/// What a struct that is named after a field must not hide from the code around it: the prelude, and the library's own.
#[rustfmt::skip]
const KNOWN: [&str; 45] = [
    "AsMut", "AsRef", "Box", "Clone", "Copy", "Debug", "Default", "DoubleEndedIterator", "Drop", "Element", "Eq", "Err",
    "ExactSizeIterator", "Extend", "Fn", "FnMut", "FnOnce", "From", "FromIterator", "Future", "Hash", "Into",
    "IntoFuture", "IntoIterator", "Iterator", "None", "Npy", "NpyAny", "NpyFile", "Ok", "Option", "Ord", "PartialEq",
    "PartialOrd", "Result", "Self", "Send", "Sized", "Some", "String", "Sync", "ToOwned", "ToString", "Unpin", "Vec",
];

/// Checks the name that somebody wants for the outermost type.
pub fn type_name(name: &str) -> Result<String, String> {
    if !is_identifier(name) {
        return Err("it is no Rust identifier".into());
    }
    if KEYWORDS.contains(&name) {
        return Err("it is a keyword of Rust".into());
    }
    if USED.contains(&name) {
        return Err("it would hide what the fields' types need".into());
    }
    Ok(name.into())
}

/// Identifiers that are taken.
#[derive(Default)]
pub struct Names {
    taken: HashSet<String>,
    /// The last number that a name got.
    numbers: HashMap<String, usize>,
}

impl Names {
    /// Takes a name if it is free.
    pub fn reserve(&mut self, name: &str) -> bool {
        self.taken.insert(name.into())
    }

    /// Takes a name, with a number after it if it is not free.
    pub fn unique(&mut self, wanted: &str) -> String {
        if self.reserve(wanted) {
            return wanted.into();
        }
        let gap = if wanted.ends_with(|last: char| last.is_ascii_digit()) { "_" } else { "" };
        let number = self.numbers.entry(wanted.into()).or_insert(1);
        loop {
            *number += 1;
            let name = format!("{wanted}{gap}{number}");
            if self.taken.insert(name.clone()) {
                return name;
            }
        }
    }
}

impl FromIterator<String> for Names {
    fn from_iter<I: IntoIterator<Item = String>>(names: I) -> Self {
        Self { taken: names.into_iter().collect(), numbers: HashMap::new() }
    }
}

/// Returns an identifier for each field of a struct, keywords among them: the name itself where that is one.
pub fn identifiers<'a>(names: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    // Names that are right already are taken first, whatever a name before them would become.
    let mut taken: Names = names.clone().filter(|name| is_field(name)).map(String::from).collect();
    names
        .enumerate()
        .map(|(index, name)| if is_field(name) { name.into() } else { taken.unique(&cleaned(name, index)) })
        .collect()
}

/// Whether a field can have the name, as a raw identifier at least.
fn is_field(name: &str) -> bool {
    is_identifier(name) && !never_raw(name)
}

fn never_raw(name: &str) -> bool {
    KEYWORDS.iter().take(4).any(|keyword| *keyword == name)
}

/// The identifier that is left of a name that is none, the name of field `index`: its words.
fn cleaned(name: &str, index: usize) -> String {
    let words = name.split(|c| c == '_' || !is_continue(c)).filter(|word| !word.is_empty());
    let clean = words.collect::<Vec<_>>().join("_");
    match clean.chars().next() {
        None => format!("field{index}"),
        Some('0'..='9') => format!("_{clean}"),
        Some(_) if never_raw(&clean) => format!("{clean}_"),
        Some(_) => clean,
    }
}

/// The identifier as it stands in source: `r#type`.
pub fn spelled(identifier: &str) -> String {
    if KEYWORDS.contains(&identifier) { format!("r#{identifier}") } else { identifier.into() }
}

/// The name of the struct that a field holds: `OuterPart` for `outer_part`.
pub fn camel_case(field: &str) -> String {
    let mut name = String::with_capacity(field.len());
    for word in field.split('_') {
        let mut characters = word.chars();
        let Some(first) = characters.next() else { continue };
        let mut upper = first.to_uppercase();
        // Two letters for one, as for ß, may be no identifier.
        name.push(upper.next().filter(|_| upper.len() == 0).unwrap_or(first));
        name.push_str(characters.as_str());
    }
    if name.is_empty() {
        name.push_str("Part");
    } else if name.starts_with(|first: char| first.is_ascii_digit()) {
        name.insert(0, '_');
    }
    if KNOWN.contains(&name.as_str()) {
        name.push_str("Part");
    }
    name
}

/// Whether rustc's lint `non_snake_case` has nothing to say.
pub fn is_snake_case(identifier: &str) -> bool {
    let core = identifier.trim_matches('_');
    !core.contains("__") && !core.chars().any(char::is_uppercase)
}

fn is_identifier(name: &str) -> bool {
    name != "_" && name.starts_with(|c: char| is_continue(c) && !c.is_ascii_digit()) && name.chars().all(is_continue)
}

/// Whether the character may stand in an identifier here: a part of what Rust allows.
///
/// Left out are letters that would turn the direction of the line, and all that rustc may compose with its neighbours
/// or replace by its Unicode normalization: two names that differ then stay different.
fn is_continue(character: char) -> bool {
    let is_stable = matches!(character,
        '\u{c0}'..='\u{24f}'             // Latin
        | '\u{386}' | '\u{388}'..='\u{3ff}' // Greek
        | '\u{400}'..='\u{481}' | '\u{48a}'..='\u{52f}' // Cyrillic
        | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' // Hiragana, Katakana
        | '\u{4e00}'..='\u{9fff}'        // Chinese characters
        | '\u{ac00}'..='\u{d7a3}'        // Hangul
    );
    character == '_' || character.is_ascii_alphanumeric() || is_stable && character.is_alphabetic()
}

/// Returns the text as a Rust string literal of printable ASCII.
pub fn literal(text: &str) -> String {
    let mut literal = String::with_capacity(text.len() + 2);
    literal.push('"');
    for character in text.chars() {
        match character {
            '\'' => literal.push('\''),
            _ => literal.extend(character.escape_default()),
        }
    }
    literal.push('"');
    literal
}
