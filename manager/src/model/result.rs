//! §9: what a call came to, what it did to the world, and what it leaves as evidence.

use super::{CallId, EventId, ResourceRef, ToolArtifact};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// How a call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum ResultStatus {
    Success,
    Error,
    Partial,
    Cancelled,
}

/// The result of one call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ToolResult {
    pub tool_call_id: CallId,
    pub status: ResultStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub structured_output: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_preview: Option<String>,
    pub artifacts: Vec<ToolArtifact>,
    pub effects_observed: EffectsObserved,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verifier: Option<Verification>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    pub provenance: ResultProvenance,
}

/// What happened in the world.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct EffectsObserved {
    pub reads: Vec<ResourceRef>,
    pub writes: Vec<ResourceRef>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub deletes: Vec<ResourceRef>,
    pub external_calls: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// How verification ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum VerificationStatus {
    Passed,
    Failed,
    Skipped,
}

/// How one check ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum CheckResult {
    Pass,
    Fail,
    Warn,
}

/// What the verifiers said.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Verification {
    pub status: VerificationStatus,
    pub checks: Vec<VerificationCheck>,
}

/// One check of a verifier.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct VerificationCheck {
    pub name: String,
    pub result: CheckResult,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// Why a call failed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ToolError {
    pub code: String,
    pub message: String,
    pub retryable: bool,
    pub safe_to_show_user: bool,
}

/// What a call used up.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Usage {
    pub latency_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens_added_to_context: Option<u64>,
}

/// Which event and artifacts stand behind a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ResultProvenance {
    pub event_id: EventId,
    pub artifact_refs: Vec<String>,
}
