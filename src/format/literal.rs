//! Python literals: what `ast.literal_eval` makes of a text, in linear time and without recursion. Knows which token
//! may follow which; the tokens are in `token.rs`, and what a header means by them is not known here.

use alloc::format;
use alloc::string::{String, ToString};
use alloc::vec::Vec;
use core::fmt::{self, Display};

use super::repr::{BytesRepr, Repr, shortened};
use super::token::{Kind, Lexer, Token, characters_before, syntax, syntax_of};
use crate::{Error, Result};

/// Brackets inside of each other: the limit of CPython's tokenizer. It bounds the recursion of all that walks a
/// [`Node`] or a `DType` made of one, drop included.
pub(super) const MAX_DEPTH: usize = 200;

/// One value of a literal.
#[derive(Debug, PartialEq)]
pub(super) struct Node {
    /// The first byte in the text, parentheses around the value excluded.
    pub(super) at: usize,
    /// One past the last byte in the text.
    pub(super) end: usize,
    /// Whether the value stands in parentheses of its own: `(3)`, which is no tuple.
    pub(super) parenthesized: bool,
    /// What it is.
    pub(super) value: Literal,
}

/// A Python value. Numbers that no header may hold are kept as they are written.
#[derive(Debug, PartialEq)]
pub(super) enum Literal {
    Str(String),
    Bytes(Vec<u8>),
    Int(i64),
    /// An integer beyond 64 bits.
    BigInt(String),
    Float(String),
    Complex(String),
    Bool(bool),
    None,
    Ellipsis,
    Tuple(Vec<Node>),
    List(Vec<Node>),
    /// Items in the order of the text; of equal keys, Python keeps the last value.
    Dict(Vec<(Node, Node)>),
    Set(Vec<Node>),
}

/// Reads the one literal of a text.
///
/// `python2` is for headers up to version 2.0. What Python does not parse there, NumPy takes apart and puts together
/// again, which drops the `L` after numbers, for which it is done, but also indentation of the first line and a last
/// line of nothing but white space.
pub(super) fn parse(text: &str, python2: bool) -> Result<Node> {
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

impl Node {
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
struct Operand {
    node: Node,
    role: Role,
    hashable: bool,
}

/// An operator that waits for its operand.
struct Sign {
    at: usize,
    character: char,
    left: Option<Node>,
}

/// A bracket that is open, with what it holds so far.
struct Frame {
    at: usize,
    bracket: Bracket,
    items: Vec<Node>,
    pairs: Vec<(Node, Node)>,
    /// The key whose value is next.
    key: Option<Node>,
    sign: Option<Sign>,
    value: Option<Operand>,
    /// Whether all items are hashable: a tuple is if they are.
    hashable: bool,
}

impl Frame {
    fn new(at: usize, bracket: Bracket) -> Self {
        let (items, pairs) = (Vec::new(), Vec::new());
        Self { at, bracket, items, pairs, key: None, sign: None, value: None, hashable: true }
    }
}

struct Parser<'a> {
    text: &'a str,
    /// The brackets around the innermost one.
    frames: Vec<Frame>,
    /// The innermost open bracket.
    top: Frame,
}

impl Parser<'_> {
    fn run(mut self, lexer: &mut Lexer<'_>) -> Result<Node> {
        loop {
            let token = lexer.next()?;
            match token.kind {
                Kind::Open(byte) => self.open(token.at, byte)?,
                Kind::Close(byte) => self.close(&token, byte)?,
                Kind::Comma => self.comma(token.at)?,
                Kind::Colon => self.colon(token.at)?,
                Kind::Plus => self.sign(token.at, '+')?,
                Kind::Minus => self.sign(token.at, '-')?,
                Kind::End => return self.end(token.at),
                _ => self.atom(token)?,
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

    fn atom(&mut self, token: Token) -> Result<()> {
        let Token { at, end, kind } = token;
        if let (Some(Operand { node, role: Role::Str, .. }), Kind::Str(_) | Kind::Bytes(_)) =
            (&mut self.top.value, &kind)
        {
            node.end = end;
            match (&mut node.value, &kind) {
                (Literal::Str(left), Kind::Str(right)) => left.push_str(right),
                (Literal::Bytes(left), Kind::Bytes(right)) => left.extend_from_slice(right),
                _ => return Err(self.wants(at, "no mixture of str and bytes")),
            }
            return Ok(());
        }
        if self.top.value.is_some() {
            return Err(self.wants(at, self.after_value()));
        }
        let written = || self.text.get(at..end).unwrap_or_default().to_string();
        let (value, role) = match kind {
            Kind::Str(text) => (Literal::Str(text), Role::Str),
            Kind::Bytes(bytes) => (Literal::Bytes(bytes), Role::Str),
            Kind::Int(value) => (Literal::Int(value), Role::Real),
            Kind::BigInt => (Literal::BigInt(written().replace('_', "")), Role::Real),
            Kind::Float => (Literal::Float(written()), Role::Real),
            Kind::Imaginary => (Literal::Complex(written()), Role::Imaginary),
            Kind::Bool(value) => (Literal::Bool(value), Role::Other),
            Kind::None => (Literal::None, Role::Other),
            _ => (Literal::Ellipsis, Role::Other),
        };
        self.operand(Operand { node: Node { at, end, parenthesized: false, value }, role, hashable: true })
    }

    /// Takes a complete value, and applies the operator before it.
    fn operand(&mut self, mut operand: Operand) -> Result<()> {
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

    fn close(&mut self, token: &Token, byte: u8) -> Result<()> {
        let wants_value = self.top.sign.is_some() || self.top.key.is_some();
        let opened = match self.top.bracket {
            Bracket::Line => 0,
            Bracket::Paren => b')',
            Bracket::List => b']',
            Bracket::Brace | Bracket::Dict | Bracket::Set => b'}',
        };
        if self.top.value.is_none() && (opened != byte || wants_value) {
            return Err(self.wants(token.at, "a value"));
        }
        let wants_key = self.top.bracket == Bracket::Dict && self.top.value.is_some() && self.top.key.is_none();
        if opened != byte || wants_key {
            return Err(self.wants(token.at, self.after_value()));
        }
        let only = self.top.items.is_empty().then(|| self.top.value.take_if(|_| byte == b')')).flatten();
        let operand = match only {
            Some(Operand { node, role, hashable }) => {
                let role = if role == Role::Str { Role::Other } else { role };
                Operand { node: Node { parenthesized: true, ..node }, role, hashable }
            }
            None => {
                self.store()?;
                let Frame { at, items, pairs, hashable, .. } =
                    core::mem::replace(&mut self.top, Frame::new(0, Bracket::Line));
                let (value, hashable) = match opened {
                    b')' => (Literal::Tuple(items), hashable),
                    b']' => (Literal::List(items), false),
                    _ if items.is_empty() => (Literal::Dict(pairs), false),
                    _ => (Literal::Set(items), false),
                };
                Operand { node: Node { at, end: token.end, parenthesized: false, value }, role: Role::Other, hashable }
            }
        };
        // A bracket other than the line has one around it.
        if let Some(outer) = self.frames.pop() {
            self.top = outer;
        }
        self.operand(operand)
    }

    fn end(mut self, at: usize) -> Result<Node> {
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

impl Display for Node {
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
