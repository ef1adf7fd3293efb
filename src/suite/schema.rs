//! JSON Schemas of the suite format, so that editors complete and check.

use super::format::{CaseFile, SuiteFile};
use crate::matcher::kinds;
use serde_json::{Value, json};

/// JSON Schema (2020-12) of a suite's file.
pub fn suite_schema() -> Value {
    with_patterns(schemars::schema_for!(SuiteFile).to_value(), "Proofhouse suite")
}

/// JSON Schema (2020-12) of a case file: a list of cases.
pub fn case_schema() -> Value {
    with_patterns(schemars::schema_for!(Vec<CaseFile>).to_value(), "Proofhouse cases")
}

fn with_patterns(mut schema: Value, title: &str) -> Value {
    if let Some(root) = schema.as_object_mut() {
        root.insert("title".into(), json!(title));
        let definitions = root.entry("$defs").or_insert_with(|| json!({}));
        if let Some(definitions) = definitions.as_object_mut() {
            definitions.insert("args".into(), args());
            definitions.insert("pattern".into(), pattern());
        }
    }
    schema
}

fn args() -> Value {
    json!({
        "description": "What arguments must match: by name, or by a JSON pointer into them.",
        "type": "object",
        "additionalProperties": { "$ref": "#/$defs/pattern" },
    })
}

/// Any pattern: a matcher, an object or a list of patterns, or a literal.
fn pattern() -> Value {
    let matchers = kinds::ALL.iter().map(|kind| {
        let mut operand = kind.operand();
        if let Some(operand) = operand.as_object_mut().filter(|operand| !operand.contains_key("$ref")) {
            operand.insert("description".into(), json!(kind.docs()));
        }
        json!({
            "type": "object",
            "description": kind.docs(),
            "properties": { kind.name(): operand },
            "required": [kind.name()],
            "additionalProperties": false,
        })
    });
    let plain = [
        json!({
            "type": "object",
            "propertyNames": { "not": { "pattern": "^\\$" } },
            "additionalProperties": { "$ref": "#/$defs/pattern" },
        }),
        json!({ "type": "array", "items": { "$ref": "#/$defs/pattern" } }),
        json!({ "type": ["string", "number", "boolean", "null"] }),
    ];
    json!({
        "description": "A literal means equality; an object with one key that starts with `$` is a matcher.",
        "anyOf": matchers.chain(plain).collect::<Vec<_>>(),
    })
}
