//! `$approx`: a number near another.

use super::{Matcher, MatcherKind, Witness};
use crate::matcher::{PatternError, SchemaView, Scope};
use serde_json::{Number, Value, json};
use std::sync::Arc;

pub(super) struct Approx;

impl MatcherKind for Approx {
    fn name(&self) -> &'static str {
        "$approx"
    }

    fn docs(&self) -> &'static str {
        "A number that differs from `value` by at most `tolerance`."
    }

    fn operand(&self) -> Value {
        json!({
            "type": "object",
            "properties": { "value": { "type": "number" }, "tolerance": { "type": "number", "minimum": 0 } },
            "required": ["value", "tolerance"],
            "additionalProperties": false,
        })
    }

    fn compile(&self, operand: &Value, scope: &Scope<'_>) -> Result<Arc<dyn Matcher>, PatternError> {
        scope.fields(operand, &["value", "tolerance"])?;
        let number = |name: &str| match operand.get(name) {
            Some(Value::Number(number)) => Ok(number.clone()),
            Some(other) => Err(scope.operand(name)?.error(format!("expected a number, found `{other}`"))),
            None => Err(scope
                .error(format!("`{name}` is missing"))
                .with_hint("write `{ value: 10, tolerance: 0.5 }`")),
        };
        let (value, tolerance) = (number("value")?, number("tolerance")?);
        if tolerance.as_f64().is_none_or(|t| t < 0.0) {
            return Err(scope.operand("tolerance")?.error("the tolerance is below 0, so nothing can match"));
        }
        Ok(Arc::new(Near { value, tolerance }))
    }
}

#[derive(Debug)]
struct Near {
    value: Number,
    tolerance: Number,
}

impl Matcher for Near {
    fn matches(&self, value: Option<&Value>, _: SchemaView<'_>) -> bool {
        let number = value.filter(|value| value.is_number()).and_then(Value::as_f64);
        let (Some(number), Some(near), Some(tolerance)) =
            (number, self.value.as_f64(), self.tolerance.as_f64())
        else {
            return false;
        };
        // the subtraction itself rounds: 99.7 - 99.5 must be within 0.2
        (number - near).abs() <= tolerance + f64::EPSILON * number.abs().max(near.abs())
    }

    fn expected(&self) -> String {
        format!("a number within {} of {}", self.tolerance, self.value)
    }

    fn witness(&self, _: SchemaView<'_>) -> Option<Witness> {
        Some(Witness::Value(Value::Number(self.value.clone())))
    }
}
