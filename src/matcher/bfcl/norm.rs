//! What of a text counts: not its case, not some punctuation, not which quotes it uses.

/// The bytes that are dropped.
const DROPPED: &[u8] = b" ,./-_*^";

/// What becomes of an ASCII byte; 0 is dropped, and a NUL is told apart by the slow way.
static FOLDED: [u8; 128] = folded();

const fn folded() -> [u8; 128] {
    let mut table = [0; 128];
    let mut byte = 0;
    while byte < 128 {
        table[byte] = (byte as u8).to_ascii_lowercase();
        byte += 1;
    }
    table[b'\'' as usize] = b'"';
    let mut place = 0;
    while place < DROPPED.len() {
        table[DROPPED[place] as usize] = 0;
        place += 1;
    }
    table
}

/// A text without what does not count.
pub(super) fn norm(text: &str) -> String {
    let kept: String = text.chars().filter(|c| !c.is_ascii() || !DROPPED.contains(&(*c as u8))).collect();
    // Lower-casing looks at neighbours (Σ at the end of a word), so it comes after dropping.
    kept.to_lowercase().replace('\'', "\"")
}

/// Whether a text is, for what counts, one that was normed before.
#[inline]
pub(super) fn is_norm_of(normed: &str, text: &str) -> bool {
    let mut expected = normed.as_bytes();
    for &byte in text.as_bytes() {
        let Some(&folded) = FOLDED.get(usize::from(byte)) else { return norm(text) == normed };
        if folded == 0 {
            if byte == 0 {
                return norm(text) == normed;
            }
            continue;
        }
        match expected.split_first() {
            Some((&first, rest)) if first == folded => expected = rest,
            _ => return may_still_be(normed, text),
        }
    }
    expected.is_empty()
}

/// A difference in ASCII holds, except where a later character changes what comes before it in lower case.
#[cold]
fn may_still_be(normed: &str, text: &str) -> bool {
    !text.is_ascii() && norm(text) == normed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_quotes_and_some_punctuation_do_not_count() {
        let check = |text: &str, expected: &str| {
            assert_eq!(norm(text), expected, "{text}");
            assert!(is_norm_of(expected, text), "{text}");
            assert!(!is_norm_of(&format!("{expected}x"), text), "{text}");
            assert!(!is_norm_of(expected, &format!("{text}x")), "{text}");
        };
        check("April 1, 2024", "april12024");
        check("a/b-c_d*e^f.g", "abcdefg");
        check("It's \"x\"", "it\"s\"x\"");
        check("", "");
        check(" -", "");
        check("a\tb\n:;!()", "a\tb\n:;!()");
        check("ÉTÉ d'azur", "étéd\"azur");
        check("no\u{a0}break", "no\u{a0}break");
        check("ΟΔΟΣ ", "οδος");
        check("\u{212a}ilo", "kilo");
        check("a\0b", "a\0b");
    }

    #[test]
    fn a_difference_is_a_difference() {
        assert!(!is_norm_of("abc", "abd"));
        assert!(!is_norm_of("abc", "ab"));
        assert!(!is_norm_of("été", "ete"));
        assert!(!is_norm_of("été", "ét"));
    }
}
