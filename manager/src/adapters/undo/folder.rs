//! What calls replaced, in a folder of a home, within bounds.

use crate::{
    adapters::{
        changes::{digest_of, moved},
        home::Home,
    },
    model::{CallId, Digest, FileChange, FileState, UndoRecord},
    port::{Before, UndoError, UndoStore},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read, Write as _},
    os::unix::fs::OpenOptionsExt as _,
    path::{Path, PathBuf},
};

/// How much is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Bounds {
    /// Bytes of one call; a call that replaces more cannot be undone.
    pub(super) call: u64,
    /// Bytes of all calls; the oldest are forgotten.
    pub(super) bytes: u64,
    /// Calls; the oldest are forgotten.
    pub(super) calls: usize,
}

/// 256 MiB a call, 1 GiB and a thousand calls altogether.
const BOUNDS: Bounds = Bounds { call: 256 << 20, bytes: 1 << 30, calls: 1000 };

/// A folder that keeps what calls replaced.
#[derive(Debug, Clone)]
pub struct UndoFolder {
    folder: PathBuf,
    bounds: Bounds,
}

impl UndoFolder {
    /// The one of a home.
    pub fn of(home: &Home) -> Self {
        Self::within(home.undo(), BOUNDS)
    }

    pub(super) fn within(folder: PathBuf, bounds: Bounds) -> Self {
        Self { folder, bounds }
    }

    /// Opens the bytes that a change replaced.
    pub(super) fn bytes(&self, digest: &Digest) -> io::Result<File> {
        File::open(self.kept_folder().join(digest.as_str()))
    }

    /// Nobody else writes here until this is dropped.
    pub(super) fn lock(&self) -> io::Result<File> {
        let file = private().create(true).truncate(false).open(self.folder.join("lock"))?;
        file.lock()?;
        Ok(file)
    }

    fn kept_folder(&self) -> PathBuf {
        self.folder.join("kept")
    }

    fn record(&self, call: &str) -> Option<PathBuf> {
        // INVARIANT: an id becomes part of a path, so it holds nothing that means something there.
        let plain = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-');
        (!call.is_empty() && call.bytes().all(plain)).then(|| self.folder.join(format!("{call}.json")))
    }

    /// Everything that `keep` does, by whoever holds the lock. Another call that is needed is not forgotten for it.
    pub(super) fn keep_locked(
        &self,
        record: &UndoRecord,
        needed_too: Option<&CallId>,
        before: Before<'_>,
    ) -> Result<(), UndoError> {
        let needed = needed(record);
        let bytes: u64 = needed.values().map(|(_, bytes)| *bytes).sum();
        if bytes > self.bounds.call {
            return Err(UndoError::TooMuch(self.bounds.call));
        }
        let refused = |e: io::Error| UndoError::Store(e.to_string());
        let path = self
            .record(&record.tool_call_id)
            .ok_or_else(|| UndoError::Store(format!("`{}` is no name for a file", record.tool_call_id)))?;
        fs::create_dir_all(self.kept_folder()).map_err(refused)?;
        for (digest, (change, _)) in needed {
            if self.bytes(digest).is_ok() {
                continue;
            }
            let moved = || UndoError::Moved(change.path.clone());
            let mut from = before(change).map_err(|_| moved())?;
            let part = self.kept_folder().join("part");
            let found = write(&part, &mut from).map_err(refused)?;
            if found != *digest {
                fs::remove_file(&part).ok();
                return Err(moved());
            }
            fs::rename(&part, self.kept_folder().join(digest.as_str())).map_err(refused)?;
        }
        let text = serde_json::to_vec(record).map_err(|e| refused(e.into()))?;
        let part = self.folder.join("part");
        write(&part, &mut text.as_slice()).map_err(refused)?;
        fs::rename(&part, &path).map_err(refused)?;
        for folder in [self.kept_folder(), self.folder.clone()] {
            File::open(folder).and_then(|f| f.sync_all()).map_err(refused)?;
        }
        // What is kept too much does no harm.
        let stay: Vec<&CallId> = needed_too.into_iter().chain([&record.tool_call_id]).collect();
        self.prune(&stay).ok();
        Ok(())
    }

    /// Forgets the oldest calls until what is left is within the bounds; some must stay.
    fn prune(&self, stay: &[&CallId]) -> io::Result<()> {
        let mut records: Vec<PathBuf> = listing(&self.folder)?;
        records.retain(|path| path.extension().is_some_and(|e| e == "json"));
        let sizes =
            |paths: &[PathBuf]| paths.iter().filter_map(|p| p.metadata().ok()).map(|m| m.len()).sum::<u64>();
        let mut bytes = sizes(&listing(&self.kept_folder())?);
        if records.len() <= self.bounds.calls && bytes <= self.bounds.bytes {
            return Ok(());
        }
        // Ids begin with the time.
        records.sort();
        let mut users: BTreeMap<Digest, (u64, usize)> = BTreeMap::new();
        for path in &records {
            for (digest, size) in uses(path) {
                users.entry(digest).or_insert((size, 0)).1 += 1;
            }
        }
        let mut left = records.len();
        for path in records {
            if left <= self.bounds.calls && bytes <= self.bounds.bytes {
                break;
            }
            if path.file_stem().is_some_and(|stem| stay.iter().any(|call| stem == call.as_str())) {
                continue;
            }
            for (digest, _) in uses(&path) {
                let Some((size, users)) = users.get_mut(&digest) else { continue };
                *users -= 1;
                if *users == 0 {
                    fs::remove_file(self.kept_folder().join(digest.as_str())).ok();
                    bytes = bytes.saturating_sub(*size);
                }
            }
            fs::remove_file(&path)?;
            left -= 1;
        }
        Ok(())
    }
}

impl UndoStore for UndoFolder {
    fn keep(&self, record: &UndoRecord, before: Before<'_>) -> Result<(), UndoError> {
        let _lock = self.lock().map_err(|e| UndoError::Store(e.to_string()))?;
        self.keep_locked(record, None, before)
    }

    fn kept(&self, call: &CallId) -> Result<Option<UndoRecord>, UndoError> {
        let Some(path) = self.record(call) else { return Ok(None) };
        let text = match fs::read(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(UndoError::Store(error.to_string())),
        };
        let record: UndoRecord =
            serde_json::from_slice(&text).map_err(|e| UndoError::Store(format!("its record: {e}")))?;
        match record.format {
            UndoRecord::FORMAT => Ok(Some(record)),
            other => Err(UndoError::Store(format!("its record has the format {other}, which is not known"))),
        }
    }

    fn forget(&self, call: &CallId) -> Result<(), UndoError> {
        let Some(path) = self.record(call) else { return Ok(()) };
        match fs::remove_file(path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(UndoError::Store(error.to_string())),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// The bytes that have to be kept for a record: those of files that do not merely change their place.
fn needed(record: &UndoRecord) -> BTreeMap<&Digest, (&FileChange, u64)> {
    let stay: BTreeSet<usize> = moved(&record.changes).into_iter().map(|(from, _)| from).collect();
    let all = record.changes.0.iter().enumerate().filter(|(at, _)| !stay.contains(at));
    all.filter_map(|(_, change)| match &change.before {
        FileState::File { digest, bytes, .. } => Some((digest, (change, *bytes))),
        FileState::Absent | FileState::Folder { .. } | FileState::Link { .. } => None,
    })
    .collect()
}

/// The kept bytes that a record needs; none where it cannot be read, for it then cannot be undone either.
fn uses(path: &Path) -> Vec<(Digest, u64)> {
    let record = fs::read(path).ok().and_then(|text| serde_json::from_slice::<UndoRecord>(&text).ok());
    let digests = |r: &UndoRecord| needed(r).into_iter().map(|(d, (_, size))| (d.clone(), size)).collect();
    record.as_ref().map(digests).unwrap_or_default()
}

fn listing(folder: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(folder)?.map(|entry| entry.map(|e| e.path())).collect()
}

fn write(path: &Path, from: &mut dyn Read) -> io::Result<Digest> {
    let mut file = private().create(true).truncate(true).read(true).open(path)?;
    io::copy(from, &mut file)?;
    file.flush()?;
    file.sync_all()?;
    io::Seek::rewind(&mut file)?;
    Ok(digest_of(&mut file)?.0)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).mode(0o600);
    options
}
