//! From what a user says to what a model may see.

use super::Decision;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Finds the tools that may serve what a user said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolve {
    /// The user's words.
    pub prompt: String,
}

/// Candidates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Resolved {
    /// Their ids, best first.
    pub candidates: Vec<String>,
}

/// Compiles the view of what was resolved last; calls are proposed from it until the next one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct CompileView {}

/// What a model is shown.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct View {
    /// The tools in it.
    pub tools: Vec<Shown>,
    /// The tools that are not, with the filter that dropped each.
    #[serde(default)]
    pub dropped: Vec<Dropped>,
}

/// A tool in a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Shown {
    /// Its id.
    pub tool_id: String,
    /// Why it is there.
    #[serde(default)]
    pub reason: String,
    /// What policy says of it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policy_decision: Option<Decision>,
    /// What the model is told of it.
    #[serde(default)]
    pub description: String,
}

/// A tool that is not in a view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// Its id.
    pub tool_id: String,
    /// The filter that dropped it.
    #[serde(default)]
    pub filter: String,
}
