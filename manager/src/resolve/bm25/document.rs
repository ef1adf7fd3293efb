//! A tool as a bag of weighted terms.

use super::tokens::{Term, words};
use serde_json::Value;

/// The parts of a tool's metadata that are weighted apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// Its canonical name.
    Name,
    /// What it does and when to use it.
    Description,
    /// Names of its parameters, nested ones included.
    ParameterName,
    /// What its parameters mean, and the values they may take.
    ParameterText,
}

/// The free parameters of BM25F.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tuning {
    /// Weight of one occurrence, by field.
    pub weight: [f32; 4],
    /// How much the length of a field discounts its occurrences, by field: 0 not at all, 1 fully.
    pub length: [f32; 4],
    /// The length, in words, at which an occurrence counts as it is, by field.
    pub pivot: [f32; 4],
    /// Occurrences beyond which more of them hardly matter.
    pub saturation: f32,
}

impl Tuning {
    /// Measured on public tool corpora (see the tests of [`super`]); nothing in it knows a tool.
    pub const STANDARD: Self = Self {
        weight: [2.5, 1.0, 0.8, 0.3],
        length: [0.2, 0.3, 0.5, 0.3],
        pivot: [3.0, 20.0, 8.0, 40.0],
        saturation: 1.6,
    };
}

/// A tool's terms, each with its saturated weight between 0 and 1, sorted by term.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Document {
    terms: Vec<(Term, f32)>,
}

impl Document {
    /// Weighs what a model can read of a tool.
    pub fn new<'a>(
        name: &str,
        description: impl IntoIterator<Item = &'a str>,
        schema: &Value,
        tuning: &Tuning,
    ) -> Self {
        let mut builder = Builder { tuning, terms: Vec::with_capacity(64) };
        builder.field(Field::Name, |add| add(name));
        builder.field(Field::Description, |add| description.into_iter().for_each(&mut *add));
        builder.field(Field::ParameterName, |add| parameters(schema, 0, &mut |name, _| add(name)));
        builder.field(Field::ParameterText, |add| parameters(schema, 0, &mut |_, schema| texts(schema, add)));
        builder.finish()
    }

    /// The terms with their weights, sorted by term.
    pub fn terms(&self) -> &[(Term, f32)] {
        &self.terms
    }

    /// The weight of a term, 0 if it is not in the document.
    pub fn weight(&self, term: Term) -> f32 {
        self.terms.binary_search_by_key(&term, |(t, _)| *t).map_or(0.0, |at| self.terms[at].1)
    }
}

struct Builder<'t> {
    tuning: &'t Tuning,
    terms: Vec<(Term, f32)>,
}

impl Builder<'_> {
    /// Adds the words of one field, discounted by the field's length.
    fn field(&mut self, field: Field, fill: impl FnOnce(&mut dyn FnMut(&str))) {
        let start = self.terms.len();
        let terms = &mut self.terms;
        fill(&mut |text: &str| words(text, |word| terms.push((Term::of(word), 0.0))));
        let t = self.tuning;
        let f = field as usize;
        let length = (self.terms.len() - start) as f32;
        let weight = t.weight[f] / (1.0 - t.length[f] + t.length[f] * length / t.pivot[f]);
        self.terms[start..].iter_mut().for_each(|(_, w)| *w = weight);
    }

    /// Adds up the occurrences of each term and saturates the sums.
    fn finish(mut self) -> Document {
        self.terms.sort_unstable_by_key(|(term, _)| *term);
        self.terms.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            if same {
                kept.1 += next.1;
            }
            same
        });
        let k = self.tuning.saturation;
        self.terms.iter_mut().for_each(|(_, w)| *w /= *w + k);
        self.terms.shrink_to_fit();
        Document { terms: self.terms }
    }
}

/// Deeper parameters say nothing about what a tool is for.
const MAX_DEPTH: usize = 4;

/// Calls `each` with the name and schema of every parameter, nested ones included.
fn parameters<'v>(schema: &'v Value, depth: usize, each: &mut dyn FnMut(&'v str, &'v Value)) {
    if depth == MAX_DEPTH {
        return;
    }
    for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
        each(name, property);
        parameters(property, depth + 1, each);
    }
    if let Some(items) = schema.get("items") {
        parameters(items, depth + 1, each);
    }
}

fn texts<'v>(schema: &'v Value, add: &mut dyn FnMut(&'v str)) {
    if let Some(text) = schema.get("description").and_then(Value::as_str) {
        add(text);
    }
    let values = schema.get("enum").and_then(Value::as_array).into_iter().flatten();
    values.filter_map(Value::as_str).take(MAX_VALUES).for_each(add);
}

/// An enum with more values than this is a code list (countries, currencies), whose words mislead.
const MAX_VALUES: usize = 24;
