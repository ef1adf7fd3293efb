//! Tools that a model will mix up.
//!
//! Two tools are compared by the words that a model reads of them (name, description, parameters), weighted as
//! for the ranking and by how rare they are among the neighbours: the cosine of their vectors. Not all pairs
//! are looked at. A tool's most telling words find its candidates, a word that many tools have finds none, and
//! only the best candidates are compared in full: the work grows with the number of tools and not with its square.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    resolve::bm25::{Document, Term, Tuning, idf},
};
use std::{
    cmp::Ordering,
    collections::{BTreeMap, HashMap},
};

pub(super) const LINT: Lint = Lint {
    code: "confusable-tools",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A tool of another source has many of the same telling words, or one of the same source nearly all.",
    why: "Which of the two a model calls is chance; the more such neighbours, the worse every tool is chosen.",
    fix: "offer one of them, or say in `useWhen` and `doNotUseWhen` what sets them apart",
    check: Check::Registry(check),
};

/// From this cosine on, tools of two sources are confusable; see the figures in the documentation of the lints.
const ALIKE: f32 = 0.4;
/// Tools of one source share its vocabulary, and were named beside each other.
const ALIKE_WITHIN: f32 = 0.8;
/// The most telling words of a tool, by which its neighbours are found.
const PROBES: usize = 12;
/// A word that more tools have is no way to find neighbours.
const MAX_POSTINGS: usize = 300;
/// The best candidates, which are compared in full.
const CANDIDATES: usize = 32;
/// At most so many neighbours are named.
const MAX_NAMED: usize = 3;

/// Words by their weight, sorted by word; of length 1.
type Vector = Vec<(Term, f32)>;

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    let vectors = vectors(tools);
    let mut postings: HashMap<Term, Vec<(usize, f32)>> = HashMap::new();
    for (at, vector) in vectors.iter().enumerate() {
        for (term, weight) in vector {
            postings.entry(*term).or_default().push((at, *weight));
        }
    }
    let source = |at: usize| tools[at].tool.source.source_id.as_str();
    for (at, tool) in tools.iter().enumerate() {
        let mut alike: Vec<(f32, usize)> = candidates(at, &vectors[at], &postings)
            .into_iter()
            .map(|other| (cosine(&vectors[at], &vectors[other]), other))
            .filter(|(likeness, other)| {
                *likeness >= if source(at) == source(*other) { ALIKE_WITHIN } else { ALIKE }
            })
            .collect();
        alike.sort_by(by_weight);
        if !alike.is_empty() {
            report.at(tool, "/description/summary", message(tools, &alike));
        }
    }
}

/// Heaviest first; equal ones in their own order.
fn by_weight<T: Ord>(a: &(f32, T), b: &(f32, T)) -> Ordering {
    b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1))
}

fn message(tools: &[Subject<'_>], alike: &[(f32, usize)]) -> String {
    let named: Vec<String> =
        alike.iter().take(MAX_NAMED).map(|(_, other)| format!("`{}`", tools[*other].tool.tool_id)).collect();
    let more = match alike.len().saturating_sub(MAX_NAMED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("nearly the same words as {}{more}", named.join(", "))
}

fn vectors(tools: &[Subject<'_>]) -> Vec<Vector> {
    let documents: Vec<Document> = tools
        .iter()
        .map(|tool| {
            let description = &tool.tool.description;
            let texts =
                std::iter::once(&description.summary).chain(&description.use_when).map(String::as_str);
            Document::new(tool.name(), texts, &tool.tool.schemas.input_schema.to_value(), &Tuning::STANDARD)
        })
        .collect();
    let mut counts: HashMap<Term, u32> = HashMap::new();
    for (term, _) in documents.iter().flat_map(Document::terms) {
        *counts.entry(*term).or_default() += 1;
    }
    let total = documents.len() as u32;
    let unit = |document: &Document| {
        let weigh = |(term, weight): &(Term, f32)| (*term, weight * idf(total, counts[term]));
        let mut vector: Vector = document.terms().iter().map(weigh).collect();
        let length = vector.iter().map(|(_, w)| w * w).sum::<f32>().sqrt();
        vector.iter_mut().for_each(|(_, w)| *w /= length.max(f32::MIN_POSITIVE));
        vector
    };
    documents.iter().map(unit).collect()
}

/// The tools that share most of the telling words.
fn candidates(at: usize, vector: &Vector, postings: &HashMap<Term, Vec<(usize, f32)>>) -> Vec<usize> {
    let mut terms: Vec<(f32, Term)> = vector.iter().map(|(term, weight)| (*weight, *term)).collect();
    terms.sort_by(by_weight);
    let mut shared: BTreeMap<usize, f32> = BTreeMap::new();
    for (weight, term) in terms.into_iter().take(PROBES) {
        let Some(list) = postings.get(&term).filter(|list| list.len() <= MAX_POSTINGS) else { continue };
        for (other, theirs) in list.iter().filter(|(other, _)| *other != at) {
            *shared.entry(*other).or_default() += weight * theirs;
        }
    }
    let mut best: Vec<(f32, usize)> = shared.into_iter().map(|(other, weight)| (weight, other)).collect();
    best.sort_by(by_weight);
    best.into_iter().take(CANDIDATES).map(|(_, other)| other).collect()
}

fn cosine(a: &Vector, b: &Vector) -> f32 {
    let (mut i, mut j, mut sum) = (0, 0, 0.0);
    while let (Some((term, weight)), Some((other, theirs))) = (a.get(i), b.get(j)) {
        match term.cmp(other) {
            Ordering::Less => i += 1,
            Ordering::Greater => j += 1,
            Ordering::Equal => {
                sum += weight * theirs;
                (i, j) = (i + 1, j + 1);
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check_registry, neighbour};

    #[test]
    fn neighbours_are_told_apart() {
        let apart = [
            neighbour("file.read", "Reads a file as text"),
            neighbour("mail.send", "Sends an email to an address"),
            neighbour("db.drop", "Removes a table of the database"),
        ];
        check_registry(&LINT, &apart, &[]);
        let of = |source: &str, id: &str, summary: &str| {
            let mut tool = neighbour(id, summary);
            tool.source.source_id = source.into();
            tool
        };
        let alike = [
            of("a", "a.web_search", "Searches the web for current information on a topic"),
            of("b", "b.search_web", "Search the web for any topic and get current information"),
            of("c", "mail.send", "Sends an email to an address"),
        ];
        check_registry(
            &LINT,
            &alike,
            &[
                "/description/summary: nearly the same words as `b.search_web`",
                "/description/summary: nearly the same words as `a.web_search`",
            ],
        );
    }
}
