//! Facts about who may do what: grants and credentials.

use super::{Summary, shorten};
use crate::model::{CredentialBinding, GrantId, PermissionGrant, PrincipalId};
use serde::{Deserialize, Serialize};

/// A permission was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantIssued {
    /// The whole grant.
    #[serde(flatten)]
    pub grant: Box<PermissionGrant>,
}

/// A permission was taken back.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct GrantRevoked {
    /// Which.
    pub grant_id: GrantId,
    /// By whom.
    pub by: PrincipalId,
    /// Why.
    pub reason: String,
}

/// A credential was bound; a reference, never the secret.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialBound {
    /// The whole binding.
    #[serde(flatten)]
    pub binding: CredentialBinding,
}

impl Summary for GrantIssued {
    fn summary(&self) -> String {
        let PermissionGrant { principal, tool_id, expires_at, .. } = &*self.grant;
        format!("{principal} may use `{tool_id}` until {}", expires_at.format("%Y-%m-%d %H:%M:%SZ"))
    }
}

impl Summary for GrantRevoked {
    fn summary(&self) -> String {
        format!("{} revoked by {}: {}", self.grant_id, self.by, shorten(&self.reason))
    }
}

impl Summary for CredentialBound {
    fn summary(&self) -> String {
        format!("`{}` bound for {}", self.binding.secret_ref, self.binding.principal)
    }
}
