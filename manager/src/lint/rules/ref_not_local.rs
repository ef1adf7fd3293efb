//! A reference to something outside of the schema.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "ref-not-local",
    stage: LintStage::Schema,
    severity: Severity::Error,
    finds: "A `$ref` leads out of the schema, to a file or an address.",
    why: "Nothing outside of a schema is ever fetched: whoever controls the address would control what is valid.",
    fix: "copy the definition under `$defs` and refer to it as `#/$defs/NAME`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        for keyword in ["$ref", "$dynamicRef"] {
            if let Some(target) = schema.text(keyword).filter(|target| !target.starts_with('#')) {
                let pointer = format!("{}/{keyword}", schema.pointer);
                report.at(subject, pointer, format!("`{target}` is outside of the schema"));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_reference_stays_inside() {
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "$ref": "#/$defs/a" } }, "$defs": { "a": {} } }),
            &[],
        );
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "items": { "$ref": "https://example.com/a.json" } } } }),
            &["/properties/a/items/$ref: `https://example.com/a.json` is outside of the schema"],
        );
    }
}
