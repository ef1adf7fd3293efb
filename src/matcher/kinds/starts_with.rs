//! `$startsWith`: a text with a beginning.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{Folds, PatternError, SchemaView, Scope, words};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct StartsWith;

impl MatcherKind for StartsWith {
    fn name(&self) -> &'static str {
        "$startsWith"
    }

    fn docs(&self) -> &'static str {
        "A text that starts with this text."
    }

    fn operand(&self) -> Value {
        json!({ "type": "string", "minLength": 1 })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        let Some(written) = operand.as_str().filter(|text| !text.is_empty()) else {
            return Err(scope.error(format!("expected a text that is not empty, found `{operand}`")));
        };
        let folds = scope.folds();
        Ok(Arc::new(Beginning {
            written: written.to_owned(),
            folded: folds.fold(written).into_owned(),
            folds,
        }))
    }
}

#[derive(Debug)]
struct Beginning {
    written: String,
    folded: String,
    folds: Folds,
}

impl Matcher for Beginning {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        let text = value.and_then(Value::as_str);
        text.is_some_and(|text| self.folds.fold(text).starts_with(self.folded.as_str()))
    }

    fn expected(&self) -> String {
        format!("starting with {}", words::value(&json!(self.written)))
    }

    fn witness(&self, _: SchemaView<'_>) -> Option<Witness> {
        Some(Witness::Value(json!(self.written)))
    }
}
