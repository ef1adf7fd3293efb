//! `$not`: there is a value, and it is something else.

use super::{Matcher, MatcherKind, Witness, first_that_matches, pattern_schema};
use crate::matcher::{Pattern, PatternError, SchemaView, Scope, sample};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Not;

impl MatcherKind for Not {
    fn name(&self) -> &'static str {
        "$not"
    }

    fn docs(&self) -> &'static str {
        "There is a value, and this pattern does not match it."
    }

    fn operand(&self) -> Value {
        pattern_schema()
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        Pattern::compile(operand, scope).map(|pattern| Arc::new(Otherwise(pattern)) as Arc<dyn Matcher>)
    }
}

#[derive(Debug)]
struct Otherwise(Pattern);

impl Matcher for Otherwise {
    fn matches(&self, value: Option<&Value>, schema: SchemaView<'_>) -> bool {
        value.is_some() && !self.0.matches(value, schema)
    }

    fn expected(&self) -> String {
        format!("anything but {}", self.0.expected())
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let words = schema.value().and_then(|s| s.get("enum")?.as_array().cloned()).unwrap_or_default();
        let plain =
            [json!("x"), json!("y"), json!(0), json!(1), json!(true), json!(null), json!([]), json!({})];
        let candidates = words.into_iter().chain(sample::sample(schema)).chain(plain);
        first_that_matches(self, schema, candidates.map(Witness::Value))
    }
}
