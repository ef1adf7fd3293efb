//! Tools that a model will mix up.
//!
//! Two tools are compared by the words that a model reads of them (name, description, parameters), weighted as
//! for the ranking and by how rare they are among the neighbours: the cosine of their vectors. Not all pairs
//! are looked at. A tool is compared with those that share one of its most telling words, and a word that many
//! tools have tells nothing, so the work grows with the number of tools and not with its square.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    resolve::bm25::{Document, Term, Tuning, idf},
};
use std::collections::{BTreeMap, BTreeSet, HashMap};

pub(super) const LINT: Lint = Lint {
    code: "confusable-tools",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A neighbour has nearly the same words in name, description and parameters.",
    why: "Which of the two a model calls is chance; the more such neighbours, the worse every tool is chosen.",
    fix: "offer one of them, or say in `useWhen` and `doNotUseWhen` what sets them apart",
    check: Check::Registry(check),
};

/// From this cosine on, tools are confusable; see the figures in the documentation of the lints.
const ALIKE: f32 = 0.45;
/// The most telling words of a tool, by which its neighbours are found.
const PROBES: usize = 10;
/// A word that more tools have is no way to find neighbours.
const MAX_POSTINGS: usize = 150;
/// At most so many neighbours are named.
const MAX_NAMED: usize = 3;

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    let vectors = vectors(tools);
    let mut postings: HashMap<Term, Vec<usize>> = HashMap::new();
    for (at, vector) in vectors.iter().enumerate() {
        for term in vector.keys() {
            postings.entry(*term).or_default().push(at);
        }
    }
    for (at, tool) in tools.iter().enumerate() {
        let mut alike: Vec<(f32, usize)> = candidates(&vectors[at], &postings)
            .into_iter()
            .filter(|other| *other != at)
            .map(|other| (cosine(&vectors[at], &vectors[other]), other))
            .filter(|(likeness, _)| *likeness >= ALIKE)
            .collect();
        alike.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        if !alike.is_empty() {
            report.at(tool, "/description/summary", message(tools, &alike));
        }
    }
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

/// The tools' words as vectors of length 1.
fn vectors(tools: &[Subject<'_>]) -> Vec<BTreeMap<Term, f32>> {
    let documents: Vec<Document> = tools
        .iter()
        .map(|tool| {
            let description = &tool.tool.description;
            let texts = std::iter::once(&description.summary).chain(&description.use_when).map(String::as_str);
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
        let mut vector: BTreeMap<Term, f32> = document.terms().iter().map(weigh).collect();
        let length = vector.values().map(|w| w * w).sum::<f32>().sqrt();
        vector.values_mut().for_each(|w| *w /= length.max(f32::MIN_POSITIVE));
        vector
    };
    documents.iter().map(unit).collect()
}

fn candidates(vector: &BTreeMap<Term, f32>, postings: &HashMap<Term, Vec<usize>>) -> BTreeSet<usize> {
    let mut terms: Vec<(f32, Term)> = vector.iter().map(|(term, weight)| (*weight, *term)).collect();
    terms.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let lists = terms.iter().take(PROBES).filter_map(|(_, term)| postings.get(term));
    lists.filter(|list| list.len() <= MAX_POSTINGS).flatten().copied().collect()
}

fn cosine(a: &BTreeMap<Term, f32>, b: &BTreeMap<Term, f32>) -> f32 {
    let (few, many) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    few.iter().filter_map(|(term, weight)| Some(weight * many.get(term)?)).sum()
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
        let alike = [
            neighbour("a.web_search", "Searches the web for current information on a topic"),
            neighbour("b.search_web", "Search the web for any topic and get current information"),
            neighbour("mail.send", "Sends an email to an address"),
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
