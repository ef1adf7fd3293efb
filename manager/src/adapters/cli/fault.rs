//! Why a program did not do what it should, or was not started.

use crate::{
    event::fact::FinishStatus,
    model::{StopCode, StopReason, ToolError},
};

/// Code of the one fault after which a part of what was to be written may be written.
pub(super) const PARTLY: &str = "partly_written";

/// A stable code, and what happened for people.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) code: String,
    pub(super) message: String,
}

impl Fault {
    pub(super) fn new(code: &str, message: impl Into<String>) -> Self {
        Self { code: code.to_owned(), message: message.into() }
    }

    /// How a run ended that came to this.
    pub(super) fn status(&self) -> FinishStatus {
        match self.code.as_str() {
            "cancelled" => FinishStatus::Cancelled,
            PARTLY => FinishStatus::Partial,
            _ => FinishStatus::Error,
        }
    }
}

impl From<Fault> for ToolError {
    fn from(fault: Fault) -> Self {
        Self { code: fault.code, message: fault.message, retryable: false, safe_to_show_user: true }
    }
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Self {
        Self { code: error.code, message: error.message }
    }
}

/// The same, where it is seen before anything runs.
impl From<Fault> for StopReason {
    fn from(fault: Fault) -> Self {
        let code = match fault.code.as_str() {
            "invalid_arguments" => StopCode::InvalidArguments,
            "program_missing" | "template_unusable" => StopCode::AdapterUnavailable,
            "credential_unavailable" => StopCode::CredentialUnavailable,
            _ => StopCode::SandboxUnavailable,
        };
        Self::new(code, fault.message)
    }
}
