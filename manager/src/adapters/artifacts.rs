//! Outputs as files, each under the digest of its bytes.

use crate::{
    model::{ArtifactId, Digest, Domain},
    port::{ArtifactError, ArtifactStore, Kept},
};
use std::{
    fs::{File, OpenOptions},
    io::{ErrorKind, Write as _},
    path::{Path, PathBuf},
};

const SCHEME: &str = "artifact:";

/// A folder of outputs.
#[derive(Debug, Clone)]
pub struct ArtifactFolder(PathBuf);

impl ArtifactFolder {
    /// Keeps outputs in this folder.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self(folder.into())
    }

    fn path(&self, digest: &Digest) -> PathBuf {
        self.0.join(digest.as_str())
    }

    /// Writes beside the place and moves it there, so that no reader ever sees a part.
    fn write(&self, id: &ArtifactId, digest: &Digest, bytes: &[u8]) -> std::io::Result<()> {
        let place = self.path(digest);
        if place.exists() {
            return Ok(());
        }
        let part = self.0.join(format!("{id}.part"));
        let mut file = create_private(&part)?;
        file.write_all(if mutant!(ArtifactChanged) { b"something else" } else { bytes })?;
        file.sync_all()?;
        std::fs::rename(&part, &place)?;
        File::open(&self.0)?.sync_all()
    }
}

impl ArtifactStore for ArtifactFolder {
    fn keep(&self, id: &ArtifactId, bytes: &[u8]) -> Result<Kept, ArtifactError> {
        let content_hash = Digest::of_bytes(Domain::Plain, bytes);
        let uri = format!("{SCHEME}{}", content_hash.as_str());
        let refused = |e: std::io::Error| ArtifactError::Store { uri: uri.clone(), reason: e.to_string() };
        self.write(id, &content_hash, bytes).map_err(refused)?;
        let kept = Kept { uri, content_hash, bytes: bytes.len() as u64 };
        // What lies under this name may be an older file: it counts only if its bytes are these.
        if !mutant!(ArtifactChanged) {
            self.read(&kept)?;
        }
        Ok(kept)
    }

    fn read(&self, kept: &Kept) -> Result<Vec<u8>, ArtifactError> {
        let uri = kept.uri.clone();
        let bytes = std::fs::read(self.path(&kept.content_hash)).map_err(|e| {
            let reason = match e.kind() {
                ErrorKind::NotFound => "it was deleted".to_owned(),
                _ => e.to_string(),
            };
            ArtifactError::Store { uri: uri.clone(), reason }
        })?;
        let found = Digest::of_bytes(Domain::Plain, &bytes);
        if found == kept.content_hash {
            Ok(bytes)
        } else {
            Err(ArtifactError::Changed { uri, kept: kept.content_hash.clone(), found })
        }
    }
}

fn create_private(path: &Path) -> std::io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_comes_back_unchanged_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArtifactFolder::new(folder.path());
        let id = ArtifactId::new("art_1");
        let kept = store.keep(&id, b"output").unwrap();
        assert_eq!(store.keep(&id, b"output").unwrap(), kept);
        assert_eq!(store.read(&kept).unwrap(), b"output");

        let file = folder.path().join(kept.content_hash.as_str());
        std::fs::write(&file, b"forged").unwrap();
        assert!(matches!(store.read(&kept), Err(ArtifactError::Changed { .. })));
        assert!(matches!(store.keep(&id, b"output"), Err(ArtifactError::Changed { .. })));
        std::fs::remove_file(&file).unwrap();
        assert!(store.read(&kept).unwrap_err().to_string().contains("it was deleted"));
    }

    #[test]
    fn a_folder_that_is_gone_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let store = ArtifactFolder::new(folder.path().join("gone"));
        assert!(matches!(store.keep(&ArtifactId::new("art_1"), b"x"), Err(ArtifactError::Store { .. })));
    }
}
