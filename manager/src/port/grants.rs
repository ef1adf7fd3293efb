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

    /// Keeps a grant for calls to come, in this process and in others.
    ///
    /// # Errors
    /// [`GrantStoreError`] if it cannot be kept; nothing is granted then.
    fn keep(&self, grant: &PermissionGrant) -> Result<(), GrantStoreError>;
}

/// Grants cannot be looked up, or kept.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "the store of grants cannot be used: {0}\nhint: nothing runs on a grant that may be revoked; `proofhouse journal verify` looks at the file"
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

    fn keep(&self, _: &PermissionGrant) -> Result<(), GrantStoreError> {
        Err(GrantStoreError("no grant is kept here".to_owned()))
    }
}
