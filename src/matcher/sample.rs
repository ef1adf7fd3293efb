//! A smallest value that a schema describes: what fills the gaps of a made-up answer.

use super::SchemaView;
use proofhouse_manager::document::split_pointer;
use serde_json::{Map, Value, json};

/// Schemas are followed this far.
const MAX_DEPTH: u8 = 16;

/// A value that the schema probably accepts: its default, its first enumerated word, or the smallest of its type.
pub(super) fn sample(schema: SchemaView<'_>) -> Option<Value> {
    sample_to(schema, MAX_DEPTH)
}

fn sample_to(view: SchemaView<'_>, depth: u8) -> Option<Value> {
    let schema = view.value().filter(|_| depth > 0)?;
    if let Some(given) = given(view, schema) {
        return Some(given.clone());
    }
    match kind(schema)? {
        "object" => object(view, schema, depth),
        "array" => {
            let least = schema.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(64);
            let items = (0..least).map(|i| sample_to(view.item(usize::try_from(i).ok()?), depth - 1));
            items.collect::<Option<_>>().map(Value::Array)
        }
        "string" => Some(Value::String(text(schema))),
        "integer" | "number" => Some(number(schema)),
        "boolean" => Some(Value::Bool(false)),
        "null" => Some(Value::Null),
        _ => None,
    }
}

fn given<'s>(view: SchemaView<'s>, schema: &'s Value) -> Option<&'s Value> {
    let first = |keyword: &str| schema.get(keyword)?.as_array()?.first();
    view.default_value()
        .or_else(|| schema.get("const"))
        .or_else(|| first("enum"))
        .or_else(|| first("examples"))
}

/// The type: stated, the first of several, or told by the keywords; also that of the first alternative.
fn kind(schema: &Value) -> Option<&str> {
    match schema.get("type") {
        Some(Value::String(kind)) => return Some(kind),
        Some(Value::Array(kinds)) => return kinds.first()?.as_str(),
        _ => {}
    }
    if schema.get("properties").is_some() {
        return Some("object");
    }
    if schema.get("items").is_some() {
        return Some("array");
    }
    ["anyOf", "oneOf", "allOf"]
        .iter()
        .find_map(|k| schema.get(k)?.get(0)?.get("type")?.as_str())
        .or(Some("string"))
}

fn object(view: SchemaView<'_>, schema: &Value, depth: u8) -> Option<Value> {
    let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
    let members = required.filter_map(Value::as_str).map(|key| {
        let value = sample_to(view.member(key), depth - 1)?;
        Some((key.to_owned(), value))
    });
    members.collect::<Option<Map<_, _>>>().map(Value::Object)
}

fn text(schema: &Value) -> String {
    match schema.get("format").and_then(Value::as_str) {
        Some("date") => "2026-01-01".to_owned(),
        Some("date-time") => "2026-01-01T00:00:00Z".to_owned(),
        Some("uri") => "https://example.com/".to_owned(),
        Some("email") => "a@example.com".to_owned(),
        Some("uuid") => "00000000-0000-4000-8000-000000000000".to_owned(),
        _ => {
            let least = schema.get("minLength").and_then(Value::as_u64).unwrap_or(1).clamp(1, 1000);
            "x".repeat(usize::try_from(least).unwrap_or(1))
        }
    }
}

fn number(schema: &Value) -> Value {
    let bound = |keyword: &str| schema.get(keyword).filter(|bound| bound.is_number());
    if let Some(least) = bound("minimum").filter(|least| least.as_f64().is_some_and(|f| f > 0.0)) {
        return least.clone();
    }
    match (bound("exclusiveMinimum").and_then(Value::as_i64), bound("maximum")) {
        (Some(below), _) if below >= 0 => json!(below + 1),
        (_, Some(most)) if most.as_f64().is_some_and(|f| f < 0.0) => most.clone(),
        _ => json!(0),
    }
}

/// Puts a value where a JSON pointer names, making what lies on the way as the schema wants it.
pub(super) fn place(
    root: &mut Map<String, Value>,
    pointer: &str,
    value: Value,
    schema: SchemaView<'_>,
) -> Option<()> {
    let segments: Vec<_> = split_pointer(pointer).collect();
    let (first, rest) = segments.split_first()?;
    let mut view = schema.member(first);
    let mut slot = root.entry(first.clone().into_owned()).or_insert(Value::Null);
    for segment in rest {
        if slot.is_null() {
            *slot = container(view, segment);
        }
        view = view.pointed(&format!("/{}", proofhouse_manager::document::escape_segment(segment)));
        slot = match slot {
            Value::Array(items) => {
                let index: usize = segment.parse().ok().filter(|index| *index < 1000)?;
                while items.len() <= index {
                    items.push(sample(view).unwrap_or(Value::Null));
                }
                items.get_mut(index)?
            }
            Value::Object(map) => map.entry(segment.clone().into_owned()).or_insert(Value::Null),
            _ => return None,
        };
    }
    *slot = value;
    Some(())
}

fn container(view: SchemaView<'_>, segment: &str) -> Value {
    match sample(view) {
        Some(value @ (Value::Array(_) | Value::Object(_))) => value,
        _ if segment.bytes().all(|b| b.is_ascii_digit()) => json!([]),
        _ => json!({}),
    }
}
