//! String and bytes literals, prefixes and escapes included. Knows what Python makes of the text between quotes.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};

use super::super::repr::{Repr, shortened};
use super::{Atom, Lexer, syntax, syntax_of};
use crate::{Error, Result};

impl<'a> Lexer<'a> {
    /// Reads a string from its quote on.
    pub(super) fn string(&mut self, prefix: &str) -> Result<Atom<'a>> {
        let at = self.at;
        let is_raw = prefix.contains(['r', 'R']);
        let is_bytes = prefix.contains(['b', 'B']);
        let (quote, triple) = match self.peek() {
            Some(b'"') => (b'"', "\"\"\""),
            _ => (b'\'', "'''"),
        };
        let is_triple = self.rest().starts_with(triple);
        self.at += if is_triple { 3 } else { 1 };
        let mut value = Cow::Borrowed("");
        loop {
            value += self.plain(quote, is_bytes)?;
            match self.peek() {
                None => return Err(syntax_of(self.text, at, "a string without an end".into(), "its closing quote")),
                Some(byte) if byte == quote && !is_triple => {
                    self.at += 1;
                    break;
                }
                Some(byte) if byte == quote && self.rest().starts_with(triple) => {
                    self.at += 3;
                    break;
                }
                Some(b'\n' | b'\r') if is_triple => {
                    self.newline();
                    value += "\n";
                }
                Some(b'\n' | b'\r') => return Err(self.unexpected("the string's closing quote")),
                Some(b'\\') if is_raw => {
                    let backslash = self.at;
                    self.at += 1;
                    // Not even a raw string ends at a quote after a backslash.
                    if self.newline() {
                        value += "\\\n";
                        continue;
                    }
                    if matches!(self.peek(), Some(b'\\' | b'\'' | b'"')) {
                        self.at += 1;
                    }
                    value += self.text.get(backslash..self.at).unwrap_or_default();
                }
                Some(b'\\') => self.escape(is_bytes, value.to_mut())?,
                // A quote within three.
                Some(_) => {
                    value += self.rest().get(..1).unwrap_or_default();
                    self.at += 1;
                }
            }
        }
        if is_bytes {
            // Every character of bytes is below U+0100.
            let bytes = value.chars().filter_map(|character| u8::try_from(u32::from(character)).ok());
            return Ok(Atom::Bytes(bytes.collect()));
        }
        Ok(Atom::Str(value))
    }

    /// Skips the characters that mean themselves, and returns them.
    fn plain(&mut self, quote: u8, is_bytes: bool) -> Result<&'a str> {
        let rest = self.rest();
        let end = rest.bytes().position(|byte| byte == quote || matches!(byte, b'\\' | b'\n' | b'\r'));
        let plain = rest.get(..end.unwrap_or(rest.len())).unwrap_or_default();
        if is_bytes && let Some(wide) = plain.find(|character: char| !character.is_ascii()) {
            self.at += wide;
            return Err(self.unexpected("only ASCII in bytes"));
        }
        self.at += plain.len();
        Ok(plain)
    }

    /// Reads what a backslash starts. An unknown escape is a backslash, and what follows is no part of it.
    fn escape(&mut self, is_bytes: bool, value: &mut String) -> Result<()> {
        let at = self.at;
        self.at += 1;
        if self.newline() {
            return Ok(());
        }
        let plain = match self.peek() {
            Some(quoted @ (b'\\' | b'\'' | b'"')) => char::from(quoted),
            Some(b'a') => '\x07',
            Some(b'b') => '\x08',
            Some(b'f') => '\x0c',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'v') => '\x0b',
            Some(b'0'..=b'7') => {
                let code = self.code(8, 3);
                value.push(char::from_u32(if is_bytes { code & 0xff } else { code }).unwrap_or_default());
                return Ok(());
            }
            Some(letter @ (b'x' | b'u' | b'U')) if letter == b'x' || !is_bytes => {
                self.at += 1;
                let (digits, wanted) = match letter {
                    b'x' => (2, "2 hexadecimal digits after \\x"),
                    b'u' => (4, "4 hexadecimal digits after \\u"),
                    _ => (8, "8 hexadecimal digits up to 0010ffff after \\U"),
                };
                let start = self.at;
                let code = self.code(16, digits);
                if self.at - start < digits || code > u32::from(char::MAX) {
                    return Err(syntax(self.text, start, wanted));
                }
                let Some(character) = char::from_u32(code) else {
                    let written = self.text.get(at..self.at).unwrap_or_default();
                    return Err(Error::UnsupportedDescr {
                        descr: format!("'{written}'"),
                        reason: "a lone surrogate is no character".to_string(),
                    });
                };
                value.push(character);
                return Ok(());
            }
            Some(b'N') if !is_bytes => return self.named(value),
            _ => {
                value.push('\\');
                return Ok(());
            }
        };
        value.push(plain);
        self.at += 1;
        Ok(())
    }

    /// Reads up to `most` digits, at most eight.
    fn code(&mut self, radix: u32, most: usize) -> u32 {
        let mut code = 0;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| char::from(byte).to_digit(radix)) else { break };
            code = code * radix + digit;
            self.at += 1;
        }
        code
    }

    /// Reads `N{NAME}`, of the 95 characters whose names are known here.
    fn named(&mut self, value: &mut String) -> Result<()> {
        self.at += 1;
        let name = self.rest().strip_prefix('{').and_then(|rest| rest.split_once('}')).map(|(name, _)| name);
        match name.and_then(|name| Some((name, ascii_named(name)?))) {
            Some((name, character)) => {
                self.at += name.len() + 2;
                value.push(character);
                Ok(())
            }
            None => {
                let wanted = "the name of a printable ASCII character after \\N";
                Err(match name {
                    Some(name) => syntax_of(self.text, self.at, shortened(&Repr(name)), wanted),
                    None => syntax(self.text, self.at, wanted),
                })
            }
        }
    }
}

/// The printable ASCII character of a Unicode name, in any case.
fn ascii_named(name: &str) -> Option<char> {
    const DIGITS: [&str; 10] = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"];
    const OTHERS: &str = " !\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
    const NAMES: &str = "SPACE|EXCLAMATION MARK|QUOTATION MARK|NUMBER SIGN|DOLLAR SIGN|PERCENT SIGN|AMPERSAND|\
        APOSTROPHE|LEFT PARENTHESIS|RIGHT PARENTHESIS|ASTERISK|PLUS SIGN|COMMA|HYPHEN-MINUS|FULL STOP|SOLIDUS|COLON|\
        SEMICOLON|LESS-THAN SIGN|EQUALS SIGN|GREATER-THAN SIGN|QUESTION MARK|COMMERCIAL AT|LEFT SQUARE BRACKET|\
        REVERSE SOLIDUS|RIGHT SQUARE BRACKET|CIRCUMFLEX ACCENT|LOW LINE|GRAVE ACCENT|LEFT CURLY BRACKET|\
        VERTICAL LINE|RIGHT CURLY BRACKET|TILDE";
    if name.len() > 25 {
        return None;
    }
    let name = name.to_ascii_uppercase();
    let letter = |prefix: &str| {
        let letter = name.strip_prefix(prefix)?;
        letter.chars().next().filter(|first| letter.len() == 1 && first.is_ascii_alphabetic())
    };
    if let Some(digit) = name.strip_prefix("DIGIT ") {
        let value = DIGITS.iter().position(|&word| word == digit)?;
        return char::from_digit(u32::try_from(value).ok()?, 10);
    }
    letter("LATIN CAPITAL LETTER ")
        .or_else(|| Some(letter("LATIN SMALL LETTER ")?.to_ascii_lowercase()))
        .or_else(|| OTHERS.chars().zip(NAMES.split('|')).find(|(_, other)| *other == name).map(|(other, _)| other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printable_ascii_has_its_names() {
        let names = ["SPACE", "TILDE", "Hyphen-Minus", "DIGIT SEVEN", "LATIN CAPITAL LETTER Q", "latin small letter Z"];
        assert_eq!(names.map(ascii_named), [' ', '~', '-', '7', 'Q', 'z'].map(Some));
        let others = ["", "DIGIT TEN", "LATIN SMALL LETTER AE", "LATIN CAPITAL LETTER ", "LATIN SMALL LETTER 1", "|"];
        assert_eq!(others.map(ascii_named), [None; 6]);
        assert_eq!(ascii_named("LATIN SMALL LETTER \u{e9}"), None);
    }
}
