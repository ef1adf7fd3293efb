//! An inverted index over many documents.

use super::{
    document::Document,
    query::Query,
    tokens::{Term, TermHasher},
};
use std::collections::HashMap;

/// Documents by term, built once and asked often.
#[derive(Debug, Default)]
pub struct Index {
    postings: HashMap<Term, Vec<Posting>, TermHasher>,
    documents: u32,
}

#[derive(Debug, Clone, Copy)]
struct Posting {
    document: u32,
    weight: f32,
}

/// Which documents take part: only they are scored, and only they are counted for the idf.
#[derive(Debug, Clone, PartialEq)]
pub struct Population {
    members: Vec<u32>,
    mask: Vec<u64>,
}

/// The scores of one query, by document.
#[derive(Debug)]
pub struct Scores<'i> {
    index: &'i Index,
    scores: Vec<f32>,
    idf: Vec<f32>,
}

/// How telling a term is that `found` of `total` documents have (Robertson & Zaragoza 2009, eq. 3.3, with 1
/// added so that a term which more than half of them have never counts against a document).
pub fn idf(total: u32, found: u32) -> f32 {
    let (total, found) = (total as f32, found as f32);
    (1.0 + (total - found + 0.5) / (found + 0.5)).ln()
}

impl Index {
    /// Numbers the documents in the order in which they come.
    pub fn new(documents: impl IntoIterator<Item = Document>) -> Self {
        let mut index = Self::default();
        for document in documents {
            for (term, weight) in document.terms() {
                let posting = Posting { document: index.documents, weight: *weight };
                index.postings.entry(*term).or_default().push(posting);
            }
            index.documents += 1;
        }
        index.postings.values_mut().for_each(Vec::shrink_to_fit);
        index
    }

    /// How many documents there are.
    pub fn len(&self) -> u32 {
        self.documents
    }

    /// Whether there is no document.
    pub fn is_empty(&self) -> bool {
        self.documents == 0
    }

    /// Scores a population. Linear in the documents that have any of the query's terms.
    pub fn score(&self, query: &Query, population: &Population) -> Scores<'_> {
        let mut scores = vec![0.0; self.documents as usize];
        let total = population.members.len() as u32;
        let mut idfs = Vec::with_capacity(query.terms().len());
        for term in query.terms() {
            let postings = self.postings(term.term);
            let found = population.count(postings);
            let idf = idf(total, found);
            idfs.push(idf);
            if found > 0 {
                let factor = idf * term.weight;
                // Documents outside the population are scored too and never read: cheaper than asking.
                postings.iter().for_each(|p| scores[p.document as usize] += factor * p.weight);
            }
        }
        Scores { index: self, scores, idf: idfs }
    }

    fn postings(&self, term: Term) -> &[Posting] {
        self.postings.get(&term).map_or(&[], Vec::as_slice)
    }
}

impl Population {
    /// Every document of an index.
    pub fn everything(index: &Index) -> Self {
        Self::of(index, |_| true)
    }

    /// The documents that a test keeps.
    pub fn of(index: &Index, mut keep: impl FnMut(u32) -> bool) -> Self {
        let members: Vec<u32> = (0..index.documents).filter(|d| keep(*d)).collect();
        let mut mask = vec![0; (index.documents as usize).div_ceil(64)];
        for member in &members {
            mask[*member as usize / 64] |= 1 << (member % 64);
        }
        Self { members, mask }
    }

    /// Its documents, ascending.
    pub fn members(&self) -> &[u32] {
        &self.members
    }

    /// Whether it holds a document.
    pub fn contains(&self, document: u32) -> bool {
        self.mask.get(document as usize / 64).is_some_and(|word| word >> (document % 64) & 1 == 1)
    }

    fn count(&self, postings: &[Posting]) -> u32 {
        postings.iter().filter(|p| self.contains(p.document)).count() as u32
    }
}

impl Scores<'_> {
    /// The score of a document of the population.
    pub fn of(&self, document: u32) -> f32 {
        self.scores[document as usize]
    }

    /// The words of the query that a document has, the most telling first; equal ones in the query's order.
    pub fn matched<'q>(&self, query: &'q Query, document: u32) -> Vec<&'q str> {
        let mut found: Vec<(f32, &str)> = Vec::new();
        for (term, idf) in query.terms().iter().zip(&self.idf) {
            let postings = self.index.postings(term.term);
            if let Ok(at) = postings.binary_search_by_key(&document, |p| p.document) {
                found.push((idf * term.weight * postings[at].weight, &term.word));
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0));
        found.into_iter().map(|(_, word)| word).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::Tuning;
    use super::*;
    use serde_json::json;

    fn index(tools: &[(&str, &str)]) -> Index {
        let document =
            |(name, text): &(&str, &str)| Document::new(name, [*text], &json!({}), &Tuning::STANDARD);
        Index::new(tools.iter().map(document))
    }

    const TOOLS: [(&str, &str); 4] = [
        ("file.read", "Reads a file."),
        ("file.delete", "Deletes a file."),
        ("mail.send", "Sends a mail."),
        ("file.copy", "Copies a file."),
    ];

    #[test]
    fn the_telling_word_decides() {
        let index = index(&TOOLS);
        let all = Population::everything(&index);
        for (prompt, best, words) in [
            ("delete that file", 1, vec!["delete", "file"]),
            ("send it as mail", 2, vec!["send", "mail"]),
            ("read", 0, vec!["read"]),
        ] {
            let query = Query::new(prompt);
            let scores = index.score(&query, &all);
            let got = (0..4).max_by(|a, b| scores.of(*a).total_cmp(&scores.of(*b))).unwrap();
            assert_eq!((got, scores.matched(&query, got)), (best, words), "{prompt}");
        }
    }

    #[test]
    fn statistics_are_those_of_the_population() {
        let index = index(&TOOLS);
        let query = Query::new("file");
        let all = index.score(&query, &Population::everything(&index)).of(0);
        let rare = Population::of(&index, |d| d == 0 || d == 2);
        assert_eq!(rare.members(), [0, 2]);
        assert!(rare.contains(2) && !rare.contains(1) && !rare.contains(99));
        assert!(index.score(&query, &rare).of(0) > all, "one of two says more than three of four");
    }

    #[test]
    fn nothing_matches_nothing() {
        let index = index(&[]);
        assert!(index.is_empty());
        index.score(&Query::new("file"), &Population::everything(&index));
        let index = self::index(&TOOLS);
        let query = Query::new("");
        assert_eq!(index.score(&query, &Population::everything(&index)).of(3), 0.0);
    }
}
