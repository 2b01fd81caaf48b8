//! Python literals: what `ast.literal_eval` makes of a text, in linear time and without recursion. Knows which token
//! may follow which; the tokens are in `token.rs`, and what a header means by them is not known here.

use alloc::borrow::Cow;
use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

use super::repr::{BytesRepr, Repr, shortened};
use super::token::{Atom, Kind, Lexer, characters_before, syntax, syntax_of};
use crate::{Error, Result};

/// Brackets inside of each other: the limit of CPython's tokenizer. It bounds the recursion of all that walks a
/// [`Node`] or a `DType` made of one, drop included.
pub(super) const MAX_DEPTH: usize = 200;

/// One value of a literal.
#[derive(Debug, PartialEq)]
pub(super) struct Node<'a> {
    /// The first byte in the text, parentheses around the value excluded.
    pub(super) at: usize,
    /// One past the last byte in the text.
    pub(super) end: usize,
    /// Whether the value stands in parentheses of its own: `(3)`, which is no tuple.
    pub(super) parenthesized: bool,
    /// What it is.
    pub(super) value: Literal<'a>,
}

/// A Python value. Numbers that no header may hold are kept as they are written.
#[derive(Debug, PartialEq)]
pub(super) enum Literal<'a> {
    Str(Cow<'a, str>),
    Bytes(Vec<u8>),
    Int(i64),
    /// An integer beyond 64 bits.
    BigInt(String),
    Float(String),
    Complex(String),
    Bool(bool),
    None,
    Ellipsis,
    Tuple(Vec<Node<'a>>),
    List(Vec<Node<'a>>),
    /// Items in the order of the text; of equal keys, Python keeps the last value.
    Dict(Vec<(Node<'a>, Node<'a>)>),
    Set(Vec<Node<'a>>),
}

/// Reads the one literal of a text.
///
/// `python2` is for headers up to version 2.0. What Python does not parse there, NumPy takes apart and puts together
/// again, which drops the `L` after numbers, for which it is done, but also indentation of the first line and a last
/// line of nothing but white space.
pub(super) fn parse(text: &str, python2: bool) -> Result<Node<'_>> {
    let mut lexer = Lexer::new(text, python2)?;
    let indentation = lexer.blank_lines()?;
    let is_first_line = !text.get(..lexer.at()).unwrap_or(text).contains(['\n', '\r']);
    if indentation > 0 && !(python2 && is_first_line) {
        return Err(syntax(text, lexer.at(), "no indentation"));
    }
    let node = Parser { text, frames: Vec::new(), top: Frame::new(0, Bracket::Line) }.run(&mut lexer)?;
    let column = lexer.blank_lines()?;
    if lexer.at() < text.len() {
        return Err(syntax(text, lexer.at(), "nothing after the literal"));
    }
    let last_line = text.trim_end_matches([' ', '\t', '\x0c']);
    if column > 0 && !(python2 && last_line.ends_with('\n')) {
        return Err(syntax(text, lexer.at(), "a newline after the last line's white space"));
    }
    Ok(node)
}

impl Node<'_> {
    /// Returns Python's repr, cut after 80 characters.
    pub(super) fn shortened(&self) -> String {
        shortened(self)
    }

    /// Returns Python's name of the type, with its article.
    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Literal::Str(_) => "a str",
            Literal::Bytes(_) => "a bytes",
            Literal::Int(_) | Literal::BigInt(_) => "an int",
            Literal::Float(_) => "a float",
            Literal::Complex(_) => "a complex",
            Literal::Bool(_) => "a bool",
            Literal::None => "None",
            Literal::Ellipsis => "an Ellipsis",
            Literal::Tuple(_) => "a tuple",
            Literal::List(_) => "a list",
            Literal::Dict(_) => "a dict",
            Literal::Set(_) => "a set",
        }
    }
}

/// Which bracket is open, and what it turned out to be.
#[derive(Clone, Copy, PartialEq)]
enum Bracket {
    /// None: the line itself.
    Line,
    Paren,
    List,
    /// `{`, of which a colon makes a dict and a comma a set.
    Brace,
    Dict,
    Set,
}

/// What a value may be an operand of.
#[derive(Clone, Copy, PartialEq)]
enum Role {
    /// A string just read, to which the next one is added.
    Str,
    /// An int or float without a sign: may take one, and may stand left of a complex sum.
    Real,
    /// The same with its sign.
    SignedReal,
    /// `2j`: may take a sign, and may stand right of a complex sum.
    Imaginary,
    Other,
}

/// A value that an operator may still follow.
struct Operand<'a> {
    node: Node<'a>,
    role: Role,
    hashable: bool,
}

/// An operator that waits for its operand.
struct Sign<'a> {
    at: usize,
    character: char,
    left: Option<Node<'a>>,
}

/// A bracket that is open, with what it holds so far.
struct Frame<'a> {
    at: usize,
    bracket: Bracket,
    items: Vec<Node<'a>>,
    pairs: Vec<(Node<'a>, Node<'a>)>,
    /// The key whose value is next.
    key: Option<Node<'a>>,
    sign: Option<Sign<'a>>,
    value: Option<Operand<'a>>,
    /// Whether all items are hashable: a tuple is if they are.
    hashable: bool,
}

impl Frame<'_> {
    fn new(at: usize, bracket: Bracket) -> Self {
        let (items, pairs) = (Vec::new(), Vec::new());
        Self { at, bracket, items, pairs, key: None, sign: None, value: None, hashable: true }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The brackets around the innermost one.
    frames: Vec<Frame<'a>>,
    /// The innermost open bracket.
    top: Frame<'a>,
}

impl<'a> Parser<'a> {
    fn run(mut self, lexer: &mut Lexer<'a>) -> Result<Node<'a>> {
        loop {
            let token = lexer.next()?;
            match token.kind {
                Kind::Open(byte) => self.open(token.at, byte)?,
                Kind::Close(byte) => self.close(token.at, byte)?,
                Kind::Comma => self.comma(token.at)?,
                Kind::Colon => self.colon(token.at)?,
                Kind::Plus => self.sign(token.at, '+')?,
                Kind::Minus => self.sign(token.at, '-')?,
                Kind::Atom => {
                    let (atom, end) = lexer.atom()?;
                    self.atom(token.at, end, atom)?;
                }
                Kind::End => return self.end(token.at),
            }
        }
    }

    fn wants(&self, at: usize, wanted: &'static str) -> Error {
        syntax(self.text, at, wanted)
    }

    /// What may follow a complete value.
    fn after_value(&self) -> &'static str {
        match self.top.bracket {
            Bracket::Line => "the end of the header",
            Bracket::Paren => "',' or ')'",
            Bracket::List => "',' or ']'",
            Bracket::Dict if self.top.key.is_none() => "':' after the dictionary's key",
            Bracket::Brace => "':', ',' or '}'",
            Bracket::Dict | Bracket::Set => "',' or '}'",
        }
    }

    fn open(&mut self, at: usize, byte: u8) -> Result<()> {
        if self.top.value.is_some() {
            return Err(self.wants(at, self.after_value()));
        }
        if self.frames.len() == MAX_DEPTH {
            return Err(Error::HeaderTooDeep { at: characters_before(self.text, at), limit: MAX_DEPTH });
        }
        let bracket = match byte {
            b'(' => Bracket::Paren,
            b'[' => Bracket::List,
            _ => Bracket::Brace,
        };
        self.frames.push(core::mem::replace(&mut self.top, Frame::new(at, bracket)));
        Ok(())
    }

    fn atom(&mut self, at: usize, end: usize, atom: Atom<'a>) -> Result<()> {
        if let (Some(Operand { node, role: Role::Str, .. }), Atom::Str(_) | Atom::Bytes(_)) =
            (&mut self.top.value, &atom)
        {
            node.end = end;
            match (&mut node.value, &atom) {
                (Literal::Str(left), Atom::Str(right)) => left.to_mut().push_str(right),
                (Literal::Bytes(left), Atom::Bytes(right)) => left.extend_from_slice(right),
                _ => return Err(self.wants(at, "no mixture of str and bytes")),
            }
            return Ok(());
        }
        if self.top.value.is_some() {
            return Err(self.wants(at, self.after_value()));
        }
        let written = || self.text.get(at..end).unwrap_or_default().to_string();
        let (value, role) = match atom {
            Atom::Str(text) => (Literal::Str(text), Role::Str),
            Atom::Bytes(bytes) => (Literal::Bytes(bytes), Role::Str),
            Atom::Int(value) => (Literal::Int(value), Role::Real),
            Atom::BigInt => (Literal::BigInt(written().replace('_', "")), Role::Real),
            Atom::Float => (Literal::Float(written()), Role::Real),
            Atom::Imaginary => (Literal::Complex(written()), Role::Imaginary),
            Atom::Bool(value) => (Literal::Bool(value), Role::Other),
            Atom::None => (Literal::None, Role::Other),
            Atom::Ellipsis => (Literal::Ellipsis, Role::Other),
        };
        self.operand(Operand { node: Node { at, end, parenthesized: false, value }, role, hashable: true })
    }

    /// Takes a complete value, and applies the operator before it.
    fn operand(&mut self, mut operand: Operand<'a>) -> Result<()> {
        if let Some(sign) = self.top.sign.take() {
            match (sign.left, operand.role) {
                (Some(left), Role::Imaginary) => {
                    let value = Literal::Complex(format!("{left}{}{}", sign.character, operand.node));
                    operand.node = Node { value, at: left.at, end: operand.node.end, parenthesized: false };
                    operand.role = Role::Other;
                }
                (Some(_), _) => return Err(self.wants(sign.at, "no sum but of a real and an imaginary number")),
                (None, Role::Real | Role::Imaginary) => {
                    operand.node.at = sign.at;
                    operand.node.parenthesized = false;
                    operand.role = if operand.role == Role::Real { Role::SignedReal } else { Role::Other };
                    if sign.character == '-' {
                        match &mut operand.node.value {
                            // What is read without its sign is not negative.
                            Literal::Int(value) => *value = value.saturating_neg(),
                            Literal::BigInt(text) | Literal::Float(text) | Literal::Complex(text) => {
                                text.insert(0, '-');
                            }
                            _ => {}
                        }
                    }
                }
                (None, _) => return Err(self.wants(sign.at, "one sign at most, before a number")),
            }
        }
        self.top.value = Some(operand);
        Ok(())
    }

    fn sign(&mut self, at: usize, character: char) -> Result<()> {
        if self.top.sign.is_some() {
            return Err(self.wants(at, "a number after the sign"));
        }
        let left = match self.top.value.take() {
            None => None,
            Some(Operand { node, role: Role::Real | Role::SignedReal, .. }) => Some(node),
            Some(_) => return Err(self.wants(at, self.after_value())),
        };
        self.top.sign = Some(Sign { at, character, left });
        Ok(())
    }

    /// Moves a complete value into its container.
    fn store(&mut self) -> Result<()> {
        let Some(Operand { node, hashable, .. }) = self.top.value.take() else { return Ok(()) };
        match (self.top.bracket, self.top.key.take()) {
            (_, Some(key)) => self.top.pairs.push((key, node)),
            (Bracket::Brace | Bracket::Set, None) => {
                self.top.bracket = Bracket::Set;
                self.check_hashable(&node, hashable)?;
                self.top.items.push(node);
            }
            (_, None) => {
                self.top.hashable &= hashable;
                self.top.items.push(node);
            }
        }
        Ok(())
    }

    fn check_hashable(&self, node: &Node, hashable: bool) -> Result<()> {
        if hashable {
            return Ok(());
        }
        Err(syntax_of(self.text, node.at, node.shortened(), "a value that Python can hash"))
    }

    fn comma(&mut self, at: usize) -> Result<()> {
        if self.top.value.is_none() {
            return Err(self.wants(at, "a value"));
        }
        if self.top.bracket == Bracket::Dict && self.top.key.is_none() {
            return Err(self.wants(at, self.after_value()));
        }
        self.store()
    }

    fn colon(&mut self, at: usize) -> Result<()> {
        if !matches!(self.top.bracket, Bracket::Brace | Bracket::Dict) || self.top.key.is_some() {
            return Err(self.wants(at, self.after_value()));
        }
        let Some(Operand { node, hashable, .. }) = self.top.value.take() else {
            return Err(self.wants(at, "a dictionary's key"));
        };
        self.check_hashable(&node, hashable)?;
        self.top.bracket = Bracket::Dict;
        self.top.key = Some(node);
        Ok(())
    }

    fn close(&mut self, at: usize, byte: u8) -> Result<()> {
        let wants_value = self.top.sign.is_some() || self.top.key.is_some();
        let opened = match self.top.bracket {
            Bracket::Line => 0,
            Bracket::Paren => b')',
            Bracket::List => b']',
            Bracket::Brace | Bracket::Dict | Bracket::Set => b'}',
        };
        if self.top.value.is_none() && (opened != byte || wants_value) {
            return Err(self.wants(at, "a value"));
        }
        let wants_key = self.top.bracket == Bracket::Dict && self.top.value.is_some() && self.top.key.is_none();
        if opened != byte || wants_key {
            return Err(self.wants(at, self.after_value()));
        }
        let only = self.top.items.is_empty().then(|| self.top.value.take_if(|_| byte == b')')).flatten();
        let operand = match only {
            Some(Operand { node, role, hashable }) => {
                let role = if role == Role::Str { Role::Other } else { role };
                Operand { node: Node { parenthesized: true, ..node }, role, hashable }
            }
            None => {
                self.store()?;
                let Frame { at: start, items, pairs, hashable, .. } =
                    core::mem::replace(&mut self.top, Frame::new(0, Bracket::Line));
                let (value, hashable) = match opened {
                    b')' => (Literal::Tuple(items), hashable),
                    b']' => (Literal::List(items), false),
                    _ if items.is_empty() => (Literal::Dict(pairs), false),
                    _ => (Literal::Set(items), false),
                };
                Operand {
                    node: Node { at: start, end: at + 1, parenthesized: false, value },
                    role: Role::Other,
                    hashable,
                }
            }
        };
        // A bracket other than the line has one around it.
        if let Some(outer) = self.frames.pop() {
            self.top = outer;
        }
        self.operand(operand)
    }

    fn end(mut self, at: usize) -> Result<Node<'a>> {
        if self.top.bracket != Bracket::Line {
            let wanted = match self.top.bracket {
                Bracket::Paren => "the ')' of an open bracket",
                Bracket::List => "the ']' of an open bracket",
                _ => "the '}' of an open bracket",
            };
            return Err(self.wants(at, wanted));
        }
        let value = self.top.value.take();
        match (value, self.top.items.as_slice()) {
            (Some(Operand { node, .. }), []) => Ok(node),
            (None, []) => Err(self.wants(at, "a value")),
            (value, [first, ..]) if self.top.sign.is_none() => {
                let first = first.at;
                self.top.items.extend(value.map(|operand| operand.node));
                let end = self.top.items.last().map_or(first, |last| last.end);
                Ok(Node { at: first, end, parenthesized: false, value: Literal::Tuple(self.top.items) })
            }
            _ => Err(self.wants(at, "a value")),
        }
    }
}

impl Display for Node<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.value {
            Literal::Str(text) => Repr(text).fmt(f),
            Literal::Bytes(bytes) => BytesRepr(bytes).fmt(f),
            Literal::Int(value) => value.fmt(f),
            Literal::BigInt(text) | Literal::Float(text) => f.write_str(text),
            Literal::Complex(text) => f.write_str(text),
            Literal::Bool(true) => f.write_str("True"),
            Literal::Bool(false) => f.write_str("False"),
            Literal::None => f.write_str("None"),
            Literal::Ellipsis => f.write_str("Ellipsis"),
            Literal::Tuple(items) => fmt_items(f, "(", items, if items.len() == 1 { ",)" } else { ")" }),
            Literal::List(items) => fmt_items(f, "[", items, "]"),
            Literal::Set(items) => fmt_items(f, "{", items, "}"),
            Literal::Dict(pairs) => {
                let mut separator = "{";
                for (key, value) in pairs {
                    write!(f, "{separator}{key}: {value}")?;
                    separator = ", ";
                }
                f.write_str(if pairs.is_empty() { "{}" } else { "}" })
            }
        }
    }
}

fn fmt_items(f: &mut fmt::Formatter<'_>, open: &str, items: &[Node], close: &str) -> fmt::Result {
    f.write_str(open)?;
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            f.write_str(", ")?;
        }
        item.fmt(f)?;
    }
    f.write_str(close)
}

#[cfg(test)]
mod tests {
    extern crate std;

    use super::*;
    use proptest::prelude::*;

    fn read(text: &str) -> Node<'_> {
        parse(text, false).unwrap_or_else(|error| panic!("{text:?}: {error}"))
    }

    fn error(text: &str) -> String {
        match parse(text, false) {
            Ok(node) => panic!("{text:?} reads as {node}"),
            Err(error) => error.to_string(),
        }
    }

    /// Compares with what Python's `repr(ast.literal_eval(text))` is.
    fn assert_reads(cases: &[(&str, &str)]) {
        for (text, repr) in cases {
            assert_eq!(read(text).to_string(), *repr, "{text:?}");
        }
    }

    fn assert_refused(texts: &[&str], python2: bool) {
        for text in texts {
            if let Ok(node) = parse(text, python2) {
                panic!("{text:?} reads as {node}");
            }
        }
    }

    #[test]
    fn header_of_numpy_is_a_dictionary_in_order() {
        let node = read("{'descr': [('a', '<i4', (2, 3))], 'fortran_order': False, 'shape': (3, 4), }      \n");
        let Literal::Dict(pairs) = &node.value else { panic!("{node:?}") };
        let keys: Vec<_> = pairs.iter().map(|(key, _)| key.to_string()).collect();
        assert_eq!(keys, ["'descr'", "'fortran_order'", "'shape'"]);
        assert_eq!(pairs[1].1.value, Literal::Bool(false));
        assert_eq!(pairs[2].1.to_string(), "(3, 4)");
        assert_eq!(node.to_string(), "{'descr': [('a', '<i4', (2, 3))], 'fortran_order': False, 'shape': (3, 4)}");
    }

    #[test]
    fn spans_are_bytes_without_parentheses() {
        let text = "{'é': ( 3 ), 'b': (3, 4), 'c': 'x' 'y', 'd': - 5}";
        let Literal::Dict(pairs) = read(text).value else { panic!("{text}") };
        let spans: Vec<_> = pairs.iter().map(|(_, value)| (&text[value.at..value.end], value.parenthesized)).collect();
        assert_eq!(spans, [("3", true), ("(3, 4)", false), ("'x' 'y'", false), ("- 5", false)]);
    }

    #[test]
    fn containers_read_as_python_reads_them() {
        assert_reads(&[
            ("()", "()"),
            ("(3)", "3"),
            ("(3,)", "(3,)"),
            ("((3, 4,))", "(3, 4)"),
            ("[ 1 ,2, ]", "[1, 2]"),
            ("{}", "{}"),
            ("{1, 2,}", "{1, 2}"),
            ("{1: 2, 1: 3}", "{1: 2, 1: 3}"),
            ("{(1, 2): [{}]}", "{(1, 2): [{}]}"),
            ("{'a': 1},", "({'a': 1},)"),
            ("1, 2", "(1, 2)"),
            ("[None, True, False, ...]", "[None, True, False, Ellipsis]"),
        ]);
        assert_refused(
            &["(,)", "[,]", "{,}", "[1,,2]", "{1: 2, 3}", "{1, 2: 3}", "{1:}", "{:1}", "{1 2}", "(1"],
            false,
        );
        assert_refused(
            &["1)", "[1)", "(1]", "1, 2,,", "{**{}}", "[*[]]", "[x for x in []]", "{k: 1 for k in []}"],
            false,
        );
        assert_refused(
            &["dict(a=1)", "a", "true", "nan", "Truex", "'a'.b", "'a'[0]", "()()", "not 1", "lambda: 1"],
            false,
        );
    }

    #[test]
    fn white_space_is_that_of_python() {
        for text in [
            " \t{}",
            "\n{}",
            "\x0c{}",
            "#c\n{}",
            "\\\n{}",
            "\n \x0c{}",
            "\n  #c\n\n\t\n{}",
            "\r{}",
            "{}\r\n\n",
            "{} # c",
            "{}\\\n ",
            "{}\n \\\n\n",
            "{\n\r\n\r}",
            "{ # }\n}",
            "{\\\n}",
            "{}\x0c\n\x0c",
            "{}\n  #c",
        ] {
            assert_eq!(read(text).to_string(), "{}", "{text:?}");
        }
        assert_refused(
            &["\n  {}", "\r {}", "\\\n {}", "\x0c {}", "\n \\\n{}", "{}\\", "{}\\\n", "{}\n\\\n", "{}\n "],
            false,
        );
        assert_refused(
            &["{}\0", "{}\x0b", "{}\u{a0}", "\u{feff}{}", "{}\n{}", "{};", "{} {}", "{\\ \n}", "", "\n"],
            false,
        );
        // In headers up to 2.0, NumPy gives these a second chance.
        for text in ["\x0c {}", "{}\n  ", "{}\r\n\t"] {
            assert!(parse(text, true).is_ok(), "{text:?}");
        }
        assert_refused(&["\n  {}", "{}\r ", "{}\0", "{}\\\n"], true);
    }

    #[test]
    fn strings_read_as_python_reads_them() {
        assert_reads(&[
            (r#"'' "" '''''' "it's""#, r#""it's""#),
            (r"u'a' U'b' r'\n'", r"'ab\\n'"),
            (r"r'\'' R'''\''''", r#""\\'\\'""#),
            (r"'\x41\101\u00e9\U0001F600\N{SPACE}\N{latin small letter q}'", "'AAé😀 q'"),
            (r"'\a\b\f\n\r\t\v\\\'\q\8\é'", r#""\x07\x08\x0c\n\r\t\x0b\\'\\q\\8\\é""#),
            ("'a\\\nb\\\r\nc'", "'abc'"),
            ("'''a\r\nb\rc'''", r"'a\nb\nc'"),
            (r"'''a''b\''''", r#""a''b'""#),
            (r"b'a\xff\400\u00e9' Rb'\x41'", r"b'a\xff\x00\\u00e9\\x41'"),
        ]);
        assert_refused(
            &["'a\nb'", "'a\rb'", "'a", "'''a''", "'\\", "ur'a'", "f'a'", "u 'a'", "'a' b'b'", "b'é'"],
            false,
        );
        assert_refused(
            &[r"'\x4'", r"'\u00e'", r"'\U00110000'", r"b'\x4'", r"'\N'", r"'\N{GREEK SMALL LETTER MU}'"],
            false,
        );
        assert_refused(&["'a'\n'b'", "('a') 'b'", "'\0'", "#\0\n1", "'a' 1"], false);
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
    fn integers_read_as_python_reads_them() {
        assert_reads(&[
            ("0x_fF", "255"),
            ("0o17", "15"),
            ("0b1_01", "5"),
            ("1_000", "1000"),
            ("00_0", "0"),
            ("-0", "0"),
            ("+ 3", "3"),
            ("-(3)", "-3"),
            ("9223372036854775807", "9223372036854775807"),
            ("-9_223372036854775808", "-9223372036854775808"),
        ]);
        assert_eq!(read("-9223372036854775808").value, Literal::BigInt("-9223372036854775808".into()));
        assert_refused(
            &["03", "0_3", "017", "1_", "1__0", "0x", "0x1_", "0o8", "0b12", "3L", "3l", "0xg", "3 4"],
            false,
        );
        assert_refused(&["++3", "--3", "-(-3)", "~3", "1+2", "3*1", "-True", "-'a'", "1 -", "-", "3if 1else 2"], false);
        assert!(parse(&"1".repeat(4300), false).is_ok());
        assert!(parse(&"0".repeat(5000), false).is_ok());
        assert!(parse(&["0x", &"1".repeat(5000)].concat(), false).is_ok());
        assert_eq!(
            error(&"1".repeat(4301)),
            "header has an integer of 4301 digits at its character 0, where at most 4300 digits is wanted"
        );
    }

    #[test]
    fn floats_and_complex_numbers_are_kept_as_written() {
        assert_reads(&[
            ("3.", "3."),
            ("-09.5e-1_0", "-09.5e-1_0"),
            ("012e1", "012e1"),
            ("1e999", "1e999"),
            (".5J", ".5J"),
            ("(1) + (2j)", "1+2j"),
            ("-1-2j", "-1-2j"),
        ]);
        assert_refused(
            &["1.5.2", "1e", "1e+", "1._5", "1_e5", "1+(-2j)", "1+2j+3j", "1j+2j", "-(1+2j)", "True+2j"],
            false,
        );
    }

    #[test]
    fn python2_longs_lose_their_l_where_numpy_drops_it() {
        for text in ["(3L,)", "(3 L,)", "(3\\\n L L,)"] {
            assert_eq!(parse(text, true).unwrap().to_string(), "(3,)");
            assert!(parse(text, false).is_err());
        }
        assert_eq!(parse("('3L', 0x3L, 00L, 1_0L)", true).unwrap().to_string(), "('3L', 3, 0, 10)");
        assert_eq!(parse("3.0L", true).unwrap().value, Literal::Float("3.0".into()));
        assert_refused(&["3l", "3LL", "03L", "L", "(3\nL)", "'a'L", "3Lx", "3L 4"], true);
    }

    #[test]
    fn keys_that_python_cannot_hash_are_refused() {
        assert_refused(&["{[]: 1}", "{{}: 1}", "{{1}: 1}", "{([1],): 1}", "{([1]): 1}", "{[1]}", "{{}}"], false);
        assert_eq!(
            error("{'a': 1, (2, [3]): 4}"),
            "header has (2, [3]) at its character 9, where a value that Python can hash is wanted"
        );
    }

    #[test]
    fn errors_say_what_stands_where() {
        for (text, message) in [
            ("{'é': <f8}", "header has '<' at its character 6, where a Python literal is wanted"),
            ("{'shape': (3l,)}", "header has 'l' at its character 12, where the end of the number is wanted"),
            ("{'a': 1 'b': 2}", "header has \"'\" at its character 8, where ',' or '}' is wanted"),
            ("{'a' 1}", "header has '1' at its character 5, where ':', ',' or '}' is wanted"),
            ("{'a': (1, 2", "header has the end at its character 11, where the ')' of an open bracket is wanted"),
            ("{} nonsense", "header has 'nonsense' at its character 3, where a Python literal is wanted"),
            ("{}\n{}", "header has '{' at its character 3, where nothing after the literal is wanted"),
            ("{}\0", r"header has '\x00' at its character 2, where text without NULs is wanted"),
            ("\n {}", "header has '{' at its character 2, where no indentation is wanted"),
            ("['a", "header has a string without an end at its character 1, where its closing quote is wanted"),
            (
                r"'\N{LATIN SMALL LETTER E WITH ACUTE}'",
                "header has 'LATIN SMALL LETTER E WITH ACUTE' at its character 3, \
                 where the name of a printable ASCII character after \\N is wanted",
            ),
            (
                r"['a\ud800']",
                r"descr '\ud800' is accepted by NumPy only by accident, and refused here: a lone surrogate is no character",
            ),
        ] {
            assert_eq!(error(text), message);
        }
    }

    #[test]
    #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
    fn brackets_nest_200_deep_and_no_deeper() {
        let nested = |depth: usize| ["[".repeat(depth), "]".repeat(depth)].concat();
        assert_eq!(read(&nested(200)).to_string(), nested(200));
        assert_eq!(error(&nested(201)), "header nests brackets more than 200 deep at its character 200");
        assert_eq!(error(&"(".repeat(1_000_000)), "header nests brackets more than 200 deep at its character 200");
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn deepest_literals_fit_a_small_stack() {
        let work = || {
            for (open, close) in [("[", "]"), ("(", ",)"), ("{1: ", "}")] {
                let text = [&open.repeat(199), "()", &close.repeat(199)].concat();
                let node = read(&text);
                assert_eq!(node.to_string(), text);
            }
        };
        std::thread::Builder::new().stack_size(256 << 10).spawn(work).unwrap().join().unwrap();
    }

    #[test]
    #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
    fn operators_and_values_do_not_recurse() {
        assert!(parse(&"-".repeat(1_000_000), true).is_err());
        let many = ["(", &"1, ".repeat(300_000), ")"].concat();
        let Literal::Tuple(items) = read(&many).value else { panic!("no tuple") };
        assert_eq!(items.len(), 300_000);
        assert_eq!(read(&"'a' ".repeat(250_000)).value, Literal::Str("a".repeat(250_000).into()));
        assert!(parse(&["3", &" L".repeat(300_000)].concat(), true).is_ok());
    }

    #[test]
    fn kinds_have_the_names_of_python() {
        let kinds: Vec<_> = ["'a'", "b''", "1", "1.", "1j", "True", "None", "...", "()", "[]", "{}", "{1}"]
            .iter()
            .map(|text| read(text).kind())
            .collect();
        let names = "a str,a bytes,an int,a float,a complex,a bool,None,an Ellipsis,a tuple,a list,a dict,a set";
        assert_eq!(kinds, names.split(',').collect::<Vec<_>>());
    }

    proptest! {
        #[test]
        #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
        fn no_text_panics(text in any::<String>(), python2: bool) {
            let _ = parse(&text, python2);
        }

        #[test]
        #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
        fn no_text_of_python_characters_panics(
            text in r#"([(){}\[\],:'"\\\n\r \tLrbuxN#+.\-0-9ej_é]|True|1,|'a'|\[\]|\{1:){0,20}"#,
            python2: bool,
        ) {
            if let Ok(node) = parse(&text, python2) {
                prop_assert!(text.get(node.at..node.end).is_some_and(|span| !span.is_empty()));
                // What is displayed reads as the same value, but for the name of `...`.
                let repr = node.to_string().replace("Ellipsis", "...");
                let again = parse(&repr, false).unwrap().to_string().replace("Ellipsis", "...");
                prop_assert_eq!(again, repr);
            }
        }

        #[test]
        #[cfg_attr(miri, ignore = "minutes there, and no unsafe code")]
        fn strings_survive_repr_and_back(text in any::<String>()) {
            let repr = Repr(&text).to_string();
            prop_assert_eq!(parse(&repr, false).unwrap().value, Literal::Str(text.into()));
        }

        #[test]
        #[cfg_attr(miri, ignore = "slow there, and no unsafe code")]
        fn bytes_survive_repr_and_back(bytes in any::<Vec<u8>>()) {
            let repr = BytesRepr(&bytes).to_string();
            prop_assert_eq!(parse(&repr, false).unwrap().value, Literal::Bytes(bytes));
        }
    }
}
