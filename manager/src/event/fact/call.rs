//! Facts of one call until it may run: proposed, validated, decided, approved, or stopped.

use super::{Summary, shorten};
use crate::{
    model::{
        ApprovalId, ApprovalRequest, Decision, Digest, GrantId, PolicyId, Principal, PrincipalId, ProposedBy,
        RiskLevel, StopReason, Surroundings, ToolId, ToolVersion, ViewId,
    },
    registry::ArgumentFault,
};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::sync::Arc;

/// A call was proposed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallRequested {
    /// The tool; for a name that the view does not hold, the name as it came.
    pub tool_id: ToolId,
    /// Its version; absent where the view has no such tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<ToolVersion>,
    /// The contract's digest; absent where the view has no such tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub descriptor_digest: Option<Digest>,
    /// The view it was proposed in.
    pub view_id: ViewId,
    /// Who proposes it.
    pub proposed_by: ProposedBy,
    /// The arguments; `[redacted]` where the tool does not log them.
    pub args: Value,
    /// JCS + SHA-256 of the exact arguments; absent where they have no canonical form.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_digest: Option<Digest>,
}

/// How validation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgsStatus {
    /// The arguments are valid.
    Passed,
    /// They are not.
    Failed,
}

/// The arguments were held against the input schema.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolArgsValidated {
    /// How it ended.
    pub status: ArgsStatus,
    /// Why not, where it did not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<ArgumentFault>,
}

/// Policy was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolPolicyChecked {
    /// The answer.
    pub decision: Decision,
    /// The policies that made it so.
    pub policy_ids: Vec<PolicyId>,
    /// Digest of the policy set.
    pub policy_set: Digest,
    /// Why, for people.
    pub reason: String,
    /// Who was decided about; absent in journals of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub principal: Option<Arc<Principal>>,
    /// The surroundings that it was decided in; absent where they are the default ones.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub surroundings: Option<Arc<Surroundings>>,
}

/// Somebody is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalRequested {
    /// The approval.
    pub approval_id: ApprovalId,
    /// Digest of the exact arguments.
    pub args_digest: Digest,
    /// Scopes it would use.
    pub scopes: Vec<String>,
    /// The tool's risk.
    pub risk_level: RiskLevel,
    /// The whole contract.
    pub request: Box<ApprovalRequest>,
}

/// How far an answer reaches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GrantReach {
    /// This call alone.
    Once,
    /// The same call again, in this session.
    Session,
    /// The same call again, until the grant expires or is revoked.
    Always,
}

/// How somebody has said yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ApprovalConfirmation {
    /// By choosing it.
    Chosen,
    /// By typing what was demanded, as destructive calls need.
    Typed,
}

/// Somebody has said yes to exactly this.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalGranted {
    /// The approval.
    pub approval_id: ApprovalId,
    /// Digest of the exact arguments.
    pub args_digest: Digest,
    /// Digest of the whole contract.
    pub contract_digest: Digest,
    /// Scopes it may use.
    pub scopes: Vec<String>,
    /// The tool's risk.
    pub risk_level: RiskLevel,
    /// Who says so.
    pub approved_by: PrincipalId,
    /// How far it reaches.
    pub reach: GrantReach,
    /// How it was said.
    pub confirmation: ApprovalConfirmation,
    /// The grant that follows.
    pub grant_id: GrantId,
    /// After this it is void.
    pub expires_at: DateTime<Utc>,
}

/// Somebody, or the lack of anybody, has said no.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalDenied {
    /// The approval.
    pub approval_id: ApprovalId,
    /// Who says so; absent where nobody could be asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub denied_by: Option<PrincipalId>,
    /// Why.
    pub reason: String,
}

/// Nobody has answered in time, or the answer was not used in time.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalExpired {
    /// The approval.
    pub approval_id: ApprovalId,
    /// When it became void.
    pub expires_at: DateTime<Utc>,
}

/// What was approved is not what would run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ApprovalInvalidated {
    /// The approval.
    pub approval_id: ApprovalId,
    /// The part of the contract that differs, such as `argsDigest`.
    pub field: String,
    /// What was approved.
    pub approved: String,
    /// What would run.
    pub found: String,
}

/// A call ended before it ran.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallBlocked {
    /// The tool, as it was proposed.
    pub tool_id: ToolId,
    /// Why.
    #[serde(flatten)]
    pub reason: StopReason,
}

/// A call was called off, waiting or running.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolCallCancelled {
    /// By whom.
    pub by: PrincipalId,
    /// Why.
    pub reason: String,
}

impl Summary for ToolCallRequested {
    fn summary(&self) -> String {
        format!("`{}` {}", self.tool_id, shorten(&self.args.to_string()))
    }
}

impl Summary for ToolArgsValidated {
    fn summary(&self) -> String {
        if self.status == ArgsStatus::Passed {
            return "arguments are valid".to_owned();
        }
        let faults: Vec<_> = self.faults.iter().map(|f| format!("{} {}", f.path, f.message)).collect();
        shorten(faults.join("; ").trim())
    }
}

impl Summary for ToolPolicyChecked {
    fn summary(&self) -> String {
        format!("{}: {}", self.decision, self.reason)
    }
}

impl Summary for ApprovalRequested {
    fn summary(&self) -> String {
        shorten(&self.request.summary)
    }
}

impl Summary for ApprovalGranted {
    fn summary(&self) -> String {
        let reach = match self.reach {
            GrantReach::Once => "once",
            GrantReach::Session => "for the session",
            GrantReach::Always => "until revoked",
        };
        format!("approved {reach} by {}", self.approved_by)
    }
}

impl Summary for ApprovalDenied {
    fn summary(&self) -> String {
        let by = self.denied_by.as_ref().map_or("nobody to ask".to_owned(), |by| format!("denied by {by}"));
        format!("{by}: {}", shorten(&self.reason))
    }
}

impl Summary for ApprovalExpired {
    fn summary(&self) -> String {
        format!("the approval expired at {}", self.expires_at.format("%Y-%m-%d %H:%M:%SZ"))
    }
}

impl Summary for ApprovalInvalidated {
    fn summary(&self) -> String {
        let Self { field, approved, found, .. } = self;
        format!("`{field}` was approved as {}, and is {}", shorten(approved), shorten(found))
    }
}

impl Summary for ToolCallBlocked {
    fn summary(&self) -> String {
        shorten(&self.reason.to_string())
    }
}

impl Summary for ToolCallCancelled {
    fn summary(&self) -> String {
        format!("cancelled by {}: {}", self.by, shorten(&self.reason))
    }
}
