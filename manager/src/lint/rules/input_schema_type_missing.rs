//! An input schema that does not say that arguments are an object.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT};

pub(super) const LINT: Lint = Lint {
    code: "input-schema-type-missing",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "The root of the input schema does not say `type: object`.",
    why: "MCP demands it and some providers refuse the request with all its tools; an empty schema is often the \
          trace of a converter that lost every parameter.",
    fix: "write `type: object` at the root, and check that the parameters are still there",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let stated = subject.tool.schemas.input_schema.0.get("type");
    if stated.and_then(|kind| kind.as_str()) != Some("object") {
        report.at(subject, INPUT, "the input schema does not say `type: object`");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn the_type_must_be_said() {
        check_schema(&LINT, json!({ "type": "object" }), &[]);
        check_schema(&LINT, json!({}), &[": the input schema does not say `type: object`"]);
    }
}
