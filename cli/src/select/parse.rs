//! The text of a slice, as Python would read it between and with its brackets: `[10:20, ::2, 3]["name"]`.

use std::iter::Peekable;
use std::str::CharIndices;

/// What stands between two brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Group {
    /// One index an axis, from the first axis on.
    Indices(Vec<Index>),
    /// `['name']`
    Field(String),
    /// `[['a', 'b']]`
    Fields(Vec<String>),
}

/// What is taken of one axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Index {
    /// One index, from the end if negative; the axis vanishes.
    At(i64),
    /// `start:stop:step`
    Range {
        /// Where it begins.
        start: Option<i64>,
        /// Where it ends, exclusive.
        stop: Option<i64>,
        /// From one index to the next; not zero.
        step: i64,
    },
    /// `...`: all axes that the other indices leave.
    Ellipsis,
}

/// Reads a slice: groups in brackets, or what stands in the brackets of one.
///
/// The error says what is wrong, and after how many characters.
pub fn parse(text: &str) -> Result<Vec<Group>, String> {
    let mut parser = Parser { text, characters: text.char_indices().peekable() };
    let mut groups = Vec::new();
    parser.spaces();
    if parser.peek() == Some('[') {
        while parser.take('[') {
            groups.push(parser.group(Some(']'))?);
            parser.expect(']', "] or ,")?;
        }
        match parser.peek() {
            None => {}
            Some(_) => return Err(parser.wanted("[, or nothing more")),
        }
    } else {
        groups.push(parser.group(None)?);
    }
    Ok(groups)
}

struct Parser<'a> {
    text: &'a str,
    characters: Peekable<CharIndices<'a>>,
}

impl Parser<'_> {
    /// Everything up to `end`, a bracket or the end of the text, which is left.
    fn group(&mut self, end: Option<char>) -> Result<Group, String> {
        self.spaces();
        match self.peek() {
            Some('\'' | '"') => {
                let name = self.name()?;
                if self.peek() == Some(',') {
                    return Err(self.wrong("several fields are a list: [['a', 'b']]"));
                }
                Ok(Group::Field(name))
            }
            Some('[') => self.names(),
            _ => self.indices(end),
        }
    }

    fn names(&mut self) -> Result<Group, String> {
        self.expect('[', "[")?;
        let mut names = Vec::new();
        while self.peek() != Some(']') {
            match self.peek() {
                Some('\'' | '"') => names.push(self.name()?),
                _ => return Err(self.wrong("a list holds names of fields in quotes")),
            }
            if !self.take(',') {
                break;
            }
        }
        self.expect(']', "] or ,")?;
        if names.is_empty() { Err(self.wrong("a list of no fields")) } else { Ok(Group::Fields(names)) }
    }

    fn indices(&mut self, end: Option<char>) -> Result<Group, String> {
        let mut indices = Vec::new();
        loop {
            let index = self.index()?;
            if index == Index::Ellipsis && indices.contains(&index) {
                return Err(self.wrong("an index can only have a single ellipsis ('...')"));
            }
            indices.push(index);
            if !self.take(',') || self.peek() == end {
                break;
            }
        }
        match self.peek() {
            found if found == end => Ok(Group::Indices(indices)),
            _ => Err(self.wanted(if end.is_some() { "] or ," } else { "a comma" })),
        }
    }

    fn index(&mut self) -> Result<Index, String> {
        if self.peek() == Some('.') {
            for _ in 0..3 {
                self.expect('.', "...")?;
            }
            return Ok(Index::Ellipsis);
        }
        let start = self.number()?;
        if !self.take(':') {
            return match start {
                Some(at) => Ok(Index::At(at)),
                None => Err(self.wanted("an index, a range, ... or a name in quotes")),
            };
        }
        let stop = self.number()?;
        let step = if self.take(':') { self.number()? } else { None };
        match step {
            Some(0) => Err(self.wrong("a step cannot be zero")),
            step => Ok(Index::Range { start, stop, step: step.unwrap_or(1) }),
        }
    }

    /// A number, if there is one; beyond 64 bits the nearest within, which no axis reaches either.
    fn number(&mut self) -> Result<Option<i64>, String> {
        self.spaces();
        let negative = match self.peek() {
            Some('-') => self.take('-'),
            Some('+') => !self.take('+'),
            Some(digit) if digit.is_ascii_digit() => false,
            _ => return Ok(None),
        };
        let mut number: Option<i64> = None;
        while let Some(digit) = self.characters.peek().and_then(|(_, character)| character.to_digit(10)) {
            self.characters.next();
            let digit = if negative { -i64::from(digit) } else { i64::from(digit) };
            number = Some(number.unwrap_or(0).saturating_mul(10).saturating_add(digit));
        }
        self.spaces();
        if number.is_none() { Err(self.wanted("a digit")) } else { Ok(number) }
    }

    /// A string in quotes, with Python's escapes.
    fn name(&mut self) -> Result<String, String> {
        let Some((_, quote)) = self.characters.next() else { return Err(self.wanted("a quote")) };
        let mut name = String::new();
        while let Some((_, character)) = self.characters.next() {
            match character {
                _ if character == quote => {
                    self.spaces();
                    return Ok(name);
                }
                '\\' => name.push(self.escape()?),
                _ => name.push(character),
            }
        }
        Err(self.wanted("a closing quote"))
    }

    fn escape(&mut self) -> Result<char, String> {
        let length = match self.characters.next() {
            Some((_, 'n')) => return Ok('\n'),
            Some((_, 'r')) => return Ok('\r'),
            Some((_, 't')) => return Ok('\t'),
            Some((_, character @ ('\\' | '\'' | '"'))) => return Ok(character),
            Some((_, 'x')) => 2,
            Some((_, 'u')) => 4,
            Some((_, 'U')) => 8,
            _ => return Err(self.wrong("an unknown escape; \\\\ is a backslash")),
        };
        let mut code = 0;
        for _ in 0..length {
            let digit = self.characters.next().and_then(|(_, character)| character.to_digit(16));
            code = digit.map(|digit| code * 16 + digit).ok_or_else(|| self.wanted("a hexadecimal digit"))?;
        }
        char::from_u32(code).ok_or_else(|| self.wrong("an escape of no character"))
    }

    fn peek(&mut self) -> Option<char> {
        self.characters.peek().map(|&(_, character)| character)
    }

    /// Takes a character, with the spaces after it, if it is the next one.
    fn take(&mut self, character: char) -> bool {
        let found = self.characters.next_if(|&(_, next)| next == character).is_some();
        if found {
            self.spaces();
        }
        found
    }

    fn spaces(&mut self) {
        while self.characters.next_if(|(_, character)| character.is_whitespace()).is_some() {}
    }

    fn expect(&mut self, character: char, wanted: &str) -> Result<(), String> {
        if self.take(character) { Ok(()) } else { Err(self.wanted(wanted)) }
    }

    fn wanted(&mut self, wanted: &str) -> String {
        let found = match self.peek() {
            Some(character) => format!("has {character:?}"),
            None => "ends".into(),
        };
        let at = self.at();
        format!("slice {} {found} after {at} characters, where {wanted} is wanted", self.text)
    }

    fn wrong(&mut self, what: &str) -> String {
        let at = self.at();
        format!("slice {} is wrong before its character {at}: {what}", self.text)
    }

    fn at(&mut self) -> usize {
        let at = self.characters.peek().map_or(self.text.len(), |&(at, _)| at);
        self.text.get(..at).unwrap_or_default().chars().count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn range(start: Option<i64>, stop: Option<i64>, step: i64) -> Index {
        Index::Range { start, stop, step }
    }

    #[test]
    fn indices_are_read_with_and_without_brackets() {
        let wanted = vec![Group::Indices(vec![range(Some(10), Some(20), 1), range(None, None, 2), Index::At(3)])];
        assert_eq!(parse("[10:20, ::2, 3]").unwrap(), wanted);
        assert_eq!(parse("10:20,::2,3").unwrap(), wanted);
        assert_eq!(parse(" [ 10 : 20 , : :2,3, ] ").unwrap(), wanted);
        assert_eq!(parse("-5:").unwrap(), [Group::Indices(vec![range(Some(-5), None, 1)])]);
        assert_eq!(parse("[..., -1]").unwrap(), [Group::Indices(vec![Index::Ellipsis, Index::At(-1)])]);
        assert_eq!(parse("[::-1]").unwrap(), [Group::Indices(vec![range(None, None, -1)])]);
    }

    #[test]
    fn fields_are_read_with_pythons_escapes() {
        let field = |name: &str| Group::Field(name.into());
        assert_eq!(parse("['a']").unwrap(), [field("a")]);
        assert_eq!(parse("'a b'").unwrap(), [field("a b")]);
        assert_eq!(parse(r#"["it's\n\x1b\u00e9\\"]"#).unwrap(), [field("it's\n\u{1b}é\\")]);
        let fields = Group::Fields(vec!["a".into(), "b".into()]);
        assert_eq!(parse("[['a', \"b\"]]").unwrap(), std::slice::from_ref(&fields));
        assert_eq!(parse("['a', 'b']").unwrap_err().split(": ").last(), Some("[['a', 'b']]"));
        let two = Group::Indices(vec![range(None, Some(2), 1)]);
        assert_eq!(parse("[['a','b']] [:2]['a']").unwrap(), [fields, two, field("a")]);
    }

    #[test]
    fn numbers_beyond_64_bits_are_beyond_every_axis() {
        assert_eq!(
            parse("-99999999999999999999:99999999999999999999").unwrap(),
            [Group::Indices(vec![range(Some(i64::MIN), Some(i64::MAX), 1)])]
        );
    }

    #[test]
    fn what_is_no_slice_is_refused_where_it_goes_wrong() {
        for (text, message) in [
            ("[1:2", "slice [1:2 ends after 4 characters, where ] or , is wanted"),
            ("[1:2]x", "slice [1:2]x has 'x' after 5 characters, where [, or nothing more is wanted"),
            ("[]", "slice [] has ']' after 1 characters, where an index, a range, ... or a name in quotes is wanted"),
            ("[::0]", "slice [::0] is wrong before its character 4: a step cannot be zero"),
            ("[a]", "slice [a] has 'a' after 1 characters, where an index, a range, ... or a name in quotes is wanted"),
            (
                "[..., ...]",
                "slice [..., ...] is wrong before its character 9: an index can only have a single ellipsis ('...')",
            ),
            ("['a", "slice ['a ends after 3 characters, where a closing quote is wanted"),
            ("1 2", "slice 1 2 has '2' after 2 characters, where a comma is wanted"),
            ("[-]", "slice [-] has ']' after 2 characters, where a digit is wanted"),
            ("[[]]", "slice [[]] is wrong before its character 3: a list of no fields"),
            ("", "slice  ends after 0 characters, where an index, a range, ... or a name in quotes is wanted"),
        ] {
            assert_eq!(parse(text).unwrap_err(), message);
        }
    }
}
