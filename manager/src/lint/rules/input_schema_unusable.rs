//! An input schema with which no call can be validated.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT},
    registry::{Arguments, SchemaFault},
};

pub(super) const LINT: Lint = Lint {
    code: "input-schema-unusable",
    stage: LintStage::Schema,
    severity: Severity::Error,
    finds: "The input schema is no JSON Schema, is no schema of an object, or is too deep or too large to be compiled.",
    why: "Arguments that cannot be validated are never let through, so no call of the tool can succeed.",
    fix: "write a JSON Schema (2020-12) whose root has `type: object`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    match Arguments::compile(&subject.tool.schemas.input_schema) {
        // A reference that leads nowhere has a lint of its own, which knows its place.
        Ok(_) | Err(SchemaFault::Remote(_)) => {}
        Err(SchemaFault::Invalid { .. }) if super::ref_dangling::any(subject) => {}
        Err(fault) => report.at(subject, format!("{INPUT}{}", fault.pointer()), fault.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_schema_that_does_not_compile_is_found() {
        check_schema(&LINT, json!({ "type": "object" }), &[]);
        check_schema(
            &LINT,
            json!({ "type": "array" }),
            &["/type: the root of an input schema must be an object schema, and this one says `\"array\"`"],
        );
        check_schema(&LINT, json!({ "properties": { "a": { "$ref": "#/$defs/gone" } } }), &[]);
        let deep = (0..70).fold(json!({}), |inner, _| json!({ "not": inner }));
        check_schema(&LINT, deep, &[": the schema is nested deeper than 64 levels"]);
    }
}
