//! Permissions that somebody has given.

use super::{ApprovalId, CallId, Digest, GrantId, PrincipalId, RuntimeTerms, SessionId, ToolId, ToolVersion};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A permission: standing, for a session, or one approved call's.
///
/// Plain data: what the journal says was given. That a grant for one call is used once is the business of the
/// stage that spends it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    /// Digest of the contract as it was when the grant was given.
    pub descriptor_digest: Digest,
    /// With which scopes.
    pub scopes: Vec<String>,
    /// With which arguments.
    pub arguments: GrantArguments,
    /// What it is bound to.
    pub binding: GrantBinding,
    /// The tenant that it does not reach beyond, such as `workspace:/srv/shop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tenant: Option<String>,
    /// Where and with what it may run; absent where that is left to the tool's own contract.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub terms: Option<RuntimeTerms>,
    /// The grant that it was passed on from, to a delegated agent: it lives no longer than that one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub derived_from: Option<GrantId>,
    /// The approval that it follows from; absent where somebody gave it unasked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_id: Option<ApprovalId>,
    /// Who gave it.
    pub granted_by: PrincipalId,
    /// When.
    pub granted_at: DateTime<Utc>,
    /// Until when.
    pub expires_at: DateTime<Utc>,
}

/// Which arguments a grant covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "are", rename_all = "camelCase")]
pub enum GrantArguments {
    /// Exactly these.
    #[serde(rename_all = "camelCase")]
    Exactly {
        /// Their digest.
        args_digest: Digest,
    },
    /// Any that the tool's schema allows.
    Any,
}

/// How far a grant reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "to", rename_all = "camelCase")]
pub enum GrantBinding {
    /// One call, as the approved contract describes it.
    #[serde(rename_all = "camelCase")]
    Call {
        /// The call.
        tool_call_id: CallId,
        /// Digest of the contract.
        contract_digest: Digest,
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
