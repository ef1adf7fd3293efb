//! Which arguments of a tool policy can see, and as what: JSON Schema → Cedar types.
//!
//! | JSON Schema | Cedar |
//! | --- | --- |
//! | `string`, and `enum` or `const` of strings | `String` |
//! | `integer` | `Long` |
//! | `number` | `decimal`: four digits after the point |
//! | `boolean` | `Bool` |
//! | `array` with one `items` | `Set`: neither order nor repetition is seen |
//! | `object` | a record of its `properties`; further properties are not seen |
//! | not `required`, or `null` beside one other type | an optional attribute, absent for `null` |
//! | anything else: several types, no type, tuples, recursion | not seen; a policy that names it is told so |

use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// A type that Cedar has, too.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Shape {
    Text,
    Whole,
    Number,
    Truth,
    Set(Box<Shape>),
    Record(Record),
}

/// The properties of an object that policy can see, and why it cannot see the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Record {
    pub(super) properties: BTreeMap<String, Property>,
    pub(super) unseen: BTreeMap<String, Unseen>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Property {
    pub(super) shape: Shape,
    pub(super) required: bool,
}

/// Why policy cannot see an argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Unseen {
    Untyped,
    Union,
    Tuple,
    Nested,
}

impl Unseen {
    pub(super) const fn reason(self) -> &'static str {
        match self {
            Self::Untyped => "its schema states no type",
            Self::Union => "its schema allows several types",
            Self::Tuple => "its schema gives each place of the list a type of its own",
            Self::Nested => "its schema is recursive or nested too deeply",
        }
    }
}

/// Deeper arguments are not seen; a recursive schema ends here too.
const MAX_DEPTH: usize = 8;

impl Record {
    /// The arguments of a tool with this input schema.
    pub(super) fn of_schema(schema: &Value) -> Self {
        match (Reader { root: schema }).object(schema, 0) {
            Shape::Record(record) => record,
            _ => Self::default(),
        }
    }

    /// What holds for the arguments of both: two versions of one tool.
    pub(super) fn common(&self, other: &Self) -> Self {
        let mut both = Self { unseen: self.unseen.clone(), ..Self::default() };
        both.unseen.extend(other.unseen.iter().map(|(name, why)| (name.clone(), *why)));
        for (name, mine) in &self.properties {
            let shape = match other.properties.get(name) {
                Some(theirs) => mine.shape.common(&theirs.shape).map(|s| (s, theirs.required)),
                None if other.unseen.contains_key(name) => None,
                None => Some((mine.shape.clone(), false)),
            };
            both.put(name, shape.map(|(s, required)| (s, mine.required && required)).ok_or(Unseen::Union));
        }
        for (name, theirs) in &other.properties {
            if !self.properties.contains_key(name) && !self.unseen.contains_key(name) {
                both.put(name, Ok((theirs.shape.clone(), false)));
            }
        }
        both
    }

    fn put(&mut self, name: &str, seen: Result<(Shape, bool), Unseen>) {
        match seen {
            Ok((shape, required)) => {
                self.properties.insert(name.to_owned(), Property { shape, required });
            }
            Err(why) => {
                self.unseen.insert(name.to_owned(), why);
            }
        }
    }

    /// The record in Cedar's JSON form of schemas.
    pub(super) fn to_cedar(&self) -> Value {
        let attributes: Map<String, Value> = self
            .properties
            .iter()
            .map(|(name, property)| {
                let mut kind = property.shape.to_cedar();
                kind["required"] = property.required.into();
                (name.clone(), kind)
            })
            .collect();
        json!({ "type": "Record", "attributes": attributes })
    }
}

impl Shape {
    fn common(&self, other: &Self) -> Option<Self> {
        match (self, other) {
            (Self::Record(a), Self::Record(b)) => Some(Self::Record(a.common(b))),
            (Self::Set(a), Self::Set(b)) => a.common(b).map(|item| Self::Set(Box::new(item))),
            (a, b) => (a == b).then(|| a.clone()),
        }
    }

    fn to_cedar(&self) -> Value {
        match self {
            Self::Text => json!({ "type": "String" }),
            Self::Whole => json!({ "type": "Long" }),
            Self::Number => json!({ "type": "Extension", "name": "decimal" }),
            Self::Truth => json!({ "type": "Boolean" }),
            Self::Set(item) => json!({ "type": "Set", "element": item.to_cedar() }),
            Self::Record(record) => record.to_cedar(),
        }
    }
}

struct Reader<'a> {
    root: &'a Value,
}

/// A shape, and whether `null` may stand in its place.
type Seen = (Shape, bool);

impl Reader<'_> {
    fn read(&self, schema: &Value, depth: usize) -> Result<Seen, Unseen> {
        if depth > MAX_DEPTH {
            return Err(Unseen::Nested);
        }
        if let Some(target) = schema.get("$ref").and_then(Value::as_str) {
            let found = target.strip_prefix('#').and_then(|pointer| self.root.pointer(pointer));
            return self.read(found.ok_or(Unseen::Untyped)?, depth + 1);
        }
        match schema.get("type") {
            Some(Value::String(kind)) => self.kind(kind, schema, depth).map(|shape| (shape, false)),
            Some(Value::Array(kinds)) => self.kinds(kinds, schema, depth),
            _ => self.untyped(schema, depth),
        }
    }

    fn kinds(&self, kinds: &[Value], schema: &Value, depth: usize) -> Result<Seen, Unseen> {
        let named = |kind: &str| kinds.iter().any(|k| k == kind);
        let others: Vec<&str> = kinds.iter().filter_map(Value::as_str).filter(|k| *k != "null").collect();
        match others[..] {
            [one] => Ok((self.kind(one, schema, depth)?, named("null"))),
            ["integer", "number"] | ["number", "integer"] => Ok((Shape::Number, named("null"))),
            _ => Err(Unseen::Union),
        }
    }

    fn kind(&self, kind: &str, schema: &Value, depth: usize) -> Result<Shape, Unseen> {
        match kind {
            "string" => Ok(Shape::Text),
            "integer" => Ok(Shape::Whole),
            "number" => Ok(Shape::Number),
            "boolean" => Ok(Shape::Truth),
            "array" => self.list(schema, depth),
            "object" if depth < MAX_DEPTH => Ok(self.object(schema, depth)),
            "object" => Err(Unseen::Nested),
            _ => Err(Unseen::Untyped),
        }
    }

    fn list(&self, schema: &Value, depth: usize) -> Result<Shape, Unseen> {
        if schema.get("prefixItems").is_some() || schema.get("items").is_some_and(Value::is_array) {
            return Err(Unseen::Tuple);
        }
        match self.read(schema.get("items").ok_or(Unseen::Untyped)?, depth + 1)? {
            (item, false) => Ok(Shape::Set(Box::new(item))),
            (_, true) => Err(Unseen::Union),
        }
    }

    fn object(&self, schema: &Value, depth: usize) -> Shape {
        let required: Vec<&str> = schema
            .get("required")
            .and_then(Value::as_array)
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
            .collect();
        let mut record = Record::default();
        for (name, property) in schema.get("properties").and_then(Value::as_object).into_iter().flatten() {
            let seen = self.read(property, depth + 1);
            let always = required.contains(&name.as_str());
            record.put(name, seen.map(|(shape, nullable)| (shape, always && !nullable)));
        }
        Shape::Record(record)
    }

    /// No `type`: what `enum`, `const` or the branches have in common.
    fn untyped(&self, schema: &Value, depth: usize) -> Result<Seen, Unseen> {
        if let Some(value) = schema.get("const") {
            return of_values(std::slice::from_ref(value));
        }
        if let Some(values) = schema.get("enum").and_then(Value::as_array) {
            return of_values(values);
        }
        for keyword in ["anyOf", "oneOf", "allOf"] {
            if let Some(branches) = schema.get(keyword).and_then(Value::as_array) {
                return self.branches(branches, depth);
            }
        }
        if schema.get("properties").is_some() && depth < MAX_DEPTH {
            return Ok((self.object(schema, depth), false));
        }
        Err(Unseen::Untyped)
    }

    fn branches(&self, branches: &[Value], depth: usize) -> Result<Seen, Unseen> {
        let is_null = |b: &Value| b.get("type").is_some_and(|t| t == "null");
        let mut nullable = branches.iter().any(is_null);
        let mut common: Option<Shape> = None;
        for branch in branches.iter().filter(|b| !is_null(b)) {
            let (shape, may_be_null) = self.read(branch, depth + 1)?;
            nullable |= may_be_null;
            match &common {
                Some(known) if *known != shape => return Err(Unseen::Union),
                _ => common = Some(shape),
            }
        }
        common.map(|shape| (shape, nullable)).ok_or(Unseen::Untyped)
    }
}

fn of_values(values: &[Value]) -> Result<Seen, Unseen> {
    let mut common = None;
    for value in values.iter().filter(|v| !v.is_null()) {
        let shape = match value {
            Value::String(_) => Shape::Text,
            Value::Bool(_) => Shape::Truth,
            Value::Number(n) if n.is_f64() => Shape::Number,
            Value::Number(_) => Shape::Whole,
            Value::Null | Value::Array(_) | Value::Object(_) => return Err(Unseen::Untyped),
        };
        if common.as_ref().is_some_and(|known| *known != shape) {
            return Err(Unseen::Union);
        }
        common = Some(shape);
    }
    common.map(|shape| (shape, values.iter().any(Value::is_null))).ok_or(Unseen::Untyped)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The type of the one argument `x`, in Cedar's words; or why it is not seen.
    fn seen(property: &Value) -> String {
        let record = Record::of_schema(&json!({
            "type": "object", "required": ["x"], "properties": { "x": property },
            "$defs": { "name": { "type": "string" }, "tree": { "type": "array", "items": { "$ref": "#/$defs/tree" } } },
        }));
        match (record.properties.get("x"), record.unseen.get("x")) {
            (Some(property), None) => {
                let optional = if property.required { "" } else { "?" };
                format!("{}{optional}", word(&property.shape))
            }
            (None, Some(why)) => format!("{why:?}"),
            both => panic!("seen and unseen: {both:?}"),
        }
    }

    fn word(shape: &Shape) -> String {
        match shape {
            Shape::Text => "String".to_owned(),
            Shape::Whole => "Long".to_owned(),
            Shape::Number => "decimal".to_owned(),
            Shape::Truth => "Bool".to_owned(),
            Shape::Set(item) => format!("Set<{}>", word(item)),
            Shape::Record(record) => {
                let fields: Vec<String> = record
                    .properties
                    .iter()
                    .map(|(n, p)| format!("{n}{}:{}", if p.required { "" } else { "?" }, word(&p.shape)))
                    .collect();
                format!("{{{}}}", fields.join(","))
            }
        }
    }

    #[test]
    fn every_kind_of_schema_has_one_type_or_a_reason() {
        for (schema, expected) in [
            (json!({ "type": "string" }), "String"),
            (json!({ "type": "integer" }), "Long"),
            (json!({ "type": "number" }), "decimal"),
            (json!({ "type": "boolean" }), "Bool"),
            (json!({ "type": ["string", "null"] }), "String?"),
            (json!({ "type": ["integer", "number"] }), "decimal"),
            (json!({ "type": ["string", "integer"] }), "Union"),
            (json!({ "enum": ["a", "b"] }), "String"),
            (json!({ "enum": ["a", null] }), "String?"),
            (json!({ "enum": ["a", 1] }), "Union"),
            (json!({ "const": 7 }), "Long"),
            (json!({ "type": "array", "items": { "type": "string" } }), "Set<String>"),
            (json!({ "type": "array", "items": { "type": ["string", "null"] } }), "Union"),
            (json!({ "type": "array", "prefixItems": [{ "type": "string" }] }), "Tuple"),
            (json!({ "type": "array" }), "Untyped"),
            (
                json!({ "type": "object", "required": ["a"], "properties": { "a": { "type": "string" }, "b": { "type": "number" } } }),
                "{a:String,b?:decimal}",
            ),
            (json!({ "type": "object", "additionalProperties": { "type": "string" } }), "{}"),
            (json!({ "anyOf": [{ "type": "string", "format": "uri" }, { "type": "null" }] }), "String?"),
            (json!({ "oneOf": [{ "type": "string" }, { "type": "boolean" }] }), "Union"),
            (json!({ "$ref": "#/$defs/name" }), "String"),
            (json!({ "$ref": "#/$defs/tree" }), "Nested"),
            (json!({ "$ref": "#/$defs/none" }), "Untyped"),
            (json!(true), "Untyped"),
            (json!({ "type": "null" }), "Untyped"),
        ] {
            assert_eq!(seen(&schema), expected, "{schema}");
        }
    }

    #[test]
    fn two_versions_of_a_tool_share_what_both_promise() {
        let of = |required: Value, properties: Value| {
            Record::of_schema(&json!({ "type": "object", "required": required, "properties": properties }))
        };
        let old = of(
            json!(["path", "mode"]),
            json!({ "path": { "type": "string" }, "mode": { "type": "string" }, "old": { "type": "integer" } }),
        );
        let new = of(
            json!(["path"]),
            json!({ "path": { "type": "string" }, "mode": { "type": "integer" }, "x": {} }),
        );
        let both = old.common(&new);
        assert_eq!(word(&Shape::Record(both.clone())), "{old?:Long,path:String}");
        assert_eq!(both.unseen.keys().collect::<Vec<_>>(), ["mode", "x"]);
        assert_eq!(both, new.common(&old));
    }
}
