//! Why a request did not bring what it should.

use crate::{event::fact::FinishStatus, model::ToolError};

/// A stable code, and what happened for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
    /// What had come, as evidence.
    pub(super) output: Vec<u8>,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), output: Vec::new() }
    }

    /// A redirect that is not followed.
    pub(super) fn redirect(why: impl Into<String>) -> Self {
        Self::new(
            "redirect_refused",
            format!("its host sends it elsewhere, and that is not followed: {}", why.into()),
        )
    }

    pub(super) fn with(self, output: Vec<u8>) -> Self {
        Self { output, ..self }
    }

    pub(super) fn status(&self) -> FinishStatus {
        match self.code {
            "cancelled" => FinishStatus::Cancelled,
            "output_limit" => FinishStatus::Partial,
            _ => FinishStatus::Error,
        }
    }

    /// The fault for who called. Worth another try is only what the network or a busy host did, and only where the
    /// contract says that doing it twice does no harm.
    pub(super) fn error(&self, idempotent: bool) -> ToolError {
        ToolError {
            code: self.code.to_owned(),
            message: self.message.clone(),
            retryable: idempotent && matches!(self.code, "timeout" | "unavailable" | "rate_limited"),
            safe_to_show_user: true,
        }
    }
}
