//! Where the strings of some text end, found for 64 bytes at a time.
//!
//! Most of a recorded answer is strings, and most of them are stepped over; with the quotes marked beforehand
//! that costs the same for a short string as for a long one, and no branch that is guessed wrong. The marks are
//! those of simdjson ("Parsing Gigabytes of JSON per Second", Langdale and Lemire, 2019). Words that hold
//! something rare are marked as odd, and a line that touches one is read byte by byte.

use chunks::{find, letters};

/// The marks of a text.
#[derive(Debug, Default)]
pub struct Index {
    words: Vec<Word>,
}

/// The marks of 64 bytes, the first byte in the lowest bit.
#[derive(Debug, Clone, Copy, Default)]
struct Word {
    /// Quotes that begin or end a string.
    quotes: u64,
    slashes: u64,
    /// Whether there is a control character that is no line end, or an escape that is no single letter.
    odd: bool,
}

impl Index {
    /// The marks of a text.
    pub fn of(text: &[u8]) -> Self {
        let mut words = Vec::with_capacity(text.len() / 64 + 1);
        let (chunks, rest) = text.as_chunks::<64>();
        let mut escapes = 0;
        for chunk in chunks {
            words.push(mark(chunk, &mut escapes));
        }
        if !rest.is_empty() {
            let mut last = [b' '; 64];
            last[..rest.len()].copy_from_slice(rest);
            words.push(mark(&last, &mut escapes));
        }
        Self { words }
    }

    /// Whether these bytes hold nothing rare, so that the marks can be relied on.
    pub(super) fn is_plain(&self, from: usize, to: usize) -> bool {
        let words = self.words.get(from / 64..to.div_ceil(64)).unwrap_or_default();
        !words.iter().any(|word| word.odd)
    }

    /// Where the string ends that begins here; none if it does not end.
    #[inline]
    pub(super) fn string_end(&self, from: usize) -> Option<usize> {
        let mut place = from / 64;
        let shift = from % 64;
        let mut quotes = self.words.get(place)?.quotes >> shift << shift;
        while quotes == 0 {
            place += 1;
            quotes = self.words.get(place)?.quotes;
        }
        Some(place * 64 + quotes.trailing_zeros() as usize)
    }

    /// Whether there is a backslash among these bytes.
    #[inline]
    pub(super) fn has_slash(&self, from: usize, to: usize) -> bool {
        let words = self.words.get(from / 64..to.div_ceil(64)).unwrap_or_default();
        let (first, last) = (u64::MAX << (from % 64), u64::MAX >> ((64 - to % 64) % 64));
        match words {
            [] => false,
            [only] => only.slashes & first & last != 0,
            [start, middle @ .., end] => {
                start.slashes & first != 0
                    || end.slashes & last != 0
                    || middle.iter().any(|word| word.slashes != 0)
            }
        }
    }
}

#[inline(always)]
fn mark(chunk: &[u8; 64], escapes: &mut u64) -> Word {
    let found = find(chunk);
    let escaped = escaped(found.slashes, escapes);
    let odd = (found.control != 0 && has_odd_control(chunk, found.control))
        || (escaped != 0 && escaped & !letters(chunk) & !found.quotes & !found.slashes != 0);
    Word { quotes: found.quotes & !escaped, slashes: found.slashes, odd }
}

/// Which bytes are escaped by a backslash that is not escaped itself; `carry` is whether the last one is.
#[inline]
fn escaped(slashes: u64, carry: &mut u64) -> u64 {
    const ODD: u64 = 0xaaaa_aaaa_aaaa_aaaa;
    if slashes == 0 {
        return std::mem::take(carry);
    }
    // A subtraction runs through each series of backslashes and tells where it ends on an odd count.
    let starts = slashes & !*carry;
    let ends = ((starts << 1) | ODD).wrapping_sub(starts) ^ ODD;
    let escaped = ends ^ (slashes | *carry);
    *carry = (ends & slashes) >> 63;
    escaped
}

#[cold]
fn has_odd_control(chunk: &[u8; 64], control: u64) -> bool {
    chunk.iter().enumerate().any(|(place, byte)| control >> place & 1 == 1 && *byte != b'\n')
}

/// Some bytes of a chunk, as marks.
struct Found {
    quotes: u64,
    slashes: u64,
    control: u64,
}

#[cfg(target_arch = "x86_64")]
mod chunks {
    //! With the vectors that every x86-64 has.

    use super::Found;
    use std::arch::x86_64::{
        __m128i, _mm_cmpeq_epi8, _mm_min_epu8, _mm_movemask_epi8, _mm_or_si128, _mm_set_epi64x, _mm_set1_epi8,
    };

    /// Looks at a chunk.
    #[inline]
    #[expect(unsafe_code, reason = "vector operations are bound to a feature, also one that is always there")]
    pub(super) fn find(chunk: &[u8; 64]) -> Found {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { find_sse2(chunk) }
    }

    /// The letters that may follow a backslash and stand for one character.
    #[inline]
    #[expect(unsafe_code, reason = "vector operations are bound to a feature, also one that is always there")]
    pub(super) fn letters(chunk: &[u8; 64]) -> u64 {
        // SAFETY: SSE2 is part of x86-64.
        unsafe { letters_sse2(chunk) }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn find_sse2(chunk: &[u8; 64]) -> Found {
        let [a, b, c, d] = vectors(chunk);
        let highest = _mm_set1_epi8(0x1f);
        let control = |vector| _mm_cmpeq_epi8(_mm_min_epu8(vector, highest), vector);
        Found {
            quotes: marks([is(a, b'"'), is(b, b'"'), is(c, b'"'), is(d, b'"')]),
            slashes: marks([is(a, b'\\'), is(b, b'\\'), is(c, b'\\'), is(d, b'\\')]),
            control: marks([control(a), control(b), control(c), control(d)]),
        }
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn letters_sse2(chunk: &[u8; 64]) -> u64 {
        let [a, b, c, d] = vectors(chunk);
        marks([letter(a), letter(b), letter(c), letter(d)])
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn letter(vector: __m128i) -> __m128i {
        let one = _mm_or_si128(is(vector, b'n'), is(vector, b't'));
        let other = _mm_or_si128(is(vector, b'r'), is(vector, b'/'));
        let rare = _mm_or_si128(is(vector, b'b'), is(vector, b'f'));
        _mm_or_si128(_mm_or_si128(one, other), rare)
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn is(vector: __m128i, byte: u8) -> __m128i {
        _mm_cmpeq_epi8(vector, _mm_set1_epi8(byte.cast_signed()))
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn vectors(chunk: &[u8; 64]) -> [__m128i; 4] {
        let [a, b, c, d] = std::array::from_fn(|quarter| {
            let half =
                |at: usize| i64::from_le_bytes(std::array::from_fn(|byte| chunk[quarter * 16 + at + byte]));
            (half(0), half(8))
        });
        [
            _mm_set_epi64x(a.1, a.0),
            _mm_set_epi64x(b.1, b.0),
            _mm_set_epi64x(c.1, c.0),
            _mm_set_epi64x(d.1, d.0),
        ]
    }

    #[inline]
    #[target_feature(enable = "sse2")]
    fn marks(tests: [__m128i; 4]) -> u64 {
        let [a, b, c, d] = tests;
        let bits = |vector| u64::from(_mm_movemask_epi8(vector).cast_unsigned());
        bits(a) | bits(b) << 16 | bits(c) << 32 | bits(d) << 48
    }
}

#[cfg(not(target_arch = "x86_64"))]
mod chunks {
    //! Byte by byte, for the compiler to make of it what it can.

    use super::Found;

    /// Looks at a chunk.
    #[inline]
    pub(super) fn find(chunk: &[u8; 64]) -> Found {
        Found {
            quotes: marks(chunk, |byte| byte == b'"'),
            slashes: marks(chunk, |byte| byte == b'\\'),
            control: marks(chunk, |byte| byte < 0x20),
        }
    }

    /// The letters that may follow a backslash and stand for one character.
    #[inline]
    pub(super) fn letters(chunk: &[u8; 64]) -> u64 {
        marks(chunk, |byte| b"/bfnrt".contains(&byte))
    }

    #[inline]
    fn marks(chunk: &[u8; 64], test: impl Fn(u8) -> bool) -> u64 {
        chunk.iter().rev().fold(0, |marks, byte| marks << 1 | u64::from(test(*byte)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What reading byte by byte finds.
    fn reference(text: &[u8], from: usize) -> Option<(usize, bool)> {
        let mut at = from;
        let mut escaped = false;
        loop {
            match text.get(at)? {
                b'"' => return Some((at, escaped)),
                b'\\' => {
                    escaped = true;
                    at += 2;
                }
                _ => at += 1,
            }
        }
    }

    #[test]
    fn strings_end_where_reading_byte_by_byte_ends_them() {
        // Every mixture of some letters would be too many: a generator with a fixed start picks from them.
        let mut state = 7_u64;
        let mut random = |below: u64| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (state >> 33) % below
        };
        for _ in 0..2_000 {
            let length = 1 + random(300) as usize;
            let common = random(6) + 1;
            let body =
                (0..length).map(|_| *b"\\\"nxyzabcdeg".get(random(2 * common) as usize).unwrap_or(&b'x'));
            let mut text = vec![b'"'];
            text.extend(body);
            let index = Index::of(&text);
            let found = index.string_end(1).map(|end| (end, index.has_slash(1, end)));
            assert_eq!(found, reference(&text, 1), "{}", String::from_utf8_lossy(&text));
        }
    }

    #[test]
    fn what_is_rare_is_odd() {
        let check = |text: &str, expected: bool| {
            for padding in [0, 1, 30, 61, 62, 63, 64, 65] {
                let text = format!("{}{text}", "x".repeat(padding));
                let found = Index::of(text.as_bytes()).is_plain(padding, text.len());
                assert_eq!(found, expected, "{padding} {text:?}");
            }
        };
        check("\"a\\n\\t\\r\\b\\f\\/\\\\\\\"\"", true);
        check("\"a\\u00e9\"", false);
        check("\"a\\x\"", false);
        check("\"a\tb\"", false);
        check("\"a\nb\"", true);
        check("\"\\\\u\"", true);
    }
}
