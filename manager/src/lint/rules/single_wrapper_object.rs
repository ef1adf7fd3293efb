//! Parameters behind one needless object.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "single-wrapper-object",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "The one parameter is an object that holds the real ones.",
    why: "Models often send the inner parameters without the wrapper, and the call is invalid.",
    fix: "put the properties of the object at the root",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let mut properties = subject.tool.schemas.input_schema.properties();
    let (Some((name, schema)), None) = (properties.next(), properties.next()) else { return };
    let reference = schema.get("$ref").and_then(Value::as_str);
    let object = reference.and_then(|target| subject.target(target)).unwrap_or(schema);
    let inner = object.get("properties").and_then(Value::as_object).map_or(0, |inner| inner.len());
    if inner > 0 {
        let message = format!("`{name}` only wraps the parameters");
        report.at(subject, format!("{INPUT}/properties/{}", crate::document::escape_segment(name)), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn parameters_stand_at_the_root() {
        let inner = json!({ "type": "object", "properties": { "a": {} } });
        check_schema(&LINT, json!({ "properties": { "filter": inner, "limit": {} } }), &[]);
        check_schema(&LINT, json!({ "properties": { "headers": { "type": "object" } } }), &[]);
        let told = &["/properties/request: `request` only wraps the parameters"];
        check_schema(&LINT, json!({ "properties": { "request": inner } }), told);
        let referred =
            json!({ "properties": { "request": { "$ref": "#/$defs/R" } }, "$defs": { "R": inner } });
        check_schema(&LINT, referred, told);
    }
}
