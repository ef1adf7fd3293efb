//! Facts of one call from its sandbox to its trace: what ran, what it did, and what of it is kept.

use super::{Summary, shorten};
use crate::model::{
    ApprovalId, ArtifactId, ArtifactKind, CallId, CheckResult, Digest, EffectLevel, EffectsObserved, EventId,
    ExecutableRef, FileChange, GrantId, Moment, PolicyId, PrincipalId, RiskLevel, SandboxId, SandboxPolicy,
    ToolError, ToolId, ToolVersion, Verification, VerificationStatus,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Where a call will run is settled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSandboxPrepared {
    /// The sandbox.
    pub sandbox_id: SandboxId,
    /// Its policy, with no default left open.
    pub policy: SandboxPolicy,
    /// Digest of what the policy demands; equal for two sandboxes that demand the same.
    pub policy_digest: Digest,
    /// Each demanded property, and by what it is enforced.
    pub enforced: BTreeMap<String, String>,
    /// The program that will run in it, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<ExecutableRef>,
}

/// A call was tried where nobody sees it, before anybody was asked about it. It has not run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallRehearsed {
    /// The sandbox that it was tried in.
    pub sandbox_id: SandboxId,
    /// How many paths it would change.
    pub changed: u64,
    /// The first of them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<FileChange>,
    /// Digest of all changes; absent where it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes_digest: Option<Digest>,
    /// Digest of the whole diff, plain SHA-256.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_digest: Option<Digest>,
    /// Where the diff is kept, where it is too long for the question.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub diff_uri: Option<String>,
    /// How long it took, in milliseconds.
    pub latency_ms: u64,
    /// Why it failed, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
}

/// A call runs from here on. On disk before anything executes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallStarted {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// Digest of the exact arguments that run.
    pub args_digest: Digest,
    /// Scopes that it uses.
    pub scopes: Vec<String>,
    /// The tool's risk.
    pub risk_level: RiskLevel,
    /// How far it reaches.
    pub level: EffectLevel,
    /// Under whose identity.
    pub principal: PrincipalId,
    /// What runs it.
    pub adapter: String,
    /// Whether nothing that it does is kept.
    #[serde(default)]
    pub dry_run: bool,
    /// How many times it was started before; 0 for the first.
    #[serde(default)]
    pub attempt: u32,
    /// The policies that allow it.
    pub policy_ids: Vec<PolicyId>,
    /// The grant that it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<GrantId>,
    /// The approval that it stands on.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Until when the approval or grant holds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
    /// The sandbox it runs in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    /// Digest of what that sandbox enforces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_digest: Option<Digest>,
    /// References of the credentials that it uses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub credentials: Vec<String>,
    /// The resolved program, where it is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executable: Option<String>,
    /// What it adds to the labels of its session, such as `read-private`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
    /// The most that it can cost, in US dollars, as it was taken from the budgets.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reserved_usd: Option<f64>,
    /// Key under which a service runs it once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// How a started call ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FinishStatus {
    /// It did what it should.
    Success,
    /// It failed.
    Error,
    /// It did a part.
    Partial,
    /// It was called off while it ran.
    Cancelled,
    /// Nobody knows: the manager ended while it ran.
    Interrupted,
}

/// A started call has ended. On disk before its result is returned.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallFinished {
    /// How.
    pub status: FinishStatus,
    /// What it did to the world.
    pub effects_observed: EffectsObserved,
    /// Bytes of its complete output.
    pub output_bytes: u64,
    /// Digest of its complete output.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_digest: Option<Digest>,
    /// How long it took, in milliseconds.
    pub latency_ms: u64,
    /// Why it failed, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<ToolError>,
    /// Digest of what it changed in its workspace, where what it replaced is kept so that it can be undone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub changes_digest: Option<Digest>,
}

/// A hook before, behind or at the failure of a call was asked. Verifiers answer in `ToolResultValidated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct HookAnswered {
    /// When.
    pub moment: Moment,
    /// Its name in the contract.
    pub hook: String,
    /// What it said; one that could not be asked has failed.
    pub said: CheckResult,
    /// Why, where it said no.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
}

/// The verifiers were asked about a result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResultValidated {
    /// What they said.
    #[serde(flatten)]
    pub verification: Verification,
}

/// A complete output is stored.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ArtifactPersisted {
    /// The artifact.
    pub artifact_id: ArtifactId,
    /// What it is.
    pub kind: ArtifactKind,
    /// Where it lies.
    pub uri: String,
    /// Digest of its bytes, redacted as they are stored.
    pub content_hash: Digest,
    /// How many bytes.
    pub bytes: u64,
    /// The event that it comes from.
    pub source_event_id: EventId,
    /// What it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
}

/// What of a result reached the model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ContextProjected {
    /// Bytes that reached the model.
    pub bytes: u64,
    /// Their estimated tokens.
    pub tokens: u64,
    /// Tokens that the tool's contract allows.
    pub max_tokens: u64,
    /// Digest of what reached the model.
    pub digest: Digest,
    /// What reached the model; `[redacted]` where the tool does not log it.
    pub preview: String,
    /// Whether it is less than the complete output.
    pub truncated: bool,
    /// Artifacts that it refers to.
    pub artifact_ids: Vec<ArtifactId>,
}

/// What a call changed in the agent's state.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct StateUpdated {
    /// What changed, for people.
    pub summary: String,
    /// Digest of the patch.
    pub patch_digest: Digest,
}

/// Somebody takes back what a call changed. On disk before the first file is touched.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallUndoStarted {
    /// The call, or the undo, that is undone.
    pub undone_call_id: CallId,
    /// By whom.
    pub by: PrincipalId,
    /// In which workspace.
    pub workspace: String,
    /// How many paths are restored.
    pub changed: u64,
    /// Digest of what changes by it.
    pub changes_digest: Digest,
}

/// What a call changed is taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallUndone {
    /// The call, or the undo, that is undone.
    pub undone_call_id: CallId,
    /// By whom.
    pub by: PrincipalId,
    /// The paths that were restored.
    pub restored: u64,
    /// Why it stopped before its end, where it did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// The account of a call is complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TraceUpdated {
    /// The event that says how the call ended.
    pub finished_event_id: EventId,
    /// How it was verified.
    pub verification: VerificationStatus,
}

impl Summary for ToolSandboxPrepared {
    fn summary(&self) -> String {
        format!("{} ready, {} properties enforced", self.sandbox_id, self.enforced.len())
    }
}

impl Summary for ToolCallRehearsed {
    fn summary(&self) -> String {
        match &self.error {
            None => format!("it would change {} paths", self.changed),
            Some(error) => format!("it would fail: {}", shorten(&error.message)),
        }
    }
}

impl Summary for ToolCallUndoStarted {
    fn summary(&self) -> String {
        format!("{} takes back {} paths of {}", self.by, self.changed, self.undone_call_id)
    }
}

impl Summary for ToolCallUndone {
    fn summary(&self) -> String {
        match &self.error {
            None => format!("{} was undone by {}", self.undone_call_id, self.by),
            Some(error) => format!("undoing {} stopped: {}", self.undone_call_id, shorten(error)),
        }
    }
}

impl Summary for ToolCallStarted {
    fn summary(&self) -> String {
        let dry = if self.dry_run { ", dry run" } else { "" };
        format!("`{}` runs through {}{dry}", self.tool_id, self.adapter)
    }
}

impl Summary for ToolCallFinished {
    fn summary(&self) -> String {
        let status = format!("{:?}", self.status).to_lowercase();
        let error = self.error.as_ref().map_or(String::new(), |e| format!(": {}", shorten(&e.message)));
        format!("{status} after {} ms, {} bytes{error}", self.latency_ms, self.output_bytes)
    }
}

impl Summary for HookAnswered {
    fn summary(&self) -> String {
        let said = match self.said {
            CheckResult::Pass => "yes",
            CheckResult::Fail => "no",
            CheckResult::Warn => "take care",
        };
        let why = self.message.as_ref().map_or(String::new(), |m| format!(": {}", shorten(m)));
        format!("{} hook `{}` says {said}{why}", self.moment.as_str(), shorten(&self.hook))
    }
}

impl Summary for ToolResultValidated {
    fn summary(&self) -> String {
        let word = match self.verification.status {
            VerificationStatus::Passed => "the result is accepted",
            VerificationStatus::Failed => "the result is not accepted",
            VerificationStatus::Skipped => "nothing verifies the result",
        };
        format!("{word}, {} checks", self.verification.checks.len())
    }
}

impl Summary for ArtifactPersisted {
    fn summary(&self) -> String {
        format!("{} keeps {} bytes", self.artifact_id, self.bytes)
    }
}

impl Summary for ContextProjected {
    fn summary(&self) -> String {
        let of = if self.truncated { " of a longer output" } else { "" };
        format!("{} bytes{of} shown to the model", self.bytes)
    }
}

impl Summary for StateUpdated {
    fn summary(&self) -> String {
        shorten(&self.summary)
    }
}

impl Summary for TraceUpdated {
    fn summary(&self) -> String {
        "the account of the call is complete".to_owned()
    }
}
