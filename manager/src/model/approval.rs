//! §12: an approval is a contract over exact arguments, not a popup.

use super::{
    ApprovalId, CallId, CanonicalError, Digest, Domain, EffectLevel, PrincipalId, ResourceRef, RiskLevel,
    SessionId, ToolId, ToolVersion, digest_of,
};
use crate::text;
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
    /// Everything that the answer is bound to.
    pub contract: ApprovalContract,
    /// Digest of the contract: an answer names it, and so says yes to exactly this.
    pub contract_digest: Digest,
    /// Earlier denials of the same or a nearly equal call, latest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub denied_before: Vec<String>,
    /// How many questions this session has asked before.
    #[serde(default)]
    pub asked_before: usize,
    /// What it would change, where that was found out by trying.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff: Option<ApprovalDiff>,
    /// All that an approver is shown, with every hidden character spelled: the contract's `previewDigest` is
    /// of this text.
    #[serde(default)]
    pub preview: String,
    /// What must be typed to say yes; absent where choosing is enough.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub typed_confirmation: Option<String>,
}

impl ApprovalRequest {
    /// The request as it may be logged, for a tool whose arguments are not: the contract stays whole.
    #[must_use]
    pub fn redacted(&self) -> Self {
        let hidden = "[redacted]";
        let diff = self.diff.as_ref().map(|diff| ApprovalDiff {
            head: hidden.to_owned(),
            tail: String::new(),
            ..diff.clone()
        });
        Self { args_preview: hidden.into(), diff, preview: hidden.to_owned(), ..self.clone() }
    }
}

/// What a call would change, for people: its beginning and its end, where it is long.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDiff {
    /// How many paths it changes.
    pub changed: u64,
    /// Bytes of the whole diff.
    pub bytes: u64,
    /// Digest of the whole diff, plain SHA-256.
    pub digest: Digest,
    /// Its whole lines from the beginning.
    pub head: String,
    /// Its whole lines at the end; empty where the beginning is all of it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub tail: String,
    /// Where the whole of it is kept, where this is not all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub uri: Option<String>,
}

impl ApprovalDiff {
    /// A diff with more bytes than this is shown by its head and its tail.
    const WHOLE: usize = 16 << 10;
    /// So much of a longer diff is shown from its beginning.
    const HEAD: usize = 11 << 10;
    /// So much of a longer diff is shown from its end.
    const TAIL: usize = 4 << 10;

    /// What is shown of a diff of so many paths.
    pub fn of(diff: &str, changed: usize) -> Self {
        let (mut head, mut tail) = (diff, "");
        if diff.len() > Self::WHOLE {
            head = &diff[..text::floor(diff, Self::HEAD)];
            head = head.rfind('\n').map_or(head, |end| &head[..=end]);
            tail = &diff[text::ceil(diff, diff.len() - Self::TAIL)..];
            tail = tail.find('\n').map_or(tail, |end| &tail[end + 1..]);
        }
        Self {
            changed: changed as u64,
            bytes: diff.len() as u64,
            digest: Digest::of_bytes(Domain::Plain, diff.as_bytes()),
            head: head.to_owned(),
            tail: tail.to_owned(),
            uri: None,
        }
    }

    /// Bytes of the diff that are neither in its head nor in its tail.
    pub fn hidden(&self) -> u64 {
        self.bytes.saturating_sub((self.head.len() + self.tail.len()) as u64)
    }
}

/// Everything that an approval is bound to. If any of it differs when the call is to run, the approval is
/// void.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalContract {
    /// The approval.
    pub approval_id: ApprovalId,
    /// The call.
    pub tool_call_id: CallId,
    /// The conversation.
    pub session_id: SessionId,
    /// Who acts.
    pub principal: PrincipalId,
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The tool's contract.
    pub descriptor_digest: Digest,
    /// The exact arguments.
    pub args_digest: Digest,
    /// The policy set that asked for the approval.
    pub policy_set: Digest,
    /// How bad it can get.
    pub risk_level: RiskLevel,
    /// How far it reaches.
    pub effect_level: EffectLevel,
    /// Scopes that it uses.
    pub scopes: Vec<String>,
    /// References of the credentials that it uses.
    pub credentials: Vec<String>,
    /// What its sandbox demands.
    pub sandbox_digest: Digest,
    /// Where it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub working_directory: Option<String>,
    /// The program that it runs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<ExecutableRef>,
    /// Exactly what it changes in its workspace, where that was found out by trying: these bytes, and no others,
    /// are written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes_digest: Option<Digest>,
    /// What the approver was shown.
    pub preview_digest: Digest,
    /// After this it is void.
    pub expires_at: DateTime<Utc>,
}

impl ApprovalContract {
    /// The contract's digest.
    ///
    /// # Errors
    /// [`CanonicalError`] if it has no canonical form; it then cannot be approved.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        digest_of(Domain::Approval, self)
    }
}

/// The first part of a contract that differs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{field}` was approved as {approved}, and is {found}\nhint: ask again; an approval is for exactly what it showed"
)]
pub struct ContractDifference {
    /// The part, as in JSON.
    pub field: String,
    /// What was approved.
    pub approved: String,
    /// What is.
    pub found: String,
}

impl ApprovalContract {
    /// The first part in which another contract differs, by the order of the fields in JSON.
    ///
    /// Every field counts: they are compared in the form in which they are hashed, so a field that is added
    /// to the contract is compared without being named here.
    pub fn difference(&self, found: &Self) -> Option<ContractDifference> {
        let fields = |contract: &Self| match serde_json::to_value(contract) {
            Ok(serde_json::Value::Object(fields)) => fields,
            Ok(_) | Err(_) => serde_json::Map::new(),
        };
        let (approved, found) = (fields(self), fields(found));
        let text = |value: Option<&Value>| value.map_or("absent".to_owned(), Value::to_string);
        let field = approved.keys().chain(found.keys()).find(|k| approved.get(*k) != found.get(*k))?;
        Some(ContractDifference {
            field: field.clone(),
            approved: text(approved.get(field)),
            found: text(found.get(field)),
        })
    }
}

/// A program, as it was resolved.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ExecutableRef {
    /// Its absolute path, with no link left in it.
    pub path: String,
    /// SHA-256 of its bytes.
    pub digest: Digest,
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
