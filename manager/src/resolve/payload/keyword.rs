//! The keywords of JSON Schema, and where in them further schemas stand.

use serde_json::{Map, Value};

/// What the value of a keyword is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Holds {
    /// No schema.
    Data,
    /// One schema, or a list of them.
    Schemas,
    /// Schemas by name.
    Named,
}

/// What a keyword holds; nothing for a word that no draft knows.
pub(super) fn holds(keyword: &str) -> Option<Holds> {
    Some(match keyword {
        "properties" | "patternProperties" | "$defs" | "definitions" | "dependentSchemas" => Holds::Named,
        "items"
        | "prefixItems"
        | "additionalItems"
        | "unevaluatedItems"
        | "contains"
        | "additionalProperties"
        | "unevaluatedProperties"
        | "propertyNames"
        | "allOf"
        | "anyOf"
        | "oneOf"
        | "not"
        | "if"
        | "then"
        | "else"
        | "contentSchema" => Holds::Schemas,
        "$schema" | "$id" | "$ref" | "$anchor" | "$dynamicRef" | "$dynamicAnchor" | "$comment"
        | "$vocabulary" | "type" | "required" | "enum" | "const" | "minContains" | "maxContains"
        | "dependentRequired" | "dependencies" | "multipleOf" | "maximum" | "exclusiveMaximum"
        | "minimum" | "exclusiveMinimum" | "maxLength" | "minLength" | "pattern" | "format" | "maxItems"
        | "minItems" | "uniqueItems" | "maxProperties" | "minProperties" | "title" | "description"
        | "default" | "examples" | "deprecated" | "readOnly" | "writeOnly" | "contentEncoding"
        | "contentMediaType" => Holds::Data,
        _ => return None,
    })
}

/// Calls `visit` with every schema object inside `schema` and its JSON pointer, outermost first.
pub(super) fn visit_mut(
    schema: &mut Map<String, Value>,
    pointer: &mut String,
    visit: &mut impl FnMut(&mut Map<String, Value>, &str),
) {
    visit(schema, pointer);
    for (keyword, value) in schema.iter_mut() {
        let Some(kind @ (Holds::Schemas | Holds::Named)) = holds(keyword) else { continue };
        let outer = pointer.len();
        push_segment(pointer, keyword);
        match (kind, value) {
            (Holds::Schemas, Value::Object(inner)) => visit_mut(inner, pointer, visit),
            (_, Value::Array(items)) => {
                visit_each(items.iter_mut().enumerate().map(|(i, v)| (i.to_string(), v)), pointer, visit);
            }
            (_, Value::Object(named)) => {
                visit_each(named.iter_mut().map(|(name, v)| (name.clone(), v)), pointer, visit);
            }
            _ => {}
        }
        pointer.truncate(outer);
    }
}

fn visit_each<'v>(
    schemas: impl Iterator<Item = (String, &'v mut Value)>,
    pointer: &mut String,
    visit: &mut impl FnMut(&mut Map<String, Value>, &str),
) {
    for (segment, schema) in schemas {
        if let Value::Object(schema) = schema {
            let outer = pointer.len();
            push_segment(pointer, &segment);
            visit_mut(schema, pointer, visit);
            pointer.truncate(outer);
        }
    }
}

/// Appends one segment to a JSON pointer.
pub(super) fn push_segment(pointer: &mut String, segment: &str) {
    pointer.push('/');
    for character in segment.chars() {
        match character {
            '~' => pointer.push_str("~0"),
            '/' => pointer.push_str("~1"),
            other => pointer.push(other),
        }
    }
}
