//! Why a builtin tool did not do what it was asked.

use crate::{
    event::fact::FinishStatus,
    model::{EffectsObserved, ToolError},
};

/// A stable code, and what happened for people.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Fault {
    pub(super) code: &'static str,
    pub(super) message: String,
    /// What had been done before it stopped.
    pub(super) effects: Box<EffectsObserved>,
}

impl Fault {
    pub(super) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), effects: Box::default() }
    }

    /// What the system refused about a path.
    pub(super) fn system(path: &str, error: rustix::io::Errno) -> Self {
        use rustix::io::Errno;
        match error {
            Errno::NOENT => Self::new("not_found", format!("`{path}` does not exist")),
            Errno::XDEV => Self::outside(path),
            Errno::LOOP => {
                Self::new("path_denied", format!("`{path}` goes through a link that may not be followed"))
            }
            Errno::EXIST => Self::new("exists", format!("`{path}` exists already")),
            Errno::NOTDIR => Self::new("not_a_folder", format!("a part of `{path}` is no folder")),
            Errno::NOTEMPTY => Self::new("not_empty", format!("`{path}` is a folder that is not empty")),
            other => Self::new("system", format!("`{path}`: {}", std::io::Error::from(other))),
        }
    }

    pub(super) fn outside(path: &str) -> Self {
        Self::new("path_denied", format!("`{path}` leads out of the workspace"))
    }

    pub(super) fn after(self, effects: EffectsObserved) -> Self {
        Self { effects: Box::new(effects), ..self }
    }

    pub(super) fn status(&self) -> FinishStatus {
        match self.code {
            "cancelled" => FinishStatus::Cancelled,
            _ if *self.effects == EffectsObserved::default() => FinishStatus::Error,
            _ => FinishStatus::Partial,
        }
    }
}

impl From<ToolError> for Fault {
    fn from(error: ToolError) -> Self {
        let code = match error.code.as_str() {
            "changed_meanwhile" => "changed_meanwhile",
            "too_much_to_undo" => "too_much_to_undo",
            _ => "undo_not_kept",
        };
        Self::new(code, error.message)
    }
}

impl From<Fault> for ToolError {
    fn from(fault: Fault) -> Self {
        Self {
            code: fault.code.to_owned(),
            message: fault.message,
            retryable: false,
            safe_to_show_user: true,
        }
    }
}
