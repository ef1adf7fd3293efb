//! §8: why a tool is used; a public, auditable summary and no hidden chain of thought.

use super::{ActionType, IntentId, RunId, SessionId};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What the agent wants to do next, and why.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolIntent {
    /// Identity.
    pub intent_id: IntentId,
    /// The conversation.
    pub session_id: SessionId,
    /// The run.
    pub run_id: RunId,
    /// What the user wants to achieve.
    pub user_goal: String,
    /// What is being worked on.
    pub current_task: String,
    /// Kinds of action that may be next, the likeliest first. The specification's `actionType` is the
    /// first; several, because a prompt may ask for more than one; none, where the planner is unsure: the
    /// capability match then hides nothing.
    pub action_types: Vec<ActionType>,
    /// What is acted upon.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub target: Option<Target>,
    /// What is expected to happen.
    #[serde(default)]
    pub expected_effect: ExpectedEffect,
    /// What must be kept.
    #[serde(default)]
    pub constraints: Constraints,
    /// Why, in words for people.
    pub rationale_summary: String,
    /// Evidence it rests on.
    #[serde(default)]
    pub evidence_refs: Vec<String>,
    /// 0 to 1: how sure the planner is of the action types.
    pub confidence: f64,
    /// When it was recorded.
    pub created_at: DateTime<Utc>,
}

/// Kinds of target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum TargetKind {
    File,
    Repo,
    Url,
    Api,
    Database,
    Calendar,
    Email,
    Memory,
    Agent,
}

impl TargetKind {
    /// Every kind of target.
    pub const ALL: [Self; 9] = [
        Self::File,
        Self::Repo,
        Self::Url,
        Self::Api,
        Self::Database,
        Self::Calendar,
        Self::Email,
        Self::Memory,
        Self::Agent,
    ];

    /// The specification's word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Repo => "repo",
            Self::Url => "url",
            Self::Api => "api",
            Self::Database => "database",
            Self::Calendar => "calendar",
            Self::Email => "email",
            Self::Memory => "memory",
            Self::Agent => "agent",
        }
    }
}

/// What is acted upon.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Target {
    /// What kind of thing.
    pub kind: TargetKind,
    /// Which one.
    #[serde(rename = "ref")]
    pub reference: String,
}

/// What the planner expects to happen.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ExpectedEffect {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub read: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub write: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub external_side_effect: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub user_visible_side_effect: Option<bool>,
}

/// What must be kept while acting.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Constraints {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub must_not: Vec<String>,
    pub require_confirmation: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_cost_usd: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deadline_ms: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_target_has_one_word_in_json_and_in_text() {
        for kind in TargetKind::ALL {
            assert_eq!(serde_json::to_value(kind).unwrap(), kind.as_str());
        }
    }
}
