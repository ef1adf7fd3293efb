//! One undo: looked at, recorded, and made.

use super::UndoFolder;
use crate::{
    adapters::{
        builtin::{Workspace, WorkspaceError},
        calls::{self, CallError},
        changes::{Applied, Apply, Conflict, Side, diff, look, moved},
        home::Home,
        journal::{JournalOptions, OpenError},
    },
    event::{
        Fact, Scope,
        fact::{ToolCallUndoStarted, ToolCallUndone},
    },
    model::{
        CallId, CanonicalError, Changes, FileChange, FileState, PrincipalId, RunId, SessionId, UndoRecord,
        UndoStanding,
    },
    port::{Clock, EventSink as _, JournalError, UndoError, UndoStore as _},
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fmt::Write as _,
    fs::File,
    io::Read,
    path::{Path, PathBuf},
    sync::Arc,
};

/// What undoes calls of one home.
pub struct Undoing {
    home: Home,
    folder: UndoFolder,
    clock: Arc<dyn Clock>,
}

impl std::fmt::Debug for Undoing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Undoing").field("home", &self.home).finish_non_exhaustive()
    }
}

/// Why a call is not undone.
#[derive(Debug, thiserror::Error)]
pub enum UndoRefused {
    /// It changed nothing, or nothing was kept.
    #[error(
        "no file was kept that the call `{0}` has changed\nhint: `proofhouse tool-call {0}` says what it did"
    )]
    Nothing(CallId),
    /// What it replaced is not kept any more.
    #[error(
        "what the call `{0}` replaced is no longer kept\nhint: the newest calls are kept, a thousand of them and 1 GiB; older ones cannot be undone"
    )]
    Gone(CallId),
    /// It was undone before.
    #[error(
        "the call `{call}` was undone by {by} before\nhint: `proofhouse undo {undo}` takes that undo back"
    )]
    Before {
        /// The call.
        call: CallId,
        /// The undo.
        undo: CallId,
        /// Who did it.
        by: PrincipalId,
    },
    /// Somebody has changed something since.
    #[error("the call `{call}` cannot be undone: {} not what it left\nhint: look at what was changed since; nothing was touched", files(.paths))]
    Changed {
        /// The call.
        call: CallId,
        /// What is not as the call left it.
        paths: Vec<String>,
    },
    /// Everything is as it was before the call.
    #[error("nothing is left to undo of `{0}`: everything is as it was before the call")]
    AsBefore(CallId),
    /// The workspace is not there.
    #[error(transparent)]
    Workspace(#[from] WorkspaceError),
    /// What is kept cannot be used.
    #[error(transparent)]
    Store(#[from] UndoError),
    /// The changes cannot be named.
    #[error(transparent)]
    Canonical(#[from] CanonicalError),
    /// A journal cannot be read.
    #[error(transparent)]
    Calls(#[from] CallError),
    /// The undo's own journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// The undo's own journal cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A file cannot be looked at or restored.
    #[error("the undo stopped: {0}")]
    Conflict(#[from] Conflict),
    /// The system refuses.
    #[error("what is kept cannot be read: {0}")]
    Io(#[from] std::io::Error),
}

fn files(paths: &[String]) -> String {
    let (first, is) = (paths.iter().take(5), if paths.len() == 1 { "is" } else { "are" });
    let named: Vec<String> = first.map(|path| format!("`{path}`")).collect();
    let more = match paths.len().saturating_sub(5) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more} {is}", named.join(", "))
}

/// An undo that can be made: nothing stands in its way at this moment.
#[derive(Debug)]
pub struct Reversal {
    record: UndoRecord,
    workspace: Workspace,
    /// What is to be changed back.
    back: Changes,
    /// The same for people.
    pub diff: String,
}

impl Reversal {
    /// The call that is undone.
    pub fn call(&self) -> &CallId {
        &self.record.tool_call_id
    }

    /// In which folder.
    pub fn workspace(&self) -> &Path {
        self.workspace.path()
    }

    /// What is changed back.
    pub fn changes(&self) -> &Changes {
        &self.back
    }
}

/// An undo that was made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undone {
    /// The undo's own identity: it can be undone by this.
    pub undo: CallId,
    /// The paths that were restored.
    pub restored: Vec<String>,
}

impl Undoing {
    /// In this home.
    pub fn of(home: Home, clock: Arc<dyn Clock>) -> Self {
        Self { folder: UndoFolder::of(&home), home, clock }
    }

    /// Whether a call can be undone, as far as journals and records say; the files are not looked at.
    ///
    /// # Errors
    /// [`UndoRefused`] if they cannot be read.
    pub fn standing(&self, call: &CallId) -> Result<UndoStanding, UndoRefused> {
        let mut standing = UndoStanding::Nothing;
        calls::each_naming(&self.runs()?, call, |event| {
            let own = event.fresh.scope.call_id.as_ref() == Some(call);
            match &event.fresh.fact {
                Fact::ToolCallUndone(ToolCallUndone { undone_call_id, by, error: None, .. }) if !own => {
                    if let Some(undo) = event.fresh.scope.call_id.clone().filter(|_| undone_call_id == call) {
                        standing = UndoStanding::Undone { undo, by: by.clone() };
                    }
                }
                Fact::ToolCallFinished(finished) if own && finished.changes_digest.is_some() => {
                    standing = UndoStanding::Gone;
                }
                Fact::ToolCallUndone(undone) if own && undone.restored > 0 => standing = UndoStanding::Gone,
                _ => {}
            }
        })?;
        match standing {
            UndoStanding::Undone { .. } => Ok(standing),
            // Also of a call that a crash has cut off, whose journal says nothing of what it changed.
            _ if self.folder.kept(call)?.is_some() => Ok(UndoStanding::Kept),
            unkept => Ok(unkept),
        }
    }

    /// What undoing a call would change, if it can be undone. What a crash kept an earlier undo from restoring is
    /// told; what that had restored is left alone.
    ///
    /// # Errors
    /// [`UndoRefused`] with the reason why it cannot.
    pub fn look(&self, call: &CallId) -> Result<Reversal, UndoRefused> {
        let call = call.clone();
        match self.standing(&call)? {
            UndoStanding::Undone { undo, by } => return Err(UndoRefused::Before { call, undo, by }),
            UndoStanding::Nothing => return Err(UndoRefused::Nothing(call)),
            UndoStanding::Gone => return Err(UndoRefused::Gone(call)),
            UndoStanding::Kept => {}
        }
        let Some(record) = self.folder.kept(&call)? else { return Err(UndoRefused::Gone(call)) };
        let workspace = Workspace::open(Path::new(&record.workspace))?;
        let back = self.open_changes(&record, &workspace)?;
        let diff = self.shown(&back, &workspace)?;
        Ok(Reversal { record, workspace, back, diff })
    }

    /// The changes that take a record back, of what is not back already.
    fn open_changes(&self, record: &UndoRecord, workspace: &Workspace) -> Result<Changes, UndoRefused> {
        let call = || record.tool_call_id.clone();
        let all = record.changes.reversed();
        let (mut open, mut changed) = (Vec::new(), Vec::new());
        for change in &all.0 {
            match look(workspace.root(), &change.path) {
                Ok((found, _)) if found == change.before => open.push(true),
                Ok((found, _)) if found == change.after => open.push(false),
                Ok(_) | Err(_) => {
                    open.push(false);
                    changed.push(change.path.clone());
                }
            }
        }
        // What was moved is in one of its two places: gone from both, its bytes are nowhere.
        let torn = moved(&all).into_iter().filter(|(from, to)| open[*from] != open[*to]);
        changed.extend(torn.map(|(from, _)| all.0[from].path.clone()));
        let back: Vec<FileChange> =
            all.0.into_iter().zip(open).filter(|(_, open)| *open).map(|(change, _)| change).collect();
        // A folder that somebody has put something into since stays.
        let known: BTreeSet<&Path> = record.changes.0.iter().map(|change| Path::new(&change.path)).collect();
        let stays = |change: &&FileChange| {
            change.after == FileState::Absent
                && matches!(change.before, FileState::Folder { .. })
                && holds_more(workspace, change, &known)
        };
        changed.extend(back.iter().filter(stays).map(|change| change.path.clone()));
        changed.sort();
        changed.dedup();
        match (changed.is_empty(), back.is_empty()) {
            (false, _) => Err(UndoRefused::Changed { call: call(), paths: changed }),
            (true, true) => Err(UndoRefused::AsBefore(call())),
            (true, false) => Ok(Changes(back)),
        }
    }

    fn shown(&self, back: &Changes, workspace: &Workspace) -> Result<String, UndoRefused> {
        let pairs = moved(back);
        let gone: BTreeSet<usize> = pairs.iter().map(|(from, _)| *from).collect();
        let from: BTreeMap<usize, usize> = pairs.into_iter().map(|(from, to)| (to, from)).collect();
        let mut out = String::new();
        for (at, change) in back.0.iter().enumerate() {
            if let Some(from) = from.get(&at) {
                writeln!(out, "{} -> {}", back.0[*from].path, change.path).ok();
            }
            if gone.contains(&at) || from.contains_key(&at) {
                continue;
            }
            let (mut old, mut new) = (Vec::new(), Vec::new());
            if let (_, Some(mut file)) = look(workspace.root(), &change.path).map_err(std::io::Error::from)? {
                file.read_to_end(&mut old)?;
            }
            if let FileState::File { digest, .. } = &change.after {
                self.folder.bytes(digest)?.read_to_end(&mut new)?;
            }
            out += &diff(&change.path, side(&change.before, &old), side(&change.after, &new));
        }
        Ok(out)
    }

    /// Takes a call back: the undo is in a journal of its own, on the disk, before the first file is touched.
    ///
    /// # Errors
    /// [`UndoRefused`] if something has come in its way since, or the system refuses. What was restored by then is
    /// told in the journal, and a second undo goes on from there.
    pub fn undo(&self, reversal: &Reversal, by: &PrincipalId) -> Result<Undone, UndoRefused> {
        // INVARIANT: of two undos at a time, the second finds what the first has left.
        let _lock = self.folder.lock()?;
        let Reversal { record, workspace, back, .. } = self.look(reversal.call())?;
        if back != reversal.back {
            return Err(UndoRefused::Changed { call: record.tool_call_id, paths: paths(&back) });
        }
        let undo = CallId::from_uuid(self.clock.uuid());
        self.keep(&undo, &record, &workspace, &back)?;
        let run = RunId::from_uuid(self.clock.uuid());
        let scope = Scope {
            session_id: SessionId::from_uuid(self.clock.uuid()),
            run_id: run.clone(),
            call_id: Some(undo.clone()),
        };
        let writer = concat!("proofhouse ", env!("CARGO_PKG_VERSION"));
        let mut log = JournalOptions::of_home(&self.home, &run, writer, Arc::clone(&self.clock))?
            .open(&self.home.run(&run))?;
        let started = ToolCallUndoStarted {
            undone_call_id: record.tool_call_id.clone(),
            by: by.clone(),
            workspace: record.workspace.clone(),
            changed: back.0.len() as u64,
            changes_digest: back.digest()?,
        };
        let cause = log.append(&scope, None, started.into())?;
        log.commit()?;
        let Applied { made, conflict } = self.make(&undo, &workspace, &back);
        let told = ToolCallUndone {
            undone_call_id: record.tool_call_id.clone(),
            by: by.clone(),
            restored: back.0.iter().filter(|change| made.contains(&change.path)).count() as u64,
            error: conflict.as_ref().map(ToString::to_string),
        };
        log.append(&scope, Some(&cause), told.into())?;
        log.commit()?;
        log.close()?;
        match conflict {
            None => Ok(Undone { undo, restored: made.into_iter().collect() }),
            Some(conflict) => Err(conflict.into()),
        }
    }

    /// Keeps what the undo replaces, so that it can be undone as well.
    fn keep(
        &self,
        undo: &CallId,
        record: &UndoRecord,
        workspace: &Workspace,
        back: &Changes,
    ) -> Result<(), UndoRefused> {
        let own = UndoRecord {
            tool_call_id: undo.clone(),
            at: self.clock.now(),
            changes: back.clone(),
            ..record.clone()
        };
        let kept = self.folder.keep_locked(&own, Some(&record.tool_call_id), &|change| {
            let (_, file) = look(workspace.root(), &change.path).map_err(std::io::Error::from)?;
            file.map(boxed).ok_or_else(gone)
        });
        match kept {
            // An undo that cannot be undone is one all the same.
            Ok(()) | Err(UndoError::TooMuch(_)) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    fn make(&self, undo: &CallId, workspace: &Workspace, back: &Changes) -> Applied {
        let content = |change: &FileChange| match &change.after {
            FileState::File { digest, .. } => self.folder.bytes(digest).map(boxed),
            FileState::Absent | FileState::Folder { .. } | FileState::Link { .. } => Err(gone()),
        };
        let root = workspace.root();
        Apply { root, content: &content, tag: undo.as_str(), go_on: &|| true }.all(back)
    }

    fn runs(&self) -> Result<Vec<PathBuf>, UndoRefused> {
        let entries = std::fs::read_dir(self.home.runs())?;
        let mut runs = entries.map(|e| e.map(|e| e.path())).collect::<Result<Vec<_>, _>>()?;
        runs.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
        runs.sort();
        Ok(runs)
    }
}

fn gone() -> std::io::Error {
    std::io::ErrorKind::NotFound.into()
}

fn boxed(file: File) -> Box<dyn Read> {
    Box::new(file)
}

fn paths(changes: &Changes) -> Vec<String> {
    changes.0.iter().map(|change| change.path.clone()).collect()
}

fn side<'a>(state: &'a FileState, bytes: &'a [u8]) -> Side<'a> {
    match state {
        FileState::Absent => Side::Absent,
        FileState::Folder { .. } => Side::Folder,
        FileState::Link { to } => Side::Link(to),
        FileState::File { mode, .. } => Side::File { bytes, mode: *mode },
    }
}

/// Whether a folder that is to go holds something that the call did not put there.
fn holds_more(workspace: &Workspace, folder: &FileChange, known: &BTreeSet<&Path>) -> bool {
    let full = workspace.path().join(&folder.path);
    let Ok(entries) = std::fs::read_dir(full) else { return true };
    entries.into_iter().any(|entry| {
        let Ok(entry) = entry else { return true };
        !known.contains(Path::new(&folder.path).join(entry.file_name()).as_path())
    })
}
