//! `$range`: a number between two bounds.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, SchemaView, Scope, equality::compare};
use serde_json::{Number, Value, json};
use std::{cmp::Ordering, sync::Arc};

pub(super) struct Range;

impl MatcherKind for Range {
    fn name(&self) -> &'static str {
        "$range"
    }

    fn docs(&self) -> &'static str {
        "A number from `min` to `max`, both included; one of them may be left out."
    }

    fn operand(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "min": { "type": "number" }, "max": { "type": "number" } },
            "minProperties": 1,
            "additionalProperties": false,
        })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        scope.fields(operand, &["min", "max"])?;
        let bound = |name: &str| match operand.get(name) {
            None => Ok(None),
            Some(Value::Number(bound)) => Ok(Some(bound.clone())),
            Some(other) => Err(scope.operand(name)?.error(format!("expected a number, found `{other}`"))),
        };
        let (min, max) = (bound("min")?, bound("max")?);
        match (&min, &max) {
            (None, None) => Err(scope.error("neither `min` nor `max` is given")),
            (Some(a), Some(b)) if compare(a, b) == Some(Ordering::Greater) => {
                Err(scope.error(format!("`min` {a} is above `max` {b}, so nothing can match")))
            }
            _ => Ok(Arc::new(Between { min, max })),
        }
    }
}

#[derive(Debug)]
struct Between {
    min: Option<Number>,
    max: Option<Number>,
}

impl Matcher for Between {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        let Some(Value::Number(number)) = value else { return false };
        let not =
            |bound: &Option<Number>, order| bound.as_ref().is_none_or(|b| compare(number, b) != Some(order));
        not(&self.min, Ordering::Less) && not(&self.max, Ordering::Greater)
    }

    fn expected(&self) -> String {
        match (&self.min, &self.max) {
            (Some(min), Some(max)) => format!("a number from {min} to {max}"),
            (Some(min), None) => format!("a number of at least {min}"),
            (None, Some(max)) => format!("a number of at most {max}"),
            (None, None) => "a number".to_owned(),
        }
    }

    fn witness(&self, _: SchemaView<'_>) -> Option<Witness> {
        let bound = self.min.as_ref().or(self.max.as_ref())?;
        Some(Witness::Value(Value::Number(bound.clone())))
    }
}
