//! The tokens of a Python literal, and the lines they stand on. Knows Python's lexical rules as CPython 3.11 applies
//! them to a text without an encoding line, but not which token may follow which.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::repr::{shortened, str_repr};
use crate::{Error, Result};

/// Most digits of a decimal integer: Python's default limit, which keeps its conversion from quadratic time.
const MAX_DIGITS: usize = 4300;

/// One token and the bytes of the text that it spans.
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) end: usize,
    pub(super) kind: Kind,
}

/// What a token is. Numbers other than small integers are not evaluated: nothing in a header may be one.
#[derive(Debug, PartialEq)]
pub(super) enum Kind {
    /// `(`, `[` or `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close(u8),
    Comma,
    Colon,
    Plus,
    Minus,
    Str(String),
    Bytes(Vec<u8>),
    Int(i64),
    /// An integer beyond 64 bits.
    BigInt,
    Float,
    Imaginary,
    Bool(bool),
    None,
    Ellipsis,
    /// The end of the line (outside of brackets) or of the text.
    End,
}

/// Reads tokens one after the other, in linear time.
pub(super) struct Lexer<'a> {
    text: &'a str,
    /// The next byte, always at a character boundary.
    at: usize,
    /// Open brackets; inside of them, newlines are white space.
    depth: usize,
    python2: bool,
}

impl<'a> Lexer<'a> {
    /// Starts where `ast.literal_eval` does, after leading spaces and tabs.
    pub(super) fn new(text: &'a str, python2: bool) -> Result<Self> {
        if let Some(at) = text.find('\0') {
            return Err(syntax(text, at, "no NUL anywhere"));
        }
        let at = text.len() - text.trim_start_matches([' ', '\t']).len();
        Ok(Self { text, at, depth: 0, python2 })
    }

    /// Skips blank and comment lines from the start of a line, and returns the indentation of what follows.
    pub(super) fn blank_lines(&mut self) -> Result<usize> {
        loop {
            let mut column = 0;
            // Where a backslash ended the first line: Python indents what follows by that.
            let mut continued = 0;
            loop {
                match self.peek() {
                    Some(b' ' | b'\t') => column += 1,
                    Some(b'\x0c') => column = 0,
                    Some(b'\\') => {
                        if continued == 0 {
                            continued = column;
                        }
                        self.continuation()?;
                        continue;
                    }
                    _ => break,
                }
                self.at += 1;
            }
            let is_comment = self.comment();
            if !self.newline() && !(is_comment && self.peek().is_none()) {
                return Ok(if continued == 0 { column } else { continued });
            }
        }
    }

    /// The text not read yet, for the error that it is too much.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Reads the next token. After [`Kind::End`] come the next lines, or [`Kind::End`] again.
    pub(super) fn next(&mut self) -> Result<Token> {
        self.white_space()?;
        let at = self.at;
        let kind = match self.peek() {
            None => Kind::End,
            Some(b'\n' | b'\r') => {
                self.newline();
                Kind::End
            }
            Some(byte @ (b'(' | b'[' | b'{')) => {
                self.depth += 1;
                self.one(Kind::Open(byte))
            }
            Some(byte @ (b')' | b']' | b'}')) => {
                self.depth = self.depth.saturating_sub(1);
                self.one(Kind::Close(byte))
            }
            Some(b',') => self.one(Kind::Comma),
            Some(b':') => self.one(Kind::Colon),
            Some(b'+') => self.one(Kind::Plus),
            Some(b'-') => self.one(Kind::Minus),
            Some(b'\'' | b'"') => self.string("")?,
            Some(b'.') if self.rest().starts_with("...") => {
                self.at += 3;
                Kind::Ellipsis
            }
            Some(b'.') if !self.peek_at(1).is_some_and(|byte| byte.is_ascii_digit()) => {
                return Err(self.unexpected("a Python literal"));
            }
            Some(b'.' | b'0'..=b'9') => {
                let kind = self.number()?;
                let end = self.at;
                if self.python2 {
                    self.long_suffixes();
                }
                return Ok(Token { at, end, kind });
            }
            Some(_) => self.word()?,
        };
        Ok(Token { at, end: self.at, kind })
    }

    fn one(&mut self, kind: Kind) -> Kind {
        self.at += 1;
        kind
    }

    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.peek_at(0)
    }

    fn peek_at(&self, ahead: usize) -> Option<u8> {
        self.text.as_bytes().get(self.at + ahead).copied()
    }

    fn unexpected(&self, wanted: &'static str) -> Error {
        syntax(self.text, self.at, wanted)
    }

    /// Skips what may stand between tokens: inside of brackets, newlines too.
    fn white_space(&mut self) -> Result<()> {
        loop {
            match self.peek() {
                Some(b' ' | b'\t' | b'\x0c') => self.at += 1,
                Some(b'\\') => self.continuation()?,
                Some(b'#') => _ = self.comment(),
                Some(b'\n' | b'\r') if self.depth > 0 => _ = self.newline(),
                _ => return Ok(()),
            }
        }
    }

    /// Skips a newline in any of its three forms, if there is one.
    fn newline(&mut self) -> bool {
        let length = match (self.peek(), self.peek_at(1)) {
            (Some(b'\r'), Some(b'\n')) => 2,
            (Some(b'\r' | b'\n'), _) => 1,
            _ => return false,
        };
        self.at += length;
        true
    }

    /// Skips a comment up to its newline, if there is one.
    fn comment(&mut self) -> bool {
        let is_comment = self.peek() == Some(b'#');
        if is_comment {
            self.at += self.rest().find(['\n', '\r']).unwrap_or(self.rest().len());
        }
        is_comment
    }

    /// Skips a backslash and the newline after it; more text has to follow.
    fn continuation(&mut self) -> Result<()> {
        self.at += 1;
        if !self.newline() {
            return Err(self.unexpected("a newline after the backslash"));
        }
        if self.peek().is_none() {
            return Err(self.unexpected("another line after the backslash"));
        }
        Ok(())
    }

    /// Letters, digits, underscores and everything beyond ASCII from here on: a name or a part of it.
    fn name(&self) -> &'a str {
        let rest = self.rest();
        let end = rest.find(|c: char| c.is_ascii() && !c.is_ascii_alphanumeric() && c != '_');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    fn word(&mut self) -> Result<Kind> {
        let name = self.name();
        let kind = match name {
            "True" => Kind::Bool(true),
            "False" => Kind::Bool(false),
            "None" => Kind::None,
            "u" | "U" | "r" | "R" | "b" | "B" | "br" | "bR" | "Br" | "BR" | "rb" | "rB" | "Rb" | "RB"
                if matches!(self.peek_at(name.len()), Some(b'\'' | b'"')) =>
            {
                self.at += name.len();
                return self.string(name);
            }
            _ => return Err(self.unexpected("a Python literal")),
        };
        self.at += name.len();
        Ok(kind)
    }

    /// Skips names that are exactly `L` after a number, as NumPy does for headers that Python 2 wrote.
    fn long_suffixes(&mut self) {
        loop {
            let before = self.at;
            loop {
                match self.peek() {
                    Some(b' ' | b'\t' | b'\x0c') => self.at += 1,
                    Some(b'\\') if self.continuation().is_ok() => {}
                    _ => break,
                }
            }
            if self.name() != "L" {
                self.at = before;
                return;
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Kind> {
        let radix = match (self.peek(), self.peek_at(1)) {
            (Some(b'0'), Some(b'x' | b'X')) => 16,
            (Some(b'0'), Some(b'o' | b'O')) => 8,
            (Some(b'0'), Some(b'b' | b'B')) => 2,
            _ => 10,
        };
        let start = self.at;
        let mut kind = if radix == 10 {
            self.decimal()?
        } else {
            self.at += 2;
            let digits = self.at;
            if self.peek() == Some(b'_') {
                self.at += 1;
            }
            self.digits(radix)?;
            integer(self.text.get(digits..self.at).unwrap_or_default(), radix)
        };
        if radix == 10 && matches!(self.peek(), Some(b'j' | b'J')) {
            self.at += 1;
            kind = Kind::Imaginary;
        }
        if radix == 10 && matches!(kind, Kind::Int(_) | Kind::BigInt) {
            self.check_decimal(start)?;
        }
        let name = self.name();
        if !name.is_empty() && !(self.python2 && name == "L") {
            return Err(self.unexpected("no letter or digit after the number"));
        }
        Ok(kind)
    }

    /// Digits, fraction and exponent.
    fn decimal(&mut self) -> Result<Kind> {
        let start = self.at;
        if self.peek() != Some(b'.') {
            self.digits(10)?;
        }
        let mut kind = integer(self.text.get(start..self.at).unwrap_or_default(), 10);
        if self.peek() == Some(b'.') {
            kind = Kind::Float;
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.digits(10)?;
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.peek_at(1), Some(b'+' | b'-')));
            if self.peek_at(1 + sign).is_some_and(|byte| byte.is_ascii_digit()) {
                kind = Kind::Float;
                self.at += 1 + sign;
                self.digits(10)?;
            }
        }
        Ok(kind)
    }

    /// Skips one or more digits with single underscores between them.
    fn digits(&mut self, radix: u32) -> Result<()> {
        let wanted = if radix == 10 { "a digit" } else { "a digit of the number's base" };
        let is_digit = |byte: Option<u8>| byte.is_some_and(|byte| char::from(byte).is_digit(radix));
        loop {
            if !is_digit(self.peek()) {
                return Err(self.unexpected(wanted));
            }
            while is_digit(self.peek()) {
                self.at += 1;
            }
            if self.peek() != Some(b'_') {
                return Ok(());
            }
            self.at += 1;
        }
    }

    /// Refuses `03` and more than 4300 digits, but not any number of zeros.
    fn check_decimal(&self, start: usize) -> Result<()> {
        let written = self.text.get(start..self.at).unwrap_or_default();
        if written.bytes().all(|byte| matches!(byte, b'0' | b'_')) {
            return Ok(());
        }
        if written.starts_with('0') {
            return Err(syntax(self.text, start, "an integer without leading zeros"));
        }
        let digits = written.bytes().filter(|&byte| byte != b'_').count();
        if digits > MAX_DIGITS {
            let found = format!("an integer of {digits} digits");
            return Err(syntax_of(self.text, start, found, "at most 4300 digits"));
        }
        Ok(())
    }

    /// Reads a string from its quote on.
    fn string(&mut self, prefix: &str) -> Result<Kind> {
        let at = self.at;
        let is_raw = prefix.contains(['r', 'R']);
        let is_bytes = prefix.contains(['b', 'B']);
        let (quote, triple) = match self.peek() {
            Some(b'"') => ('"', "\"\"\""),
            _ => ('\'', "'''"),
        };
        let is_triple = self.rest().starts_with(triple);
        self.at += if is_triple { 3 } else { 1 };
        let mut value = String::new();
        loop {
            let Some(character) = self.rest().chars().next() else {
                return Err(syntax_of(self.text, at, "a string without an end".into(), "its closing quote"));
            };
            match character {
                _ if character == quote && !is_triple => {
                    self.at += 1;
                    break;
                }
                _ if character == quote && self.rest().starts_with(triple) => {
                    self.at += 3;
                    break;
                }
                '\n' | '\r' if is_triple => {
                    self.newline();
                    value.push('\n');
                }
                '\n' | '\r' => return Err(self.unexpected("the string's closing quote")),
                '\\' if is_raw => {
                    value.push('\\');
                    self.at += 1;
                    // Not even a raw string ends at a quote after a backslash.
                    if self.newline() {
                        value.push('\n');
                    } else if let Some(escaped @ ('\\' | '\'' | '"')) = self.rest().chars().next() {
                        value.push(escaped);
                        self.at += 1;
                    }
                }
                '\\' => self.escape(is_bytes, &mut value)?,
                _ if is_bytes && !character.is_ascii() => {
                    return Err(self.unexpected("only ASCII in bytes"));
                }
                _ => {
                    value.push(character);
                    self.at += character.len_utf8();
                }
            }
        }
        if is_bytes {
            // Every character of bytes is below U+0100.
            let bytes = value.chars().filter_map(|character| u8::try_from(u32::from(character)).ok());
            return Ok(Kind::Bytes(bytes.collect()));
        }
        Ok(Kind::Str(value))
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
                        reason: "a lone surrogate is no character, and has no UTF-8".to_string(),
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
                let found = shortened(&str_repr(name.unwrap_or("no {name}")));
                Err(syntax_of(self.text, self.at, found, "the name of a printable ASCII character after \\N"))
            }
        }
    }
}

/// The value of digits that are known to be of the radix.
fn integer(digits: &str, radix: u32) -> Kind {
    let mut value: i64 = 0;
    for digit in digits.chars().filter_map(|character| character.to_digit(radix)) {
        match value.checked_mul(i64::from(radix)).and_then(|value| value.checked_add(i64::from(digit))) {
            Some(next) => value = next,
            None => return Kind::BigInt,
        }
    }
    Kind::Int(value)
}

/// The printable ASCII character of a Unicode name, in any case.
fn ascii_named(name: &str) -> Option<char> {
    const DIGITS: [&str; 10] = ["ZERO", "ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE"];
    const OTHERS: [(char, &str); 33] = [
        (' ', "SPACE"),
        ('!', "EXCLAMATION MARK"),
        ('"', "QUOTATION MARK"),
        ('#', "NUMBER SIGN"),
        ('$', "DOLLAR SIGN"),
        ('%', "PERCENT SIGN"),
        ('&', "AMPERSAND"),
        ('\'', "APOSTROPHE"),
        ('(', "LEFT PARENTHESIS"),
        (')', "RIGHT PARENTHESIS"),
        ('*', "ASTERISK"),
        ('+', "PLUS SIGN"),
        (',', "COMMA"),
        ('-', "HYPHEN-MINUS"),
        ('.', "FULL STOP"),
        ('/', "SOLIDUS"),
        (':', "COLON"),
        (';', "SEMICOLON"),
        ('<', "LESS-THAN SIGN"),
        ('=', "EQUALS SIGN"),
        ('>', "GREATER-THAN SIGN"),
        ('?', "QUESTION MARK"),
        ('@', "COMMERCIAL AT"),
        ('[', "LEFT SQUARE BRACKET"),
        ('\\', "REVERSE SOLIDUS"),
        (']', "RIGHT SQUARE BRACKET"),
        ('^', "CIRCUMFLEX ACCENT"),
        ('_', "LOW LINE"),
        ('`', "GRAVE ACCENT"),
        ('{', "LEFT CURLY BRACKET"),
        ('|', "VERTICAL LINE"),
        ('}', "RIGHT CURLY BRACKET"),
        ('~', "TILDE"),
    ];
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
        .or_else(|| OTHERS.iter().find(|(_, other)| *other == name).map(|&(character, _)| character))
}

/// The error of a text that has the wrong thing at a byte.
pub(super) fn syntax(text: &str, at: usize, wanted: &'static str) -> Error {
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let found = match (rest.chars().next(), rest.get(..word)) {
        (None, _) => "the end".to_string(),
        (Some(first), None | Some("")) => str_repr(first.encode_utf8(&mut [0; 4])),
        (Some(_), Some(word)) => shortened(&str_repr(word)),
    };
    syntax_of(text, at, found, wanted)
}

/// The error of a text that has `found` at a byte.
pub(super) fn syntax_of(text: &str, at: usize, found: String, wanted: &'static str) -> Error {
    Error::HeaderSyntax { at: characters_before(text, at), found, wanted }
}

/// Characters before a byte of a text.
pub(super) fn characters_before(text: &str, at: usize) -> usize {
    text.get(..at).unwrap_or(text).chars().count()
}
