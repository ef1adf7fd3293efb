//! `$unordered`: these items, in any order.

use super::{Matcher, MatcherKind, Witness, patterns_schema};
use crate::matcher::{Pattern, PatternError, SchemaView, Scope, words};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct Unordered;

impl MatcherKind for Unordered {
    fn name(&self) -> &'static str {
        "$unordered"
    }

    fn docs(&self) -> &'static str {
        "A list of exactly these items, in any order; each item of the list answers one pattern."
    }

    fn operand(&self) -> Value {
        patterns_schema()
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        super::patterns(operand, scope).map(|patterns| Arc::new(Shuffled(patterns)) as Arc<dyn Matcher>)
    }
}

#[derive(Debug)]
struct Shuffled(Vec<Pattern>);

impl Matcher for Shuffled {
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        let Some(items) = value.and_then(Value::as_array) else { return false };
        if items.len() != self.0.len() {
            return false;
        }
        // in the order of the suite, most lists match at once and nothing is allocated
        let fits = |pattern: usize, item: usize| match (self.0.get(pattern), items.get(item)) {
            (Some(pattern), Some(found)) => pattern.matches(Some(found), schema.item(item)),
            _ => false,
        };
        (0..items.len()).all(|index| fits(index, index)) || assign(items.len(), &fits)
    }

    fn expected(&self) -> String {
        format!("in any order [{}]", words::list(self.0.iter().map(Pattern::expected)))
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let items = self.0.iter().enumerate();
        let items = items.map(|(index, pattern)| pattern.witness(schema.item(index))?.into_value());
        items.collect::<Option<_>>().map(|items| Witness::Value(Value::Array(items)))
    }
}

/// Whether every pattern can have an item of its own: augmenting paths, so that a greedy choice costs nothing.
fn assign(count: usize, fits: &dyn Fn(usize, usize) -> bool) -> bool {
    let mut owner = vec![None; count];
    (0..count).all(|pattern| augment(pattern, fits, &mut owner, &mut vec![false; count]))
}

fn augment(
    pattern: usize,
    fits: &dyn Fn(usize, usize) -> bool,
    owner: &mut [Option<usize>],
    visited: &mut [bool],
) -> bool {
    for item in 0..owner.len() {
        if visited[item] || !fits(pattern, item) {
            continue;
        }
        visited[item] = true;
        if owner[item].is_none_or(|other| augment(other, fits, owner, visited)) {
            owner[item] = Some(pattern);
            return true;
        }
    }
    false
}
