//! Every schema within a schema, with its place.

use crate::document::escape_segment;
use serde_json::{Map, Value};

/// A schema somewhere within a tool's input schema.
#[derive(Debug, Clone)]
pub struct Subschema<'a> {
    /// JSON pointer into the descriptor.
    pub pointer: String,
    /// The schema.
    pub schema: &'a Map<String, Value>,
    /// The name, if it is the schema of a property.
    pub property: Option<&'a str>,
    /// How many properties deep it stands.
    pub depth: usize,
}

/// Deeper nesting is refused before anything looks at it.
const MAX_DEPTH: usize = 64;

/// Keywords that hold schemas by name.
const MAPS: [&str; 5] = ["properties", "$defs", "definitions", "patternProperties", "dependentSchemas"];
/// Keywords that hold a schema, or a list of them.
const SCHEMAS: [&str; 15] = [
    "items",
    "prefixItems",
    "additionalItems",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
    "contains",
    "not",
    "if",
    "then",
    "else",
    "anyOf",
    "oneOf",
    "allOf",
];

/// The schema and all within it, outermost first; references are not followed.
pub(super) fn subschemas<'a>(root: &'a Map<String, Value>, pointer: &str) -> Vec<Subschema<'a>> {
    let mut all = Vec::new();
    let root = Subschema { pointer: pointer.to_owned(), schema: root, property: None, depth: 0 };
    collect(root, 0, &mut all);
    all
}

fn collect<'a>(here: Subschema<'a>, level: usize, all: &mut Vec<Subschema<'a>>) {
    if level > MAX_DEPTH {
        return;
    }
    let (schema, depth, base) = (here.schema, here.depth, here.pointer.clone());
    all.push(here);
    for (keyword, value) in schema {
        let named = MAPS.contains(&keyword.as_str());
        if !named && !SCHEMAS.contains(&keyword.as_str()) {
            continue;
        }
        let pointer = format!("{base}/{keyword}");
        let is_properties = keyword == "properties";
        let mut go = |pointer: String, schema: &'a Value, property: Option<&'a str>, depth| {
            if let Value::Object(schema) = schema {
                collect(Subschema { pointer, schema, property, depth }, level + 1, all);
            }
        };
        match value {
            Value::Object(members) if named => {
                for (name, member) in members {
                    let pointer = format!("{pointer}/{}", escape_segment(name));
                    let property = is_properties.then_some(name.as_str());
                    go(pointer, member, property, depth + usize::from(is_properties));
                }
            }
            Value::Array(items) if !named => {
                items
                    .iter()
                    .enumerate()
                    .for_each(|(i, item)| go(format!("{pointer}/{i}"), item, None, depth));
            }
            Value::Object(_) => go(pointer, value, None, depth),
            Value::Array(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
        }
    }
}

impl Subschema<'_> {
    /// Whether `type` allows this type; without `type`, every type is allowed.
    pub fn allows(&self, kind: &str) -> bool {
        self.schema.get("type").is_none_or(|stated| names(stated, kind))
    }

    /// Whether `type` names this type.
    pub fn is(&self, kind: &str) -> bool {
        self.schema.get("type").is_some_and(|stated| names(stated, kind))
    }

    /// The text of a keyword.
    pub fn text(&self, keyword: &str) -> Option<&str> {
        self.schema.get(keyword)?.as_str()
    }

    /// The items of a keyword that holds a list.
    pub fn list(&self, keyword: &str) -> &[Value] {
        self.schema.get(keyword).and_then(Value::as_array).map_or(&[], Vec::as_slice)
    }

    /// The texts among the values of `enum`.
    pub fn choices(&self) -> impl Iterator<Item = &str> {
        self.list("enum").iter().filter_map(Value::as_str)
    }
}

fn names(stated: &Value, kind: &str) -> bool {
    match stated {
        Value::String(name) => name == kind,
        Value::Array(all) => all.iter().any(|name| name == kind),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn every_schema_has_its_place() {
        let schema = json!({
            "type": "object",
            "properties": { "a/b": { "type": ["array", "null"], "items": { "enum": ["x", 1] } }, "t": true },
            "anyOf": [{ "required": ["a/b"] }],
            "$defs": { "d": {} },
            "default": { "properties": { "not": "a schema" } },
        });
        let all = subschemas(schema.as_object().unwrap(), "");
        let told: Vec<_> = all.iter().map(|s| (s.pointer.as_str(), s.property, s.depth)).collect();
        assert_eq!(
            told,
            [
                ("", None, 0),
                ("/properties/a~1b", Some("a/b"), 1),
                ("/properties/a~1b/items", None, 1),
                ("/anyOf/0", None, 0),
                ("/$defs/d", None, 0),
            ]
        );
        assert!(all[1].is("null") && all[1].allows("array") && !all[1].allows("object"));
        assert!(all[2].allows("object") && !all[2].is("object"));
        assert_eq!(all[2].choices().collect::<Vec<_>>(), ["x"]);
    }
}
