//! `$anyOf`: at least one pattern out of a list.

use super::{Matcher, MatcherKind, one_of, patterns_schema};
use crate::matcher::{PatternError, Scope};
use serde_json::Value;
use std::sync::Arc;

pub(super) struct AnyOf;

impl MatcherKind for AnyOf {
    fn name(&self) -> &'static str {
        "$anyOf"
    }

    fn docs(&self) -> &'static str {
        "At least one of these patterns matches; with `{ $absent: true }` among them the argument may be left out."
    }

    fn operand(&self) -> Value {
        patterns_schema()
    }

    /// The same as `$oneOf`, under the name that reads better for patterns.
    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        one_of::OneOf.compile(operand, scope)
    }
}
