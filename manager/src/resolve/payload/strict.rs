//! Whether a schema fits OpenAI's strict mode, and if not, why.
//!
//! Strict mode makes arguments certain to fit, for schemas in which nothing is left open. A schema is never
//! bent to fit: making an optional property nullable would have the model send `null`, which the tool's own
//! schema refuses. So strict mode is used where a schema fits as it is.
//!
//! The bounds are the first published ones and `minLength` is left out, since older deployments and
//! compatible servers refuse the whole request otherwise; the price is strict mode for a few schemas.

use super::{
    keyword::{Holds, holds, push_segment},
    schema::{is_type, place},
};
use serde_json::{Map, Value};

const MAX_DEPTH: usize = 5;
const MAX_PROPERTIES: usize = 100;
const FORMATS: [&str; 9] =
    ["date-time", "time", "date", "duration", "email", "hostname", "ipv4", "ipv6", "uuid"];

/// The first reason why the schema does not fit.
pub(super) fn misfit(schema: &Map<String, Value>) -> Option<String> {
    let mut check = Check { pointer: String::new(), properties: 0 };
    check.object(schema, 0).err()
}

struct Check {
    pointer: String,
    properties: usize,
}

impl Check {
    fn object(&mut self, schema: &Map<String, Value>, depth: usize) -> Result<(), String> {
        self.check_keywords(schema)?;
        self.check_shape(schema)?;
        let depth = depth + usize::from(is_type(schema, "object"));
        if depth > MAX_DEPTH {
            return self.refuse(&format!("is nested deeper than {MAX_DEPTH} objects"));
        }
        for (keyword, value) in schema {
            match (holds(keyword), value) {
                (Some(Holds::Schemas), Value::Object(inner)) => {
                    self.within(keyword, |check| check.object(inner, depth))?;
                }
                (Some(Holds::Schemas), Value::Array(all)) => {
                    let all = all.iter().enumerate().map(|(index, v)| (index.to_string(), v));
                    self.within(keyword, |check| check.each(all, depth))?;
                }
                (Some(Holds::Named), Value::Object(named)) => {
                    let named = named.iter().map(|(name, v)| (name.clone(), v));
                    self.within(keyword, |check| check.each(named, depth))?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn each<'v>(
        &mut self,
        schemas: impl Iterator<Item = (String, &'v Value)>,
        depth: usize,
    ) -> Result<(), String> {
        for (segment, schema) in schemas {
            self.within(&segment, |check| match schema {
                Value::Object(inner) => check.object(inner, depth),
                _ => check.refuse("is no schema object"),
            })?;
        }
        Ok(())
    }

    fn check_keywords(&self, schema: &Map<String, Value>) -> Result<(), String> {
        for (keyword, value) in schema {
            let known = matches!(
                keyword.as_str(),
                "type"
                    | "properties"
                    | "required"
                    | "additionalProperties"
                    | "items"
                    | "enum"
                    | "const"
                    | "anyOf"
                    | "$ref"
                    | "$defs"
                    | "definitions"
                    | "description"
                    | "title"
                    | "pattern"
                    | "format"
                    | "multipleOf"
                    | "maximum"
                    | "exclusiveMaximum"
                    | "minimum"
                    | "exclusiveMinimum"
                    | "minItems"
                    | "maxItems"
            );
            if !known {
                return self.refuse(&format!("says `{keyword}`"));
            }
            if keyword == "format" && !FORMATS.iter().any(|format| value == format) {
                return self.refuse(&format!("has the format {value}"));
            }
        }
        Ok(())
    }

    fn check_shape(&mut self, schema: &Map<String, Value>) -> Result<(), String> {
        if schema.contains_key("$ref") && schema.len() > 1 && !self.pointer.is_empty() {
            return self.refuse("says more beside `$ref`");
        }
        if !["type", "anyOf", "$ref", "enum", "const"].iter().any(|k| schema.contains_key(*k)) {
            return self.refuse("leaves the type open");
        }
        if is_type(schema, "array") && !schema.contains_key("items") {
            return self.refuse("leaves the items open");
        }
        if is_type(schema, "object") { self.check_closed(schema) } else { Ok(()) }
    }

    fn check_closed(&mut self, schema: &Map<String, Value>) -> Result<(), String> {
        if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
            return self.refuse("does not say `\"additionalProperties\": false`");
        }
        let required = schema.get("required").and_then(Value::as_array);
        let names = schema.get("properties").and_then(Value::as_object).into_iter().flat_map(Map::keys);
        for name in names {
            self.properties += 1;
            if !required.is_some_and(|all| all.iter().any(|entry| entry == name)) {
                return self.refuse(&format!("has the optional property `{name}`"));
            }
        }
        if self.properties > MAX_PROPERTIES {
            return self.refuse(&format!("brings the properties to more than {MAX_PROPERTIES}"));
        }
        Ok(())
    }

    fn within(
        &mut self,
        segment: &str,
        check: impl FnOnce(&mut Self) -> Result<(), String>,
    ) -> Result<(), String> {
        let outer = self.pointer.len();
        push_segment(&mut self.pointer, segment);
        let result = check(self);
        self.pointer.truncate(outer);
        result
    }

    fn refuse(&self, why: &str) -> Result<(), String> {
        Err(format!("{} {why}", place(&self.pointer)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn check(schema: &Value, expected: Option<&str>) {
        assert_eq!(misfit(schema.as_object().unwrap()).as_deref(), expected, "{schema}");
    }

    fn closed(properties: &Value) -> Value {
        let required: Vec<_> = properties.as_object().unwrap().keys().cloned().collect();
        json!({ "type": "object", "additionalProperties": false, "properties": properties, "required": required })
    }

    #[test]
    fn what_is_closed_fits_and_the_rest_is_told_with_its_place() {
        check(&closed(&json!({})), None);
        check(&closed(&json!({ "a": { "type": ["string", "null"], "enum": ["x", null] } })), None);
        check(&closed(&json!({ "a": { "anyOf": [{ "type": "string" }, closed(&json!({}))] } })), None);

        check(&json!({ "type": "object" }), Some("the root does not say `\"additionalProperties\": false`"));
        check(
            &json!({ "type": "object", "additionalProperties": false, "properties": { "a": { "type": "string" } } }),
            Some("the root has the optional property `a`"),
        );
        for (schema, why) in [
            (json!({ "type": "object" }), "does not say `\"additionalProperties\": false`"),
            (json!({ "type": "string", "default": "" }), "says `default`"),
            (json!({ "type": "string", "format": "uri" }), "has the format \"uri\""),
            (json!({ "type": "array" }), "leaves the items open"),
            (json!({ "description": "anything" }), "leaves the type open"),
            (json!({ "$ref": "#/$defs/a", "description": "a" }), "says more beside `$ref`"),
            (json!(true), "is no schema object"),
        ] {
            check(&closed(&json!({ "a": schema })), Some(&format!("`/properties/a` {why}")));
        }
    }

    #[test]
    fn bounds_hold() {
        let nested =
            |depth: usize| (1..depth).fold(closed(&json!({})), |inner, _| closed(&json!({ "a": inner })));
        check(&nested(MAX_DEPTH), None);
        assert!(misfit(nested(MAX_DEPTH + 1).as_object().unwrap()).is_some());
        let wide = |count: usize| {
            let properties = (0..count).map(|i| (format!("p{i}"), json!({ "type": "string" })));
            closed(&Value::Object(properties.collect()))
        };
        check(&wide(MAX_PROPERTIES), None);
        assert!(misfit(wide(MAX_PROPERTIES + 1).as_object().unwrap()).is_some());
    }
}
