//! Keywords of a JSON Schema that nobody knows: `requierd` would be ignored, and the pattern would always match.

use super::{PatternError, Scope};
use proofhouse_manager::document::did_you_mean;
use serde_json::{Map, Value};

/// Keywords whose value holds no schema.
const PLAIN: &[&str] = &[
    "$anchor",
    "$comment",
    "$dynamicAnchor",
    "$dynamicRef",
    "$id",
    "$ref",
    "$schema",
    "const",
    "contentEncoding",
    "contentMediaType",
    "default",
    "dependentRequired",
    "deprecated",
    "description",
    "enum",
    "examples",
    "exclusiveMaximum",
    "exclusiveMinimum",
    "format",
    "maxContains",
    "maxItems",
    "maxLength",
    "maxProperties",
    "maximum",
    "minContains",
    "minItems",
    "minLength",
    "minProperties",
    "minimum",
    "multipleOf",
    "pattern",
    "readOnly",
    "required",
    "title",
    "type",
    "uniqueItems",
    "writeOnly",
];
/// Keywords whose value is a schema.
const ONE: &[&str] = &[
    "additionalProperties",
    "contains",
    "else",
    "if",
    "items",
    "not",
    "propertyNames",
    "then",
    "unevaluatedItems",
    "unevaluatedProperties",
];
/// Keywords whose value is a list of schemas.
const LIST: &[&str] = &["allOf", "anyOf", "oneOf", "prefixItems"];
/// Keywords whose value is an object of schemas.
const MAP: &[&str] = &["$defs", "definitions", "dependentSchemas", "patternProperties", "properties"];

/// Refuses a schema with an unknown keyword, wherever a schema stands in it.
pub(super) fn check(schema: &Value, scope: &Scope<'_>) -> Result<(), PatternError> {
    schema.as_object().map_or(Ok(()), |keywords| check_keywords(keywords, scope))
}

fn check_keywords(keywords: &Map<String, Value>, scope: &Scope<'_>) -> Result<(), PatternError> {
    for (keyword, value) in keywords {
        let name = keyword.as_str();
        let scope = scope.operand(name)?;
        match value {
            _ if PLAIN.contains(&name) => {}
            schema if ONE.contains(&name) => check(schema, &scope)?,
            Value::Array(schemas) if LIST.contains(&name) => {
                for (index, schema) in schemas.iter().enumerate() {
                    check(schema, &scope.operand(&index.to_string())?)?;
                }
            }
            Value::Object(schemas) if MAP.contains(&name) => {
                for (key, schema) in schemas {
                    check(schema, &scope.operand(key)?)?;
                }
            }
            // of a wrong kind, which the compiler tells better
            _ if LIST.contains(&name) || MAP.contains(&name) => {}
            _ => return Err(unknown(name, &scope)),
        }
    }
    Ok(())
}

fn unknown(name: &str, scope: &Scope<'_>) -> PatternError {
    let known = [PLAIN, ONE, LIST, MAP].into_iter().flatten().copied();
    let hint = did_you_mean(name, known).map_or_else(
        || "a keyword that JSON Schema does not know would be ignored; remove it".to_owned(),
        |meant| format!("did you mean `{meant}`?"),
    );
    scope.error(format!("unknown keyword `{name}`")).with_hint(hint)
}
