//! §12: an approval is a contract over exact arguments, not a popup.

use super::{ApprovalId, CallId, Digest, EffectLevel, PrincipalId, ResourceRef, RiskLevel, ToolVersion};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What somebody is asked to allow.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequest {
    /// Identity.
    pub approval_id: ApprovalId,
    /// The call it is for.
    pub tool_call_id: CallId,
    /// What will happen, in one sentence.
    pub summary: String,
    /// Why.
    pub rationale_summary: String,
    /// Which tool, in which version.
    pub tool: ApprovalTool,
    /// The exact arguments.
    pub args_preview: Value,
    /// Digest of the exact arguments: what is executed must have it.
    pub args_digest: Digest,
    /// What will be touched.
    pub effects_preview: EffectsPreview,
    /// Under whose identity.
    pub credential_preview: CredentialPreview,
    /// How bad it can get, and why.
    pub risk: ApprovalRisk,
    /// What may be answered.
    pub options: ApprovalOptions,
    /// After this it is void.
    pub expires_at: DateTime<Utc>,
}

/// The tool an approval is for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ApprovalTool {
    pub name: String,
    pub version: ToolVersion,
}

/// What a call will touch.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct EffectsPreview {
    pub reads: Vec<ResourceRef>,
    pub writes: Vec<ResourceRef>,
    pub external_calls: Vec<String>,
    pub user_visible_side_effect: bool,
}

/// Whose identity a call would use.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct CredentialPreview {
    pub principal: PrincipalId,
    pub scopes: Vec<String>,
}

/// Risk as shown to the approver.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRisk {
    /// The descriptor's risk level.
    pub level: RiskLevel,
    /// The effect level.
    pub effect_level: EffectLevel,
    /// Why somebody is asked.
    pub reasons: Vec<String>,
}

/// What may be answered to an approval request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ApprovalOptions {
    pub allow_once: bool,
    pub allow_for_session: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub always_allow_this_tool: Option<bool>,
    pub deny: bool,
}
