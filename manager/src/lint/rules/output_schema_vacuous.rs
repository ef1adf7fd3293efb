//! An output schema that says nothing.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "output-schema-vacuous",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "The output schema describes no property.",
    why: "It promises a structured result and leaves open which: nothing can be validated and no next call planned.",
    fix: "describe what comes back, or leave the output schema out",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(schema) = &subject.tool.schemas.output_schema else { return };
    let properties = schema.0.get("properties").and_then(Value::as_object);
    if properties.is_none_or(|properties| properties.is_empty()) {
        report.at(subject, "/schemas/outputSchema", "the output schema describes no property");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing, model::JsonSchema};
    use serde_json::json;

    #[test]
    fn an_output_schema_says_something() {
        let with = |schema| testing::object(schema);
        testing::check(&LINT, |_| {}, &[]);
        testing::check(
            &LINT,
            |t| t.schemas.output_schema = Some(JsonSchema(with(json!({ "properties": { "a": {} } })))),
            &[],
        );
        testing::check(
            &LINT,
            |t| t.schemas.output_schema = Some(JsonSchema(with(json!({ "type": "object" })))),
            &["/schemas/outputSchema: the output schema describes no property"],
        );
    }
}
