//! A tool as it was served, before anything is inferred from it.

use super::{Hints, Note};
use crate::model::{Digest, Domain, digest_value};
use serde_json::{Map, Value};

/// What a definition states, whatever the format.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// Digest over the whole definition, with every field that is not read here.
    pub digest: Digest,
    /// The tool's name at its source.
    pub name: String,
    /// The name for people.
    pub title: Option<String>,
    /// The description; empty if there is none.
    pub description: String,
    /// The shape of its arguments, not yet compiled.
    pub input_schema: Map<String, Value>,
    /// The shape of its results.
    pub output_schema: Option<Map<String, Value>>,
    /// What the source claims about its effects.
    pub hints: Hints,
    /// What was noticed.
    pub notes: Vec<Note>,
    /// The fields of the definition that no descriptor holds as they are, such as annotations.
    pub served: Map<String, Value>,
}

/// Why a definition is not used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum DefinitionFault {
    /// It is something else.
    #[error("a tool definition is an object, and this is {found}")]
    NotAnObject {
        /// What it is.
        found: &'static str,
    },
    /// It has no name.
    #[error("the tool has no `name`")]
    NameMissing,
    /// Its name cannot be shown.
    #[error("the name holds a control character")]
    NameUnusable,
    /// It is run by the provider.
    #[error("a tool of type `{kind}` is run by its provider and has no definition to test")]
    NotAFunction {
        /// Its type.
        kind: String,
    },
    /// It does not say what it takes.
    #[error("the tool has no `{field}`")]
    SchemaMissing {
        /// Where it would stand.
        field: &'static str,
    },
    /// What it takes is not said as an object.
    #[error("`{field}` must be a schema object, and this is {found}")]
    SchemaNotAnObject {
        /// Where it stands.
        field: &'static str,
        /// What it is.
        found: &'static str,
    },
}

impl DefinitionFault {
    /// JSON pointer into the definition, to where the fault is.
    pub fn pointer(&self) -> String {
        match self {
            Self::NotAnObject { .. } => String::new(),
            Self::NameMissing | Self::NameUnusable => "/name".to_owned(),
            Self::NotAFunction { .. } => "/type".to_owned(),
            Self::SchemaMissing { field } | Self::SchemaNotAnObject { field, .. } => format!("/{field}"),
        }
    }
}

/// A definition that is being taken apart.
#[derive(Debug)]
pub(super) struct Served {
    pub(super) fields: Map<String, Value>,
    digest: Digest,
}

impl Served {
    pub(super) fn new(raw: Value) -> Result<Self, DefinitionFault> {
        // A definition may hold an integer that JCS would round; its own text then stands for it.
        let digest = digest_value(Domain::Definition, &raw)
            .unwrap_or_else(|_| Digest::of_bytes(Domain::Definition, raw.to_string().as_bytes()));
        match raw {
            Value::Object(fields) => Ok(Self { fields, digest }),
            other => Err(DefinitionFault::NotAnObject { found: kind(&other) }),
        }
    }

    pub(super) fn text(&mut self, field: &str) -> Option<String> {
        match self.fields.shift_remove(field) {
            Some(Value::String(text)) => Some(text),
            _ => None,
        }
    }

    pub(super) fn schema(&mut self, field: &'static str) -> Result<Map<String, Value>, DefinitionFault> {
        match self.fields.shift_remove(field) {
            Some(Value::Object(schema)) => Ok(schema),
            Some(Value::Null) | None => Err(DefinitionFault::SchemaMissing { field }),
            Some(other) => Err(DefinitionFault::SchemaNotAnObject { field, found: kind(&other) }),
        }
    }

    /// The definition with its name and description; the rest is to be filled in.
    pub(super) fn finish(mut self, input_schema: Map<String, Value>) -> Result<Definition, DefinitionFault> {
        let name = self.text("name").filter(|name| !name.is_empty()).ok_or(DefinitionFault::NameMissing)?;
        if name.chars().any(char::is_control) {
            return Err(DefinitionFault::NameUnusable);
        }
        let description = self.text("description");
        let missing = description.as_deref().is_none_or(|text| text.trim().is_empty());
        let note = Note { pointer: "/description", message: "the tool has no description".to_owned() };
        Ok(Definition {
            digest: self.digest,
            name,
            title: None,
            description: description.unwrap_or_default(),
            input_schema,
            output_schema: None,
            hints: Hints::default(),
            notes: if missing { vec![note] } else { Vec::new() },
            served: self.fields,
        })
    }
}

pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
