//! A required parameter with a default.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT};

pub(super) const LINT: Lint = Lint {
    code: "required-with-default",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "A required parameter states a default.",
    why: "One of the two is not meant: a model that trusts the default leaves the parameter out, and the call is invalid.",
    fix: "take the name out of `required`, or leave the default out",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let schema = &subject.tool.schemas.input_schema;
    for name in schema.required() {
        if schema.property(name).is_some_and(|property| property.get("default").is_some()) {
            let pointer = format!("{INPUT}/properties/{}/default", crate::document::escape_segment(name));
            report.at(subject, pointer, format!("`{name}` is required and has a default"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_required_parameter_has_no_default() {
        let schema = |required| json!({ "properties": { "a": { "default": 1 } }, "required": required });
        check_schema(&LINT, schema(json!([])), &[]);
        check_schema(
            &LINT,
            schema(json!(["a"])),
            &["/properties/a/default: `a` is required and has a default"],
        );
    }
}
