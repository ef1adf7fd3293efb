//! `$length`: how many characters, items or members.

use super::{Matcher, MatcherKind, Witness, first_that_matches};
use crate::matcher::{PatternError, SchemaView, Scope, sample};
use serde_json::{Value, json};
use std::sync::Arc;

/// Longer witnesses are not made up.
const MAX_WITNESS: u64 = 10_000;

pub(super) struct Length;

impl MatcherKind for Length {
    fn name(&self) -> &'static str {
        "$length"
    }

    fn docs(&self) -> &'static str {
        "A text of so many characters, a list of so many items, an object of so many members: `3` or `{ min, max }`."
    }

    fn operand(&self) -> Value {
        let count = json!({ "type": "integer", "minimum": 0 });
        json!({ "oneOf": [count, {
            "type": "object",
            "properties": { "min": count, "max": count },
            "minProperties": 1,
            "additionalProperties": false,
        }] })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        let count = |value: &Value, scope: &Scope<'_>| {
            let wrong = || scope.error(format!("expected a whole number, 0 or more, found `{value}`"));
            value.as_u64().ok_or_else(wrong)
        };
        if operand.is_number() {
            let exactly = count(operand, scope)?;
            return Ok(Arc::new(Long { min: exactly, max: Some(exactly) }));
        }
        let fields = scope.fields(operand, &["min", "max"])?;
        let bound =
            |name: &str| fields.get(name).map(|value| count(value, &scope.operand(name)?)).transpose();
        match (bound("min")?, bound("max")?) {
            (None, None) => Err(scope.error("neither `min` nor `max` is given")),
            (Some(min), Some(max)) if min > max => {
                Err(scope.error(format!("`min` {min} is above `max` {max}, so nothing can match")))
            }
            (min, max) => Ok(Arc::new(Long { min: min.unwrap_or(0), max })),
        }
    }
}

#[derive(Debug)]
struct Long {
    min: u64,
    max: Option<u64>,
}

impl Matcher for Long {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        let length = match value {
            Some(Value::String(text)) => text.chars().count(),
            Some(Value::Array(items)) => items.len(),
            Some(Value::Object(members)) => members.len(),
            _ => return false,
        } as u64;
        length >= self.min && self.max.is_none_or(|max| length <= max)
    }

    fn expected(&self) -> String {
        match self.max {
            Some(max) if max == self.min => format!("a length of {max}"),
            Some(max) => format!("a length of {} to {max}", self.min),
            None => format!("a length of at least {}", self.min),
        }
    }

    fn witness(&self, schema: SchemaView<'_>) -> Option<Witness> {
        let count = usize::try_from(self.min.min(MAX_WITNESS)).ok()?;
        let item = sample::sample(schema.item(0)).unwrap_or_else(|| json!("x"));
        let sampled = sample::sample(schema);
        let list = Value::Array(vec![item; count]);
        let text = Value::String("x".repeat(count));
        let in_order = if matches!(sampled, Some(Value::Array(_))) { [list, text] } else { [text, list] };
        first_that_matches(self, schema, in_order.into_iter().chain(sampled).map(Witness::Value))
    }
}
