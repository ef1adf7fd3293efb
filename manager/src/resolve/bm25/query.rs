//! A prompt as weighted terms.

use super::tokens::{Term, words};
use crate::plan::literal::{Kind, pieces};

/// One distinct term of a query.
#[derive(Debug, Clone, PartialEq)]
pub struct QueryTerm {
    /// The term.
    pub term: Term,
    /// The word as it was said, folded.
    pub word: Box<str>,
    /// How much it counts.
    pub weight: f32,
}

/// The distinct terms of a query, in the order in which they were first said.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Query {
    terms: Vec<QueryTerm>,
}

/// What a word counts inside a quotation, a path or an address.
const LITERAL_WEIGHT: f32 = 0.35;
/// What the *kind* of a literal counts: who names a file wants a tool with a `path`.
const KIND_WEIGHT: f32 = 0.5;
/// More distinct terms say no more about what is wanted; a pasted log must not cost more than a request.
const MAX_TERMS: usize = 256;

impl Query {
    /// Reads a prompt.
    pub fn new(prompt: &str) -> Self {
        let mut query = Self::default();
        for piece in pieces(prompt) {
            for kind in kind_words(piece.kind) {
                query.add(Term::of(kind), kind, KIND_WEIGHT);
            }
            let weight = match piece.kind {
                Kind::Word | Kind::Name => 1.0,
                Kind::Quotation | Kind::Url | Kind::Email | Kind::Path | Kind::Number | Kind::Date => {
                    LITERAL_WEIGHT
                }
            };
            words(piece.text, |word| query.add(Term::of(word), word, weight));
        }
        query
    }

    /// The distinct terms.
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    fn add(&mut self, term: Term, word: &str, weight: f32) {
        if let Some(known) = self.terms.iter_mut().find(|t| t.term == term) {
            known.weight = known.weight.max(weight);
        } else if self.terms.len() < MAX_TERMS {
            self.terms.push(QueryTerm { term, word: word.into(), weight });
        }
    }
}

/// The words that tool metadata uses for a kind of literal.
const fn kind_words(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Url => &["url"],
        Kind::Email => &["email"],
        Kind::Path => &["path", "file"],
        Kind::Word | Kind::Quotation | Kind::Number | Kind::Date | Kind::Name => &[],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(prompt: &str, expected: &[(&str, f32)]) {
        let query = Query::new(prompt);
        let got: Vec<(&str, f32)> = query.terms().iter().map(|t| (&*t.word, t.weight)).collect();
        assert_eq!(got, expected, "{prompt}");
    }

    #[test]
    fn a_literal_counts_less_than_a_wish_and_brings_its_kind() {
        check("Delete the files", &[("delete", 1.0), ("files", 1.0)]);
        check("delete deleted", &[("delete", 1.0)]);
        check(
            "read a/notes.md",
            &[("read", 1.0), ("path", 0.5), ("file", 0.5), ("notes", 0.35), ("md", 0.35)],
        );
        check("say \"read notes\"", &[("say", 1.0), ("read", 0.35), ("notes", 0.35)]);
        check("", &[]);
    }

    #[test]
    fn a_pasted_log_is_bounded() {
        let log: String = (0..10_000).map(|n| format!("word{n} ")).collect();
        assert_eq!(Query::new(&log).terms().len(), MAX_TERMS);
    }
}
