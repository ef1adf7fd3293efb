//! Signed statements of where a journal stood, kept outside of it.
//!
//! A chain proves its own order and nothing else: whoever writes the whole file anew, or cuts its end, leaves a chain
//! that is sound. A checkpoint says, signed, which hash stood at which number of which file. It names only what is on
//! the disk, so that no crash can make a liar of it.

use super::{PublicKey, Signer, disk::Disk};
use crate::model::{Digest, canonical_bytes};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use std::{
    io,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What is signed begins with this, so that no signature of another kind can stand for a checkpoint.
const DOMAIN: &[u8] = b"proofhouse/checkpoint/1\0";

/// One signed statement.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Checkpoint {
    /// The journal file's name.
    pub file: String,
    /// The number of an event in it.
    pub seq: u64,
    /// That event's hash.
    pub hash: Digest,
    /// When it was signed.
    pub ts: DateTime<Utc>,
    /// The key that signed it.
    pub key_id: String,
    /// Ed25519 over the domain tag and the canonical form of the other fields, in hexadecimal.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub signature: String,
}

impl Checkpoint {
    fn message(&self) -> io::Result<Vec<u8>> {
        let unsigned = Self { signature: String::new(), ..self.clone() };
        let body = canonical_bytes(&unsigned).map_err(io::Error::other)?;
        Ok([DOMAIN, &body].concat())
    }

    /// Whether that key signed it as it is.
    pub fn is_signed_by(&self, key: &PublicKey) -> bool {
        self.key_id == key.id() && self.message().is_ok_and(|message| key.made(&self.signature, &message))
    }
}

/// Everything that was signed about one journal.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checkpoints {
    /// The statements, in the order in which they were signed.
    pub all: Vec<Checkpoint>,
    /// Lines that are none; a crash may leave one at the end.
    pub unreadable: usize,
}

impl Checkpoints {
    /// Reads them; a file that is not there holds none.
    ///
    /// # Errors
    /// What the system says.
    pub fn read(path: &Path) -> io::Result<Self> {
        match std::fs::read(path) {
            Ok(bytes) => Ok(Self::parse(&bytes)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    pub(super) fn parse(bytes: &[u8]) -> Self {
        let mut found = Self::default();
        for line in bytes.split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            match serde_json::from_slice(line) {
                Ok(checkpoint) => found.all.push(checkpoint),
                Err(_) => found.unreadable += 1,
            }
        }
        found
    }

    /// Those about one file.
    pub fn of<'a>(&'a self, file: &'a str) -> impl Iterator<Item = &'a Checkpoint> {
        self.all.iter().filter(move |checkpoint| checkpoint.file == file)
    }
}

/// Where and with what a writer signs.
#[derive(Debug, Clone)]
pub(super) struct Notary {
    pub(super) signer: Arc<Signer>,
    /// The folder of checkpoints.
    pub(super) folder: PathBuf,
}

impl Notary {
    /// The file that holds the checkpoints of a journal, by the name of its first file.
    pub(super) fn file(&self, journal: &Path) -> PathBuf {
        self.folder.join(journal.file_name().unwrap_or_default())
    }

    /// Signs where a journal stands and appends the statement.
    ///
    /// INVARIANT: the event is on the disk; a checkpoint that is ahead of its file would cry wolf after a crash.
    pub(super) fn attest(
        &self,
        disk: &dyn Disk,
        journal: &Path,
        stand: &Stand,
        ts: DateTime<Utc>,
    ) -> io::Result<()> {
        let mut checkpoint = Checkpoint {
            file: stand.file.clone(),
            seq: stand.seq,
            hash: stand.hash.clone(),
            ts,
            key_id: self.signer.id().to_owned(),
            signature: String::new(),
        };
        checkpoint.signature = self.signer.sign(&checkpoint.message()?);
        let mut line = canonical_bytes(&checkpoint).map_err(io::Error::other)?;
        line.push(b'\n');
        let file = disk.open(&self.file(journal))?;
        let mut last = [b'\n'];
        if let Some(end) = file.len()?.checked_sub(1) {
            file.read_from(end)?.read_exact(&mut last)?;
        }
        if last != *b"\n" {
            // A crash tore the line before: it stays, unreadable, on a line of its own.
            line.insert(0, b'\n');
        }
        file.append(&line)?;
        file.sync()
    }
}

/// Where a journal stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Stand {
    pub(super) file: String,
    pub(super) seq: u64,
    pub(super) hash: Digest,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::journal::RealDisk;

    #[test]
    fn a_statement_holds_for_exactly_what_it_says() {
        let folder = tempfile::tempdir().unwrap();
        let signer = Arc::new(Signer::open(folder.path()).unwrap());
        let notary = Notary { signer: Arc::clone(&signer), folder: folder.path().to_owned() };
        let journal = Path::new("somewhere/run_1.jsonl");
        let stand = Stand { file: "run_1.jsonl".into(), seq: 7, hash: Digest::zero() };
        notary.attest(&RealDisk, journal, &stand, DateTime::UNIX_EPOCH).unwrap();
        std::fs::write(
            notary.file(journal),
            [std::fs::read(notary.file(journal)).unwrap(), b"{\"torn".to_vec()].concat(),
        )
        .unwrap();
        notary.attest(&RealDisk, journal, &stand, DateTime::UNIX_EPOCH).unwrap();

        let found = Checkpoints::read(&notary.file(journal)).unwrap();
        assert_eq!((found.all.len(), found.unreadable), (2, 1));
        let (checkpoint, key) = (&found.all[0], signer.public());
        assert!(checkpoint.is_signed_by(&key));
        let forgeries = [
            Checkpoint { file: "run_2.jsonl".into(), ..checkpoint.clone() },
            Checkpoint { seq: 8, ..checkpoint.clone() },
            Checkpoint { hash: Digest::from_hash(&[1; 32]), ..checkpoint.clone() },
            Checkpoint { ts: DateTime::UNIX_EPOCH + chrono::TimeDelta::seconds(1), ..checkpoint.clone() },
            Checkpoint { key_id: "other".into(), ..checkpoint.clone() },
            Checkpoint { signature: "00".repeat(64), ..checkpoint.clone() },
            Checkpoint { signature: String::new(), ..checkpoint.clone() },
        ];
        for forgery in forgeries {
            assert!(!forgery.is_signed_by(&key), "{forgery:?}");
        }
        // The tag is part of what is signed: the bare form is another message.
        let bare = Checkpoint { signature: String::new(), ..checkpoint.clone() };
        assert!(!key.made(&checkpoint.signature, &canonical_bytes(&bare).unwrap()));
    }
}
