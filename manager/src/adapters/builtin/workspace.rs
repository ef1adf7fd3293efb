//! The folder that the builtin tools work in, held open.

use super::{Fault, places::Places};
use crate::model::FilesystemRules;
use rustix::fs::{Mode, OFlags};
use std::{
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// A workspace root. It is the folder that was opened, also if its name later leads elsewhere.
#[derive(Debug)]
pub struct Workspace {
    root: OwnedFd,
    path: PathBuf,
}

/// A workspace that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the workspace `{path}` cannot be used: {source}\nhint: name a folder with `--workspace DIR`")]
pub struct WorkspaceError {
    /// The folder that was refused.
    pub path: PathBuf,
    /// What the system said.
    pub source: std::io::Error,
}

impl Workspace {
    /// Opens a workspace.
    ///
    /// # Errors
    /// [`WorkspaceError`] if there is no such folder.
    pub fn open(path: &Path) -> Result<Self, WorkspaceError> {
        let refused = |source| WorkspaceError { path: path.to_owned(), source };
        let real = path.canonicalize().map_err(refused)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::open(&real, flags, Mode::empty()).map_err(|e| refused(e.into()))?;
        Ok(Self { root, path: real })
    }

    /// Its path, with no link left in it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    pub(in crate::adapters) fn root(&self) -> &OwnedFd {
        &self.root
    }

    /// What of it some rules allow.
    pub(super) fn places(&self, rules: &FilesystemRules) -> Result<Places<'_>, Fault> {
        Places::new(self, rules)
    }
}
