//! A JSON Schema as data. Compiling and asking it is the registry's work.

use schemars::{Schema, SchemaGenerator};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::borrow::Cow;

/// A JSON Schema (2020-12 unless it says otherwise) whose root is an object.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct JsonSchema(pub Map<String, Value>);

impl JsonSchema {
    /// The schema of one property, if it stands in `properties`.
    pub fn property(&self, name: &str) -> Option<&Value> {
        self.0.get("properties")?.get(name)
    }

    /// Names of the properties, in the order in which they are written.
    pub fn properties(&self) -> impl Iterator<Item = (&String, &Value)> {
        self.0.get("properties").and_then(Value::as_object).into_iter().flatten()
    }

    /// Names that stand in `required`.
    pub fn required(&self) -> impl Iterator<Item = &str> {
        self.0.get("required").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str)
    }

    /// The schema as a JSON value.
    pub fn to_value(&self) -> Value {
        Value::Object(self.0.clone())
    }
}

impl schemars::JsonSchema for JsonSchema {
    fn schema_name() -> Cow<'static, str> {
        "JsonSchema".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        schemars::json_schema!({ "type": "object", "description": "A JSON Schema, 2020-12 by default." })
    }
}
