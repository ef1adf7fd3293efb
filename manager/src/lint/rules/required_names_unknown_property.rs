//! A required property that is not described.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "required-names-unknown-property",
    stage: LintStage::Schema,
    severity: Severity::Error,
    finds: "`required` names a property that `properties` does not describe.",
    why: "A model does not send what it is not told of, so every call of the tool is invalid.",
    fix: "describe the property, or take its name out of `required`",
    check: Check::Tool(check),
};

/// Keywords by which properties are described elsewhere.
const ELSEWHERE: [&str; 6] = ["$ref", "allOf", "anyOf", "oneOf", "patternProperties", "if"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        // A branch such as `then` or `anyOf` speaks of the properties around it as well.
        let Some(Value::Object(properties)) = schema.schema.get("properties") else { continue };
        if is_branch(&schema.pointer) || ELSEWHERE.iter().any(|keyword| schema.schema.contains_key(*keyword))
        {
            continue;
        }
        for name in schema.list("required").iter().filter_map(Value::as_str) {
            if !properties.contains_key(name) {
                let pointer = format!("{}/required", schema.pointer);
                report.at(subject, pointer, format!("`{name}` is required and not described"));
            }
        }
    }
}

/// Whether a schema adds to the one that holds it.
fn is_branch(pointer: &str) -> bool {
    let mut above = pointer.rsplit('/').skip_while(|segment| segment.bytes().all(|b| b.is_ascii_digit()));
    above
        .next()
        .is_some_and(|keyword| ["if", "then", "else", "not", "allOf", "anyOf", "oneOf"].contains(&keyword))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn what_is_required_is_described() {
        let then = json!({ "properties": { "b": {} }, "required": ["a", "b"] });
        let branch = json!({ "properties": { "a": {} }, "required": ["a"], "not": { "required": ["b"] }, "then": then });
        check_schema(&LINT, branch, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "path": {} }, "required": ["paht"] }),
            &["/required: `paht` is required and not described"],
        );
    }
}
