//! The files of the suite: scenarios as people write them.

use serde::Deserialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;

/// A scenario as it is written.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct ScenarioText {
    pub(super) id: String,
    pub(super) says: String,
    #[serde(default)]
    pub(super) level: crate::conform::Level,
    /// Rows of the list of faults that it is drawn from.
    #[serde(default)]
    pub(super) faults: Vec<String>,
    /// Scopes that the principal holds; all where absent.
    #[serde(default)]
    pub(super) scopes: Option<Vec<String>>,
    #[serde(default)]
    pub(super) files: BTreeMap<String, Content>,
    pub(super) steps: Vec<StepText>,
    #[serde(default)]
    pub(super) journal: Vec<Evidence>,
    #[serde(default)]
    pub(super) world: Vec<World>,
}

/// What stands in a file of the workspace.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) enum Content {
    /// This text.
    Text(String),
    /// This text, as a program.
    Program(String),
    /// So many bytes of text.
    Bytes(usize),
    /// The suite's secret, in this form, in the middle of other text.
    Secret(super::secret::Form),
    /// This JSON.
    Json(Value),
}

/// One step: exactly one of `do`, `ready`, `turn`, `call`, `write`.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct StepText {
    /// A method of the protocol.
    #[serde(rename = "do")]
    pub(super) method: Option<String>,
    /// Its parameters.
    pub(super) with: Option<Value>,
    /// The name under which its answer is remembered.
    #[serde(rename = "as")]
    pub(super) name: Option<String>,
    /// What the answer of a conforming manager looks like.
    pub(super) expect: Option<Value>,
    /// What is wrong where it does not, in a sentence.
    #[serde(rename = "or")]
    pub(super) fault: Option<String>,
    /// Tools of the kit that are discovered, registered and enabled.
    pub(super) ready: Option<Vec<String>>,
    /// A user's words: resolved, and a view compiled.
    pub(super) turn: Option<String>,
    /// A call that goes the whole road.
    pub(super) call: Option<CallText>,
    /// Files that are changed behind the manager's back.
    pub(super) write: Option<BTreeMap<String, Content>>,
}

/// A call from its proposal to its result, or to a step before.
#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(super) struct CallText {
    pub(super) tool: String,
    pub(super) args: Value,
    #[serde(rename = "as", default = "call")]
    pub(super) name: String,
    /// The last method that is called.
    #[serde(default = "verify")]
    pub(super) until: String,
}

fn call() -> String {
    "call".to_owned()
}

fn verify() -> String {
    "verify".to_owned()
}

/// What the journal must show, or must not.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct Evidence {
    /// An event that shows that the scenario was exercised.
    pub(super) has: Option<Map<String, Value>>,
    /// An event that must not be there.
    pub(super) never: Option<Map<String, Value>>,
    /// An event that must not be there twice.
    pub(super) once: Option<Map<String, Value>>,
    /// What is wrong where it is, in a sentence.
    #[serde(rename = "or")]
    pub(super) fault: Option<String>,
}

/// What the workspace must look like afterwards.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub(super) struct World {
    /// A file that must not exist.
    pub(super) missing: Option<String>,
    /// A file that must be as the suite wrote it.
    pub(super) kept: Option<String>,
    /// What is wrong where it is not, in a sentence.
    #[serde(rename = "or")]
    pub(super) fault: String,
}
