//! A prompt as weighted terms.

use super::tokens::{Term, words};

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

/// What a word counts inside a quotation, a path, an address or code: it is an argument rather than a wish.
const LITERAL_WEIGHT: f32 = 0.35;
/// What the *kind* of a literal counts: who names a file wants a tool with a `path`.
const KIND_WEIGHT: f32 = 0.5;

impl Query {
    /// Reads a prompt.
    pub fn new(prompt: &str) -> Self {
        Self::with(prompt, LITERAL_WEIGHT, KIND_WEIGHT)
    }

    pub fn with(prompt: &str, literal_weight: f32, kind_weight: f32) -> Self {
        let mut query = Self::default();
        for span in spans(prompt) {
            let (text, weight) = match span {
                Span::Prose(text) => (text, 1.0),
                Span::Literal(text, kinds) => {
                    for kind in kinds {
                        query.add(Term::of(kind), kind, kind_weight);
                    }
                    (text, literal_weight)
                }
            };
            words(text, |word| {
                query.add(Term::of(word), word, weight);
            });
        }
        query
    }

    /// The distinct terms.
    pub fn terms(&self) -> &[QueryTerm] {
        &self.terms
    }

    fn add(&mut self, term: Term, word: &str, weight: f32) {
        match self.terms.iter_mut().find(|t| t.term == term) {
            Some(known) => known.weight = known.weight.max(weight),
            None => self.terms.push(QueryTerm { term, word: word.into(), weight }),
        }
    }
}

enum Span<'p> {
    Prose(&'p str),
    Literal(&'p str, &'static [&'static str]),
}

/// Splits a prompt at quotations; what is between them is split at spaces, so that paths and addresses
/// stand alone.
fn spans(prompt: &str) -> Vec<Span<'_>> {
    let mut spans = Vec::new();
    let mut rest = prompt;
    while let Some((open, inner, after)) = next_quotation(rest) {
        unquoted(&rest[..open], &mut spans);
        spans.push(Span::Literal(inner, literal_kinds(inner)));
        rest = after;
    }
    unquoted(rest, &mut spans);
    spans
}

fn unquoted<'p>(text: &'p str, spans: &mut Vec<Span<'p>>) {
    for word in text.split_whitespace() {
        let bare = word.trim_matches(|c: char| matches!(c, ',' | ';' | '?' | '!' | '(' | ')' | ':' | '.'));
        let kinds = literal_kinds(bare);
        spans.push(if kinds.is_empty() { Span::Prose(word) } else { Span::Literal(word, kinds) });
    }
}

/// The first quotation: its start, its inside, and what follows.
fn next_quotation(text: &str) -> Option<(usize, &str, &str)> {
    const PAIRS: [(char, char); 6] =
        [('"', '"'), ('`', '`'), ('“', '”'), ('«', '»'), ('„', '“'), ('\'', '\'')];
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        let opened = PAIRS.iter().find(|(open, _)| *open == c && !before.is_alphanumeric());
        before = c;
        let Some((_, close)) = opened else { continue };
        let inside = &text[at + c.len_utf8()..];
        if let Some(end) = inside.find(*close) {
            return Some((at, &inside[..end], &inside[end + close.len_utf8()..]));
        }
    }
    None
}

/// What kinds of thing a literal names, in the words that tool metadata uses for them.
fn literal_kinds(text: &str) -> &'static [&'static str] {
    if text.contains(char::is_whitespace) {
        return &[];
    }
    if text.contains("://") || text.starts_with("www.") {
        return &["url"];
    }
    if text.contains('@') && text.split_once('@').is_some_and(|(a, b)| !a.is_empty() && b.contains('.')) {
        return &["email"];
    }
    if is_path(text) {
        return &["path", "file"];
    }
    &[]
}

fn is_path(text: &str) -> bool {
    let slash = text.contains('/') && text.len() > 1 && !text.ends_with("/s");
    let extension = text.rsplit_once('.').is_some_and(|(stem, e)| {
        !stem.is_empty()
            && (1..=5).contains(&e.len())
            && e.bytes().all(|b| b.is_ascii_alphanumeric())
            && !e.bytes().all(|b| b.is_ascii_digit())
    });
    slash || extension
}
