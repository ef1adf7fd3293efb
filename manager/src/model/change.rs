//! What a call changes in its workspace, path by path: a fact that was looked at, not the tool's word.

use super::{CanonicalError, Digest, Domain, digest_of};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// All that a call changes, ordered by path.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct Changes(pub Vec<FileChange>);

impl Changes {
    /// Digest of them: what an approval of exactly these bytes is bound to.
    ///
    /// # Errors
    /// [`CanonicalError`] if they have no canonical form.
    pub fn digest(&self) -> Result<Digest, CanonicalError> {
        digest_of(Domain::Changes, self)
    }
}

impl Changes {
    /// What takes these changes back.
    #[must_use]
    pub fn reversed(&self) -> Self {
        let back = |change: &FileChange| FileChange {
            path: change.path.clone(),
            before: change.after.clone(),
            after: change.before.clone(),
        };
        Self(self.0.iter().map(back).collect())
    }
}

/// One path that is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FileChange {
    /// The path, beneath the workspace.
    pub path: String,
    /// What was there.
    pub before: FileState,
    /// What is there afterwards.
    pub after: FileState,
}

impl FileChange {
    /// Whether a folder becomes something else, or something else a folder.
    pub fn changes_kind(&self) -> bool {
        let folder = |state: &FileState| matches!(state, FileState::Folder { .. });
        self.before != FileState::Absent
            && self.after != FileState::Absent
            && folder(&self.before) != folder(&self.after)
    }
}

/// What is at a path.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "is", rename_all = "camelCase")]
pub enum FileState {
    /// Nothing.
    Absent,
    /// A folder.
    Folder {
        /// Its permissions.
        mode: u32,
    },
    /// A file.
    File {
        /// Digest of its bytes, plain SHA-256.
        digest: Digest,
        /// How many bytes.
        bytes: u64,
        /// Its permissions.
        mode: u32,
    },
    /// A symbolic link.
    Link {
        /// Where it leads.
        to: String,
    },
}
