//! §14: what a delegated agent gets and gives back.

use super::JsonSchema;
use schemars::JsonSchema as DeriveSchema;
use serde::{Deserialize, Serialize};

/// The contract of a delegation, beside the ordinary descriptor.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Subagent {
    pub agent_id: String,
    pub input_schema: JsonSchema,
    pub output_schema: JsonSchema,
    pub allowed_tools: Vec<String>,
    pub context_policy: SubagentContext,
    pub budget: SubagentBudget,
}

/// How much of the parent's context is passed on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum ParentContext {
    None,
    Summary,
    SelectedRefs,
}

/// What crosses the border, both ways.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct SubagentContext {
    pub inherit_parent_context: ParentContext,
    pub return_transcript: bool,
    pub return_summary: bool,
}

/// Bounds of a delegation.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, DeriveSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct SubagentBudget {
    pub max_turns: u32,
    pub max_tokens: u64,
    pub timeout_ms: u64,
}
