//! A list of allowed values that cannot be meant.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, Subschema};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "enum-unusable",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "An `enum` is empty, names a value twice, or names one that `type` forbids.",
    why: "A value that no call can send misleads the model; an empty list allows no call at all.",
    fix: "list each allowed value once, of the stated type",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        let Some(values) = schema.schema.get("enum").and_then(Value::as_array) else { continue };
        let pointer = format!("{}/enum", schema.pointer);
        if values.is_empty() {
            report.at(subject, pointer, "no value is allowed");
        } else if let Some(twice) = (1..values.len()).find(|i| values[..*i].contains(&values[*i])) {
            report.at(subject, pointer, format!("`{}` is listed twice", values[twice]));
        } else if let Some(wrong) = values.iter().find(|value| !is_allowed(schema, value)) {
            report.at(subject, pointer, format!("`{wrong}` is listed, and its type is not allowed"));
        }
    }
}

fn is_allowed(schema: &Subschema<'_>, value: &Value) -> bool {
    match value {
        Value::Null => schema.allows("null"),
        Value::Bool(_) => schema.allows("boolean"),
        Value::Number(number) => {
            schema.allows("number")
                || (schema.allows("integer") && number.as_f64().is_some_and(|n| n.fract() == 0.0))
        }
        Value::String(_) => schema.allows("string"),
        Value::Array(_) => schema.allows("array"),
        Value::Object(_) => schema.allows("object"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn values_are_distinct_and_of_their_type() {
        let of = |schema| json!({ "properties": { "a": schema } });
        check_schema(&LINT, of(json!({ "type": ["string", "null"], "enum": ["x", null] })), &[]);
        check_schema(&LINT, of(json!({ "type": "integer", "enum": [1, 2.0] })), &[]);
        for (schema, message) in [
            (json!({ "enum": [] }), "no value is allowed"),
            (json!({ "enum": ["x", "x"] }), "`\"x\"` is listed twice"),
            (json!({ "type": "integer", "enum": ["1"] }), "`\"1\"` is listed, and its type is not allowed"),
        ] {
            check_schema(&LINT, of(schema), &[&format!("/properties/a/enum: {message}")]);
        }
    }
}
