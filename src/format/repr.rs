//! Texts as Python's `repr` prints them, whole or shortened. Knows nothing of what they mean.

use alloc::string::{String, ToString};
use core::fmt::{self, Display, Write};

use super::printable::is_printable;

/// Characters of a text that go into an error message before `…`.
const SHORT: usize = 80;

/// A `str` that displays as Python's `repr` of it.
pub(super) struct Repr<'a>(pub &'a str);

impl Display for Repr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.0.contains('\'') && !self.0.contains('"') { '"' } else { '\'' };
        f.write_char(quote)?;
        for character in self.0.chars() {
            match character {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\\' => f.write_str("\\\\")?,
                _ if character == quote => write!(f, "\\{character}")?,
                _ if is_printable(character) => f.write_char(character)?,
                '\0'..='\u{ff}' => write!(f, "\\x{:02x}", u32::from(character))?,
                '\u{100}'..='\u{ffff}' => write!(f, "\\u{:04x}", u32::from(character))?,
                _ => write!(f, "\\U{:08x}", u32::from(character))?,
            }
        }
        f.write_char(quote)
    }
}

/// Bytes that display as Python's `repr` of them.
pub(super) struct BytesRepr<'a>(pub &'a [u8]);

impl Display for BytesRepr<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let quote = if self.0.contains(&b'\'') && !self.0.contains(&b'"') { '"' } else { '\'' };
        write!(f, "b{quote}")?;
        for &byte in self.0 {
            match char::from(byte) {
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                '\\' => f.write_str("\\\\")?,
                character if character == quote => write!(f, "\\{character}")?,
                character @ ' '..='~' => f.write_char(character)?,
                _ => write!(f, "\\x{byte:02x}")?,
            }
        }
        f.write_char(quote)
    }
}

/// Returns Python's `repr` of a `str`.
pub(crate) fn str_repr(text: &str) -> String {
    Repr(text).to_string()
}

/// Displays a value into at most 80 characters, followed by `…` if there would be more. Takes no longer for more.
pub(super) fn shortened(value: &impl Display) -> String {
    let mut short = Shortened { text: String::new(), left: SHORT };
    if write!(short, "{value}").is_err() {
        short.text.push('…');
    }
    short.text
}

/// A text that refuses to grow beyond its limit.
struct Shortened {
    text: String,
    left: usize,
}

impl Write for Shortened {
    fn write_str(&mut self, part: &str) -> fmt::Result {
        match part.char_indices().nth(self.left) {
            Some((end, _)) => {
                self.text.push_str(part.get(..end).unwrap_or_default());
                Err(fmt::Error)
            }
            None => {
                self.left -= part.chars().count();
                self.text.push_str(part);
                Ok(())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use alloc::string::String;

    #[test]
    fn strings_are_quoted_as_python_quotes_them() {
        for (text, repr) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("it's \"q\"", r#"'it\'s "q"'"#),
            ("say \"q\"", "'say \"q\"'"),
            ("a\\b\n\r\t", r"'a\\b\n\r\t'"),
            ("\0\x1b\x7f", r"'\x00\x1b\x7f'"),
            ("café\u{a0}\u{ad}", r"'café\xa0\xad'"),
            ("整形\u{200b}\u{2028}\u{e000}", r"'整形\u200b\u2028\ue000'"),
            ("😀\u{e0001}\u{10ffff}", r"'😀\U000e0001\U0010ffff'"),
        ] {
            assert_eq!(str_repr(text), repr);
        }
    }

    #[test]
    fn bytes_are_quoted_as_python_quotes_them() {
        assert_eq!(BytesRepr(b"it's\n\\\x00\xff~").to_string(), r#"b"it's\n\\\x00\xff~""#);
        assert_eq!(BytesRepr(b"'\"").to_string(), r#"b'\'"'"#);
    }

    #[test]
    fn long_texts_are_shortened_after_80_characters() {
        let long: String = "é".repeat(79);
        assert_eq!(shortened(&long), long);
        assert_eq!(shortened(&(long.clone() + "x")), long.clone() + "x");
        assert_eq!(shortened(&(long.clone() + "xy")), long + "x…");
    }
}
