//! `$allOf`: every pattern of a list.

use super::{Matcher, MatcherKind, Witness, first_that_matches, patterns, patterns_schema};
use crate::matcher::{Pattern, PatternError, Report, SchemaView, Scope, sample};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct AllOf;

impl MatcherKind for AllOf {
    fn name(&self) -> &'static str {
        "$allOf"
    }

    fn docs(&self) -> &'static str {
        "Every one of these patterns matches the same value."
    }

    fn operand(&self) -> Value {
        patterns_schema()
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        patterns(operand, scope).map(|patterns| Arc::new(Together(patterns)) as Arc<dyn Matcher>)
    }
}

#[derive(Debug)]
struct Together(Vec<Pattern>);

impl Matcher for Together {
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        self.0.iter().all(|pattern| pattern.matches(value, schema))
    }

    fn expected(&self) -> String {
        self.0.iter().map(Pattern::expected).collect::<Vec<_>>().join(" and ")
    }

    fn explain(&self, value: Option<&Value>, schema: SchemaView<'_>, report: &mut Report) {
        for pattern in self.0.iter().filter(|pattern| !pattern.matches(value, schema)) {
            pattern.explain(value, schema, report);
        }
    }

    /// Tries what satisfies one part, and for text what satisfies all of them in a row.
    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let parts: Vec<Witness> = self.0.iter().filter_map(|pattern| pattern.witness(schema)).collect();
        let texts: Vec<&str> = parts.iter().filter_map(|part| part.as_value()?.as_str()).collect();
        let joined = [texts.concat(), texts.join(" ")].map(|text| Witness::Value(Value::String(text)));
        let sampled = sample::sample(schema).map(Witness::Value);
        first_that_matches(self, schema, parts.clone().into_iter().chain(joined).chain(sampled))
    }
}
