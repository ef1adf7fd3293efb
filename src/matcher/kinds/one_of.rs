//! `$oneOf`: one value out of a list.

use super::{Matcher, MatcherKind, Witness, first_that_matches, patterns, patterns_schema};
use crate::matcher::{Pattern, PatternError, SchemaView, Scope, words};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct OneOf;

impl MatcherKind for OneOf {
    fn name(&self) -> &'static str {
        "$oneOf"
    }

    fn docs(&self) -> &'static str {
        "Equal to one of these values; a matcher may stand among them."
    }

    fn operand(&self) -> Value {
        patterns_schema()
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        patterns(operand, scope).map(|patterns| Arc::new(Alternatives(patterns)) as Arc<dyn Matcher>)
    }
}

#[derive(Debug)]
struct Alternatives(Vec<Pattern>);

impl Matcher for Alternatives {
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        self.0.iter().any(|pattern| pattern.matches(value, schema))
    }

    fn expected(&self) -> String {
        format!("one of {}", words::list(self.0.iter().map(Pattern::expected)))
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        first_that_matches(self, schema, self.0.iter().filter_map(|pattern| pattern.witness(schema)))
    }
}
