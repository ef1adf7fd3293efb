//! What lets a principal use an enabled contract.

use crate::model::{EffectLevel, GrantBinding, GrantId, PermissionGrant, PrincipalId, SessionId, TrustLevel};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// A permission to use a contract, as far as being callable goes.
///
/// It says who may propose calls. Whether a call needs an approval is decided for each one by policy.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Permit {
    /// The grant.
    pub grant: GrantId,
    /// To whom.
    pub principal: PrincipalId,
    /// For which session alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub session: Option<SessionId>,
    /// Until when.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<DateTime<Utc>>,
}

impl Permit {
    /// What a permission grant says about being callable; nothing for the grant of one call, which is spent
    /// by that call.
    pub(super) fn of(grant: &PermissionGrant) -> Option<Self> {
        let session = match &grant.binding {
            GrantBinding::Call { .. } => return None,
            GrantBinding::Session { session_id } => Some(session_id.clone()),
            GrantBinding::Standing => None,
        };
        Some(Self {
            grant: grant.grant_id.clone(),
            principal: grant.principal.clone(),
            session,
            expires_at: Some(grant.expires_at),
        })
    }

    pub(super) fn covers(&self, principal: &PrincipalId, session: &SessionId, now: DateTime<Utc>) -> bool {
        self.principal == *principal
            && self.session.as_ref().is_none_or(|own| own == session)
            && self.expires_at.is_none_or(|end| now < end)
    }
}

/// Whether everybody for whom it is enabled may use it without a grant: what ships with the program and only
/// reads or computes here (L0, L1), which §12 lets happen by itself.
pub(super) fn granted_by_default(trust: TrustLevel, level: EffectLevel) -> bool {
    trust == TrustLevel::FirstParty && level <= EffectLevel::LocalCompute
}
