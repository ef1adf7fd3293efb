//! The file queue: a request lies in a folder, and another process answers it.
//!
//! ```text
//! approvals/apr_….request.json   the request; whoever shows it makes the preview anew and checks every digest
//! approvals/apr_….answer.json    the first answer; written whole, under its name at once, never overwritten
//! approvals/apr_….late.json      an answer that came too late: kept, and applied to nothing
//! approvals/apr_….spent          the approval was used; made by whoever is first, and never removed
//! ```
//!
//! The folder is its owner's alone. Who has answered is who owns the answer's file, whatever stands in it.

use super::{Kind, Setting, principal_of};
use crate::{
    adapters::home::Home,
    authority::preview,
    model::{ApprovalId, ApprovalRequest, Digest, Domain, digest_value},
    port::{Answer, Approver, Clock, Interrupt, Reply, Silence, SingleUse, SpendError, Wait},
};
use chrono::{DateTime, Utc};
use std::{
    fs::{self, File, OpenOptions},
    io::{self, ErrorKind, Read as _, Write as _},
    os::unix::fs::{MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

pub(super) const KIND: Kind = Kind {
    word: "queue",
    about: "another process, with `proofhouse approvals`",
    open: |setting: &Setting| {
        Arc::new(FileQueue::new(&setting.home, setting.clock.clone(), setting.wait.clone()))
    },
};

/// The first look comes soon, the later ones less and less often.
const FIRST_PAUSE: Duration = Duration::from_millis(10);
const LONGEST_PAUSE: Duration = Duration::from_millis(250);
/// No request or answer is larger.
const MAX_BYTES: u64 = 64 << 20;

/// Requests and answers as files of a home.
#[derive(Clone)]
pub struct FileQueue {
    folder: PathBuf,
    clock: Arc<dyn Clock>,
    wait: Arc<dyn Wait>,
}

impl std::fmt::Debug for FileQueue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FileQueue").field("folder", &self.folder).finish_non_exhaustive()
    }
}

/// A request in the queue.
#[derive(Debug, Clone, PartialEq)]
pub struct Queued {
    /// What is asked.
    pub request: ApprovalRequest,
    /// The answer that lies beside it, if there is one.
    pub answer: Option<Answer>,
}

/// Something that cannot be done with the queue.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// No such request waits.
    #[error("no request `{0}` waits for an answer\nhint: `proofhouse approvals list` names those that do")]
    Unknown(String),
    /// It was answered before.
    #[error(
        "the request `{0}` was answered before, by {1}\nhint: the first answer counts; to take it back, use `proofhouse grants revoke`"
    )]
    Answered(ApprovalId, crate::model::PrincipalId),
    /// It is void.
    #[error(
        "the request `{0}` expired at {1}; the answer is kept and applied to nothing\nhint: let the call be proposed again"
    )]
    Late(ApprovalId, String),
    /// The request's file is not what the asker wrote.
    #[error(
        "the request `{0}` was changed: {1}\nhint: answer nothing that was changed; let the call be proposed again"
    )]
    Changed(String, String),
    /// The file system refuses.
    #[error("`{path}` cannot be used: {source}\nhint: check the folder's space and permissions")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl FileQueue {
    /// The queue of a home.
    pub fn new(home: &Home, clock: Arc<dyn Clock>, wait: Arc<dyn Wait>) -> Self {
        Self { folder: home.approvals(), clock, wait }
    }

    /// Every request that can be read, oldest first; one that was changed is told as an error.
    ///
    /// # Errors
    /// [`QueueError`] if the folder cannot be read.
    pub fn list(&self) -> Result<Vec<Result<Queued, QueueError>>, QueueError> {
        let entries = fs::read_dir(&self.folder).map_err(|source| self.io(&self.folder, source))?;
        let name = |entry: io::Result<fs::DirEntry>| entry.ok()?.file_name().into_string().ok();
        let mut ids: Vec<String> = entries
            .filter_map(|entry| name(entry)?.strip_suffix(".request.json").map(ToOwned::to_owned))
            .collect();
        // Ids begin with the time.
        ids.sort();
        Ok(ids.iter().map(|id| self.get(id)).collect())
    }

    /// One request, checked: its digests agree, and its preview is what its contract makes of it.
    ///
    /// # Errors
    /// [`QueueError`] if there is none, or it was changed.
    pub fn get(&self, id: &str) -> Result<Queued, QueueError> {
        let unknown = || QueueError::Unknown(id.to_owned());
        // INVARIANT: an id becomes part of a path, so it holds nothing that means something there.
        if id.is_empty() || !id.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-')) {
            return Err(unknown());
        }
        let path = self.path(id, "request.json");
        let (bytes, _) = match read_file(&path) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::NotFound => return Err(unknown()),
            Err(source) => return Err(self.io(&path, source)),
        };
        let changed = |what: String| QueueError::Changed(id.to_owned(), what);
        let request: ApprovalRequest = serde_json::from_slice(&bytes).map_err(|e| changed(e.to_string()))?;
        check(id, &request).map_err(|what| changed(what.to_owned()))?;
        let answer = match self.answer(&request.approval_id) {
            Ok(answer) => answer,
            Err(source) => return Err(self.io(&self.path(id, "answer.json"), source)),
        };
        Ok(Queued { request, answer })
    }

    /// Leaves an answer. The first one counts.
    ///
    /// # Errors
    /// [`QueueError`] if the request was answered before, is void, or the answer cannot be written.
    pub fn put(&self, request: &ApprovalRequest, answer: &Answer) -> Result<(), QueueError> {
        let id = &request.approval_id;
        let text =
            serde_json::to_vec_pretty(answer).map_err(|e| self.io(&self.folder, io::Error::other(e)))?;
        if self.clock.now() >= request.expires_at {
            let path = self.path(id, "late.json");
            write_new(&path, &text).or_else(exists_is_fine).map_err(|source| self.io(&path, source))?;
            return Err(QueueError::Late(
                id.clone(),
                request.expires_at.format("%Y-%m-%d %H:%M:%SZ").to_string(),
            ));
        }
        let path = self.path(id, "answer.json");
        match write_new(&path, &text) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                let by = self.answer(id).ok().flatten().map_or("somebody".into(), |answer| answer.by);
                Err(QueueError::Answered(id.clone(), by))
            }
            Err(source) => Err(self.io(&path, source)),
        }
    }

    /// Removes requests that are void, as an asker that crashed leaves them.
    ///
    /// # Errors
    /// [`QueueError`] if the folder cannot be read.
    pub fn sweep(&self) -> Result<usize, QueueError> {
        let now = self.clock.now();
        let mut swept = 0;
        for queued in self.list()?.into_iter().flatten() {
            if queued.request.expires_at <= now && self.withdraw(&queued.request.approval_id).is_ok() {
                swept += 1;
            }
        }
        Ok(swept)
    }

    fn answer(&self, id: &ApprovalId) -> io::Result<Option<Answer>> {
        let (bytes, uid) = match read_file(&self.path(id, "answer.json")) {
            Ok(read) => read,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut answer: Answer = serde_json::from_slice(&bytes)?;
        answer.by = principal_of(uid);
        Ok(Some(answer))
    }

    /// Takes a request out of the queue; its answer, if any, stays as evidence.
    fn withdraw(&self, id: &ApprovalId) -> io::Result<()> {
        fs::remove_file(self.path(id, "request.json"))
    }

    fn await_answer(&self, id: &ApprovalId, deadline: DateTime<Utc>, interrupt: &dyn Interrupt) -> Reply {
        let mut pause = FIRST_PAUSE;
        loop {
            match self.answer(id) {
                Ok(Some(answer)) => return Reply::Answer(answer),
                Ok(None) => {}
                Err(error) => {
                    return Reply::Silence(Silence::Failed(format!("the answer cannot be read: {error}")));
                }
            }
            if let Some(reason) = interrupt.reason() {
                return Reply::Silence(Silence::Interrupted(reason));
            }
            let left = (deadline - self.clock.now()).to_std().unwrap_or_default();
            if left.is_zero() {
                return Reply::Silence(Silence::TimedOut);
            }
            self.wait.pause(pause.min(left));
            pause = (pause * 2).min(LONGEST_PAUSE);
        }
    }

    fn path(&self, id: &str, kind: &str) -> PathBuf {
        self.folder.join(format!("{id}.{kind}"))
    }

    fn io(&self, path: &Path, source: io::Error) -> QueueError {
        QueueError::Io { path: path.to_owned(), source }
    }
}

impl Approver for FileQueue {
    fn ask(&self, request: &ApprovalRequest, deadline: DateTime<Utc>, interrupt: &dyn Interrupt) -> Reply {
        let id = &request.approval_id;
        let failed = |error: String| Reply::Silence(Silence::Failed(error));
        let path = self.path(id, "request.json");
        let written = serde_json::to_vec_pretty(request)
            .map_err(io::Error::other)
            .and_then(|text| write_new(&path, &text));
        if let Err(error) = written {
            return failed(format!("the request cannot be left in `{}`: {error}", path.display()));
        }
        let reply = self.await_answer(id, deadline, interrupt);
        match self.withdraw(id) {
            Ok(()) => reply,
            // Somebody swept it, for it is void.
            Err(error) if error.kind() == ErrorKind::NotFound => reply,
            Err(error) => {
                failed(format!("the request cannot be taken back from `{}`: {error}", path.display()))
            }
        }
    }
}

/// Holds a request against itself: a changed file must not show one thing and ask for another.
fn check(id: &str, request: &ApprovalRequest) -> Result<(), &'static str> {
    let contract = &request.contract;
    if *request.approval_id != *id || contract.approval_id != request.approval_id {
        return Err("it is another approval's");
    }
    if digest_value(Domain::Plain, &request.args_preview).ok().as_ref() != Some(&contract.args_digest) {
        return Err("its arguments are not those of the contract");
    }
    let shown = preview(request);
    if shown != request.preview
        || Digest::of_bytes(Domain::Approval, shown.as_bytes()) != contract.preview_digest
    {
        return Err("its preview is not that of the contract");
    }
    if contract.digest().ok().as_ref() != Some(&request.contract_digest)
        || contract.expires_at != request.expires_at
    {
        return Err("its contract has another digest");
    }
    Ok(())
}

/// Uses of approvals, as marker files that the system lets one process alone make.
#[derive(Debug, Clone)]
pub struct SpentMarkers {
    folder: PathBuf,
}

impl SpentMarkers {
    /// The markers of a home.
    pub fn of(home: &Home) -> Self {
        Self { folder: home.approvals() }
    }
}

impl SingleUse for SpentMarkers {
    fn spend(&self, approval: &ApprovalId) -> Result<(), SpendError> {
        let path = self.folder.join(format!("{approval}.spent"));
        let made = open_new(&path).and_then(|file| file.sync_all()).and_then(|()| sync_folder(&path));
        match made {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {
                Err(SpendError::Spent(approval.clone()))
            }
            Err(error) => Err(SpendError::Unknown(format!("`{}`: {error}", path.display()))),
        }
    }
}

/// Reads a file and the user whose it is: of the very file that was read, and no link to another.
fn read_file(path: &Path) -> io::Result<(Vec<u8>, u32)> {
    let nofollow = i32::try_from(rustix::fs::OFlags::NOFOLLOW.bits()).unwrap_or_default();
    let file = OpenOptions::new().read(true).custom_flags(nofollow).open(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("it is no file"));
    }
    if metadata.mode() & 0o022 != 0 {
        return Err(io::Error::other("others than its owner may write it"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_BYTES).read_to_end(&mut bytes)?;
    Ok((bytes, metadata.uid()))
}

/// Writes a file whole, for its owner alone, or not at all; an existing one stays as it is.
fn write_new(path: &Path, text: &[u8]) -> io::Result<()> {
    let part = path.with_extension(format!("{}.part", std::process::id()));
    let written = open_new(&part).and_then(|mut file| file.write_all(text).and_then(|()| file.sync_all()));
    // A link, unlike a rename, does not replace what is there.
    let placed = written.and_then(|()| fs::hard_link(&part, path)).and_then(|()| sync_folder(path));
    let removed = fs::remove_file(&part);
    placed.and(removed)
}

fn open_new(path: &Path) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

fn sync_folder(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), |folder| File::open(folder)?.sync_all())
}

fn exists_is_fine(error: io::Error) -> io::Result<()> {
    if error.kind() == ErrorKind::AlreadyExists { Ok(()) } else { Err(error) }
}
