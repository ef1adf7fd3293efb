//! Where and with what a tool would run.

use crate::model::{
    CanonicalError, Domain, PrincipalId, RuntimeTerms, StopCode, StopReason, ToolDescriptor, digest_of,
};
use serde_json::Value;

/// A run that somebody wants: its place is to be settled.
#[derive(Debug, Clone, Copy)]
pub struct RunRequest<'a> {
    /// Which tool.
    pub tool: &'a ToolDescriptor,
    /// With which arguments; they satisfy the tool's schema.
    pub args: &'a Value,
    /// For whom: their credentials, and nobody else's, are used.
    pub principal: &'a PrincipalId,
}

/// Settles where and with what a call would run. Asked before an approval, and again before the run.
pub trait RuntimeResolver: Send + Sync {
    /// The terms under which a call would run now.
    ///
    /// # Errors
    /// [`StopReason`] if it cannot run here at all.
    fn settle(&self, run: &RunRequest<'_>) -> Result<RuntimeTerms, StopReason>;
}

/// What the contract itself demands, where nothing is executed: an evaluation measures decisions only.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeclaredRuntime;

impl RuntimeResolver for DeclaredRuntime {
    fn settle(&self, run: &RunRequest<'_>) -> Result<RuntimeTerms, StopReason> {
        let unsound = |e: CanonicalError| StopReason::new(StopCode::SandboxUnavailable, e.to_string());
        Ok(RuntimeTerms {
            working_directory: None,
            executable: None,
            sandbox_digest: digest_of(Domain::Sandbox, &run.tool.sandbox).map_err(unsound)?,
            credentials: run.tool.credentials.required_secrets.clone(),
        })
    }
}
