//! Where complete outputs are kept.

use crate::model::{ArtifactId, Digest};

/// Keeps outputs, and gives them back unchanged or not at all.
pub trait ArtifactStore: Send + Sync {
    /// Keeps some bytes. They are on the disk when this returns.
    ///
    /// # Errors
    /// [`ArtifactError`] if they could not be kept.
    fn keep(&self, id: &ArtifactId, bytes: &[u8]) -> Result<Kept, ArtifactError>;

    /// Reads them back, checked against their digest.
    ///
    /// # Errors
    /// [`ArtifactError`] if they are gone or were changed.
    fn read(&self, kept: &Kept) -> Result<Vec<u8>, ArtifactError>;
}

/// A kept output.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Kept {
    /// Where it lies.
    pub uri: String,
    /// Digest of its bytes.
    pub content_hash: Digest,
    /// How many bytes.
    pub bytes: u64,
}

/// An output that could not be kept or read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ArtifactError {
    /// The store refuses.
    #[error(
        "the artifact `{uri}` cannot be used: {reason}\nhint: check the space and permissions of the artifact folder"
    )]
    Store {
        /// Which.
        uri: String,
        /// What the system said.
        reason: String,
    },
    /// Its bytes are not those that were kept.
    #[error("the artifact `{uri}` was changed: its digest is {found}, kept was {kept}")]
    Changed {
        /// Which.
        uri: String,
        /// The digest that was recorded.
        kept: Digest,
        /// The digest of what is there.
        found: Digest,
    },
}
