//! An array that does not say what it holds.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "array-without-items",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A parameter is an array without `items`.",
    why: "A model must guess what to put in, and OpenAI's function calling refuses such a schema outright.",
    fix: "say in `items` what the array holds",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        let described = ["items", "prefixItems", "contains", "enum", "const", "$ref"];
        // A list of nearly every type means any JSON, which has a lint of its own only without a type.
        let anything = schema.is("object");
        if schema.is("array")
            && !anything
            && !described.iter().any(|keyword| schema.schema.contains_key(*keyword))
        {
            report.at(subject, schema.pointer.clone(), "the array does not say in `items` what it holds");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn an_array_says_what_it_holds() {
        let good = json!({ "properties": { "a": { "type": "array", "items": {} }, "b": { "type": ["array", "object"] } } });
        check_schema(&LINT, good, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "type": ["array", "null"] } } }),
            &["/properties/a: the array does not say in `items` what it holds"],
        );
    }
}
