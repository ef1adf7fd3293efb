//! Text to terms: splitting, folding, stop words, light stemming.
//!
//! The same road for tool metadata and for prompts, so `readTextFile`, `read_text_file` and "reading text
//! files" meet. Stemming is English only, because tool metadata is; a word of another language passes
//! through it unharmed enough to meet itself. Scripts without spaces between words become overlapping pairs
//! of characters.

use rust_stemmers::{Algorithm, Stemmer};
use std::{
    borrow::Cow,
    hash::{BuildHasherDefault, Hasher},
    sync::LazyLock,
};
use unicode_normalization::{UnicodeNormalization, char::is_combining_mark};

/// A word after folding and stemming, as a 64-bit hash of its text.
///
/// Two words of one vocabulary share a hash about once in 10^10 vocabularies of tool metadata, and then a
/// score is a little off; the strings themselves are needed nowhere.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term(u64);

/// Hashes a term as itself: it is a hash already.
pub(crate) type TermHasher = BuildHasherDefault<Identity>;

/// The hasher behind [`TermHasher`].
#[derive(Debug, Default)]
pub(crate) struct Identity(u64);

impl Hasher for Identity {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

static STEMMER: LazyLock<Stemmer> = LazyLock::new(|| Stemmer::create(Algorithm::English));

impl Term {
    /// The term of one word that is folded already (see [`words`]).
    pub fn of(word: &str) -> Self {
        Self(fnv(STEMMER.stem(word).as_bytes()))
    }
}

/// FNV-1a with a final mix, so that the low bits serve a hash table.
fn fnv(bytes: &[u8]) -> u64 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    });
    (hash ^ (hash >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// Words that say nothing about a tool. Short on purpose: what is common but not empty is left to the idf.
const STOP_WORDS: [&str; 97] = [
    "a", "about", "all", "also", "am", "an", "and", "any", "are", "as", "at", "be", "been", "but", "by",
    "can", "could", "did", "do", "does", "each", "for", "from", "had", "has", "have", "he", "her", "here",
    "his", "how", "i", "if", "im", "in", "into", "is", "it", "its", "just", "let", "may", "me", "my", "no",
    "not", "now", "of", "ok", "on", "only", "or", "our", "out", "pls", "please", "s", "she", "should", "so",
    "some", "such", "t", "than", "that", "the", "their", "them", "then", "there", "these", "they", "this",
    "those", "to", "too", "up", "us", "use", "used", "using", "via", "want", "was", "we", "were", "what",
    "when", "where", "which", "will", "with", "would", "you", "your", "yours", "whats",
];

/// Whether a folded word says nothing about a tool.
pub fn is_stop_word(word: &str) -> bool {
    static SORTED: LazyLock<Vec<&'static str>> = LazyLock::new(|| {
        let mut words = STOP_WORDS.to_vec();
        words.sort_unstable();
        words
    });
    SORTED.binary_search(&word).is_ok()
}

/// Calls `each` with every folded word of a text that says something, in order; stop words are left out.
pub fn words(text: &str, mut each: impl FnMut(&str)) {
    every_word(text, |word| {
        if !is_stop_word(word) {
            each(word);
        }
    });
}

/// Calls `each` with every folded word of a text, in order.
///
/// A word in camel case comes in its parts and whole (`GitHub`: `git`, `hub`, `github`), because people write
/// such names either way.
pub fn every_word(text: &str, mut each: impl FnMut(&str)) {
    let folded = fold(text);
    let mut run_start = None;
    for (at, c) in folded.char_indices() {
        if c.is_alphanumeric() {
            run_start.get_or_insert(at);
        } else if let Some(start) = run_start.take() {
            run(&folded[start..at], &mut each);
        }
    }
    if let Some(start) = run_start {
        run(&folded[start..], &mut each);
    }
}

/// Compatibility forms resolved, accents off, apostrophes dropped inside words; case is kept for the split.
fn fold(text: &str) -> Cow<'_, str> {
    let apostrophe = |c: char| matches!(c, '\'' | '’');
    if text.is_ascii() && !text.contains('\'') {
        return Cow::Borrowed(text);
    }
    let folded = text.nfkd().filter(|c| !is_combining_mark(*c) && !apostrophe(*c));
    Cow::Owned(folded.nfc().collect())
}

/// One run of letters and digits: split where the case or the script changes.
fn run(run: &str, each: &mut impl FnMut(&str)) {
    if run.chars().any(is_unspaced) {
        return unspaced(run, each);
    }
    let mut start = 0;
    let mut parts = 0;
    for at in boundaries(run) {
        emit(&run[start..at], each);
        start = at;
        parts += 1;
    }
    emit(&run[start..], each);
    if parts > 0 {
        emit(run, each);
    }
}

/// Where camel case changes: `readFile` before `F`, `HTTPServer` before `S`. Digits stay with their word.
fn boundaries(run: &str) -> impl Iterator<Item = usize> {
    let mut chars = run.char_indices().peekable();
    let mut before: Option<char> = None;
    std::iter::from_fn(move || {
        while let Some((at, c)) = chars.next() {
            let previous = before.replace(c);
            let next_lower = chars.peek().is_some_and(|(_, n)| n.is_lowercase());
            if let Some(p) = previous
                && c.is_uppercase()
                && (!p.is_uppercase() || next_lower)
            {
                return Some(at);
            }
        }
        None
    })
}

fn emit(word: &str, each: &mut impl FnMut(&str)) {
    if word.is_empty() {
        return;
    }
    if word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit()) {
        return each(word);
    }
    each(&word.to_lowercase());
}

/// Han, kana, Hangul and Thai: written without spaces, or with endings that no English stemmer knows.
fn is_unspaced(c: char) -> bool {
    matches!(c, '\u{0e00}'..='\u{0e7f}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

fn unspaced(run: &str, each: &mut impl FnMut(&str)) {
    let starts: Vec<usize> = run.char_indices().map(|(at, _)| at).chain([run.len()]).collect();
    if starts.len() < 3 {
        return each(run);
    }
    for window in starts.windows(3) {
        each(&run[window[0]..window[2]]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        let mut got = Vec::new();
        words(text, |w| got.push(w.to_owned()));
        assert_eq!(got, expected, "{text}");
    }

    #[test]
    fn names_and_prose_meet_in_the_same_words() {
        check("read_text_file", &["read", "text", "file"]);
        check("get-users.byId", &["get", "users", "id", "byid"]);
        check("readTextFile", &["read", "text", "file", "readtextfile"]);
        check("HTTPServer", &["http", "server", "httpserver"]);
        check("GitHub", &["git", "hub", "github"]);
        check("what's in s3://bucket?", &["s3", "bucket"]);
        check("don’t", &["dont"]);
        check("Müllers Café", &["mullers", "cafe"]);
        check("創建倉庫 ok", &["創建", "建倉", "倉庫"]);
        check("庫", &["庫"]);
        check("", &[]);
        check("... --- ...", &[]);
    }

    #[test]
    fn forms_of_a_word_share_their_term() {
        for (a, b) in [("tests", "testing"), ("delete", "deleted"), ("files", "file"), ("query", "queries")] {
            assert_eq!(Term::of(a), Term::of(b), "{a} {b}");
        }
        assert_ne!(Term::of("file"), Term::of("folder"));
    }

    #[test]
    fn stop_words_are_found() {
        assert!(STOP_WORDS.iter().all(|w| is_stop_word(w)));
        assert!(!is_stop_word("file"));
    }
}
