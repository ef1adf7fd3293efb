//! A default of null where null is not allowed.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "default-null-not-allowed",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A default is `null`, and the type does not allow `null`.",
    why: "A model that sends the stated default is told that its call is invalid. Generators write such defaults for \
          optional parameters.",
    fix: "leave the default out, or allow `null` in the type",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        if schema.schema.get("default").is_some_and(|default| default.is_null()) && !schema.allows("null") {
            report.at(
                subject,
                format!("{}/default", schema.pointer),
                "the default is null, which is not allowed",
            );
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_default_of_null_is_allowed_or_wrong() {
        let good = json!({ "properties": {
            "a": { "type": ["string", "null"], "default": null }, "b": { "default": null },
            "c": { "anyOf": [{ "type": "string" }, { "type": "null" }], "default": null },
        } });
        check_schema(&LINT, good, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "type": "string", "default": null } } }),
            &["/properties/a/default: the default is null, which is not allowed"],
        );
    }
}
