//! The folder where one manager keeps what it knows (§16): registry, runs, artifacts, approvals, policies, keys.
//!
//! Paths only: what stands in a file is the business of whoever owns it.

use crate::model::{Digest, RunId};
use std::path::{Path, PathBuf};

/// One manager's folder, by default `~/.agent`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Home(PathBuf);

/// A home that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error(
    "the home folder `{path}` cannot be used: {source}\nhint: choose another with `--home DIR` or `PROOFHOUSE_HOME`"
)]
pub struct HomeError {
    /// The folder that was refused.
    pub path: PathBuf,
    /// What the system said.
    pub source: std::io::Error,
}

impl Home {
    /// Opens a home, and creates what of it is missing, for its owner alone.
    ///
    /// # Errors
    /// [`HomeError`] if a folder cannot be made.
    pub fn open(root: impl Into<PathBuf>) -> Result<Self, HomeError> {
        let home = Self(root.into());
        for folder in [
            home.descriptors(),
            home.runs(),
            home.artifacts(),
            home.undo(),
            home.approvals(),
            home.policies(),
            home.keys(),
            home.checkpoints(),
            home.caches(),
            home.sandboxes(),
            home.rehearsals(),
        ] {
            create_private(&folder).map_err(|source| HomeError { path: folder, source })?;
        }
        Ok(home)
    }

    /// The folder itself.
    pub fn root(&self) -> &Path {
        &self.0
    }

    /// The journal of registrations and grants.
    pub fn registry(&self) -> PathBuf {
        self.0.join("tools/registry.jsonl")
    }

    /// Where descriptors are kept, each under its digest.
    pub fn descriptors(&self) -> PathBuf {
        self.0.join("tools/descriptors")
    }

    /// The descriptor of that digest.
    pub fn descriptor(&self, digest: &Digest) -> PathBuf {
        self.descriptors().join(format!("{}.json", digest.as_str()))
    }

    /// Where the journals of calls are kept.
    pub fn runs(&self) -> PathBuf {
        self.0.join("tool-runs")
    }

    /// The journal of that run.
    pub fn run(&self, run: &RunId) -> PathBuf {
        self.runs().join(format!("{run}.jsonl"))
    }

    /// Where complete outputs are kept.
    pub fn artifacts(&self) -> PathBuf {
        self.0.join("artifacts")
    }

    /// Where what calls replaced is kept, so that they can be undone.
    pub fn undo(&self) -> PathBuf {
        self.0.join("undo")
    }

    /// Where approvals wait for another process.
    pub fn approvals(&self) -> PathBuf {
        self.0.join("approvals")
    }

    /// The policies that decide here; the standard ones where the folder holds none.
    pub fn policies(&self) -> PathBuf {
        self.0.join("policies")
    }

    /// Where programs of tools keep what they would otherwise do again, each for itself and for one workspace.
    pub fn caches(&self) -> PathBuf {
        self.0.join("caches")
    }

    /// Where sandboxes keep what is written in them, until it is kept or forgotten.
    pub fn sandboxes(&self) -> PathBuf {
        self.0.join("sandboxes")
    }

    /// Where rehearsals wait for an answer.
    pub fn rehearsals(&self) -> PathBuf {
        self.0.join("rehearsals")
    }

    /// The owner's own hooks.
    pub fn hooks(&self) -> PathBuf {
        self.0.join("hooks.yaml")
    }

    /// Where signing keys are kept.
    pub fn keys(&self) -> PathBuf {
        self.0.join("keys")
    }

    /// Where signed checkpoints of journals are kept, outside the files that they vouch for.
    pub fn checkpoints(&self) -> PathBuf {
        self.0.join("checkpoints")
    }
}

#[cfg(unix)]
fn create_private(folder: &Path) -> std::io::Result<()> {
    use std::os::unix::fs::DirBuilderExt as _;
    std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

#[cfg(not(unix))]
fn create_private(folder: &Path) -> std::io::Result<()> {
    std::fs::create_dir_all(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_made_for_its_owner_alone_and_opened_again() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("agent");
        let home = Home::open(&root).unwrap();
        assert!(home.artifacts().is_dir() && home.registry().parent().unwrap().is_dir());
        assert_eq!(Home::open(&root).unwrap(), home);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            assert_eq!(std::fs::metadata(home.keys()).unwrap().permissions().mode() & 0o777, 0o700);
        }
    }

    #[test]
    fn a_file_in_the_way_is_told() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().join("agent");
        std::fs::write(&root, "").unwrap();
        assert!(Home::open(&root).unwrap_err().to_string().contains("PROOFHOUSE_HOME"));
    }
}
