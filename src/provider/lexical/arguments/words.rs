//! The pieces of one prompt, with their terms, each to be used once.

use proofhouse_manager::{
    plan::literal::{Kind, Piece},
    resolve::bm25::{Term, every_word, is_stop_word},
};

/// A piece of the prompt.
pub(super) struct Said<'p> {
    pub(super) kind: Kind,
    pub(super) text: &'p str,
    /// The terms of a word or name.
    pub(super) terms: Vec<Term>,
    /// Whether it says more than the grammar of its sentence needs.
    pub(super) telling: bool,
    pub(super) used: bool,
}

/// The prompt.
pub(super) struct Prompt<'p>(pub(super) Vec<Said<'p>>);

impl<'p> Prompt<'p> {
    pub(super) fn new(pieces: &[Piece<'p>]) -> Self {
        Self(pieces.iter().map(|piece| Said::new(*piece)).collect())
    }

    /// Makes words of the tool's own name say nothing: "search the web for x" searches for x.
    pub(super) fn hush(&mut self, name: &[Term]) {
        for said in self.0.iter_mut().filter(|said| said.kind == Kind::Word) {
            said.telling &= !said.terms.iter().all(|term| name.contains(term));
        }
    }

    /// Takes the first unused piece that a test accepts.
    pub(super) fn take(&mut self, mut accept: impl FnMut(&Said<'p>) -> bool) -> Option<&'p str> {
        let said = self.0.iter_mut().find(|said| !said.used && accept(said))?;
        said.used = true;
        Some(said.text)
    }

    /// Takes the piece at a place.
    pub(super) fn take_at(&mut self, at: usize) -> &'p str {
        self.0[at].used = true;
        self.0[at].text
    }

    /// Where a term is said, in order.
    pub(super) fn places(&self, term: Term) -> Vec<usize> {
        let says = |(at, said): (usize, &Said<'_>)| said.terms.contains(&term).then_some(at);
        self.0.iter().enumerate().filter_map(says).collect()
    }

    /// Whether every one of some terms is said.
    pub(super) fn says_all(&self, terms: &[Term]) -> bool {
        !terms.is_empty() && terms.iter().all(|term| self.0.iter().any(|said| said.terms.contains(term)))
    }
}

impl<'p> Said<'p> {
    fn new(piece: Piece<'p>) -> Self {
        let mut terms = Vec::new();
        let mut telling = piece.kind != Kind::Word;
        if matches!(piece.kind, Kind::Word | Kind::Name) {
            every_word(piece.text, |word| {
                telling |= !is_stop_word(word);
                terms.push(Term::of(word));
            });
        }
        Self { kind: piece.kind, text: piece.text, terms, telling, used: false }
    }

    /// Whether it names something, rather than being a word of the sentence.
    pub(super) fn is_literal(&self) -> bool {
        self.kind != Kind::Word
    }
}
