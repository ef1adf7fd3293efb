//! §11: what one turn may see, and why.

use super::{Decision, Digest, EffectLevel, ToolId, ToolVersion, ViewId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The filters of the resolution chain, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ResolveFilter {
    /// Serves none of the intent's action types.
    Capability,
    /// Policy would deny every call.
    Policy,
    /// Not for the model, or not usable in this environment.
    Context,
    /// Beyond the number of tools that the view may hold.
    Rank,
    /// Beyond the tokens that the view may hold.
    Budget,
}

impl ResolveFilter {
    /// The filter's word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Capability => "capability",
            Self::Policy => "policy",
            Self::Context => "context",
            Self::Rank => "rank",
            Self::Budget => "budget",
        }
    }
}

/// A tool that passed the filters, with its rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolCandidate {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// How well its words fit the intent; comparable within one resolution only.
    pub relevance: f64,
    /// How far it reaches.
    pub level: EffectLevel,
    /// What policy would answer to a call.
    pub decision: Decision,
}

/// A tool that one turn may propose.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExposedTool {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract behind it.
    pub descriptor_digest: Digest,
    /// Why it is here.
    pub reason: String,
    /// What policy would answer to a call.
    pub policy_decision: Decision,
    /// The policies that said so.
    pub policy_ids: Vec<super::PolicyId>,
    /// How far it reaches.
    pub level: EffectLevel,
    /// What its compiled schema weighs, in estimated tokens.
    pub tokens: u64,
}

/// A tool that was known and is not in the view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dropped {
    /// The tool.
    pub tool_id: ToolId,
    /// The filter that dropped it.
    pub filter: ResolveFilter,
    /// Why.
    pub reason: Cow<'static, str>,
}

/// What one turn may see: a short lease, compiled anew each turn.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolView {
    /// Identity.
    pub view_id: ViewId,
    /// What may be proposed, best first.
    pub tools: Vec<ExposedTool>,
    /// What was left out.
    pub dropped: Vec<Dropped>,
    /// Estimated tokens of all tools together.
    pub tokens: u64,
    /// Digest over the exposed tools' versions and contracts.
    pub digest: Digest,
}

impl ToolView {
    /// The tool of that id, if the view holds it.
    pub fn get(&self, tool: &ToolId) -> Option<&ExposedTool> {
        self.tools.iter().find(|t| t.tool_id == *tool)
    }
}
