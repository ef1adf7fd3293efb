//! A default that its own schema refuses.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "default-violates-schema",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A default is not valid under the schema that states it.",
    why: "A model that sends the stated default is told that its call is invalid.",
    fix: "state a default that the schema allows",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        // A default of null has a lint of its own; what a reference allows is not known here.
        let Some(default) = schema.schema.get("default").filter(|default| !default.is_null()) else {
            continue;
        };
        if refers(schema.schema.values()) {
            continue;
        }
        let alone = Value::Object(schema.schema.clone());
        let compiled = jsonschema::options().with_draft(jsonschema::Draft::Draft202012).build(&alone);
        let fault = compiled.ok().and_then(|v| v.validate(default).err().map(|fault| fault.to_string()));
        if let Some(fault) = fault {
            report.at(
                subject,
                format!("{}/default", schema.pointer),
                format!("the default is not valid: {fault}"),
            );
        }
    }
}

fn refers<'v>(mut values: impl Iterator<Item = &'v Value>) -> bool {
    values.any(|value| match value {
        Value::Object(map) => map.contains_key("$ref") || refers(map.values()),
        Value::Array(items) => refers(items.iter()),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_default_is_valid() {
        let good = json!({ "properties": {
            "a": { "type": "integer", "default": 3 }, "b": { "type": "string", "default": null },
        } });
        check_schema(&LINT, good, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "enum": ["x", "y"], "default": "z" } } }),
            &["/properties/a/default: the default is not valid: \"z\" is not one of \"x\" or \"y\""],
        );
    }
}
