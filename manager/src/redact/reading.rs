//! The readings of a text: as it stands, and with escapes undone; each without what only breaks a word up.

use std::ops::Range;

/// How a text is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As it stands.
    Plain,
    /// With percent signs, entities and backslash escapes undone, once.
    Unescaped,
    /// The same, without the sequences that a terminal obeys. Such a sequence ends with a letter, which may be the
    /// first of a secret: so this is one more reading, and not the only one.
    Uncoloured,
}

/// No escape and no unseen sequence is longer.
pub(super) const LONGEST_UNIT: usize = 32;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd)]
enum Class {
    Seen,
    Unseen,
    /// The first byte of what may be unseen.
    MaybeUnseen,
    /// The first byte of what may be an escape.
    Escape,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Seen; 256];
    let mut byte = 0;
    while byte <= 0x20 {
        classes[byte] = Class::Unseen;
        byte += 1;
    }
    classes[0x7f] = Class::Unseen;
    let (maybe, escapes) = ([0xc2, 0xcd, 0xd8, 0xe1, 0xe2, 0xef, 0xf3], [b'%', b'&', b'\\', 0x1b]);
    let mut at = 0;
    while at < maybe.len() {
        classes[maybe[at]] = Class::MaybeUnseen;
        at += 1;
    }
    let mut at = 0;
    while at < escapes.len() {
        classes[escapes[at] as usize] = Class::Escape;
        at += 1;
    }
    classes
};

/// The readings of a text that may differ.
pub(super) fn readings(text: &[u8]) -> impl Iterator<Item = Reading> + use<> {
    let escaped = memchr::memchr3(b'%', b'&', b'\\', text).map(|_| Reading::Unescaped);
    let coloured = memchr::memchr(0x1b, text).map(|_| Reading::Uncoloured);
    [Some(Reading::Plain), escaped, coloured].into_iter().flatten()
}

/// A text as it was read, with a note from time to time where in the text that was.
#[derive(Debug, Default)]
pub(super) struct Letters {
    pub(super) bytes: Vec<u8>,
    /// Numbers of letters, and the places where their units begin: one at the beginning of every stretch.
    notes: Vec<(usize, usize)>,
}

/// So many bytes of a text lie between two notes.
const STRETCH: usize = 1 << 10;

impl Letters {
    /// Reads a text.
    pub(super) fn take(&mut self, text: &[u8], reading: Reading) {
        self.notes.clear();
        // Room for every byte, so that the loop below need not ask; an escape is longer than what it means.
        self.bytes.resize(text.len(), 0);
        let (mut at, mut count, mut noted) = (0, 0, 0);
        while at < text.len() {
            if at >= noted {
                self.notes.push((count, at));
                noted = at + STRETCH;
            }
            // A letter is written in any case, and counts if it is one: no branch for each blank.
            let end = text.len().min(noted);
            while at < end {
                let byte = text[at];
                let class = CLASSES[usize::from(byte)];
                if class >= Class::MaybeUnseen {
                    break;
                }
                self.bytes[count] = byte;
                count += usize::from(class == Class::Seen);
                at += 1;
            }
            if at < end {
                let unit = unit(&text[at..], reading);
                for byte in unit.letters() {
                    self.bytes[count] = *byte;
                    count += 1;
                }
                at += unit.length;
            }
        }
        self.bytes.truncate(count);
    }

    /// Where the letters of these numbers come from; the numbers go up.
    pub(super) fn places(&self, text: &[u8], reading: Reading, numbers: &[usize]) -> Vec<Range<usize>> {
        let mut places: Vec<Range<usize>> = Vec::with_capacity(numbers.len());
        while let Some(wanted) = numbers.get(places.len()) {
            let note = self.notes.partition_point(|(number, _)| number <= wanted).saturating_sub(1);
            let Some((mut count, mut at)) = self.notes.get(note).copied() else { break };
            let before = places.len();
            let end = self.notes.get(note + 1).map_or(text.len(), |(_, place)| *place);
            while at < end {
                let unit = unit(&text[at..], reading);
                count += unit.letters().len();
                while numbers.get(places.len()).is_some_and(|wanted| *wanted < count) {
                    places.push(at..at + unit.length);
                }
                at += unit.length;
            }
            // INVARIANT: a letter lies between its note and the next, so each round finds one; else the loop ends.
            if places.len() == before {
                break;
            }
        }
        places
    }
}

/// A byte, an escape or something unseen: how long it is, and what it reads as.
struct Unit {
    length: usize,
    bytes: [u8; 4],
    count: usize,
}

impl Unit {
    fn letters(&self) -> &[u8] {
        &self.bytes[..self.count]
    }

    fn of_byte(length: usize, byte: u8) -> Self {
        Self { length, bytes: [byte, 0, 0, 0], count: 1 }
    }

    fn nothing(length: usize) -> Self {
        Self { length, bytes: [0; 4], count: 0 }
    }

    fn of_char(length: usize, c: char) -> Self {
        let mut bytes = [0; 4];
        let count = c.encode_utf8(&mut bytes).len();
        Self { length, bytes, count }
    }
}

/// The first unit of a text that has one.
fn unit(text: &[u8], reading: Reading) -> Unit {
    let byte = text[0];
    let (length, means) = match (CLASSES[usize::from(byte)], byte, reading) {
        (Class::Seen, ..) => return Unit::of_byte(1, byte),
        (Class::Unseen, ..) => return Unit::nothing(1),
        (Class::MaybeUnseen, ..) => {
            return match unseen(text) {
                0 => Unit::of_byte(1, byte),
                length => Unit::nothing(length),
            };
        }
        (Class::Escape, 0x1b, Reading::Uncoloured) => (colour(text), Means::Nothing),
        (Class::Escape, 0x1b, Reading::Plain | Reading::Unescaped) => (1, Means::Nothing),
        (Class::Escape, _, Reading::Plain) => (1, Means::Itself),
        (Class::Escape, _, Reading::Unescaped | Reading::Uncoloured) => unescape(text),
    };
    match means {
        Means::Itself => Unit::of_byte(length, byte),
        Means::Nothing => Unit::nothing(length),
        Means::Byte(byte) if CLASSES[usize::from(byte)] == Class::Unseen => Unit::nothing(length),
        Means::Byte(byte) => Unit::of_byte(length, byte),
        Means::Char(c) if is_unseen(c) => Unit::nothing(length),
        Means::Char(c) => Unit::of_char(length, c),
    }
}

/// How many bytes at the beginning are one thing that nobody sees; 0 if none.
fn unseen(text: &[u8]) -> usize {
    let length = match text[0] {
        0xf0.. => 4,
        0xe0.. => 3,
        _ => 2,
    };
    let decoded = text.get(..length).and_then(|bytes| std::str::from_utf8(bytes).ok());
    if decoded.and_then(|text| text.chars().next()).is_some_and(is_unseen) { length } else { 0 }
}

/// A sequence that a terminal obeys: escape, bracket, parameters, a letter. The escape alone is unseen too.
fn colour(text: &[u8]) -> usize {
    if text.get(1) != Some(&b'[') {
        return 1;
    }
    let parameters = text[2..].iter().take(LONGEST_UNIT - 3).take_while(|b| matches!(b, 0x20..=0x3f)).count();
    match text.get(2 + parameters) {
        Some(0x40..=0x7e) => 3 + parameters,
        _ => 1,
    }
}

/// Characters that show nothing where they stand within a word.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || c.is_whitespace()
        || matches!(c,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}'
            | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e01ef}')
}

enum Means {
    /// It is no escape.
    Itself,
    Nothing,
    Byte(u8),
    Char(char),
}

/// How long an escape is, and what it means.
fn unescape(text: &[u8]) -> (usize, Means) {
    let found = match text[0] {
        b'%' => hex(text, 1, 2).map(|value| (3, Means::Byte(value as u8))),
        b'&' => entity(text),
        _ => Some(backslash(text)),
    };
    found.unwrap_or((1, Means::Itself))
}

/// A backslash is itself never a letter, so that it does not matter how often a text was escaped.
fn backslash(text: &[u8]) -> (usize, Means) {
    let coded = |digits: usize| Some((2 + digits, hex(text, 2, digits)?));
    match text.get(1) {
        Some(b'n' | b'r' | b't' | b'b' | b'f') => (2, Means::Nothing),
        Some(b'x') => {
            coded(2).map_or((1, Means::Nothing), |(length, value)| (length, Means::Byte(value as u8)))
        }
        Some(b'u') => match coded(4).and_then(|(length, value)| Some((length, char::from_u32(value)?))) {
            Some((length, c)) => (length, Means::Char(c)),
            None => surrogates(text).unwrap_or((1, Means::Nothing)),
        },
        _ => (1, Means::Nothing),
    }
}

/// A character beyond the first plane, as two escapes.
fn surrogates(text: &[u8]) -> Option<(usize, Means)> {
    let (high, low) = (hex(text, 2, 4)?, hex(text, 8, 4)?);
    if text.get(6..8)? != b"\\u" || !(0xd800..0xdc00).contains(&high) || !(0xdc00..0xe000).contains(&low) {
        return None;
    }
    let c = char::from_u32(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))?;
    Some((12, Means::Char(c)))
}

fn entity(text: &[u8]) -> Option<(usize, Means)> {
    let end = text.iter().take(LONGEST_UNIT).position(|b| *b == b';')?;
    let name = std::str::from_utf8(&text[1..end]).ok()?;
    let c = match name {
        "amp" => '&',
        "lt" => '<',
        "gt" => '>',
        "quot" => '"',
        "apos" => '\'',
        "nbsp" => '\u{a0}',
        "shy" => '\u{ad}',
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)?
        }
    };
    Some((end + 1, Means::Char(c)))
}

/// So many hexadecimal digits at a place.
fn hex(text: &[u8], at: usize, digits: usize) -> Option<u32> {
    text.get(at..at + digits)?.iter().try_fold(0, |value, b| Some(value << 4 | char::from(*b).to_digit(16)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, plain: &str, undone: &str) {
        for (reading, expected) in [(Reading::Plain, plain), (Reading::Uncoloured, undone)] {
            let mut out = Letters::default();
            out.take(text.as_bytes(), reading);
            assert_eq!(String::from_utf8_lossy(&out.bytes), expected, "{text:?} {reading:?}");
        }
    }

    #[test]
    fn what_breaks_a_word_up_is_not_read() {
        check("ab", "ab", "ab");
        check("a b\tc\r\n d\0e\u{7f}f", "abcdef", "abcdef");
        check("a\u{200b}b\u{feff}c\u{ad}d\u{e0041}e\u{2028}f\u{a0}g", "abcdefg", "abcdefg");
        check("\u{1b}[01;31m\u{1b}[Kab\u{1b}[m\u{1b}[Kc", "[01;31m[Kab[m[Kc", "abc");
        check("é\u{201c}東\u{d8}", "é\u{201c}東\u{d8}", "é\u{201c}東\u{d8}");
        check("\u{1b}x\u{1b}[", "x[", "x[");
        check("\u{1b}[sk", "[sk", "k");
    }

    #[test]
    fn escapes_are_undone_once() {
        check("%41%4a%4A", "%41%4a%4A", "AJJ");
        check("100%, %4 %zz", "100%,%4%zz", "100%,%4%zz");
        check("%2541", "%2541", "%41");
        check("&amp;&#65;&#x42;&#X43;", "&amp;&#65;&#x42;&#X43;", "&ABC");
        check("a&b;&#xffffffff;", "a&b;&#xffffffff;", "a&b;&#xffffffff;");
        check(r"a\u0042\n\t\x43\\\", r"a\u0042\n\t\x43\\\", "aBC");
        check(r"\ud83d\ude00\ud83d", r"\ud83d\ude00\ud83d", "\u{1f600}ud83d");
        check(r"\u200ba%0Ab&shy;c", r"\u200ba%0Ab&shy;c", "abc");
    }

    #[test]
    fn letters_know_where_they_come_from() {
        let check = |text: &[u8], numbers: &[usize], expected: &[(usize, usize)]| {
            let mut out = Letters::default();
            out.take(text, Reading::Unescaped);
            let places = out.places(text, Reading::Unescaped, numbers);
            let places: Vec<(usize, usize)> = places.iter().map(|at| (at.start, at.end)).collect();
            assert_eq!(places, expected);
        };
        check(b"a %41", &[0, 1], &[(0, 1), (2, 5)]);
        check(b"a %41", &[1, 2], &[(2, 5)]);
        check("&#233;b".as_bytes(), &[0, 1, 2], &[(0, 6), (0, 6), (6, 7)]);
        let long = b"x \\u0041 ".repeat(1000);
        check(&long, &[0, 1, 1000, 1999], &[(0, 1), (2, 8), (4500, 4501), (8993, 8999)]);
        check(b"", &[0], &[]);
    }
}
