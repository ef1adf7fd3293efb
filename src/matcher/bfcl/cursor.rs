//! Reads JSON text, strictly, at the speed of looking at every byte once.
//!
//! One grammar serves two ends: building a [`Tape`](super::Tape), and stepping over what nobody asks for. What
//! differs is the [`Sink`]. Where strings end is looked up in an [`Index`], if there is one, else searched for
//! eight bytes at a time: most strings here are too short for a vectorised search to pay for its call.
//!
//! Places travel as arguments and results, never through a field: kept in registers they made reading a third
//! faster.

use super::Index;

/// How deep values may be nested: deeper text is refused before the stack ends.
const DEPTH: u32 = 256;

/// Text that is no JSON, and where that shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("no JSON: {what} at byte {at}")]
pub struct SyntaxError {
    /// What is wrong.
    pub what: &'static str,
    /// How many bytes into the text.
    pub at: usize,
}

/// What is wrong, at the place that the reading has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    Key,
    Value,
    Object,
    String,
    Colon,
    CommaOrBrace,
    CommaOrBracket,
    Digit,
    Control,
    Escape,
    Digits,
    Deep,
    Rest,
}

impl What {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Key => "expected a key",
            Self::Value => "expected a value",
            Self::Object => "expected an object",
            Self::String => "expected a string",
            Self::Colon => "expected `:`",
            Self::CommaOrBrace => "expected `,` or `}`",
            Self::CommaOrBracket => "expected `,` or `]`",
            Self::Digit => "expected a digit",
            Self::Control => "a control character in a string",
            Self::Escape => "an unknown escape",
            Self::Digits => "an escape without its four digits",
            Self::Deep => "nested more than 256 deep",
            Self::Rest => "expected the end",
        }
    }
}

/// Where a value ends, or where reading it failed: a place on both sides, so that it fits registers.
type Step = Result<usize, Fault>;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Fault(usize);

impl Fault {
    #[cold]
    fn new(what: What, at: usize) -> Self {
        Self(at << 4 | what as usize)
    }
}

/// What is made of the values that go by.
pub(super) trait Sink<'a> {
    fn null(&mut self);
    fn boolean(&mut self, value: bool);
    fn number(&mut self, text: &'a str);
    /// A string or a key, without its quotes and as written; `escaped` tells whether there are escapes in it.
    fn string(&mut self, raw: &'a str, escaped: impl FnOnce() -> bool);
    fn open(&mut self, bracket: Bracket) -> usize;
    fn close(&mut self, mark: usize, bracket: Bracket);
}

/// Which of the two things with items.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bracket {
    List,
    Dict,
}

/// Steps over values.
struct Nothing;

impl Sink<'_> for Nothing {
    fn null(&mut self) {}
    fn boolean(&mut self, _: bool) {}
    fn number(&mut self, _: &str) {}
    fn string(&mut self, _: &str, _: impl FnOnce() -> bool) {}
    fn open(&mut self, _: Bracket) -> usize {
        0
    }
    fn close(&mut self, _: usize, _: Bracket) {}
}

/// A place in JSON text.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    at: usize,
    fault: Option<Fault>,
    text: Text<'a>,
}

impl<'a> Cursor<'a> {
    /// At the beginning of the text.
    pub fn new(text: &'a str) -> Self {
        Self { at: 0, fault: None, text: Text { text, index: None, offset: 0 } }
    }

    /// At the beginning of a part of an indexed text, which begins at `offset` there.
    #[inline]
    pub fn indexed(text: &'a str, index: &'a Index, offset: usize) -> Self {
        let plain = index.is_plain(offset, offset + text.len());
        Self { at: 0, fault: None, text: Text { text, index: plain.then_some(index), offset } }
    }

    /// Steps into an object: its members follow, by [`Self::key`].
    pub fn enter(&mut self) {
        self.at = self.text.blank(self.at);
        self.step(|text, at| text.expect(at, b'{', What::Object));
    }

    /// The key of the next member of an entered object, as written; none at its end, and where reading fails.
    /// `first` is true for the first one.
    #[inline]
    pub fn key(&mut self, first: bool) -> Option<&'a str> {
        let at = self.text.blank(self.at);
        if self.text.byte(at) == b'}' {
            self.at = at + 1;
            return None;
        }
        let from = if first { at } else { self.step_from(at, Text::next_member)? };
        let end = self.step_from(from, Text::string)?;
        self.step_from(end + 1, Text::colon)?;
        Some(self.text.slice(from + 1, end))
    }

    /// Steps over one value and returns its text; none where reading fails.
    #[inline]
    pub fn skip(&mut self) -> Option<&'a str> {
        let from = self.text.blank(self.at);
        let to = self.step_from(from, |text, at| text.value(at, &mut Nothing, 0))?;
        Some(self.text.slice(from, to))
    }

    /// Steps over text that is known; false, and nowhere, if something else follows.
    #[inline]
    pub fn take(&mut self, known: &str) -> bool {
        let rest = self.text.text.as_bytes().get(self.at..).unwrap_or_default();
        let follows = self.fault.is_none() && rest.starts_with(known.as_bytes());
        self.at += if follows { known.len() } else { 0 };
        follows
    }

    /// Steps out of an entered object; false, and nowhere, if a member follows.
    #[inline]
    pub fn leave(&mut self) -> bool {
        let at = self.text.blank(self.at);
        let ends = self.fault.is_none() && self.text.byte(at) == b'}';
        self.at = if ends { at + 1 } else { self.at };
        ends
    }

    /// Goes back to the beginning.
    pub fn restart(&mut self) {
        (self.at, self.fault) = (0, None);
    }

    /// How many bytes are behind.
    pub fn place(&self) -> usize {
        self.at
    }

    /// The whole text, whatever of it was read.
    pub fn whole(&self) -> &'a str {
        self.text.text
    }

    /// A part of the text that was read.
    pub fn text(&self, from: usize, to: usize) -> &'a str {
        self.text.slice(from, to)
    }

    /// Hands one value to a sink; none where reading fails.
    #[inline]
    pub(super) fn read(&mut self, sink: &mut impl Sink<'a>) -> Option<()> {
        let from = self.text.blank(self.at);
        self.step_from(from, |text, at| text.value(at, sink, 0)).map(|_| ())
    }

    /// Nothing failed, and nothing but blanks follows.
    ///
    /// # Errors
    /// Where reading failed, or what follows.
    #[inline]
    pub fn end(&mut self) -> Result<(), SyntaxError> {
        let at = self.text.blank(self.at);
        match self.fault {
            Some(fault) => Err(self.text.told(fault)),
            None if at == self.text.text.len() => Ok(()),
            None => Err(self.text.told(Fault::new(What::Rest, at))),
        }
    }

    #[inline]
    fn step(&mut self, step: impl FnOnce(&Text<'a>, usize) -> Step) -> Option<usize> {
        self.step_from(self.at, step)
    }

    /// Goes on unless something failed before.
    #[inline]
    fn step_from(&mut self, at: usize, step: impl FnOnce(&Text<'a>, usize) -> Step) -> Option<usize> {
        if self.fault.is_some() {
            return None;
        }
        match step(&self.text, at) {
            Ok(at) => {
                self.at = at;
                Some(at)
            }
            Err(fault) => {
                self.fault = Some(fault);
                None
            }
        }
    }
}

/// The text, with the grammar as functions from a place to the next.
#[derive(Debug, Clone, Copy)]
struct Text<'a> {
    text: &'a str,
    /// Where strings end, if that was found out.
    index: Option<&'a Index>,
    /// Where the text begins in what the index is of, and this is a part of.
    offset: usize,
}

impl<'a> Text<'a> {
    fn value(&self, at: usize, sink: &mut impl Sink<'a>, depth: u32) -> Step {
        match self.byte(at) {
            b'"' => {
                let end = self.string(at)?;
                sink.string(self.slice(at + 1, end), || self.has_escapes(at + 1, end));
                Ok(end + 1)
            }
            b'{' => self.dict(at, sink, depth),
            b'[' => self.list(at, sink, depth),
            b'-' | b'0'..=b'9' => {
                let end = self.number(at)?;
                sink.number(self.slice(at, end));
                Ok(end)
            }
            b't' => self.word(at, "true").inspect(|_| sink.boolean(true)),
            b'f' => self.word(at, "false").inspect(|_| sink.boolean(false)),
            b'n' => self.word(at, "null").inspect(|_| sink.null()),
            _ => Err(Fault::new(What::Value, at)),
        }
    }

    fn list(&self, at: usize, sink: &mut impl Sink<'a>, depth: u32) -> Step {
        if depth >= DEPTH {
            return Err(Fault::new(What::Deep, at));
        }
        let mark = sink.open(Bracket::List);
        let mut at = self.blank(at + 1);
        if self.byte(at) != b']' {
            loop {
                at = self.blank(self.value(at, sink, depth + 1)?);
                match self.byte(at) {
                    b',' => at = self.blank(at + 1),
                    b']' => break,
                    _ => return Err(Fault::new(What::CommaOrBracket, at)),
                }
            }
        }
        sink.close(mark, Bracket::List);
        Ok(at + 1)
    }

    fn dict(&self, at: usize, sink: &mut impl Sink<'a>, depth: u32) -> Step {
        if depth >= DEPTH {
            return Err(Fault::new(What::Deep, at));
        }
        let mark = sink.open(Bracket::Dict);
        let mut at = self.blank(at + 1);
        if self.byte(at) != b'}' {
            loop {
                let end = self.string(at)?;
                sink.string(self.slice(at + 1, end), || self.has_escapes(at + 1, end));
                at = self.blank(self.value(self.colon(end + 1)?, sink, depth + 1)?);
                if self.byte(at) == b'}' {
                    break;
                }
                at = self.next_member(at)?;
            }
        }
        sink.close(mark, Bracket::Dict);
        Ok(at + 1)
    }

    /// From the comma behind a member to the key of the next.
    #[inline]
    fn next_member(&self, at: usize) -> Step {
        let at = self.blank(self.expect(at, b',', What::CommaOrBrace)?);
        if self.byte(at) == b'}' { Err(Fault::new(What::Key, at)) } else { Ok(at) }
    }

    /// From behind a key to its value.
    #[inline]
    fn colon(&self, at: usize) -> Step {
        Ok(self.blank(self.expect(self.blank(at), b':', What::Colon)?))
    }

    /// From the quote that opens a string to the one that closes it.
    #[inline]
    fn string(&self, at: usize) -> Step {
        let from = self.expect(at, b'"', What::String)?;
        let Some(index) = self.index else { return self.searched_string(from) };
        let end = index.string_end(self.offset + from).map_or(usize::MAX, |end| end - self.offset);
        if end < self.text.len() { Ok(end) } else { Err(Fault::new(What::Value, self.text.len())) }
    }

    fn searched_string(&self, mut at: usize) -> Step {
        loop {
            at = next_special(self.text.as_bytes(), at);
            match self.text.as_bytes().get(at) {
                Some(b'"') => return Ok(at),
                Some(b'\\') => at = self.escape(at)?,
                _ => return Err(Fault::new(What::Control, at)),
            }
        }
    }

    fn has_escapes(&self, from: usize, to: usize) -> bool {
        match self.index {
            Some(index) => index.has_slash(self.offset + from, self.offset + to),
            None => self.slice(from, to).contains('\\'),
        }
    }

    fn escape(&self, at: usize) -> Step {
        match self.byte(at + 1) {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => Ok(at + 2),
            b'u' => {
                let digits = self.text.as_bytes().get(at + 2..at + 6);
                let digits = digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
                if digits { Ok(at + 6) } else { Err(Fault::new(What::Digits, at)) }
            }
            _ => Err(Fault::new(What::Escape, at)),
        }
    }

    fn number(&self, mut at: usize) -> Step {
        if self.byte(at) == b'-' {
            at += 1;
        }
        at = if self.byte(at) == b'0' { at + 1 } else { self.digits(at)? };
        if self.byte(at) == b'.' {
            at = self.digits(at + 1)?;
        }
        if let b'e' | b'E' = self.byte(at) {
            at += 1;
            if let b'+' | b'-' = self.byte(at) {
                at += 1;
            }
            at = self.digits(at)?;
        }
        Ok(at)
    }

    #[inline]
    fn digits(&self, from: usize) -> Step {
        let mut at = from;
        while self.byte(at).is_ascii_digit() {
            at += 1;
        }
        if at == from { Err(Fault::new(What::Digit, at)) } else { Ok(at) }
    }

    #[inline]
    fn word(&self, at: usize, word: &'static str) -> Step {
        let found = self.text.as_bytes().get(at..at + word.len());
        if found == Some(word.as_bytes()) { Ok(at + word.len()) } else { Err(Fault::new(What::Value, at)) }
    }

    #[inline]
    fn expect(&self, at: usize, byte: u8, otherwise: What) -> Step {
        if self.byte(at) == byte { Ok(at + 1) } else { Err(Fault::new(otherwise, at)) }
    }

    #[inline]
    fn blank(&self, mut at: usize) -> usize {
        while let b' ' | b'\t' | b'\n' | b'\r' = self.byte(at) {
            at += 1;
        }
        at
    }

    /// The byte at a place; 0, which is no part of the grammar, behind the end.
    #[inline]
    fn byte(&self, at: usize) -> u8 {
        self.text.as_bytes().get(at).copied().unwrap_or(0)
    }

    // INVARIANT: both ends lie beside an ASCII character, so that they never split one.
    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'a str {
        &self.text[from..to]
    }

    /// A fault in words.
    #[cold]
    fn told(&self, fault: Fault) -> SyntaxError {
        let (at, what) = (fault.0 >> 4, fault.0 & 15);
        let what = ALL[what].as_str();
        if at >= self.text.len() {
            SyntaxError { what: "the text ends early", at }
        } else {
            SyntaxError { what, at }
        }
    }
}

/// Every cause, by its number.
const ALL: [What; 13] = [
    What::Key,
    What::Value,
    What::Object,
    What::String,
    What::Colon,
    What::CommaOrBrace,
    What::CommaOrBracket,
    What::Digit,
    What::Control,
    What::Escape,
    What::Digits,
    What::Deep,
    What::Rest,
];

/// Where the next quote, backslash or control character is.
#[inline]
fn next_special(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const HIGH: u64 = 0x8080_8080_8080_8080;
    while let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*word);
        let (quote, slash) = (word ^ (ONES * b'"' as u64), word ^ (ONES * b'\\' as u64));
        let zero = (quote.wrapping_sub(ONES) & !quote) | (slash.wrapping_sub(ONES) & !slash);
        let control = word.wrapping_sub(ONES * 0x20) & !word;
        // The lowest mark is exact; a borrow can only add marks above a true one.
        let marks = (zero | control) & HIGH;
        if marks != 0 {
            return at + (marks.trailing_zeros() / 8) as usize;
        }
        at += 8;
    }
    while let Some(byte) = bytes.get(at) {
        if matches!(byte, b'"' | b'\\' | 0..0x20) {
            break;
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: Result<(), &str>) {
        let index = Index::of(text.as_bytes());
        for mut cursor in [Cursor::new(text), Cursor::indexed(text, &index, 0)] {
            cursor.skip();
            assert_eq!(cursor.end().map_err(|error| error.what), expected, "{text}");
        }
        let reference = serde_json::from_str::<serde_json::Value>(text);
        assert_eq!(reference.is_ok(), expected.is_ok(), "serde_json says otherwise: {text}");
    }

    #[test]
    fn json_is_read_as_strictly_as_elsewhere() {
        check(r#" {"a": [1, -0.5e+3, true, false, null, "x\"\\\u00e9"], "b": {}} "#, Ok(()));
        check("[]", Ok(()));
        check("\"ten letters\"", Ok(()));
        check(r#"{"a":1,}"#, Err("expected a key"));
        check("[1,]", Err("expected a value"));
        check("[1 2]", Err("expected `,` or `]`"));
        check("01", Err("expected the end"));
        check("1.", Err("the text ends early"));
        check("1.x", Err("expected a digit"));
        check("-a", Err("expected a digit"));
        check("NaN", Err("expected a value"));
        check("\"a\tb\"", Err("a control character in a string"));
        check(r#""\x""#, Err("an unknown escape"));
        check(r#""\u12g4""#, Err("an escape without its four digits"));
        check(r#"{"a":"b"#, Err("the text ends early"));
        check("", Err("the text ends early"));
        check("tru", Err("expected a value"));
    }

    #[test]
    fn every_place_of_a_special_byte_is_found() {
        for special in [b'"', b'\\', b'\n', 0, 0x1f] {
            for place in 0..40 {
                let mut text = vec![0xc3; 40];
                text[place] = special;
                assert_eq!(next_special(&text, 0), place);
                assert_eq!(next_special(&text, place), place);
            }
        }
        assert_eq!(next_special(b"!#~[]\x7f", 0), 6);
    }

    #[test]
    fn deep_text_is_refused_and_does_no_harm() {
        let text = "[".repeat(1_000_000);
        let mut cursor = Cursor::new(&text);
        assert_eq!(cursor.skip(), None);
        assert_eq!(cursor.end().map_err(|error| error.what), Err("nested more than 256 deep"));
    }
}
