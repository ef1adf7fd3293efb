//! A property that may be anything.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "property-without-type",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A property says neither its type nor its values.",
    why: "Nothing is validated there, whatever a model sends; and some providers refuse a property without a type.",
    fix: "give the property a `type`, an `enum`, or alternatives in `anyOf`",
    check: Check::Tool(check),
};

const SAYS: [&str; 7] = ["type", "$ref", "anyOf", "oneOf", "allOf", "enum", "const"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (name, schema) in subject.properties() {
        if !SAYS.iter().any(|keyword| schema.schema.contains_key(*keyword)) {
            report.at(subject, schema.pointer.clone(), format!("`{name}` may be anything"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_property_says_what_it_is() {
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "enum": [1] }, "b": { "type": "string" } } }),
            &[],
        );
        check_schema(
            &LINT,
            json!({ "properties": { "data": { "description": "The data" } } }),
            &["/properties/data: `data` may be anything"],
        );
    }
}
