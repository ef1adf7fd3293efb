//! Text for people: cut where it is long, on one line, with nothing in it that a terminal obeys.
//!
//! What is cut and what is escaped is marked, so that nobody takes a part for the whole.

use std::borrow::Cow;

/// The first `max` characters; `…` says that more followed.
pub fn shorten(text: &str, max: usize) -> Cow<'_, str> {
    match text.char_indices().nth(max) {
        Some((end, _)) => Cow::Owned(format!("{}…", &text[..end])),
        None => Cow::Borrowed(text),
    }
}

/// The last place at or before this one where a text can be cut.
pub(crate) fn floor(text: &str, at: usize) -> usize {
    (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default()
}

/// The first place at or after this one where a text can be cut.
pub(crate) fn ceil(text: &str, at: usize) -> usize {
    (at..=text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len())
}

/// The text on one line, without anything that a terminal obeys or that hides: such characters are spelled.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let spelled = |c: char| match c {
        '\n' | '\r' | '\t' => ' '.to_string(),
        c if is_obeyed(c) => c.escape_unicode().to_string(),
        c => c.to_string(),
    };
    Cow::Owned(text.chars().map(spelled).collect())
}

/// A [clean] line of the first `max` characters.
pub fn line(text: &str, max: usize) -> String {
    clean(&shorten(text, max)).into_owned()
}

/// Control characters, line separators, those that turn the direction of writing, and those of no width.
fn is_obeyed(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{ad}'
                | '\u{61c}'
                | '\u{180e}'
                | '\u{200b}'..='\u{200f}'
                | '\u{2028}'..='\u{202e}'
                | '\u{2060}'..='\u{206f}'
                | '\u{feff}'
                | '\u{fff9}'..='\u{fffb}'
                | '\u{e0000}'..='\u{e007f}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character_and_marked() {
        for (text, max, expected) in
            [("äöü", 3, "äöü"), ("äöü", 2, "äö…"), ("", 0, ""), ("a", 0, "…"), ("a\nb", 2, "a\n…")]
        {
            assert_eq!(shorten(text, max), expected, "{text} {max}");
        }
        assert!(matches!(shorten("äöü", 3), Cow::Borrowed(_)));
    }

    #[test]
    fn nothing_in_a_line_moves_the_cursor_or_hides() {
        let rows = [
            ("plain – ⚠️ é", "plain – ⚠️ é"),
            ("two\r\nlines\tand", "two  lines and"),
            ("\u{1b}[2Jgone\u{7}", r"\u{1b}[2Jgone\u{7}"),
            ("a\u{202e}b\u{200b}c\u{2028}d", r"a\u{202e}b\u{200b}c\u{2028}d"),
            ("tag\u{e0041}", r"tag\u{e0041}"),
            ("\u{9b}31m", r"\u{9b}31m"),
        ];
        for (text, expected) in rows {
            assert_eq!(clean(text), expected);
            assert!(!clean(text).chars().any(is_obeyed), "{text:?}");
        }
    }

    #[test]
    fn a_line_is_cut_before_it_is_spelled() {
        assert_eq!(line("a\u{1b}b", 2), r"a\u{1b}…");
    }
}
