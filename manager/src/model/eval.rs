//! §5, principle 9: how well a tool is selected, as evidence for its registration.

use super::{Digest, ToolId, ToolVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// An evaluation of one tool version.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolEval {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The descriptor that was evaluated.
    pub descriptor_digest: Digest,
    /// The suite it was evaluated with.
    pub suite: String,
    /// Which prompts were put.
    pub suite_digest: Digest,
    /// How many golden prompts expect it.
    pub golden: u64,
    /// How many negative prompts were put.
    pub negative: u64,
    /// What came out.
    pub scores: EvalScores,
}

/// Rates of one tool; absent where there was nothing to divide by.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct EvalScores {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arg_validity: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_call_rate: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_trigger_rate: Option<f64>,
}
