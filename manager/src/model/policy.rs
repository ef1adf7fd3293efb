//! What policy is asked about, and what it can answer.

use super::{EffectLevel, PrincipalId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::{collections::BTreeSet, fmt};

/// What policy answered; the order is the order of strictness.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Decision {
    /// It may happen as it is.
    Allow,
    /// It may happen once somebody has approved it.
    Ask,
    /// It may not happen.
    Deny,
}

impl Decision {
    /// `allow`, `ask` or `deny`.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Who acts, with what they hold.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Principal {
    /// Who, as `kind:name`.
    pub id: PrincipalId,
    /// Scopes held.
    #[serde(default)]
    pub scopes: BTreeSet<String>,
}

/// How much of the registry one view may show.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolBudget {
    /// At most this many tools.
    pub max_tools_visible: usize,
    /// At most this many estimated tokens of compiled tool payload.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
}

/// Permissions, risk, budget and safety rules that hold for a session.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ToolPolicy {
    /// Who acts.
    pub principal: Principal,
    /// What may be shown.
    pub budget: ToolBudget,
    /// No tool above this level is shown.
    pub max_level: EffectLevel,
}

/// Why a call ended early: data, with a stable code.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StopReason {
    /// Stable code.
    pub code: StopCode,
    /// What happened, for people.
    pub message: String,
}

impl StopReason {
    /// A reason from a code and a sentence.
    pub fn new(code: StopCode, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

impl fmt::Display for StopReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.code.as_str(), self.message)
    }
}

/// Stable codes of the reasons why a call ends early.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum StopCode {
    /// The tool is not in the view; also for a tool that exists and is hidden.
    UnknownTool,
    /// The arguments are no JSON.
    MalformedArguments,
    /// The arguments violate the tool's input schema.
    InvalidArguments,
    /// Policy denies it.
    PolicyDenied,
    /// Policy could not be evaluated.
    PolicyError,
    /// Nobody may approve it here.
    ApprovalUnavailable,
    /// Somebody has said no.
    ApprovalDenied,
    /// The approval came or was used too late.
    ApprovalExpired,
    /// What was approved is not what would run.
    ApprovalMismatch,
    /// The approval was used before.
    ApprovalSpent,
    /// The grant or the tool was revoked, or is no longer callable.
    Revoked,
    /// The tool version is not callable: some step of its admission is missing.
    NotCallable,
    /// A budget or rate limit is used up.
    LimitReached,
    /// What the sandbox demands cannot be enforced here.
    SandboxUnavailable,
    /// A credential that the tool needs cannot be bound.
    CredentialUnavailable,
    /// A hook that the contract names says no.
    HookDenied,
    /// Nothing here can run the tool.
    AdapterUnavailable,
    /// It was tried before anybody was asked, and failed.
    RehearsalFailed,
}

impl StopCode {
    /// The code as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UnknownTool => "unknown_tool",
            Self::MalformedArguments => "malformed_arguments",
            Self::InvalidArguments => "invalid_arguments",
            Self::PolicyDenied => "policy_denied",
            Self::PolicyError => "policy_error",
            Self::ApprovalUnavailable => "approval_unavailable",
            Self::ApprovalDenied => "approval_denied",
            Self::ApprovalExpired => "approval_expired",
            Self::ApprovalMismatch => "approval_mismatch",
            Self::ApprovalSpent => "approval_spent",
            Self::Revoked => "revoked",
            Self::NotCallable => "not_callable",
            Self::LimitReached => "limit_reached",
            Self::SandboxUnavailable => "sandbox_unavailable",
            Self::CredentialUnavailable => "credential_unavailable",
            Self::HookDenied => "hook_denied",
            Self::AdapterUnavailable => "adapter_unavailable",
            Self::RehearsalFailed => "rehearsal_failed",
        }
    }
}
