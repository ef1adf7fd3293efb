//! `$schema`: a value that a JSON Schema accepts.

use super::{Matcher, MatcherKind, Witness, first_that_matches};
use crate::matcher::{PatternError, Report, SchemaView, Scope, keywords, sample, words};
use jsonschema::{PatternOptions, Validator};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Schema;

impl MatcherKind for Schema {
    fn name(&self) -> &'static str {
        "$schema"
    }

    fn docs(&self) -> &'static str {
        "A value that this JSON Schema (2020-12) accepts, formats included."
    }

    fn operand(&self) -> Value {
        json!({ "type": "object", "minProperties": 1, "description": "A JSON Schema." })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        if operand.as_object().is_none_or(serde_json::Map::is_empty) {
            return Err(
                scope.error(format!("expected a JSON Schema with at least one keyword, found `{operand}`"))
            );
        }
        keywords::check(operand, scope)?;
        let validator = jsonschema::options()
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(10_000))
            .should_validate_formats(true)
            .build(operand)
            .map_err(|error| scope.error(format!("the JSON Schema is invalid: {error}")))?;
        Ok(Arc::new(Accepted { written: operand.clone(), validator }))
    }
}

#[derive(Debug)]
struct Accepted {
    written: Value,
    validator: Validator,
}

impl Matcher for Accepted {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        value.is_some_and(|value| self.validator.is_valid(value))
    }

    fn expected(&self) -> String {
        format!("accepted by the schema {}", words::value(&self.written))
    }

    fn explain(&self, value: Option<&Value>, _: SchemaView<'_>, report: &mut Report) {
        match value.and_then(|value| self.validator.iter_errors(value).next()) {
            Some(error) => report.noted(self.expected(), words::shorten(&error.to_string())),
            None => report.mismatch(self.expected(), value),
        }
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let own = sample::sample(SchemaView::new(Some(&self.written)));
        first_that_matches(self, schema, own.into_iter().chain(sample::sample(schema)).map(Witness::Value))
    }
}
