//! One pass from JSON text to its canonical form (RFC 8785, JCS).
//!
//! Everything that is hashed or signed goes through here: every event when it is written and again when it is
//! checked. What is canonical already is copied; the rest is put right. A key that stands twice is refused, because
//! readers disagree on which of its values counts. It must not know what the text is about.

use std::cmp::Ordering;

/// Levels of nesting that are followed; serde_json reads no more either.
const DEPTH: u32 = 127;
/// Integers of so many digits are exact in a double, and their text is canonical.
const EXACT_DIGITS: usize = 15;

/// What becomes of an integer that a double cannot hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Integers {
    /// It is rounded, as RFC 8785 says.
    Round,
    /// It is refused, because two texts would share one canonical form.
    Refuse,
}

/// What becomes of a member of the outermost object.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Keep {
    /// It belongs to the canonical form.
    Member,
    /// It is left out.
    Nothing,
}

/// Text that has no canonical form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{what} at byte {at}")]
pub(crate) struct TextFault {
    /// Where.
    pub(crate) at: usize,
    /// Why.
    pub(crate) what: &'static str,
}

type Visit<'v, 't> = &'v mut dyn FnMut(&[u8], &'t str) -> Keep;

/// Memory that is used again for the next text.
#[derive(Debug, Default)]
pub(crate) struct Scratch {
    members: Vec<Member>,
    spare: Vec<u8>,
}

/// A member of an object, as it stands in the output.
#[derive(Debug, Clone, Copy)]
struct Member {
    start: usize,
    key_end: usize,
    end: usize,
    /// Whether the bytes of the key sort as its UTF-16 code units do: ASCII without escapes.
    plain: bool,
}

/// Appends the canonical form of a JSON text.
///
/// # Errors
/// [`TextFault`] if it is no JSON, nested too deeply, or has a key twice in one object.
pub(crate) fn rewrite(
    text: &str,
    integers: Integers,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
) -> Result<(), TextFault> {
    let mut walk = Walk { text, bytes: text.as_bytes(), at: 0, integers, scratch, out };
    walk.space();
    walk.value(DEPTH)?;
    walk.end()
}

/// Appends the canonical form of a JSON object, less the members that `visit` leaves out. It is told the canonical
/// key, quotes included, and the value as it stands in the text.
///
/// # Errors
/// [`TextFault`] as for [`rewrite`], or if the text is no object.
pub(crate) fn rewrite_object<'t>(
    text: &'t str,
    integers: Integers,
    scratch: &mut Scratch,
    out: &mut Vec<u8>,
    visit: Visit<'_, 't>,
) -> Result<(), TextFault> {
    let mut walk = Walk { text, bytes: text.as_bytes(), at: 0, integers, scratch, out };
    walk.space();
    if walk.peek() != Some(b'{') {
        return Err(walk.fault("no JSON object"));
    }
    walk.object(DEPTH, Some(visit))?;
    walk.end()
}

struct Walk<'t, 'o> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
    integers: Integers,
    scratch: &'o mut Scratch,
    out: &'o mut Vec<u8>,
}

impl<'t> Walk<'t, '_> {
    fn fault(&self, what: &'static str) -> TextFault {
        TextFault { at: self.at, what }
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    fn end(&mut self) -> Result<(), TextFault> {
        self.space();
        if self.at == self.bytes.len() { Ok(()) } else { Err(self.fault("more than one JSON value")) }
    }

    fn value(&mut self, depth: u32) -> Result<(), TextFault> {
        match self.peek() {
            Some(b'"') => self.string().map(drop),
            Some(b'{') => self.object(depth, None),
            Some(b'[') => self.array(depth),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true"),
            Some(b'f') => self.word("false"),
            Some(b'n') => self.word("null"),
            Some(_) => Err(self.fault("no JSON value")),
            None => Err(self.fault("the text ends early")),
        }
    }

    fn word(&mut self, word: &str) -> Result<(), TextFault> {
        if !self.bytes[self.at..].starts_with(word.as_bytes()) {
            return Err(self.fault("no JSON value"));
        }
        self.at += word.len();
        self.out.extend_from_slice(word.as_bytes());
        Ok(())
    }

    fn array(&mut self, depth: u32) -> Result<(), TextFault> {
        let Some(depth) = depth.checked_sub(1) else { return Err(self.fault("nested too deeply")) };
        self.at += 1;
        self.out.push(b'[');
        self.space();
        if self.peek() == Some(b']') {
            self.at += 1;
            self.out.push(b']');
            return Ok(());
        }
        loop {
            self.space();
            self.value(depth)?;
            self.space();
            let separator = self.peek();
            match separator {
                Some(b',') => self.out.push(b','),
                Some(b']') => self.out.push(b']'),
                _ => return Err(self.fault("an array that does not go on")),
            }
            self.at += 1;
            if separator == Some(b']') {
                return Ok(());
            }
        }
    }

    fn object(&mut self, depth: u32, mut visit: Option<Visit<'_, 't>>) -> Result<(), TextFault> {
        let Some(depth) = depth.checked_sub(1) else { return Err(self.fault("nested too deeply")) };
        self.at += 1;
        self.out.push(b'{');
        let base = self.scratch.members.len();
        let mut sorted = true;
        self.space();
        let mut open = self.peek() != Some(b'}');
        self.at += usize::from(!open);
        while open {
            self.space();
            let (member, raw) = self.member(depth)?;
            let key = &self.out[member.start..member.key_end];
            if visit.as_mut().is_none_or(|visit| visit(key, raw) == Keep::Member) {
                if let Some(before) = self.scratch.members[base..].last() {
                    sorted = sorted && compare(self.out, before, &member) == Ordering::Less;
                }
                self.scratch.members.push(member);
                self.out.push(b',');
            } else {
                self.out.truncate(member.start);
            }
            self.space();
            open = match self.peek() {
                Some(b',') => true,
                Some(b'}') => false,
                _ => return Err(self.fault("an object that does not go on")),
            };
            self.at += 1;
        }
        if !sorted {
            self.sort(base)?;
        }
        if self.scratch.members.len() > base {
            self.out.pop();
        }
        self.scratch.members.truncate(base);
        self.out.push(b'}');
        Ok(())
    }

    fn member(&mut self, depth: u32) -> Result<(Member, &'t str), TextFault> {
        let start = self.out.len();
        if self.peek() != Some(b'"') {
            return Err(self.fault("a key that is no string"));
        }
        let unescaped = self.string()?;
        let key_end = self.out.len();
        let plain = unescaped && self.out[start..key_end].is_ascii();
        self.space();
        if self.peek() != Some(b':') {
            return Err(self.fault("a key without a value"));
        }
        self.at += 1;
        self.out.push(b':');
        self.space();
        let from = self.at;
        self.value(depth)?;
        Ok((Member { start, key_end, end: self.out.len(), plain }, &self.text[from..self.at]))
    }

    /// Puts the members of one object in order. Each stands in the output with a comma behind it.
    fn sort(&mut self, base: usize) -> Result<(), TextFault> {
        let Scratch { members, spare } = &mut *self.scratch;
        let start = members[base].start;
        let out = &*self.out;
        members[base..].sort_unstable_by(|a, b| compare(out, a, b));
        if members[base..].windows(2).any(|pair| compare(out, &pair[0], &pair[1]) == Ordering::Equal) {
            return Err(TextFault { at: self.at, what: "a key that stands twice in one object, which ends" });
        }
        spare.clear();
        for member in &members[base..] {
            spare.extend_from_slice(&out[member.start..member.end]);
            spare.push(b',');
        }
        self.out.truncate(start);
        self.out.extend_from_slice(spare);
        Ok(())
    }

    /// Writes a string; says whether it stands without escapes.
    fn string(&mut self) -> Result<bool, TextFault> {
        let mut from = self.at;
        self.at += 1;
        let mut unescaped = true;
        loop {
            self.at = skip_ordinary(self.bytes, self.at);
            match self.peek() {
                Some(b'"') => {
                    self.at += 1;
                    self.out.extend_from_slice(&self.bytes[from..self.at]);
                    return Ok(unescaped);
                }
                Some(b'\\') => {
                    self.out.extend_from_slice(&self.bytes[from..self.at]);
                    self.escape()?;
                    unescaped = false;
                    from = self.at;
                }
                Some(_) => return Err(self.fault("a control character in a string")),
                None => return Err(self.fault("a string without an end")),
            }
        }
    }

    fn escape(&mut self) -> Result<(), TextFault> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.out.extend_from_slice(&self.bytes[self.at..self.at + 2]);
                self.at += 2;
            }
            Some(b'/') => {
                self.out.push(b'/');
                self.at += 2;
            }
            Some(b'u') => {
                let character = self.unicode()?;
                write_character(character, self.out);
            }
            _ => return Err(self.fault("an unknown escape")),
        }
        Ok(())
    }

    fn unicode(&mut self) -> Result<char, TextFault> {
        let unit = self.unit()?;
        if let Some(character) = char::from_u32(unit) {
            return Ok(character);
        }
        let lone = self.fault("half of a surrogate pair");
        let low = match (unit, self.bytes.get(self.at..self.at + 2)) {
            (0xd800..=0xdbff, Some(b"\\u")) => self.unit()?,
            _ => return Err(lone),
        };
        char::decode_utf16([unit, low].map(|u| u as u16)).next().and_then(Result::ok).ok_or(lone)
    }

    /// The four digits behind `\u`.
    fn unit(&mut self) -> Result<u32, TextFault> {
        let digits = self.bytes.get(self.at + 2..self.at + 6);
        let value = digits.and_then(|digits| {
            digits.iter().try_fold(0, |sum, b| Some(sum * 16 + char::from(*b).to_digit(16)?))
        });
        let value = value.ok_or_else(|| self.fault("an unknown escape"))?;
        self.at += 6;
        Ok(value)
    }

    fn number(&mut self) -> Result<(), TextFault> {
        let from = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        let digits = self.digits();
        let whole = !matches!(self.peek(), Some(b'.' | b'e' | b'E'));
        let first = self.bytes.get(self.at - digits);
        if digits == 0 || (first == Some(&b'0') && digits > 1) {
            return Err(self.fault("a number that is none"));
        }
        if whole && digits <= EXACT_DIGITS && first != Some(&b'0')
            || &self.bytes[from..self.at] == b"0" && whole
        {
            self.out.extend_from_slice(&self.bytes[from..self.at]);
            return Ok(());
        }
        self.fraction()?;
        let token = &self.text[from..self.at];
        let value: f64 = token.parse().map_err(|_| self.fault("a number that is none"))?;
        if !value.is_finite() {
            return Err(self.fault("a number that no double holds"));
        }
        let mut buffer = ryu_js::Buffer::new();
        let written = buffer.format_finite(value);
        if whole && digits > EXACT_DIGITS && self.integers == Integers::Refuse && written != token {
            return Err(self.fault("an integer that would be rounded"));
        }
        self.out.extend_from_slice(written.as_bytes());
        Ok(())
    }

    fn digits(&mut self) -> usize {
        let from = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - from
    }

    /// What of a number stands behind its whole part.
    fn fraction(&mut self) -> Result<(), TextFault> {
        if self.peek() == Some(b'.') {
            self.at += 1;
            if self.digits() == 0 {
                return Err(self.fault("a number that is none"));
            }
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            if self.digits() == 0 {
                return Err(self.fault("a number that is none"));
            }
        }
        Ok(())
    }
}

/// The order of RFC 8785: by UTF-16 code units.
fn compare(out: &[u8], a: &Member, b: &Member) -> Ordering {
    let key = |member: &Member| &out[member.start + 1..member.key_end - 1];
    if a.plain && b.plain {
        return key(a).cmp(key(b));
    }
    let units = |member: &Member| -> Vec<u16> {
        let text: String = serde_json::from_slice(&out[member.start..member.key_end])
            .expect("INVARIANT: `string` wrote a JSON string");
        text.encode_utf16().collect()
    };
    units(a).cmp(&units(b))
}

/// The first place at or after `at` that holds a quote, a backslash or a control character.
///
/// Eight bytes at a time: subtracting borrows into the top bit of a byte that is below, and the lowest such bit is
/// exact ("determine if a word has a byte less than n", Bit Twiddling Hacks).
fn skip_ordinary(bytes: &[u8], mut at: usize) -> usize {
    const ONES: u64 = u64::MAX / 255;
    const HIGH: u64 = ONES << 7;
    while let Some(chunk) = bytes.get(at..).and_then(<[u8]>::first_chunk::<8>) {
        let word = u64::from_le_bytes(*chunk);
        let below = |word: u64, n: u64| word.wrapping_sub(ONES * n) & !word;
        let quote = word ^ (ONES * u64::from(b'"'));
        let slash = word ^ (ONES * u64::from(b'\\'));
        let found = (below(word, 0x20) | below(quote, 1) | below(slash, 1)) & HIGH;
        if found != 0 {
            return at + found.trailing_zeros() as usize / 8;
        }
        at += 8;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|b| *b < 0x20 || matches!(b, b'"' | b'\\')).unwrap_or(rest.len())
}

/// A character that stood escaped, as it stands in the canonical form.
fn write_character(character: char, out: &mut Vec<u8>) {
    let short = match character {
        '"' => b'"',
        '\\' => b'\\',
        '\u{8}' => b'b',
        '\t' => b't',
        '\n' => b'n',
        '\u{c}' => b'f',
        '\r' => b'r',
        control if control < ' ' => {
            const HEX: &[u8; 16] = b"0123456789abcdef";
            let code = control as usize;
            out.extend_from_slice(&[b'\\', b'u', b'0', b'0', HEX[code >> 4], HEX[code & 15]]);
            return;
        }
        other => {
            out.extend_from_slice(other.encode_utf8(&mut [0; 4]).as_bytes());
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn canonical(text: &str, integers: Integers) -> Result<String, TextFault> {
        let mut out = Vec::new();
        rewrite(text, integers, &mut Scratch::default(), &mut out)?;
        Ok(String::from_utf8(out).unwrap())
    }

    #[test]
    fn any_spelling_of_a_value_has_one_form() {
        let rows = [
            (" { \"b\" : 1.0 ,\n\t\"a\":[ ] , \"\":{}}", r#"{"":{},"a":[],"b":1}"#),
            (r#"{"a!":1,"a":2,"a ":3,"ab":4}"#, r#"{"a":2,"a ":3,"a!":1,"ab":4}"#),
            (
                r#"["\u0041\/\u00e9\u2028\ud83d\ude00\u001F\u0022\u005c\u000a"]"#,
                "[\"A/é\u{2028}😀\\u001f\\\"\\\\\\n\"]",
            ),
            // U+E000 stands behind the surrogates of U+1F600 in UTF-16, before it in UTF-8
            ("{\"\u{e000}\":1,\"😀\":2}", "{\"😀\":2,\"\u{e000}\":1}"),
            (r#"{"\u0062":1,"a":2}"#, r#"{"a":2,"b":1}"#),
            (
                "[-0,-0.0,0,1e3,1E-7,0.1,100000000000000000000000,9007199254740993]",
                "[0,0,0,1000,1e-7,0.1,1e+23,9007199254740992]",
            ),
            ("[true,false,null]", "[true,false,null]"),
        ];
        for (text, expected) in rows {
            assert_eq!(canonical(text, Integers::Round).as_deref(), Ok(expected), "{text}");
            assert_eq!(canonical(expected, Integers::Round).as_deref(), Ok(expected), "{text}");
        }
    }

    #[test]
    fn what_has_no_canonical_form_is_refused() {
        let deep = "[".repeat(200);
        let rows = [
            ("", "ends early"),
            ("{", "no string"),
            ("{}{}", "more than one"),
            ("[1,]", "no JSON value"),
            ("[1", "does not go on"),
            ("{\"a\":1,}", "no string"),
            ("{\"a\" 1}", "without a value"),
            ("{a:1}", "no string"),
            ("01", "a number that is none"),
            ("-", "a number that is none"),
            ("1.", "a number that is none"),
            ("1e", "a number that is none"),
            ("1e999", "no double"),
            ("\"\u{1}\"", "control character"),
            ("\"abc", "without an end"),
            (r#""\x""#, "unknown escape"),
            (r#""\ud800""#, "surrogate"),
            (r#""\udc00\ud800""#, "surrogate"),
            (r#""\ud800\u0041""#, "surrogate"),
            ("tru", "no JSON value"),
            (r#"{"a":1,"b":2,"a":3}"#, "twice"),
            (r#"{"a":1,"\u0061":3}"#, "twice"),
            (&deep, "too deeply"),
        ];
        for (text, expected) in rows {
            let fault = canonical(text, Integers::Round).unwrap_err().to_string();
            assert!(fault.contains(expected), "{text}: {fault}");
        }
        assert!(canonical("[9007199254740993]", Integers::Refuse).unwrap_err().what.contains("rounded"));
        assert_eq!(canonical("[9007199254740992]", Integers::Refuse).as_deref(), Ok("[9007199254740992]"));
    }

    #[test]
    fn the_search_for_what_is_not_ordinary_finds_the_first() {
        for special in [b'"', b'\\', 0x00, 0x1f] {
            for place in 0..40 {
                let mut bytes = vec![b'a'; 48];
                bytes[place] = special;
                bytes[place + 3] = b'"';
                bytes[20] = if place == 20 { special } else { 0xff };
                assert_eq!(skip_ordinary(&bytes, 0), place);
            }
        }
        assert_eq!(skip_ordinary(b"abc", 0), 3);
        assert_eq!(skip_ordinary(b"abc", 7), 7);
    }
}
