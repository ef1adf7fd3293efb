//! Judging a journal: every line, every link between its files, and every checkpoint that is known of it.

use super::{
    PublicKey,
    checkpoint::{Checkpoint, Checkpoints},
    links,
    scan::{Scan, ScanError, scan},
};
use crate::{
    event::{ChainFault, Fault, decode_strictly, fact::PreviousFile},
    model::Digest,
};
use chrono::{DateTime, Utc};
use serde::Serialize;
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io,
    path::{Path, PathBuf},
};

/// What a journal is held against.
#[derive(Debug, Clone, Default)]
pub struct Trust {
    /// The key whose checkpoints count.
    pub key: Option<PublicKey>,
    /// The folder of checkpoints, or the file of this journal's.
    pub checkpoints: Option<PathBuf>,
    /// What must be there.
    pub demand: Demand,
    /// How closely payloads are read.
    pub payload: Payload,
}

/// What must be there beside a sound chain.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Demand {
    /// Nothing; what is there must hold.
    #[default]
    Chain,
    /// A checkpoint of every file.
    Checkpoint,
}

/// How closely payloads are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Payload {
    /// What a later version wrote is accepted.
    #[default]
    Tolerant,
    /// Unknown types and fields are faults.
    Strict,
}

/// What was found of a sound journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// Its files, in order.
    pub files: Vec<FileReport>,
}

/// What was found of one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileReport {
    /// The file.
    pub file: PathBuf,
    /// How many events.
    pub events: u64,
    /// How many bytes.
    pub bytes: u64,
    /// The hash of the last event.
    pub hash: Digest,
    /// Calls that have started and not finished.
    pub open_calls: usize,
    /// What was signed about it.
    pub attested: Attested,
}

/// What was signed about a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "checkpoint", rename_all = "camelCase", rename_all_fields = "camelCase")]
pub enum Attested {
    /// Nothing that is known.
    Nothing,
    /// Something, by a key that was not given.
    Unknown {
        /// The key.
        key_id: String,
    },
    /// Every event up to this one.
    UpTo {
        /// Its number.
        seq: u64,
        /// When that was signed.
        ts: DateTime<Utc>,
        /// By which key.
        key_id: String,
    },
}

/// The first thing that is wrong with a journal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JournalFault {
    /// A line is wrong.
    #[error("`{path}`, {fault}")]
    Line {
        /// The file.
        path: PathBuf,
        /// The line, and what is wrong with it.
        fault: ChainFault,
    },
    /// A file is missing.
    #[error("`{path}` is missing; {named_by} names it")]
    Missing {
        /// The file.
        path: PathBuf,
        /// Who says that there was one.
        named_by: String,
    },
    /// A file does not continue the one before it.
    #[error(
        "`{path}`, line 1: it does not continue `{before}` where that ends: a file was changed, exchanged or moved"
    )]
    Link {
        /// The file.
        path: PathBuf,
        /// The file before it.
        before: String,
    },
    /// The chain is sound and not the one that was signed.
    #[error(
        "`{path}`, line {line}: it is not the event that was signed at {ts}: the journal was written anew"
    )]
    Rewritten {
        /// The file.
        path: PathBuf,
        /// The first line that is known to be another.
        line: u64,
        /// When the right one was signed.
        ts: DateTime<Utc>,
    },
    /// Signed events are missing at the end.
    #[error("`{path}`, line {line}: the end was cut off: at {ts} the journal was signed with {seq} events")]
    Cut {
        /// The file.
        path: PathBuf,
        /// The first line that is missing.
        line: u64,
        /// How many events there were at least.
        seq: u64,
        /// When that was signed.
        ts: DateTime<Utc>,
    },
    /// A checkpoint is not what its key signed.
    #[error(
        "the checkpoint of `{file}` at event {seq} does not have the signature of its key: it was forged or changed"
    )]
    Forged {
        /// The journal file that it names.
        file: String,
        /// The event that it names.
        seq: u64,
    },
    /// No checkpoint, and one is demanded.
    #[error("`{path}` has no checkpoint by the given key, and one is demanded")]
    Unattested {
        /// The file.
        path: PathBuf,
    },
}

impl JournalFault {
    /// The first bad line, where the fault is one of a line.
    pub fn line(&self) -> Option<u64> {
        match self {
            Self::Line { fault, .. } => Some(fault.line),
            Self::Link { .. } => Some(1),
            Self::Rewritten { line, .. } | Self::Cut { line, .. } => Some(*line),
            Self::Missing { .. } | Self::Forged { .. } | Self::Unattested { .. } => None,
        }
    }
}

/// A journal that is not sound, or cannot be judged.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// The file system refuses.
    #[error("cannot read `{path}`: {source}\nhint: check the path and its permissions")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// It is not sound.
    #[error(transparent)]
    Unsound(#[from] JournalFault),
}

/// Judges the journal that a file belongs to, from its first file to its last.
///
/// # Errors
/// [`VerifyError::Unsound`] with the first thing that is wrong, or [`VerifyError::Io`].
pub fn verify(path: &Path, trust: &Trust) -> Result<Report, VerifyError> {
    let first = first_file(path)?;
    let known = Known::gather(&first, trust)?;
    let mut files: Vec<FileReport> = Vec::new();
    let mut before: Option<PreviousFile> = None;
    let mut next = Some(first);
    while let Some(path) = next {
        let (report, found) = known.judge(&path, trust)?;
        let stated = found.opened.as_ref().and_then(|opened| opened.continues.as_ref());
        if let Some(before) = before.take()
            && !stated.is_some_and(|stated| stated.is(&before))
        {
            return Err(JournalFault::Link { path, before: before.file }.into());
        }
        next = match found.closed.as_ref().and_then(|closed| closed.continued_in.as_deref()) {
            Some(name) => Some(named(&path, name)?),
            None => None,
        };
        let (file, hash) = (links::name(&path), found.chain.last_hash().clone());
        before = Some(PreviousFile { file, seq: found.events(), hash, open_calls: Vec::new() });
        files.push(report);
    }
    known.all_are_there(&files)?;
    // A file that says what it continues, and that no file names.
    match files.iter().any(|report| links::name(&report.file) == links::name(path)) {
        true => Ok(Report { files }),
        false => {
            let before = files.last().map_or(String::new(), |report| links::name(&report.file));
            Err(JournalFault::Link { path: path.to_owned(), before }.into())
        }
    }
}

/// Goes back to where a journal begins.
fn first_file(path: &Path) -> Result<PathBuf, VerifyError> {
    let mut path = path.to_owned();
    let mut seen = BTreeSet::new();
    loop {
        let io = |source| VerifyError::Io { path: path.clone(), source };
        let event = File::open(&path).and_then(|file| links::first_event(&file)).map_err(io)?;
        let before = links::opening(event.as_ref()).and_then(|opened| opened.continues.clone());
        let Some(before) = before else { return Ok(path) };
        let previous = named(&path, &before.file)?;
        if !seen.insert(std::mem::replace(&mut path, previous)) {
            return Err(JournalFault::Link { path, before: before.file }.into());
        }
    }
}

/// The file that another names.
fn named(by: &Path, name: &str) -> Result<PathBuf, JournalFault> {
    let named_by = format!("`{}`", by.display());
    let missing = |path: &Path| JournalFault::Missing { path: path.to_owned(), named_by: named_by.clone() };
    let path = links::beside(by, name).ok_or_else(|| missing(Path::new(name)))?;
    if path.is_file() { Ok(path) } else { Err(missing(&path)) }
}

/// What is known of a journal from outside of it.
struct Known {
    /// By file and number, what the key has signed.
    signed: BTreeMap<String, BTreeMap<u64, Checkpoint>>,
    /// By file, the last other key that signed something.
    unknown: BTreeMap<String, String>,
    source: String,
}

impl Known {
    fn gather(first: &Path, trust: &Trust) -> Result<Self, VerifyError> {
        let mut known = Self { signed: BTreeMap::new(), unknown: BTreeMap::new(), source: String::new() };
        let Some(place) = &trust.checkpoints else { return Ok(known) };
        let path = if place.is_dir() { place.join(links::name(first)) } else { place.clone() };
        known.source = format!("a checkpoint in `{}`", path.display());
        let found = Checkpoints::read(&path).map_err(|source| VerifyError::Io { path, source })?;
        for checkpoint in found.all {
            match &trust.key {
                Some(key) if checkpoint.key_id == key.id() => {
                    if !checkpoint.is_signed_by(key) {
                        return Err(
                            JournalFault::Forged { file: checkpoint.file, seq: checkpoint.seq }.into()
                        );
                    }
                    let of_file = known.signed.entry(checkpoint.file.clone()).or_default();
                    if let Some(other) = of_file.insert(checkpoint.seq, checkpoint.clone())
                        && other.hash != checkpoint.hash
                    {
                        return Err(
                            JournalFault::Forged { file: checkpoint.file, seq: checkpoint.seq }.into()
                        );
                    }
                }
                _ => drop(known.unknown.insert(checkpoint.file, checkpoint.key_id)),
            }
        }
        Ok(known)
    }

    fn judge(&self, path: &Path, trust: &Trust) -> Result<(FileReport, Scan), VerifyError> {
        let name = links::name(path);
        let nothing = BTreeMap::new();
        let signed = self.signed.get(&name).unwrap_or(&nothing);
        let mut rewritten = None;
        let io = |source| VerifyError::Io { path: path.to_owned(), source };
        let at_line = |fault| JournalFault::Line { path: path.to_owned(), fault };
        let scanned = scan(File::open(path).map_err(io)?, |line| {
            if let Some(checkpoint) = signed.get(&line.seq)
                && checkpoint.hash.as_str() != line.hash
            {
                rewritten.get_or_insert((line.seq, checkpoint.ts));
            }
            match trust.payload {
                Payload::Tolerant => Ok(()),
                Payload::Strict => decode_strictly(line.line).map(drop),
            }
        });
        let found = scanned.map_err(|error| match error {
            ScanError::Io(source) => io(source),
            ScanError::Broken(fault) => at_line(fault).into(),
        })?;
        let (path, line) = (path.to_owned(), found.events() + 1);
        if !found.torn.is_empty() {
            return Err(at_line(ChainFault { line, fault: Fault::Torn }).into());
        }
        if let Some((line, ts)) = rewritten {
            return Err(JournalFault::Rewritten { path, line, ts }.into());
        }
        let last = signed.last_key_value().map(|(_, checkpoint)| checkpoint);
        if let Some(last) = last.filter(|last| last.seq >= line) {
            return Err(JournalFault::Cut { path, line, seq: last.seq, ts: last.ts }.into());
        }
        let attested = match (last, self.unknown.get(&name)) {
            (Some(Checkpoint { seq, ts, key_id, .. }), _) => {
                Attested::UpTo { seq: *seq, ts: *ts, key_id: key_id.clone() }
            }
            (None, _) if trust.demand == Demand::Checkpoint => {
                return Err(JournalFault::Unattested { path }.into());
            }
            (None, Some(key_id)) => Attested::Unknown { key_id: key_id.clone() },
            (None, None) => Attested::Nothing,
        };
        let report = FileReport {
            file: path,
            events: found.events(),
            bytes: found.bytes,
            hash: found.chain.last_hash().clone(),
            open_calls: found.open_calls.len(),
            attested,
        };
        Ok((report, found))
    }

    /// A file that was signed and that no link leads to was there once.
    fn all_are_there(&self, files: &[FileReport]) -> Result<(), JournalFault> {
        let found: BTreeSet<String> = files.iter().map(|report| links::name(&report.file)).collect();
        match self.signed.keys().find(|name| !found.contains(*name)) {
            Some(name) => Err(JournalFault::Missing { path: name.into(), named_by: self.source.clone() }),
            None => Ok(()),
        }
    }
}
