//! The tokens of a Python literal, and the lines they stand on. Knows Python's lexical rules as CPython 3.11 applies
//! them to a text without an encoding line, but not which token may follow which. Strings are in `token/string.rs`.

mod string;

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;

use super::repr::{Repr, shortened, str_repr};
use crate::{Error, Result};

/// Most digits of a decimal integer: Python's default limit, which keeps its conversion from quadratic time.
const MAX_DIGITS: usize = 4300;

/// One token, and the byte of the text at which it starts.
#[derive(Clone, Copy)]
pub(super) struct Token {
    pub(super) at: usize,
    pub(super) kind: Kind,
}

/// What a token is.
#[derive(Clone, Copy)]
pub(super) enum Kind {
    /// `(`, `[` or `{`.
    Open(u8),
    /// `)`, `]` or `}`.
    Close(u8),
    Comma,
    Colon,
    Plus,
    Minus,
    /// A value of its own, which [`Lexer::atom`] has yet to read.
    Atom,
    /// The end of the line (outside of brackets) or of the text.
    End,
}

/// A value without parts. Numbers other than small integers are not evaluated: nothing in a header may be one.
#[derive(Debug, PartialEq)]
pub(super) enum Atom<'a> {
    /// Borrowed where the text between the quotes is the string.
    Str(Cow<'a, str>),
    Bytes(Vec<u8>),
    Int(i64),
    /// An integer beyond 64 bits.
    BigInt,
    Float,
    Imaginary,
    Bool(bool),
    None,
    Ellipsis,
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
            return Err(syntax(text, at, "text without NULs"));
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
            let is_blank = self.newline() || (is_comment && self.peek().is_none());
            if !is_blank {
                return Ok(if continued == 0 { column } else { continued });
            }
        }
    }

    /// The text not read yet, for the error that it is too much.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// Reads the next token; of an atom only where it starts. After [`Kind::End`] come the next lines, or
    /// [`Kind::End`] again.
    pub(super) fn next(&mut self) -> Result<Token> {
        self.white_space()?;
        let at = self.at;
        let kind = match self.peek() {
            None => return Ok(Token { at, kind: Kind::End }),
            Some(b'\n' | b'\r') => {
                self.newline();
                return Ok(Token { at, kind: Kind::End });
            }
            Some(byte @ (b'(' | b'[' | b'{')) => {
                self.depth += 1;
                Kind::Open(byte)
            }
            Some(byte @ (b')' | b']' | b'}')) => {
                self.depth = self.depth.saturating_sub(1);
                Kind::Close(byte)
            }
            Some(b',') => Kind::Comma,
            Some(b':') => Kind::Colon,
            Some(b'+') => Kind::Plus,
            Some(b'-') => Kind::Minus,
            Some(_) => return Ok(Token { at, kind: Kind::Atom }),
        };
        self.at += 1;
        Ok(Token { at, kind })
    }

    /// Reads the atom that [`next`](Self::next) has come upon, and returns it with the byte at which it ends.
    pub(super) fn atom(&mut self) -> Result<(Atom<'a>, usize)> {
        let atom = match self.peek() {
            Some(b'\'' | b'"') => self.string("")?,
            Some(b'.') if self.rest().starts_with("...") => {
                self.at += 3;
                Atom::Ellipsis
            }
            Some(b'.') if !self.peek_at(1).is_some_and(|byte| byte.is_ascii_digit()) => {
                return Err(self.unexpected("a Python literal"));
            }
            Some(b'.' | b'0'..=b'9') => {
                let number = self.number()?;
                let end = self.at;
                if self.python2 {
                    self.long_suffixes();
                }
                return Ok((number, end));
            }
            _ => self.word()?,
        };
        Ok((atom, self.at))
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
            self.spaces();
            match self.peek() {
                Some(b'\\') => self.continuation()?,
                Some(b'#') => _ = self.comment(),
                Some(b'\n' | b'\r') if self.depth > 0 => _ = self.newline(),
                _ => return Ok(()),
            }
        }
    }

    /// Skips white space within a line.
    fn spaces(&mut self) {
        let rest = self.rest().bytes();
        self.at += rest.take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c')).count();
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
        let end = rest.bytes().position(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric() && byte != b'_');
        rest.get(..end.unwrap_or(rest.len())).unwrap_or_default()
    }

    fn word(&mut self) -> Result<Atom<'a>> {
        let name = self.name();
        let kind = match name {
            "True" => Atom::Bool(true),
            "False" => Atom::Bool(false),
            "None" => Atom::None,
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
            self.spaces();
            while self.peek() == Some(b'\\') && self.continuation().is_ok() {
                self.spaces();
            }
            if self.name() != "L" {
                self.at = before;
                return;
            }
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<Atom<'a>> {
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
            kind = Atom::Imaginary;
        }
        if radix == 10 && matches!(kind, Atom::Int(_) | Atom::BigInt) {
            self.check_decimal(start)?;
        }
        match self.name() {
            "" => Ok(kind),
            "L" if self.python2 => Ok(kind),
            _ => Err(self.unexpected("the end of the number")),
        }
    }

    /// Digits, fraction and exponent.
    fn decimal(&mut self) -> Result<Atom<'a>> {
        let start = self.at;
        if self.peek() != Some(b'.') {
            self.digits(10)?;
        }
        let mut kind = integer(self.text.get(start..self.at).unwrap_or_default(), 10);
        if self.peek() == Some(b'.') {
            kind = Atom::Float;
            self.at += 1;
            if self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
                self.digits(10)?;
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(self.peek_at(1), Some(b'+' | b'-')));
            if self.peek_at(1 + sign).is_some_and(|byte| byte.is_ascii_digit()) {
                kind = Atom::Float;
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
}

/// The value of digits that are known to be of the radix.
fn integer(digits: &str, radix: u32) -> Atom<'static> {
    let mut value: i64 = 0;
    for digit in digits.bytes().filter_map(|byte| char::from(byte).to_digit(radix)) {
        match value.checked_mul(i64::from(radix)).and_then(|value| value.checked_add(i64::from(digit))) {
            Some(next) => value = next,
            None => return Atom::BigInt,
        }
    }
    Atom::Int(value)
}

/// The error of a text that has the wrong thing at a byte.
pub(super) fn syntax(text: &str, at: usize, wanted: &'static str) -> Error {
    let rest = text.get(at..).unwrap_or_default();
    let word = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let found = match (rest.chars().next(), rest.get(..word)) {
        (None, _) => "the end".to_string(),
        (Some(first), None | Some("")) => str_repr(first.encode_utf8(&mut [0; 4])),
        (Some(_), Some(word)) => shortened(&Repr(word)),
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
