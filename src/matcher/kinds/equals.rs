//! `$equals`: a literal, verbatim.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, SchemaView, Scope, pattern::Literal, words};
use serde_json::{Value, json};
use std::sync::Arc;

pub(super) struct Equals;

impl MatcherKind for Equals {
    fn name(&self) -> &'static str {
        "$equals"
    }

    fn docs(&self) -> &'static str {
        "Equal to this value, taken verbatim: nothing inside of it is a matcher."
    }

    fn operand(&self) -> Value {
        json!({ "description": "Any JSON value." })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        Ok(Arc::new(Verbatim(Literal::new(operand, scope))))
    }
}

#[derive(Debug)]
struct Verbatim(Literal);

impl Matcher for Verbatim {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        value.is_some_and(|value| self.0.equals(value))
    }

    fn expected(&self) -> String {
        words::value(self.0.written())
    }

    fn witness(&self, _: SchemaView<'_>) -> Option<Witness> {
        Some(Witness::Value(self.0.written().clone()))
    }
}
