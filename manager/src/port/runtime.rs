//! Where and with what a tool would run.

use crate::model::{CanonicalError, Domain, RuntimeTerms, StopCode, StopReason, ToolDescriptor, digest_of};
use serde_json::Value;

/// Settles where and with what a call would run. Asked before an approval, and again before the run.
pub trait RuntimeResolver: Send + Sync {
    /// The terms under which a call would run now.
    ///
    /// # Errors
    /// [`StopReason`] if it cannot run here at all.
    fn settle(&self, tool: &ToolDescriptor, args: &Value) -> Result<RuntimeTerms, StopReason>;
}

/// What the contract itself demands, where nothing is executed: an evaluation measures decisions only.
#[derive(Debug, Clone, Copy, Default)]
pub struct DeclaredRuntime;

impl RuntimeResolver for DeclaredRuntime {
    fn settle(&self, tool: &ToolDescriptor, _: &Value) -> Result<RuntimeTerms, StopReason> {
        let unsound = |e: CanonicalError| StopReason::new(StopCode::SandboxUnavailable, e.to_string());
        Ok(RuntimeTerms {
            working_directory: None,
            executable: None,
            sandbox_digest: digest_of(Domain::Sandbox, &tool.sandbox).map_err(unsound)?,
            credentials: tool.credentials.required_secrets.clone(),
        })
    }
}
