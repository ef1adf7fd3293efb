//! The registry of a home: its journal, the contracts it speaks of, and the tools that may be called.

use super::{
    home::Home,
    journal::{JournalOptions, JournalWriter, KeyError, OpenError, PublicKey, Trust, VerifyError, verify},
};
use crate::{
    model::{Digest, ToolDescriptor},
    port::{Clock, DescriptorError, DescriptorStore},
    registry::{
        RegisteredTool, Registry,
        ledger::{Asker, Ledger, LedgerError, NotCallable},
    },
};
use std::{
    fs,
    io::{self, Write as _},
    path::{Path, PathBuf},
    sync::Arc,
};

/// The registry of a home.
#[derive(Debug, Clone)]
pub struct Registrations {
    home: Home,
}

/// A registry that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum RegistrationsError {
    /// The file system refuses.
    #[error("cannot read the registry `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Its journal proves nothing.
    #[error("`{path}`: {source}")]
    Ledger {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: LedgerError,
    },
    /// Its journal is not the one that was written and signed.
    #[error("nothing in the registry counts, so no tool is callable: {0}")]
    Verify(#[from] VerifyError),
    /// There is no journal, and something was signed of one.
    #[error(
        "no tool is callable: the journal `{journal}` is gone, and `{signed}` says that there was one\nhint: put it back; to begin anew, set the checkpoints aside too"
    )]
    Gone {
        /// The journal.
        journal: PathBuf,
        /// What was signed of it.
        signed: PathBuf,
    },
    /// The key that signs its checkpoints cannot be read.
    #[error(transparent)]
    Key(#[from] KeyError),
    /// Its journal cannot be written.
    #[error(transparent)]
    Open(#[from] OpenError),
}

/// The tools that somebody may call, and why the others are not among them.
#[derive(Debug, Default)]
pub struct CallableTools {
    /// Those that may be called; of each tool the contract that was enabled last.
    pub registry: Registry,
    /// Those that may not.
    pub refused: Vec<NotCallable>,
    /// Those whose kept contract is missing or was changed; they may not be called either.
    pub unusable: Vec<DescriptorError>,
}

impl Registrations {
    /// The registry of that home.
    pub fn of(home: Home) -> Self {
        Self { home }
    }

    /// The home that they are of.
    pub fn home(&self) -> &Home {
        &self.home
    }

    /// What its journal proves now. A home that never had one proves nothing.
    ///
    /// # Errors
    /// [`RegistrationsError`] if the journal cannot be read, its chain is broken, or it is not the one of which
    /// the home's key has signed checkpoints.
    pub fn ledger(&self) -> Result<Ledger, RegistrationsError> {
        let (path, checkpoints) = (self.home.registry(), self.home.checkpoints());
        if !path.exists() {
            let signed = path.file_name().map(|name| checkpoints.join(name)).filter(|file| file.exists());
            return match signed {
                Some(signed) => Err(RegistrationsError::Gone { journal: path, signed }),
                None => Ok(Ledger::default()),
            };
        }
        let key = PublicKey::of_folder(&self.home.keys())?;
        verify(&path, &Trust { key, checkpoints: Some(checkpoints), ..Trust::default() })?;
        let bytes =
            fs::read(&path).map_err(|source| RegistrationsError::Io { path: path.clone(), source })?;
        Ledger::read(&bytes).map_err(|source| RegistrationsError::Ledger { path, source })
    }

    /// Opens the journal for changes, and what it proves at that moment: nobody else writes meanwhile.
    ///
    /// # Errors
    /// [`RegistrationsError`] if the journal cannot be opened, is in use, or its chain is broken.
    pub fn change(&self, clock: Arc<dyn Clock>) -> Result<(Ledger, JournalWriter), RegistrationsError> {
        // Before a line is added to what may not be its own.
        self.ledger()?;
        let journal = JournalOptions::of_registry(&self.home, clock)?.open(&self.home.registry())?;
        // Read behind the lock, so that the next event follows from the last.
        Ok((self.ledger()?, journal))
    }

    /// The tools that somebody may call now.
    pub fn callable(&self, ledger: &Ledger, asker: Asker<'_>) -> CallableTools {
        let mut tools = CallableTools::default();
        for (_, record) in ledger.tools() {
            let Some(track) = record.enabled().or(record.latest()) else { continue };
            if let Err(no) = ledger.callable_track(track, asker)
                && !mutant!(UnprovenCallable)
            {
                tools.refused.push(no);
                continue;
            }
            match self.prepared(track.digest()) {
                // INVARIANT: a ledger holds each id once, so no id is taken.
                Ok(tool) => drop(tools.registry.admit(tool)),
                Err(error) => tools.unusable.push(error),
            }
        }
        tools
    }

    /// The contract of that digest, with its schemas compiled.
    ///
    /// # Errors
    /// [`DescriptorError`] if it is missing, was changed, or cannot be used.
    pub fn prepared(&self, digest: &Digest) -> Result<RegisteredTool, DescriptorError> {
        let descriptor = self.get(digest)?;
        let unusable = |reason: String| DescriptorError { digest: digest.clone(), reason };
        RegisteredTool::new(descriptor).map_err(|fault| unusable(fault.to_string()))
    }
}

impl DescriptorStore for Registrations {
    fn put(&self, digest: &Digest, tool: &ToolDescriptor) -> Result<(), DescriptorError> {
        let path = self.home.descriptor(digest);
        let failed = |reason: String| DescriptorError { digest: digest.clone(), reason };
        if tool.digest() != *digest {
            return Err(failed("it is not the contract of that digest".to_owned()));
        }
        if self.get(digest).is_ok() {
            return Ok(());
        }
        let bytes = serde_json::to_vec_pretty(tool).map_err(|e| failed(e.to_string()))?;
        replace(&path, &bytes).map_err(|e| failed(format!("`{}`: {e}", path.display())))
    }

    fn get(&self, digest: &Digest) -> Result<ToolDescriptor, DescriptorError> {
        let path = self.home.descriptor(digest);
        let failed = |reason: String| DescriptorError { digest: digest.clone(), reason };
        // A digest names a file here, so it must be nothing but a digest.
        if digest.as_str().len() != 64 || !digest.as_str().bytes().all(|b| b.is_ascii_hexdigit()) {
            return Err(failed("it is no digest".to_owned()));
        }
        let bytes = fs::read(&path).map_err(|e| failed(format!("`{}`: {e}", path.display())))?;
        let tool: ToolDescriptor = serde_json::from_slice(&bytes)
            .map_err(|e| failed(format!("`{}` is no contract: {e}", path.display())))?;
        if tool.digest() != *digest {
            return Err(failed(format!("`{}` was changed after it was registered", path.display())));
        }
        Ok(tool)
    }
}

/// Writes a file whole or not at all, and on the disk.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let temporary = path.with_extension("tmp");
    let mut file = fs::File::create(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, path)?;
    fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::testing::descriptor;

    #[test]
    fn a_contract_is_kept_under_its_digest_and_a_changed_one_is_not_handed_out() {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path()).unwrap();
        let store = Registrations::of(home.clone());
        let tool = descriptor("file.read");
        let digest = tool.digest();
        store.put(&digest, &tool).unwrap();
        store.put(&digest, &tool).unwrap();
        assert_eq!(store.get(&digest).unwrap(), tool);

        let path = home.descriptor(&digest);
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace("\"externalCalls\": false", "\"externalCalls\": true")).unwrap();
        assert!(store.get(&digest).unwrap_err().reason.contains("was changed"));
        fs::write(&path, "{").unwrap();
        assert!(store.get(&digest).unwrap_err().reason.contains("no contract"));
        assert!(store.get(&Digest::zero()).unwrap_err().reason.contains("No such file"));
        assert!(store.put(&Digest::zero(), &tool).is_err());
    }

    /// A chain that somebody computed anew holds by itself; the signed checkpoints say that it is another.
    #[test]
    fn a_registry_that_was_written_anew_or_is_gone_proves_nothing() {
        let clock = || Arc::new(crate::adapters::clock::SystemClock);
        let (folder, other) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let homes = [folder.path(), other.path()].map(|path| Home::open(path).unwrap());
        for home in &homes {
            let (ledger, log) = Registrations::of(home.clone()).change(clock()).unwrap();
            assert_eq!(ledger.tools().count(), 0);
            log.checkpoint().unwrap();
        }
        let store = Registrations::of(homes[0].clone());
        assert!(store.ledger().is_ok());
        fs::copy(homes[1].registry(), homes[0].registry()).unwrap();
        assert!(matches!(store.ledger(), Err(RegistrationsError::Verify(_))));
        assert!(matches!(store.change(clock()), Err(RegistrationsError::Verify(_))));
        fs::remove_file(homes[0].registry()).unwrap();
        assert!(matches!(store.ledger(), Err(RegistrationsError::Gone { .. })));
    }

    #[test]
    fn an_empty_home_has_an_empty_ledger() {
        let folder = tempfile::tempdir().unwrap();
        let store = Registrations::of(Home::open(folder.path()).unwrap());
        assert_eq!(store.ledger().unwrap().tools().count(), 0);
    }
}
