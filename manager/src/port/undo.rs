//! Keeping what calls replace, so that they can be undone.

use crate::model::{CallId, FileChange, UndoRecord};
use std::io::Read;

/// Opens the bytes that were at a path before it was changed.
pub type Before<'a> = &'a dyn Fn(&FileChange) -> std::io::Result<Box<dyn Read>>;

/// Keeps what calls replace.
pub trait UndoStore: Send + Sync {
    /// Keeps what a call is about to replace; all of it is on the disk when this returns. The bytes are checked
    /// against the digests of the record.
    ///
    /// # Errors
    /// [`UndoError`] if not all of it could be kept. A call that promises to be reversible must not go on then.
    fn keep(&self, record: &UndoRecord, before: Before<'_>) -> Result<(), UndoError>;

    /// What is kept for a call; `None` if nothing is, or not any more.
    ///
    /// # Errors
    /// [`UndoError`] if that cannot be known.
    fn kept(&self, call: &CallId) -> Result<Option<UndoRecord>, UndoError>;

    /// Forgets a call that has changed nothing after all.
    ///
    /// # Errors
    /// [`UndoError`] if it cannot be forgotten; the files then still say that there is nothing to undo.
    fn forget(&self, call: &CallId) -> Result<(), UndoError>;
}

/// Something that cannot be kept, or is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UndoError {
    /// The store refuses.
    #[error(
        "what the call replaces cannot be kept: {0}\nhint: check the space and permissions of the home's `undo` folder"
    )]
    Store(String),
    /// A file is not what it was when the changes were worked out.
    #[error("`{0}` is not what it was when the call began\nhint: run the call again")]
    Moved(String),
    /// It is more than is kept for one call.
    #[error("the call replaces more than {0} bytes, the most that is kept for one call")]
    TooMuch(u64),
}

impl UndoError {
    /// Its code in results.
    pub const fn code(&self) -> &'static str {
        match self {
            Self::Store(_) => "undo_not_kept",
            Self::Moved(_) => "changed_meanwhile",
            Self::TooMuch(_) => "too_much_to_undo",
        }
    }
}

/// Keeps nothing: what is changed here cannot be undone.
#[derive(Debug, Clone, Copy, Default)]
pub struct NoUndo;

impl UndoStore for NoUndo {
    fn keep(&self, _: &UndoRecord, _: Before<'_>) -> Result<(), UndoError> {
        Ok(())
    }

    fn kept(&self, _: &CallId) -> Result<Option<UndoRecord>, UndoError> {
        Ok(None)
    }

    fn forget(&self, _: &CallId) -> Result<(), UndoError> {
        Ok(())
    }
}
