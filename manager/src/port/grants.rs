//! Where grants are looked up.

use crate::{authority::CallFacts, model::PermissionGrant};
use chrono::{DateTime, Utc};

/// Knows which grants are in force.
pub trait GrantStore: Send + Sync {
    /// The grant that covers a call, if there is one.
    ///
    /// # Errors
    /// [`GrantStoreError`] if that cannot be known: the call then stops, for a grant may have been revoked.
    fn covering(
        &self,
        call: &CallFacts<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<PermissionGrant>, GrantStoreError>;
}

/// Grants cannot be looked up.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "grants cannot be looked up: {0}\nhint: nothing runs on a grant that may be revoked; `proofhouse journal verify` looks at the file"
)]
pub struct GrantStoreError(pub String);

/// Nobody has been granted anything.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoGrants;

impl GrantStore for NoGrants {
    fn covering(
        &self,
        _: &CallFacts<'_>,
        _: DateTime<Utc>,
    ) -> Result<Option<PermissionGrant>, GrantStoreError> {
        Ok(None)
    }
}
