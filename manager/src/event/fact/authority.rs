//! Facts about who may do what: grants and credentials.

use super::{Summary, shorten};
use crate::model::{CredentialBinding, CredentialBindingId, GrantId, PermissionGrant, PrincipalId};
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

/// A credential is bound no more: what runs with it is stopped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CredentialUnbound {
    /// Which binding.
    pub credential_binding_id: CredentialBindingId,
    /// By whom.
    pub by: PrincipalId,
    /// Why.
    pub reason: String,
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
        let CredentialBinding { name, secret_ref, principal, .. } = &self.binding;
        format!("`{}` from `{}` bound for {principal}", shorten(name), shorten(secret_ref))
    }
}

impl Summary for CredentialUnbound {
    fn summary(&self) -> String {
        format!("{} unbound by {}: {}", self.credential_binding_id, self.by, shorten(&self.reason))
    }
}
