//! What is disregarded when text is compared: `normalize: [case, whitespace, punctuation, unicode]`.

use regex::{Captures, Regex};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{borrow::Cow, collections::BTreeMap, sync::LazyLock};
use unicode_normalization::UnicodeNormalization;

/// One difference that does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Fold {
    /// Upper and lower case.
    Case,
    /// Runs of white space are one space; none at the ends.
    Whitespace,
    /// Punctuation is left out, but for decimal points and signs of numbers.
    Punctuation,
    /// Compatible forms (NFKC), and typographic quotes and dashes are plain ones.
    Unicode,
}

/// The differences that do not count, together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Folds(u8);

impl Folds {
    /// Every difference counts.
    pub const NONE: Self = Self(0);

    /// Whether this difference does not count.
    pub fn has(self, fold: Fold) -> bool {
        self.0 & (1 << fold as u8) != 0
    }

    /// The text without the differences that do not count; the text itself if all of them do.
    pub fn fold(self, text: &str) -> Cow<'_, str> {
        if self == Self::NONE { Cow::Borrowed(text) } else { Cow::Owned(self.folded(text)) }
    }

    /// Compatible forms first, since they can yield what the other folds look for; spaces last, since leaving
    /// out punctuation can bring two together.
    fn folded(self, text: &str) -> String {
        let mut text = text.to_owned();
        if self.has(Fold::Unicode) {
            text = text.nfkc().map(plain).collect();
        }
        if self.has(Fold::Case) {
            text = text.to_lowercase();
        }
        if self.has(Fold::Punctuation) {
            text = without_punctuation(&text);
        }
        if self.has(Fold::Whitespace) {
            text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        }
        text
    }
}

impl FromIterator<Fold> for Folds {
    fn from_iter<I: IntoIterator<Item = Fold>>(folds: I) -> Self {
        Self(folds.into_iter().fold(0, |bits, fold| bits | 1 << fold as u8))
    }
}

/// Leaves punctuation out, but for what makes another number: `1.5` is not `15`, and `-5` not `5`.
fn without_punctuation(text: &str) -> String {
    static PUNCTUATION: LazyLock<Regex> =
        LazyLock::new(|| Regex::new(r"\p{P}").expect("INVARIANT: a constant pattern"));
    let kept = |found: &Captures<'_>| {
        let Some(mark) = found.get(0) else { return String::new() };
        let before = text[..mark.start()].chars().next_back();
        let follows_digit = text[mark.end()..].starts_with(|next: char| next.is_ascii_digit());
        let is_of_number = match mark.as_str() {
            "." => before.is_some_and(|before| before.is_ascii_digit()),
            "-" => !before.is_some_and(char::is_alphanumeric),
            _ => false,
        };
        if is_of_number && follows_digit { mark.as_str().to_owned() } else { String::new() }
    };
    PUNCTUATION.replace_all(text, kept).into_owned()
}

/// A typographic character as the keyboard has it.
fn plain(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201A}' | '\u{201B}' => '\'',
        '\u{201C}' | '\u{201D}' | '\u{201E}' | '\u{201F}' | '\u{AB}' | '\u{BB}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        other => other,
    }
}

/// The folds of a whole `args:` block, and those of single parameters.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Normalize {
    everywhere: Folds,
    parameters: BTreeMap<String, Folds>,
}

impl Normalize {
    /// The same folds for every argument.
    pub fn everywhere(folds: Folds) -> Self {
        Self { everywhere: folds, parameters: BTreeMap::new() }
    }

    /// The same, with other folds for what a JSON pointer names and all that is inside of it.
    #[must_use]
    pub fn with(mut self, pointer: impl Into<String>, folds: Folds) -> Self {
        self.parameters.insert(pointer.into(), folds);
        self
    }

    /// The folds for an argument: those of the longest pointer that leads to it.
    pub fn at(&self, pointer: &str) -> Folds {
        let leads = |known: &str| {
            pointer.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        self.parameters
            .iter()
            .filter(|(known, _)| leads(known))
            .max_by_key(|(known, _)| known.len())
            .map_or(self.everywhere, |(_, folds)| *folds)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Fold::{Case, Punctuation, Unicode, Whitespace};

    #[test]
    fn each_fold_disregards_its_own_difference_only() {
        for (folds, text, folded) in [
            (vec![], " A, b ", " A, b "),
            (vec![Case], "ÄB c", "äb c"),
            (vec![Whitespace], "\t a\u{a0} b\n", "a b"),
            (vec![Punctuation], "e-mail, «now»!", "email now"),
            (vec![Punctuation], "v1.5, -5; (-5) 2024-01-02 a.b. -", "v1.5 -5 -5 20240102 ab "),
            (vec![Unicode], "ﬁ ｘ “q” – ’", "fi x \"q\" - '"),
            (vec![Unicode], "e\u{301}", "é"),
            (vec![Punctuation, Whitespace], "a - b", "a b"),
            (vec![Case, Whitespace, Punctuation, Unicode], " “Fix”  The\u{2019} login… ", "fix the login"),
        ] {
            assert_eq!(folds.iter().copied().collect::<Folds>().fold(text), folded, "{folds:?} {text}");
        }
    }

    #[test]
    fn the_longest_pointer_decides() {
        let case: Folds = [Case].into_iter().collect();
        let normalize = Normalize::everywhere(case).with("/a", Folds::NONE).with("/a/b", case);
        for (pointer, folds) in [
            ("", case),
            ("/x", case),
            ("/a", Folds::NONE),
            ("/a/c/0", Folds::NONE),
            ("/a/b/1", case),
            ("/ab", case),
        ] {
            assert_eq!(normalize.at(pointer), folds, "{pointer}");
        }
    }
}
