//! A tool's input schema, compiled once per version, and what it says about arguments.

use super::guard::{self, SchemaFault};
use crate::{model::JsonSchema, text::shorten};
use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

/// Steps of backtracking that a `pattern` may take; a catastrophic one ends within half a millisecond.
const BACKTRACK_LIMIT: usize = 10_000;
/// At most this many faults are told of one call.
const MAX_FAULTS: usize = 20;
/// So many characters are told of one fault.
const MAX_MESSAGE: usize = 300;

/// A compiled input schema.
#[derive(Debug)]
pub struct Arguments {
    validator: Validator,
    schema: Value,
}

/// One reason why arguments are not valid.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArgumentFault {
    /// JSON pointer into the arguments.
    pub path: String,
    /// What is wrong, for people and models.
    pub message: String,
}

impl Arguments {
    /// Compiles a schema. `$schema` decides the draft, 2020-12 where it is absent; nothing is fetched.
    ///
    /// # Errors
    /// [`SchemaFault`] for a schema that breaks a bound, is no object schema or does not compile.
    pub fn compile(schema: &JsonSchema) -> Result<Self, SchemaFault> {
        let schema = schema.to_value();
        guard::check(&schema)?;
        check_root(&schema)?;
        let validator = jsonschema::options()
            .with_pattern_options(PatternOptions::fancy_regex().backtrack_limit(BACKTRACK_LIMIT))
            .build(&schema)
            .map_err(|e| SchemaFault::Invalid {
                path: e.instance_path().to_string(),
                message: e.to_string(),
            })?;
        Ok(Self { validator, schema })
    }

    /// The schema as JSON.
    pub fn schema(&self) -> &Value {
        &self.schema
    }

    /// Every reason why the arguments are not valid, up to a bound; empty if they are.
    pub fn faults(&self, args: &Value) -> Vec<ArgumentFault> {
        if guard::is_too_deep(args) {
            return vec![ArgumentFault { path: String::new(), message: "nested too deeply".to_owned() }];
        }
        if self.validator.is_valid(args) {
            return Vec::new();
        }
        self.validator
            .iter_errors(args)
            .take(MAX_FAULTS)
            .map(|error| ArgumentFault {
                path: error.instance_path().to_string(),
                message: shorten(&error.to_string(), MAX_MESSAGE).into_owned(),
            })
            .collect()
    }
}

fn check_root(schema: &Value) -> Result<(), SchemaFault> {
    match schema.get("type") {
        None => Ok(()),
        Some(Value::String(kind)) if kind == "object" => Ok(()),
        Some(other) => Err(SchemaFault::RootNotObject(other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn compile(schema: Value) -> Result<Arguments, SchemaFault> {
        Arguments::compile(&serde_json::from_value(schema).unwrap())
    }

    #[test]
    fn faults_name_the_place() {
        let arguments = compile(json!({
            "type": "object",
            "properties": { "lines": { "type": "array", "items": { "type": "integer" } } },
            "required": ["path"],
        }))
        .unwrap();
        let faults = arguments.faults(&json!({ "lines": [1, "2"] }));
        let told: Vec<_> = faults.iter().map(|f| (f.path.as_str(), f.message.as_str())).collect();
        assert_eq!(
            told,
            [("", "\"path\" is a required property"), ("/lines/1", "\"2\" is not of type \"integer\"")]
        );
        assert!(arguments.faults(&json!({ "path": "a", "lines": [1, 2.0] })).is_empty());
    }

    #[test]
    fn unsound_schemas_are_refused() {
        let root = compile(json!({ "type": "array" })).unwrap_err();
        assert_eq!(root, SchemaFault::RootNotObject("\"array\"".into()));
        let kind = compile(json!({ "properties": { "a": { "type": "any" } } })).unwrap_err();
        assert!(matches!(kind, SchemaFault::Invalid { .. }), "{kind}");
    }

    #[test]
    fn a_catastrophic_pattern_ends_and_deep_arguments_are_refused() {
        let arguments = compile(json!({ "properties": { "a": { "pattern": "^(a+)+$" } } })).unwrap();
        assert!(!arguments.faults(&json!({ "a": format!("{}!", "a".repeat(64)) })).is_empty());
        let deep = (0..70).fold(json!(1), |inner, _| json!([inner]));
        assert_eq!(arguments.faults(&deep)[0].message, "nested too deeply");
    }
}
