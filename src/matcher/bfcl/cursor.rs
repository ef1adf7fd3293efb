//! Reads JSON text, strictly, at the speed of looking at every byte once.
//!
//! One grammar serves two ends: building a [`Tape`](super::Tape), and stepping over what nobody asks for. What
//! differs is the [`Sink`]. Text is scanned eight bytes at a time; most strings here are too short for a
//! vectorised search to pay for its call.

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

/// A string as it stands in the text, without its quotes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span<'a> {
    /// Between the quotes, escapes as written.
    pub raw: &'a str,
    /// Whether there are escapes in it.
    pub escaped: bool,
}

/// What is made of the values that go by.
pub(super) trait Sink<'a> {
    fn null(&mut self);
    fn boolean(&mut self, value: bool);
    fn number(&mut self, text: &'a str, integral: bool);
    fn string(&mut self, span: Span<'a>);
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
    fn number(&mut self, _: &str, _: bool) {}
    fn string(&mut self, _: Span<'_>) {}
    fn open(&mut self, _: Bracket) -> usize {
        0
    }
    fn close(&mut self, _: usize, _: Bracket) {}
}

/// A place in JSON text.
#[derive(Debug, Clone)]
pub struct Cursor<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Cursor<'a> {
    /// At the beginning of the text.
    pub fn new(text: &'a str) -> Self {
        Self { text, at: 0 }
    }

    /// Steps into an object: its members follow, by [`Self::key`].
    ///
    /// # Errors
    /// Text that begins otherwise.
    pub fn enter(&mut self) -> Result<(), SyntaxError> {
        self.blank();
        self.expect(b'{', "expected an object")
    }

    /// The key of the next member of an entered object; none at its end. `first` is true for the first one.
    ///
    /// # Errors
    /// Text that is no member.
    #[inline]
    pub fn key(&mut self, first: bool) -> Result<Option<Span<'a>>, SyntaxError> {
        self.blank();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(None);
        }
        if !first {
            self.expect(b',', "expected `,` or `}`")?;
            self.blank();
        }
        if !first && self.peek() == Some(b'}') {
            return Err(self.error("expected a key"));
        }
        let key = self.string()?;
        self.blank();
        self.expect(b':', "expected `:`")?;
        self.blank();
        Ok(Some(key))
    }

    /// Steps over one value and returns its text.
    ///
    /// # Errors
    /// Text that is no value.
    #[inline]
    pub fn skip(&mut self) -> Result<&'a str, SyntaxError> {
        self.blank();
        let from = self.at;
        self.value(&mut Nothing, 0)?;
        Ok(self.slice(from, self.at))
    }

    /// Nothing but blanks may follow.
    ///
    /// # Errors
    /// Something that follows.
    pub fn end(&mut self) -> Result<(), SyntaxError> {
        self.blank();
        if self.at == self.text.len() { Ok(()) } else { Err(self.error("expected the end")) }
    }

    /// Hands one value to a sink.
    #[inline]
    pub(super) fn read(&mut self, sink: &mut impl Sink<'a>) -> Result<(), SyntaxError> {
        self.blank();
        self.value(sink, 0)
    }

    fn value(&mut self, sink: &mut impl Sink<'a>, depth: u32) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(b'"') => {
                let span = self.string()?;
                sink.string(span);
            }
            Some(b'{') => self.dict(sink, depth)?,
            Some(b'[') => self.list(sink, depth)?,
            Some(b'-' | b'0'..=b'9') => {
                let (text, integral) = self.number()?;
                sink.number(text, integral);
            }
            Some(b't') => {
                self.word("true")?;
                sink.boolean(true);
            }
            Some(b'f') => {
                self.word("false")?;
                sink.boolean(false);
            }
            Some(b'n') => {
                self.word("null")?;
                sink.null();
            }
            Some(_) => return Err(self.error("expected a value")),
            None => return Err(self.error("the text ends early")),
        }
        Ok(())
    }

    fn list(&mut self, sink: &mut impl Sink<'a>, depth: u32) -> Result<(), SyntaxError> {
        self.deeper(depth)?;
        let mark = sink.open(Bracket::List);
        self.blank();
        if self.peek() == Some(b']') {
            self.at += 1;
            sink.close(mark, Bracket::List);
            return Ok(());
        }
        loop {
            self.blank();
            self.value(sink, depth + 1)?;
            self.blank();
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => break,
                Some(_) => return Err(self.error("expected `,` or `]`")),
                None => return Err(self.error("the text ends early")),
            }
        }
        self.at += 1;
        sink.close(mark, Bracket::List);
        Ok(())
    }

    fn dict(&mut self, sink: &mut impl Sink<'a>, depth: u32) -> Result<(), SyntaxError> {
        self.deeper(depth)?;
        let mark = sink.open(Bracket::Dict);
        let mut first = true;
        while let Some(key) = self.key(first)? {
            sink.string(key);
            self.value(sink, depth + 1)?;
            first = false;
        }
        sink.close(mark, Bracket::Dict);
        Ok(())
    }

    fn deeper(&mut self, depth: u32) -> Result<(), SyntaxError> {
        if depth >= DEPTH {
            return Err(self.error("nested more than 256 deep"));
        }
        self.at += 1;
        Ok(())
    }

    #[inline]
    fn string(&mut self) -> Result<Span<'a>, SyntaxError> {
        self.expect(b'"', "expected a string")?;
        let from = self.at;
        let bytes = self.text.as_bytes();
        let mut escaped = false;
        loop {
            self.at = next_special(bytes, self.at);
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.escape()?;
                }
                Some(_) => return Err(self.error("a control character in a string")),
                None => return Err(self.error("the text ends early")),
            }
        }
        let raw = self.slice(from, self.at);
        self.at += 1;
        Ok(Span { raw, escaped })
    }

    fn escape(&mut self) -> Result<(), SyntaxError> {
        let bytes = self.text.as_bytes();
        match bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.error("an escape without its four digits"));
                }
                self.at += 6;
            }
            _ => return Err(self.error("an unknown escape")),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(&'a str, bool), SyntaxError> {
        let from = self.at;
        let mut integral = true;
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            integral = false;
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            integral = false;
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        Ok((self.slice(from, self.at), integral))
    }

    fn digits(&mut self) -> Result<(), SyntaxError> {
        let from = self.at;
        while let Some(b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        if self.at == from { Err(self.error("expected a digit")) } else { Ok(()) }
    }

    fn word(&mut self, word: &'static str) -> Result<(), SyntaxError> {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(self.error("expected a value"));
        }
        self.at += word.len();
        Ok(())
    }

    #[inline]
    fn expect(&mut self, byte: u8, otherwise: &'static str) -> Result<(), SyntaxError> {
        match self.peek() {
            Some(found) if found == byte => {
                self.at += 1;
                Ok(())
            }
            Some(_) => Err(self.error(otherwise)),
            None => Err(self.error("the text ends early")),
        }
    }

    #[inline]
    fn blank(&mut self) {
        while let Some(b' ' | b'\t' | b'\n' | b'\r') = self.peek() {
            self.at += 1;
        }
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    // INVARIANT: both ends lie beside an ASCII character, so that they never split one.
    #[inline]
    fn slice(&self, from: usize, to: usize) -> &'a str {
        &self.text[from..to]
    }

    #[cold]
    fn error(&self, what: &'static str) -> SyntaxError {
        SyntaxError { what, at: self.at }
    }
}

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
        let mut cursor = Cursor::new(text);
        let read = cursor.skip().and_then(|_| cursor.end());
        assert_eq!(read.map_err(|error| error.what), expected, "{text}");
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
        check("1.", Err("expected a digit"));
        check("-", Err("expected a digit"));
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
        assert_eq!(Cursor::new(&text).skip().map_err(|error| error.what), Err("nested more than 256 deep"));
    }
}
