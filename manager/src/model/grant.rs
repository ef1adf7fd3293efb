//! Permissions and credentials that somebody has given.

use super::{CredentialBindingId, Digest, GrantId, PrincipalId, SessionId, ToolId, ToolVersion};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A permission: standing, or one approved call's.
///
/// Not `Clone`: a grant for one call is spent by being moved.
#[derive(Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PermissionGrant {
    /// Identity.
    pub grant_id: GrantId,
    /// Who may act.
    pub principal: PrincipalId,
    /// With which tool.
    pub tool_id: ToolId,
    /// In which version.
    pub tool_version: ToolVersion,
    /// With which scopes.
    pub scopes: Vec<String>,
    /// What it is bound to.
    pub binding: GrantBinding,
    /// Who gave it.
    pub granted_by: PrincipalId,
    /// When.
    pub granted_at: DateTime<Utc>,
    /// Until when.
    pub expires_at: DateTime<Utc>,
}

/// How far a grant reaches.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "to", rename_all = "camelCase")]
pub enum GrantBinding {
    /// One call with exactly these arguments.
    #[serde(rename_all = "camelCase")]
    Call {
        /// Digest of the exact arguments.
        args_digest: Digest,
    },
    /// Calls of one session.
    #[serde(rename_all = "camelCase")]
    Session {
        /// The session.
        session_id: SessionId,
    },
    /// Every call, until it expires or is revoked.
    Standing,
}

/// A credential that the broker has bound; a reference, never the secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CredentialBinding {
    /// Identity.
    pub credential_binding_id: CredentialBindingId,
    /// Whose it is.
    pub principal: PrincipalId,
    /// Where the secret is kept, as a reference such as `env:GITHUB_TOKEN`.
    pub secret_ref: String,
    /// What it may be used for.
    pub scopes: Vec<String>,
    /// The only host it may be sent to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub audience: Option<String>,
    /// Until when.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}
