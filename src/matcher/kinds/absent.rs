//! `$absent`: no such argument.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, SchemaView, Scope};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Absent;

impl MatcherKind for Absent {
    fn name(&self) -> &'static str {
        "$absent"
    }

    fn docs(&self) -> &'static str {
        "The argument is left out; null is a value, and does not match."
    }

    fn operand(&self) -> Value {
        json!({ "const": true })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        match operand {
            Value::Bool(true) => Ok(Arc::new(LeftOut)),
            other => Err(scope
                .error(format!("expected `true`, found `{other}`"))
                .with_hint("`$absent: true` asks for no value, `$any: true` for one")),
        }
    }
}

#[derive(Debug)]
struct LeftOut;

impl Matcher for LeftOut {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        value.is_none()
    }

    fn expected(&self) -> String {
        "nothing".to_owned()
    }

    fn witness(&self, _: SchemaView<'_>) -> Option<Witness> {
        Some(Witness::Absent)
    }
}
