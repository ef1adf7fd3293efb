//! The session around all calls: its beginning, its journal, and what the suite changes in its surroundings.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Begins a session in an empty manager: no tool is known, nothing is granted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Initialize {
    /// The protocol that the suite speaks.
    pub protocol_version: String,
    /// Absolute path of the folder that tools work in; the suite has put its files there.
    pub workspace: String,
    /// Who acts, as `user:NAME`; reviews and enables tools, too.
    pub principal: String,
    /// The scopes that they hold; all that any tool requires where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scopes: Option<Vec<String>>,
    /// Who may answer questions about calls.
    pub approvers: Vec<String>,
}

/// Who answers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Initialized {
    /// The protocol that the driver speaks.
    pub protocol_version: String,
    /// The manager's name.
    pub manager: String,
    /// The manager's version.
    #[serde(default)]
    pub version: String,
    /// The methods that can be called. What is not here is never called, and what it would show cannot be tested.
    pub capabilities: Vec<String>,
}

/// Tells the manager of a secret that tools may use and no model may ever see.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SeedSecret {
    /// The name by which tools ask for it.
    pub name: String,
    /// The secret.
    pub value: String,
}

/// Loads a skill's instructions.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LoadSkill {
    /// Its folder, below the workspace.
    pub path: String,
}

/// A skill that was loaded.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Loaded {
    /// Its name.
    pub skill: String,
}

/// Sets the manager's clock forward.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AdvanceClock {
    /// By so many seconds.
    pub seconds: u32,
}

/// Tells the manager of something outside: an event of the journal, without its envelope.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Observe {
    /// Its fields, with its `type`.
    pub event: Map<String, Value>,
}

/// Nothing more to say than that it was done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Done {}

/// Asks for the journal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Journal {
    /// Whether the session is over, so that the journal is closed.
    #[serde(rename = "final")]
    pub is_final: bool,
}

/// The journal so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Journalled {
    /// Every event in the order in which it happened, those of registrations too, in the format of the journal.
    pub events: Vec<Map<String, Value>>,
    /// Absolute path of the folder that keeps artifacts, each under the last part of its `uri`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub artifacts: Option<String>,
}
