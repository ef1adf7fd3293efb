//! Where contracts are kept, each under its digest.

use crate::model::{Digest, ToolDescriptor};

/// Keeps contracts.
pub trait DescriptorStore {
    /// Keeps a contract under its digest, on disk when this returns.
    ///
    /// # Errors
    /// [`DescriptorError`] if it could not be kept.
    fn put(&self, digest: &Digest, tool: &ToolDescriptor) -> Result<(), DescriptorError>;

    /// The contract of that digest. What is kept under a digest that is not its own is not handed out.
    ///
    /// # Errors
    /// [`DescriptorError`] if it is missing, cannot be read, or was changed.
    fn get(&self, digest: &Digest) -> Result<ToolDescriptor, DescriptorError>;
}

/// A contract that cannot be kept or handed out.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the contract {} cannot be used: {reason}\nhint: register the tool again from its source", .digest.short())]
pub struct DescriptorError {
    /// Its digest.
    pub digest: Digest,
    /// What is wrong.
    pub reason: String,
}
