//! A schema, looked at from the argument that is being compared.

use proofhouse_manager::document::split_pointer;
use serde_json::Value;

/// References and alternatives are followed this far.
const MAX_HOPS: u8 = 8;

/// A place in a tool's input schema, or nowhere.
#[derive(Debug, Clone, Copy, Default)]
pub struct SchemaView<'s> {
    root: Option<&'s Value>,
    here: Option<&'s Value>,
}

impl<'s> SchemaView<'s> {
    /// No schema: nothing is known.
    pub const NONE: Self = Self { root: None, here: None };

    /// The whole schema.
    pub fn new(schema: Option<&'s Value>) -> Self {
        Self { root: schema, here: schema }
    }

    /// The schema here, with references followed.
    pub fn value(self) -> Option<&'s Value> {
        let mut here = self.here?;
        for _ in 0..MAX_HOPS {
            match here.get("$ref").and_then(Value::as_str).and_then(|target| target.strip_prefix('#')) {
                Some(pointer) => here = self.root?.pointer(pointer)?,
                None => return Some(here),
            }
        }
        None
    }

    /// What an argument that is left out amounts to.
    pub fn default_value(self) -> Option<&'s Value> {
        let beside_reference = self.here.and_then(|here| here.get("default"));
        beside_reference.or_else(|| self.value()?.get("default"))
    }

    /// The schema of a member, also where it stands in an alternative.
    pub fn member(self, key: &str) -> Self {
        self.find(MAX_HOPS, &|schema| schema.get("properties")?.get(key))
    }

    /// The schema of an item.
    pub fn item(self, index: usize) -> Self {
        self.find(MAX_HOPS, &|schema| {
            let fixed = schema.get("prefixItems").and_then(|items| items.get(index));
            fixed.or_else(|| schema.get("items").filter(|items| items.is_object()))
        })
    }

    /// The schema of what a JSON pointer names.
    pub fn pointed(self, pointer: &str) -> Self {
        split_pointer(pointer).fold(self, |view, segment| {
            let member = view.member(&segment);
            match segment.parse() {
                Ok(index) if member.here.is_none() => view.item(index),
                _ => member,
            }
        })
    }

    fn find(self, hops: u8, step: &dyn Fn(&'s Value) -> Option<&'s Value>) -> Self {
        let Some(schema) = self.value().filter(|_| hops > 0) else { return Self { here: None, ..self } };
        if let Some(found) = step(schema) {
            return Self { here: Some(found), ..self };
        }
        ["allOf", "anyOf", "oneOf"]
            .iter()
            .filter_map(|keyword| schema.get(keyword)?.as_array())
            .flatten()
            .map(|branch| Self { here: Some(branch), ..self }.find(hops - 1, step))
            .find(|found| found.here.is_some())
            .unwrap_or(Self { here: None, ..self })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn defaults_are_found_behind_references_and_alternatives() {
        let schema = json!({
            "properties": {
                "a": {"default": 1},
                "b": {"$ref": "#/$defs/b"},
                "c": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/b"}]},
                "d": {"type": "array", "items": {"properties": {"e": {"default": 3}}}},
                "loop": {"$ref": "#/properties/loop"},
            },
            "$defs": {"b": {"properties": {"x": {"default": 2}}}},
        });
        let view = SchemaView::new(Some(&schema));
        for (pointer, default) in [
            ("/a", Some(1)),
            ("/b/x", Some(2)),
            ("/c/x", Some(2)),
            ("/d/5/e", Some(3)),
            ("/loop/x", None),
            ("/z", None),
        ] {
            assert_eq!(
                view.pointed(pointer).default_value(),
                default.map(|d| json!(d)).as_ref(),
                "{pointer}"
            );
        }
    }
}
