//! Function docs as tools: the leaderboard's dialect of JSON Schema in proper JSON Schema.

use crate::matcher::bfcl::WRITTEN_TYPE;
use proofhouse_manager::{model::JsonSchema, registry::Arguments};
use serde_json::{Map, Value, json};

/// Keywords of the dialect that mean nothing in a schema.
const DROPPED: &[&str] = &["optional", "requried"];

/// The input schema of a function doc. The leaderboard's types are kept beside those that JSON Schema knows.
pub(super) fn of(function: &Value) -> Map<String, Value> {
    let parameters = function.get("parameters").and_then(Value::as_object);
    let mut schema = parameters.map(translated).unwrap_or_default();
    schema.insert("type".to_owned(), json!("object"));
    schema
}

/// The same without anything but names and types, for a schema that cannot be used as it is; and why it cannot.
pub(super) fn usable(schema: Map<String, Value>) -> (Map<String, Value>, Option<String>) {
    match Arguments::compile(&JsonSchema(schema.clone())) {
        Ok(_) => (schema, None),
        Err(fault) => (bare(&schema), Some(fault.to_string())),
    }
}

fn translated(schema: &Map<String, Value>) -> Map<String, Value> {
    let mut translation = Map::new();
    for (keyword, value) in schema {
        match (keyword.as_str(), value) {
            (dropped, _) if DROPPED.contains(&dropped) => {}
            ("type", Value::String(name)) => {
                let known = json_type(name);
                if let Some(known) = known {
                    translation.insert(keyword.clone(), json!(known));
                }
                if known != Some(name.as_str()) {
                    translation.insert(WRITTEN_TYPE.to_owned(), value.clone());
                }
            }
            ("properties", Value::Object(properties)) => {
                let properties = properties.iter().map(|(name, doc)| (name.clone(), within(doc)));
                translation.insert(keyword.clone(), Value::Object(properties.collect()));
            }
            ("items" | "additionalProperties", doc) => {
                translation.insert(keyword.clone(), within(doc));
            }
            _ => {
                translation.insert(keyword.clone(), value.clone());
            }
        }
    }
    translation
}

fn within(doc: &Value) -> Value {
    doc.as_object().map_or_else(|| doc.clone(), |doc| Value::Object(translated(doc)))
}

/// What JSON Schema calls a type of the docs, in whichever of their three languages; none for any value.
fn json_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "dict" | "object" | "HashMap" | "Hashtable" => "object",
        "array" | "tuple" | "list" | "Array" | "ArrayList" | "Queue" | "Stack" | "Set" => "array",
        "float" | "number" | "double" => "number",
        "integer" | "byte" | "short" | "long" | "Bigint" => "integer",
        "boolean" | "Boolean" => "boolean",
        "string" | "String" | "char" => "string",
        _ => return None,
    })
}

fn bare(schema: &Map<String, Value>) -> Map<String, Value> {
    const KEPT: &[&str] = &["type", WRITTEN_TYPE, "description"];
    let kept = |doc: &Map<String, Value>| -> Map<String, Value> {
        let kept =
            doc.iter().filter(|(keyword, value)| KEPT.contains(&keyword.as_str()) && value.is_string());
        kept.map(|(keyword, value)| (keyword.clone(), value.clone())).collect()
    };
    let mut bare = kept(schema);
    let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
    let properties = properties.map(|(name, doc)| {
        let doc = doc.as_object();
        let mut property = doc.map(kept).unwrap_or_default();
        if let Some(items) = doc.and_then(|doc| doc.get("items")).and_then(Value::as_object) {
            property.insert("items".to_owned(), Value::Object(kept(items)));
        }
        (name.clone(), Value::Object(property))
    });
    bare.insert("properties".to_owned(), Value::Object(properties.collect()));
    if let Some(required) = schema.get("required").and_then(Value::as_array) {
        let names: Vec<&Value> = required.iter().filter(|name| name.is_string()).collect();
        bare.insert("required".to_owned(), json!(names));
    }
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_those_of_json_schema_and_the_written_ones_are_kept() {
        let function = json!({ "name": "f", "parameters": { "type": "dict", "required": ["x"], "properties": {
            "x": { "type": "float", "description": "how far", "optional": true },
            "at": { "type": "tuple", "items": { "type": "float" } },
            "any": { "type": "any" },
            "map": { "type": "dict", "properties": { "n": { "type": "integer", "enum": [1] } } },
        } } });
        let expected = json!({ "type": "object", "x-bfcl-type": "dict", "required": ["x"], "properties": {
            "x": { "type": "number", "x-bfcl-type": "float", "description": "how far" },
            "at": { "type": "array", "x-bfcl-type": "tuple", "items": { "type": "number", "x-bfcl-type": "float" } },
            "any": { "x-bfcl-type": "any" },
            "map": { "type": "object", "x-bfcl-type": "dict",
                "properties": { "n": { "type": "integer", "enum": [1] } } },
        } });
        let schema = of(&function);
        assert_eq!(Value::Object(schema.clone()), expected);
        assert_eq!(usable(schema.clone()), (schema, None));
    }

    #[test]
    fn what_no_compiler_takes_is_reduced_to_names_and_types() {
        let function = json!({ "name": "f", "parameters": { "type": "dict", "required": ["x"], "properties": {
            "x": { "type": "string", "description": "d", "pattern": "(" },
        } } });
        let (schema, fault) = usable(of(&function));
        assert!(fault.unwrap().contains("/properties/x/pattern"));
        let expected = json!({ "type": "object", "x-bfcl-type": "dict", "required": ["x"],
            "properties": { "x": { "type": "string", "description": "d" } } });
        assert_eq!(Value::Object(schema), expected);
    }
}
