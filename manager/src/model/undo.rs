//! What is kept of a call so that it can be undone.

use super::{CallId, Changes, PrincipalId};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What a call changed, and where. The bytes that it replaced are kept beside the record, by their digest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct UndoRecord {
    /// Version of this format.
    pub format: u32,
    /// The call, or the undo.
    pub tool_call_id: CallId,
    /// The folder that the paths of the changes are beneath, absolute and with no link left in it.
    pub workspace: String,
    /// When.
    pub at: DateTime<Utc>,
    /// The changes, as they were about to be made.
    pub changes: Changes,
}

impl UndoRecord {
    /// The version of the format that is written now.
    pub const FORMAT: u32 = 1;
}

/// Whether a call can be undone.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum UndoStanding {
    /// Nothing was kept for it: it changed no file, or was not to be undone.
    Nothing,
    /// What it replaced is kept.
    Kept,
    /// What it replaced was kept, and no longer is.
    Gone,
    /// It was undone.
    Undone {
        /// By this undo.
        undo: CallId,
        /// By whom.
        by: PrincipalId,
    },
}
