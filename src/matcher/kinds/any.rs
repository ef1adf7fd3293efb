//! `$any`: some value.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, SchemaView, Scope, sample};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Any;

impl MatcherKind for Any {
    fn name(&self) -> &'static str {
        "$any"
    }

    fn docs(&self) -> &'static str {
        "Any value, null included, but there has to be one."
    }

    fn operand(&self) -> Value {
        json!({ "const": true })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        match operand {
            Value::Bool(true) => Ok(Arc::new(Present)),
            other => Err(scope
                .error(format!("expected `true`, found `{other}`"))
                .with_hint("`$any: true` asks for a value, `$absent: true` for none")),
        }
    }
}

#[derive(Debug)]
struct Present;

impl Matcher for Present {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        value.is_some()
    }

    fn expected(&self) -> String {
        "any value".to_owned()
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        Some(Witness::Value(sample::sample(schema).unwrap_or_else(|| json!("x"))))
    }
}
