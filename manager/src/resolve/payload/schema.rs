//! Steps that turn a tool's input schema into one that a provider accepts.
//!
//! Each step changes as little as it can and notes what it changed.

use super::{
    downgrade::{DowngradeCode, Downgrades},
    keyword::{holds, visit_mut},
};
use serde_json::{Map, Value, json};

/// A schema on its way to a provider.
#[derive(Debug)]
pub(super) struct Draft<'d, 't> {
    pub(super) schema: Map<String, Value>,
    pub(super) downgrades: &'d mut Downgrades<'t>,
}

impl<'d, 't> Draft<'d, 't> {
    /// Starts from a tool's own schema.
    pub(super) fn of(schema: &Value, downgrades: &'d mut Downgrades<'t>) -> Self {
        Self { schema: schema.as_object().cloned().unwrap_or_default(), downgrades }
    }

    /// Removes `$schema`, and words that are no keywords of JSON Schema.
    pub(super) fn standard_keywords(mut self) -> Self {
        let Self { schema, downgrades } = &mut self;
        visit_mut(schema, &mut String::new(), &mut |schema, pointer| {
            schema.retain(|keyword, _| {
                let reason = match keyword.as_str() {
                    "$schema" => "tells nothing to a model",
                    word if holds(word).is_none() => "is no keyword of JSON Schema",
                    _ => return true,
                };
                downgrades.push(
                    DowngradeCode::KeywordRemoved,
                    format!("`{keyword}` at {} {reason} and is not sent", place(pointer)),
                );
                false
            });
        });
        self
    }

    /// Says `"type": "object"` at the root.
    pub(super) fn object_root(mut self) -> Self {
        if !self.schema.contains_key("type") {
            self.schema.insert("type".to_owned(), json!("object"));
            self.completed("`\"type\": \"object\"` is added at the root");
        }
        self
    }

    /// Says `"properties": {}` where an object has none.
    pub(super) fn root_properties(mut self) -> Self {
        if !self.schema.contains_key("properties") {
            self.schema.insert("properties".to_owned(), json!({}));
            self.completed("an empty `properties` is added at the root");
        }
        self
    }

    /// Says `"items": {}` where an array does not say what it holds.
    pub(super) fn array_items(mut self) -> Self {
        let Self { schema, downgrades } = &mut self;
        visit_mut(schema, &mut String::new(), &mut |schema, pointer| {
            if is_type(schema, "array") && !schema.contains_key("items") {
                schema.insert("items".to_owned(), json!({}));
                let message = format!("an empty `items` is added at {}", place(pointer));
                downgrades.push(DowngradeCode::Completed, message);
            }
        });
        self
    }

    /// Leaves out properties of the root whose names the provider refuses.
    pub(super) fn property_names(mut self, allowed: fn(&str) -> bool) -> Self {
        let Some(Value::Object(properties)) = self.schema.get_mut("properties") else { return self };
        let refused: Vec<String> = properties.keys().filter(|name| !allowed(name)).cloned().collect();
        properties.retain(|name, _| !refused.contains(name));
        for name in refused {
            let required = self.forget_required(&name);
            let message = format!(
                "the property `{name}` is not sent, because its name is refused{}",
                if required { "; it is required, so no call can be valid without it" } else { "" }
            );
            self.downgrades.push(DowngradeCode::PropertyRemoved, message);
        }
        self
    }

    fn forget_required(&mut self, name: &str) -> bool {
        let Some(Value::Array(required)) = self.schema.get_mut("required") else { return false };
        let before = required.len();
        required.retain(|entry| entry != name);
        required.len() < before
    }

    fn completed(&mut self, message: &str) {
        self.downgrades.push(DowngradeCode::Completed, message);
    }
}

/// Whether a schema's `type` is, or may be, the one asked for.
pub(super) fn is_type(schema: &Map<String, Value>, wanted: &str) -> bool {
    match schema.get("type") {
        Some(Value::String(kind)) => kind == wanted,
        Some(Value::Array(kinds)) => kinds.iter().any(|kind| kind == wanted),
        _ => false,
    }
}

/// A pointer in words.
pub(super) fn place(pointer: &str) -> String {
    if pointer.is_empty() { "the root".to_owned() } else { format!("`{pointer}`") }
}
