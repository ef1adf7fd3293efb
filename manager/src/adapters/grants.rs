//! Grants as the registry's journal tells of them, followed while other processes write it.
//!
//! What is known is never trusted to be all: before each question the file's end is looked at, and what came
//! since is read, checked against the chain and taken in. A journal that is gone, cut, replaced or changed
//! means that nobody knows what was revoked, and so nothing is granted and what runs is stopped.

use crate::{
    authority::{CallFacts, Grants},
    event::{Chain, Fact, decode, fact::ToolBlocked},
    model::{GrantId, PermissionGrant, StopCode, StopReason, ToolId, ToolVersion},
    port::{Clock, GrantStore, GrantStoreError, Interrupt},
};
use chrono::{DateTime, Utc};
use std::{
    fs::File,
    io::{self, ErrorKind, Read as _, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The grants of a registry's journal, as of now.
pub struct GrantBook {
    path: PathBuf,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
}

impl std::fmt::Debug for GrantBook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrantBook").field("path", &self.path).finish_non_exhaustive()
    }
}

/// All that was read so far.
#[derive(Debug, Default)]
struct Known {
    grants: Grants,
    blocks: Vec<ToolBlocked>,
    chain: Chain,
    read: u64,
    /// Device and number of the file that was read.
    file: Option<(u64, u64)>,
}

impl GrantBook {
    /// Follows the registry's journal at this path.
    ///
    /// # Errors
    /// [`GrantStoreError`] if it is there and cannot be read.
    pub fn open(path: &Path, clock: Arc<dyn Clock>) -> Result<Self, GrantStoreError> {
        let book = Self { path: path.to_owned(), clock, known: Mutex::default() };
        drop(book.fresh()?);
        Ok(book)
    }

    /// The grants as of now.
    ///
    /// # Errors
    /// [`GrantStoreError`] if that cannot be known.
    pub fn grants(&self) -> Result<Grants, GrantStoreError> {
        Ok(self.fresh()?.grants.clone())
    }

    /// What calls a call off from here on: its grant is ended, or its tool blocked.
    ///
    /// # Errors
    /// [`GrantStoreError`] if that cannot be known even now.
    pub fn watch(
        self: &Arc<Self>,
        tool: (&ToolId, &ToolVersion),
        grant: Option<&PermissionGrant>,
    ) -> Result<Watch, GrantStoreError> {
        let seen = self.fresh()?.blocks.len();
        let (tool_id, version) = (tool.0.clone(), tool.1.clone());
        Ok(Watch { book: Arc::clone(self), tool_id, version, grant: grant.cloned(), seen })
    }

    /// What is known, after a look at what came since.
    fn fresh(&self) -> Result<MutexGuard<'_, Known>, GrantStoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let told = |what: String| GrantStoreError(format!("`{}` {what}", self.path.display()));
        known.catch_up(&self.path).map_err(told)?;
        Ok(known)
    }
}

impl Known {
    fn catch_up(&mut self, path: &Path) -> Result<(), String> {
        let unreadable = |e: io::Error| format!("cannot be read: {e}");
        let metadata = match std::fs::metadata(path) {
            Ok(metadata) => metadata,
            // A home in which nothing was ever registered has no grants.
            Err(e) if e.kind() == ErrorKind::NotFound && self.file.is_none() => return Ok(()),
            Err(e) => return Err(unreadable(e)),
        };
        let file = (metadata.dev(), metadata.ino());
        if self.file.is_some_and(|known| known != file) || metadata.len() < self.read {
            return Err("was replaced or cut while it was followed".to_owned());
        }
        self.file = Some(file);
        if metadata.len() == self.read {
            return Ok(());
        }
        let mut file = File::open(path).map_err(unreadable)?;
        file.seek(SeekFrom::Start(self.read)).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        // A line that is still being written is read when it is whole.
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        for line in bytes[..whole].split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            self.take(line)?;
        }
        self.read += whole as u64;
        Ok(())
    }

    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        self.chain.follow(line).map_err(|fault| format!("was changed, {fault}"))?;
        let event = decode(line).map_err(|e| format!("cannot be understood: {e}"))?;
        self.grants.apply(&event.fresh.fact);
        if let Fact::ToolBlocked(blocked) = event.fresh.fact {
            self.blocks.push(blocked);
        }
        Ok(())
    }
}

impl GrantStore for GrantBook {
    fn covering(
        &self,
        call: &CallFacts<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<PermissionGrant>, GrantStoreError> {
        Ok(self.fresh()?.grants.covering(call, now).cloned())
    }
}

/// What may call one call off while it waits, is queued or runs.
#[derive(Debug, Clone)]
pub struct Watch {
    book: Arc<GrantBook>,
    tool_id: ToolId,
    version: ToolVersion,
    grant: Option<PermissionGrant>,
    seen: usize,
}

impl Interrupt for Watch {
    fn reason(&self) -> Option<StopReason> {
        let revoked = |why: String| Some(StopReason::new(StopCode::Revoked, why));
        let known = match self.book.fresh() {
            Ok(known) => known,
            Err(error) => return revoked(error.to_string()),
        };
        if let Some(blocked) = known.blocks[self.seen..].iter().find(|blocked| self.is_hit_by(blocked)) {
            return revoked(format!("`{}` was blocked by {}: {}", self.tool_id, blocked.by, blocked.reason));
        }
        let grant = self.grant.as_ref()?;
        known
            .grants
            .interruption(grant, self.book.clock.now())
            .and_then(|misfit| revoked(format!("the grant `{}` is gone: {misfit}", grant.grant_id)))
    }
}

impl Watch {
    /// The grant that it looks after.
    pub fn grant_id(&self) -> Option<&GrantId> {
        self.grant.as_ref().map(|grant| &grant.grant_id)
    }

    fn is_hit_by(&self, blocked: &ToolBlocked) -> bool {
        blocked.tool_id == self.tool_id && blocked.tool_version.as_ref().is_none_or(|v| *v == self.version)
    }
}
