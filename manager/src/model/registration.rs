//! §10: where a tool stands on its way from discovered to callable.

use super::{Digest, PrincipalId, SessionId, ToolId, ToolVersion};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The states of registration, good and bad.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(
    missing_docs,
    reason = "the specification's own words, and `eval_failed` for the step it names no failure of"
)]
pub enum RegistrationState {
    Discovered,
    Parsed,
    Normalized,
    Verified,
    Enabled,
    Granted,
    Callable,
    InvalidSchema,
    PermissionLintFailed,
    SandboxLintFailed,
    SecurityReviewRequired,
    HealthCheckFailed,
    EvalFailed,
    Blocked,
    Deprecated,
}

impl RegistrationState {
    /// The specification's word, as in JSON.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Discovered => "discovered",
            Self::Parsed => "parsed",
            Self::Normalized => "normalized",
            Self::Verified => "verified",
            Self::Enabled => "enabled",
            Self::Granted => "granted",
            Self::Callable => "callable",
            Self::InvalidSchema => "invalid_schema",
            Self::PermissionLintFailed => "permission_lint_failed",
            Self::SandboxLintFailed => "sandbox_lint_failed",
            Self::SecurityReviewRequired => "security_review_required",
            Self::HealthCheckFailed => "health_check_failed",
            Self::EvalFailed => "eval_failed",
            Self::Blocked => "blocked",
            Self::Deprecated => "deprecated",
        }
    }
}

impl std::fmt::Display for RegistrationState {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One version of one tool, as the registry knows it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRegistration {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// Digest of the descriptor that was registered.
    pub descriptor_digest: Digest,
    /// Where it stands.
    pub state: RegistrationState,
    /// Why, where the state is a failure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// For whom a tool is enabled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "for", rename_all = "camelCase")]
pub enum EnablementScope {
    /// Everybody.
    Everyone,
    /// One principal.
    Principal {
        /// Who.
        principal: PrincipalId,
    },
    /// One session.
    #[serde(rename_all = "camelCase")]
    Session {
        /// Which.
        session_id: SessionId,
    },
    /// Evaluation only: calls are decided and recorded, and none is executed.
    Evaluation,
}
