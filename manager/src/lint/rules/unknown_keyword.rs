//! A keyword that JSON Schema does not know.

use crate::{
    document::did_you_mean,
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
};

pub(super) const LINT: Lint = Lint {
    code: "unknown-keyword",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A schema has a keyword that JSON Schema does not define.",
    why: "Validators ignore what they do not know, so `requierd: [path]` requires nothing and nobody is told.",
    fix: "take the keyword that was meant; name extensions `x-…`",
    check: Check::Tool(check),
};

/// Every keyword of draft-07 and 2020-12, and `discriminator` of OpenAPI, which generators add and which harms nobody.
const KNOWN: [&str; 65] = [
    "$schema",
    "$id",
    "id",
    "$ref",
    "$defs",
    "$anchor",
    "$dynamicRef",
    "$dynamicAnchor",
    "$recursiveRef",
    "$recursiveAnchor",
    "$vocabulary",
    "$comment",
    "definitions",
    "type",
    "enum",
    "const",
    "multipleOf",
    "maximum",
    "exclusiveMaximum",
    "minimum",
    "exclusiveMinimum",
    "maxLength",
    "minLength",
    "pattern",
    "maxItems",
    "minItems",
    "uniqueItems",
    "maxContains",
    "minContains",
    "maxProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "properties",
    "patternProperties",
    "additionalProperties",
    "propertyNames",
    "dependentSchemas",
    "dependencies",
    "unevaluatedProperties",
    "items",
    "prefixItems",
    "additionalItems",
    "contains",
    "unevaluatedItems",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "title",
    "description",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "examples",
    "format",
    "contentEncoding",
    "contentMediaType",
    "contentSchema",
    "discriminator",
    "nullable",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        for keyword in schema.schema.keys() {
            if KNOWN.contains(&keyword.as_str()) || keyword.starts_with("x-") {
                continue;
            }
            let meant = did_you_mean(keyword, KNOWN)
                .map_or_else(String::new, |known| format!("; is `{known}` meant?"));
            let pointer = format!("{}/{}", schema.pointer, crate::document::escape_segment(keyword));
            report.at(subject, pointer, format!("`{keyword}` is no keyword of JSON Schema{meant}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_keyword_is_known() {
        check_schema(&LINT, json!({ "type": "object", "properties": { "requierd": {} }, "x-order": 1 }), &[]);
        check_schema(
            &LINT,
            json!({ "requierd": ["a"] }),
            &["/requierd: `requierd` is no keyword of JSON Schema; is `required` meant?"],
        );
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "optional": true } } }),
            &["/properties/a/optional: `optional` is no keyword of JSON Schema"],
        );
    }
}
