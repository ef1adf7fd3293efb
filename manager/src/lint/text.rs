//! What lints on texts share: patterns, and showing a piece of a text.

use regex::Regex;

/// A pattern that looks for words, whatever their case and however they are broken over lines.
///
/// A space in `words` stands for any white space. Words, blanks and word boundaries are those of ASCII: the engine
/// leaves its fast road at the first other character for boundaries of all scripts.
pub(super) fn pattern(words: &str) -> Regex {
    let ascii = [
        (" ", r"\s+"),
        (r"\b", r"(?-u:\b)"),
        (r"[\w", "[0-9A-Za-z_"),
        (r"\w", "[0-9A-Za-z_]"),
        (r"\s", r"[ \t\r\n]"),
    ];
    let plain = ascii.iter().fold(words.to_owned(), |pattern, (from, to)| pattern.replace(from, to));
    Regex::new(&format!("(?i){plain}"))
        .expect("INVARIANT: patterns are written in this crate and each is used in a test")
}

/// The first match of any pattern, short enough to be shown.
pub(super) fn first<'r>(patterns: impl IntoIterator<Item = &'r Regex>, text: &str) -> Option<String> {
    patterns.into_iter().find_map(|pattern| pattern.find(text)).map(|found| shown(found.as_str()))
}

/// A piece of a stranger's text for a message: one line, no hidden characters, not long.
pub(super) fn shown(text: &str) -> String {
    const MAX: usize = 60;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut shown: String = line.chars().take(MAX).flat_map(escaped).collect();
    if line.chars().nth(MAX).is_some() {
        shown.push('…');
    }
    shown
}

fn escaped(c: char) -> Vec<char> {
    if super::rules::hidden_unicode::is_hidden(c) { c.escape_unicode().collect() } else { vec![c] }
}

/// The text without what stands in back-ticks: code is no prose.
pub(super) fn prose(text: &str) -> String {
    text.split('`').step_by(2).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_are_shown_on_one_line_and_without_hidden_characters() {
        assert_eq!(shown("a\n  b\u{200b}c"), "a b\\u{200b}c");
        assert_eq!(shown(&"x".repeat(61)), format!("{}…", "x".repeat(60)));
        assert_eq!(prose("a `b` c ```d``` e"), "a   c     e");
        assert_eq!(first([&pattern("two words")], "X TWO\nWORDS y").as_deref(), Some("TWO WORDS"));
    }
}
