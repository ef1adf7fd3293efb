//! A JSON value that borrows its text, in one reused list of nodes.
//!
//! Nodes stand in the order of the text, each with the size of what it holds, so that stepping over a value is
//! an addition. As in Python, the last of equal keys wins and keeps the place of the first.

use super::cursor::{Bracket, Cursor, Sink, SyntaxError};
use super::kind::Kind;
use std::collections::HashMap;

/// From how many members on equal keys are looked for through a table.
const MANY: usize = 16;

/// A value that was read.
#[derive(Debug, Default)]
pub struct Tape<'a> {
    nodes: Vec<Node<'a>>,
    unescaped: String,
}

#[derive(Debug, Clone, Copy)]
struct Node<'a> {
    token: Token<'a>,
    /// How many nodes the value takes, itself included.
    size: usize,
}

#[derive(Debug, Clone, Copy)]
enum Token<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Big(&'a str),
    Float(f64),
    Text(&'a str),
    Unescaped { from: usize, to: usize },
    List,
    Dict,
}

/// A number, or what counts as one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number<'a> {
    Int(i64),
    /// An integer beyond 64 bits, as it is written.
    Big(&'a str),
    Float(f64),
}

impl<'a> Tape<'a> {
    /// Reads the value at the cursor in place of what was read before; none where reading fails.
    #[inline]
    pub fn read(&mut self, cursor: &mut Cursor<'a>) -> Option<()> {
        self.clear();
        cursor.read(self)
    }

    /// A text that is one value.
    ///
    /// # Errors
    /// Text that is no JSON.
    pub fn parse(text: &'a str) -> Result<Self, SyntaxError> {
        Self::parse_at(Cursor::new(text))
    }

    /// The same from a cursor on.
    ///
    /// # Errors
    /// Text that is no JSON.
    pub fn parse_at(mut cursor: Cursor<'a>) -> Result<Self, SyntaxError> {
        let mut tape = Self::default();
        tape.read(&mut cursor);
        cursor.end()?;
        Ok(tape)
    }

    /// Forgets what was read.
    pub fn clear(&mut self) {
        self.nodes.clear();
        self.unescaped.clear();
    }

    /// The value; none before something was read.
    pub fn root(&self) -> Option<View<'_>> {
        (!self.nodes.is_empty()).then_some(View { tape: self, at: 0 })
    }

    fn push(&mut self, token: Token<'a>) {
        self.nodes.push(Node { token, size: 1 });
    }

    fn text_at(&self, at: usize) -> Option<&str> {
        match self.nodes[at].token {
            Token::Text(text) => Some(text),
            Token::Unescaped { from, to } => self.unescaped.get(from..to),
            _ => None,
        }
    }

    /// Leaves of equal keys the last value at the first place.
    fn merge_equal_keys(&mut self, mark: usize) {
        let keys: Vec<usize> = self.keys(mark).collect();
        let mut order: Vec<(usize, usize)> = Vec::with_capacity(keys.len());
        let mut places: HashMap<&str, usize> = HashMap::with_capacity(keys.len());
        for &at in &keys {
            let key = self.text_at(at).unwrap_or_default();
            match places.get(key) {
                Some(&place) => order[place].1 = at + 1,
                None => {
                    places.insert(key, order.len());
                    order.push((at, at + 1));
                }
            }
        }
        if order.len() == keys.len() {
            return;
        }
        let mut members = Vec::new();
        for (key, value) in order {
            members.push(self.nodes[key]);
            members.extend_from_slice(&self.nodes[value..value + self.nodes[value].size]);
        }
        self.nodes.truncate(mark + 1);
        self.nodes.append(&mut members);
    }

    fn keys(&self, mark: usize) -> impl Iterator<Item = usize> {
        let mut at = mark + 1;
        std::iter::from_fn(move || {
            let key = (at < self.nodes.len()).then_some(at)?;
            at += 1 + self.nodes[at + 1].size;
            Some(key)
        })
    }

    fn may_have_equal_keys(&self, mark: usize) -> bool {
        let (mut lengths, mut count) = (0_u64, 0);
        for at in self.keys(mark) {
            let key = self.text_at(at).unwrap_or_default();
            // Keys of different lengths differ, and that is what most do.
            let length = 1 << (key.len() % 64);
            let is_equal = |earlier| self.text_at(earlier) == Some(key);
            if count >= MANY || (lengths & length != 0 && self.keys(mark).take(count).any(is_equal)) {
                return true;
            }
            lengths |= length;
            count += 1;
        }
        false
    }
}

impl<'a> Sink<'a> for Tape<'a> {
    fn null(&mut self) {
        self.push(Token::Null);
    }

    fn boolean(&mut self, value: bool) {
        self.push(Token::Bool(value));
    }

    fn number(&mut self, text: &'a str) {
        let decimal = text.bytes().any(|byte| matches!(byte, b'.' | b'e' | b'E'));
        self.push(if decimal {
            Token::Float(text.parse().unwrap_or(f64::NAN))
        } else {
            text.parse().map_or(Token::Big(text), Token::Int)
        });
    }

    #[inline]
    fn string(&mut self, raw: &'a str, escaped: impl FnOnce() -> bool) {
        if !escaped() {
            return self.push(Token::Text(raw));
        }
        let from = self.unescaped.len();
        unescape(raw, &mut self.unescaped);
        let to = self.unescaped.len();
        self.push(Token::Unescaped { from, to });
    }

    fn open(&mut self, bracket: Bracket) -> usize {
        self.push(match bracket {
            Bracket::List => Token::List,
            Bracket::Dict => Token::Dict,
        });
        self.nodes.len() - 1
    }

    fn close(&mut self, mark: usize, bracket: Bracket) {
        if bracket == Bracket::Dict && self.may_have_equal_keys(mark) {
            self.merge_equal_keys(mark);
        }
        self.nodes[mark].size = self.nodes.len() - mark;
    }
}

/// Adds a string without its escapes; half a surrogate pair becomes U+FFFD.
fn unescape(raw: &str, out: &mut String) {
    let mut rest = raw;
    while let Some(place) = rest.find('\\') {
        out.push_str(&rest[..place]);
        let escape = rest.as_bytes().get(place + 1).copied();
        rest = rest.get(place + 2..).unwrap_or_default();
        out.push(match escape {
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => code_point(&mut rest),
            Some(other) => char::from(other),
            None => break,
        });
    }
    out.push_str(rest);
}

/// Takes the digits of a `\u` escape, and of the second half of its pair.
fn code_point(rest: &mut &str) -> char {
    let first = take_unit(rest);
    if !(0xd800..0xdc00).contains(&first) {
        return char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER);
    }
    let mut after = *rest;
    if let Some(tail) = after.strip_prefix("\\u") {
        after = tail;
        let second = take_unit(&mut after);
        if (0xdc00..0xe000).contains(&second) {
            *rest = after;
            let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
            return char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        }
    }
    char::REPLACEMENT_CHARACTER
}

fn take_unit(rest: &mut &str) -> u32 {
    let digits = rest.get(..4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    *rest = rest.get(4..).unwrap_or_default();
    digits.unwrap_or(u32::from(char::REPLACEMENT_CHARACTER))
}

/// A value of a tape, or a part of it.
#[derive(Debug, Clone, Copy)]
pub struct View<'t> {
    tape: &'t Tape<'t>,
    at: usize,
}

impl<'t> View<'t> {
    /// The text, if it is one.
    #[inline]
    pub fn text(self) -> Option<&'t str> {
        self.tape.text_at(self.at)
    }

    /// The truth value, if it is one.
    pub fn boolean(self) -> Option<bool> {
        match self.node().token {
            Token::Bool(value) => Some(value),
            _ => None,
        }
    }

    /// The items of a list; nothing of anything else.
    #[inline]
    pub fn items(self) -> impl Iterator<Item = View<'t>> + Clone {
        let holds = matches!(self.node().token, Token::List);
        let (mut at, end) = (self.at + 1, if holds { self.at + self.node().size } else { 0 });
        std::iter::from_fn(move || {
            let item = View { tape: self.tape, at: (at < end).then_some(at)? };
            at += item.node().size;
            Some(item)
        })
    }

    /// The members of an object; nothing of anything else.
    #[inline]
    pub fn members(self) -> impl Iterator<Item = (&'t str, View<'t>)> + Clone {
        let holds = self.is_dict();
        let (mut at, end) = (self.at + 1, if holds { self.at + self.node().size } else { 0 });
        std::iter::from_fn(move || {
            let key = self.tape.text_at((at < end).then_some(at)?)?;
            let value = View { tape: self.tape, at: at + 1 };
            at += 1 + value.node().size;
            Some((key, value))
        })
    }

    /// The member of that key.
    #[inline]
    pub fn get(self, key: &str) -> Option<View<'t>> {
        self.members().find(|(name, _)| *name == key).map(|(_, value)| value)
    }

    /// Whether it is an object.
    #[inline]
    pub fn is_dict(self) -> bool {
        matches!(self.node().token, Token::Dict)
    }

    /// Whether it is a list.
    #[inline]
    pub fn is_list(self) -> bool {
        matches!(self.node().token, Token::List)
    }

    /// Whether it is null.
    pub fn is_null(self) -> bool {
        matches!(self.node().token, Token::Null)
    }

    /// Whether there is an integer in it that 64 bits do not hold.
    pub fn holds_big(self) -> bool {
        let nodes = &self.tape.nodes[self.at..self.at + self.node().size];
        nodes.iter().any(|node| matches!(node.token, Token::Big(text) if text.parse::<u64>().is_err()))
    }

    #[inline]
    pub(super) fn kind(self) -> Kind {
        match self.node().token {
            Token::Null => Kind::Null,
            Token::Bool(_) => Kind::Bool,
            Token::Int(_) | Token::Big(_) => Kind::Int,
            Token::Float(_) => Kind::Float,
            Token::Text(_) | Token::Unescaped { .. } => Kind::Text,
            Token::List => Kind::List,
            Token::Dict => Kind::Dict,
        }
    }

    /// Numbers, and truth values as 0 and 1.
    #[inline]
    pub(super) fn number(self) -> Option<Number<'t>> {
        match self.node().token {
            Token::Bool(value) => Some(Number::Int(i64::from(value))),
            Token::Int(value) => Some(Number::Int(value)),
            Token::Big(text) => Some(Number::Big(text)),
            Token::Float(value) => Some(Number::Float(value)),
            _ => None,
        }
    }

    #[inline]
    fn node(self) -> Node<'t> {
        self.tape.nodes[self.at]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_equal_keys_wins_and_keeps_the_first_place() {
        let check = |text: &str, expected: &[(&str, i64)]| {
            let tape = Tape::parse(text).unwrap();
            let members: Vec<_> =
                tape.root().unwrap().members().map(|(k, v)| (k.to_owned(), v.number())).collect();
            let expected: Vec<_> =
                expected.iter().map(|(k, v)| ((*k).to_owned(), Some(Number::Int(*v)))).collect();
            assert_eq!(members, expected, "{text}");
        };
        check(r#"{"a":1,"b":2}"#, &[("a", 1), ("b", 2)]);
        check(r#"{"a":[1,{"c":2}],"b":2,"a":3}"#, &[("a", 3), ("b", 2)]);
        check(r#"{"b":2,"\u0062":3}"#, &[("b", 3)]);
        let many: String = (0..40).map(|n| format!("\"k{}\":{n},", n % 20)).collect();
        let tape_text = format!("{{{}}}", many.trim_end_matches(','));
        let tape = Tape::parse(&tape_text).unwrap();
        assert_eq!(tape.root().unwrap().members().count(), 20);
        assert_eq!(tape.root().unwrap().get("k0").unwrap().number(), Some(Number::Int(20)));
    }

    #[test]
    fn escapes_are_taken_back() {
        let check = |text: &str, expected: &str| {
            let tape = Tape::parse(text).unwrap();
            assert_eq!(tape.root().unwrap().text(), Some(expected), "{text}");
        };
        check(r#""a\n\"\\\/\t\b\f\r""#, "a\n\"\\/\t\u{8}\u{c}\r");
        check(r#""\u00e9t\u00E9""#, "été");
        check(r#""\ud83d\ude00!""#, "😀!");
        check(r#""\ud83d!""#, "\u{fffd}!");
        check(r#""\ud83d\u0041""#, "\u{fffd}A");
        check(r#""\udc00""#, "\u{fffd}");
    }

    #[test]
    fn integers_of_any_size_stay_apart_from_decimals() {
        let check = |text: &str, expected: Number<'_>| {
            assert_eq!(Tape::parse(text).unwrap().root().unwrap().number(), Some(expected), "{text}");
        };
        check("5", Number::Int(5));
        check("5.0", Number::Float(5.0));
        check("5e0", Number::Float(5.0));
        check("9007199254740993", Number::Int(9_007_199_254_740_993));
        check("123456789012345678901234567890", Number::Big("123456789012345678901234567890"));
        check("true", Number::Int(1));
    }
}
