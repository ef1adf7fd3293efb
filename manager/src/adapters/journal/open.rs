//! Opening a journal: the lock, the check, and what a crash left behind.

use super::{
    Disk, KeyError, RealDisk, Signer,
    checkpoint::{Checkpoints, Notary},
    disk::DiskFile,
    fresh, links, log_scope,
    scan::{Scan, ScanError, scan},
    writer::{JournalWriter, State},
};
use crate::{
    adapters::home::Home,
    event::{
        Chain, Event, Fact, Fresh, Scope,
        fact::{FinishStatus, LogOpened, LogRecovered, OpenCall, PreviousFile, ToolCallFinished},
    },
    model::{EffectsObserved, RunId, ToolError},
    port::Clock,
};
use std::{
    collections::BTreeMap,
    io::{self, Read as _},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

/// How long a second writer sleeps before it looks again whether the lock is free.
const NAP: Duration = Duration::from_millis(10);
/// A journal of a home goes on in a new file after so many bytes; that bounds what opening has to check.
const HOME_FILE: u64 = 64 << 20;
/// A writer of a home waits so long for another to finish.
const HOME_WAIT: Duration = Duration::from_secs(10);
/// Events between two checkpoints: cheap beside the fsync that each of them follows.
const CHECKPOINT_EVERY: u64 = 64;

/// How a journal is written.
#[derive(Clone)]
pub struct JournalOptions {
    pub(super) run: RunId,
    pub(super) writer: String,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) wait: Duration,
    pub(super) rotate_at: Option<u64>,
    pub(super) quota: Option<u64>,
    pub(super) notary: Option<Notary>,
    pub(super) checkpoint_every: u64,
    pub(super) disk: Arc<dyn Disk>,
}

impl std::fmt::Debug for JournalOptions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalOptions")
            .field("run", &self.run)
            .field("writer", &self.writer)
            .finish_non_exhaustive()
    }
}

/// A journal file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file system refuses.
    #[error(
        "cannot open the journal `{path}`: {source}\nhint: no log, no run; free space or fix permissions, then try again"
    )]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another process writes it.
    #[error(
        "the journal `{0}` is being written by another process\nhint: wait for it, or start a run of your own"
    )]
    Locked(PathBuf),
    /// Its chain is broken.
    #[error("the journal `{path}` was changed, {fault}\nhint: keep the file as evidence and start a new run")]
    Broken {
        /// The file.
        path: PathBuf,
        /// Where and how.
        fault: crate::event::ChainFault,
    },
    /// Its chain is sound, and something outside of it says otherwise.
    #[error(
        "the journal `{path}` is not what it was: {what}\nhint: keep the files as evidence and start a new run"
    )]
    Contradicted {
        /// The file.
        path: PathBuf,
        /// What contradicts it.
        what: String,
    },
    /// It continues another file.
    #[error("`{path}` continues `{first}`\nhint: open `{first}`; the writer finds the last file by itself")]
    Continuation {
        /// The file.
        path: PathBuf,
        /// The file that it continues.
        first: String,
    },
    /// The key that signs its checkpoints cannot be used.
    #[error(transparent)]
    Key(#[from] KeyError),
}

impl JournalOptions {
    /// A journal in one file without end, without checkpoints, whose lock is not waited for.
    pub fn new(run: &RunId, writer: &str, clock: Arc<dyn Clock>) -> Self {
        Self {
            run: run.clone(),
            writer: writer.to_owned(),
            clock,
            wait: Duration::ZERO,
            rotate_at: None,
            quota: None,
            notary: None,
            checkpoint_every: CHECKPOINT_EVERY,
            disk: Arc::new(RealDisk),
        }
    }

    /// A journal of a home: signed by the home's key, in files of 64 MiB, with some patience for another writer.
    ///
    /// # Errors
    /// [`OpenError::Key`] if the home's key cannot be used.
    pub fn of_home(home: &Home, run: &RunId, writer: &str, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let signer = Arc::new(Signer::open(&home.keys())?);
        let options = Self::new(run, writer, clock).wait(HOME_WAIT).rotate_at(HOME_FILE);
        Ok(options.signed(signer, home.checkpoints()))
    }

    /// The registry of a home: signed like its other journals, and one file, for it is folded whole.
    ///
    /// # Errors
    /// [`OpenError::Key`] if the home's key cannot be used.
    pub fn of_registry(home: &Home, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        let writer = concat!("proofhouse ", env!("CARGO_PKG_VERSION"));
        let options = Self::of_home(home, &RunId::new("registry"), writer, clock)?;
        Ok(Self { rotate_at: None, ..options })
    }

    /// Waits so long for another writer.
    #[must_use]
    pub fn wait(self, wait: Duration) -> Self {
        Self { wait, ..self }
    }

    /// Goes on in a new file once one has so many bytes.
    #[must_use]
    pub fn rotate_at(self, bytes: u64) -> Self {
        Self { rotate_at: Some(bytes), ..self }
    }

    /// Lets nothing new begin once all files together have so many bytes. What has begun may still end.
    #[must_use]
    pub fn quota(self, bytes: u64) -> Self {
        Self { quota: Some(bytes), ..self }
    }

    /// Signs checkpoints into a folder.
    #[must_use]
    pub fn signed(self, signer: Arc<Signer>, folder: PathBuf) -> Self {
        Self { notary: Some(Notary { signer, folder }), ..self }
    }

    /// Signs a checkpoint at the first commit after so many events, beside those of every file's end.
    #[must_use]
    pub fn checkpoint_every(self, events: u64) -> Self {
        Self { checkpoint_every: events, ..self }
    }

    /// Writes to another disk than this machine's.
    #[must_use]
    pub fn on(self, disk: Arc<dyn Disk>) -> Self {
        Self { disk, ..self }
    }

    /// Opens a journal for appending, and creates it with a `LogOpened` if it is not there.
    ///
    /// Takes the lock, checks the last file and its checkpoints, sets a torn line aside in `<file>.torn`, closes the
    /// calls that a crash interrupted, and says so with a `LogRecovered`.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be opened, is locked, or is not what was written.
    pub fn open(self, path: &Path) -> Result<JournalWriter, OpenError> {
        let io = |source| OpenError::Io { path: path.to_owned(), source };
        let lock: Arc<dyn DiskFile> = self.disk.open(path).map_err(io)?.into();
        self.wait_for(lock.as_ref(), path)?;
        let first = links::first_event(lock.as_ref()).map_err(io)?;
        if let Some(before) = links::opening(first.as_ref()).and_then(|opened| opened.continues.as_ref()) {
            return Err(OpenError::Continuation { path: path.to_owned(), first: before.file.clone() });
        }
        let files = self.follow_links(path, &lock)?;
        let state = self.take_up(path, files)?;
        Ok(JournalWriter::start(self, path.to_owned(), lock, state))
    }

    fn wait_for(&self, lock: &dyn DiskFile, path: &Path) -> Result<(), OpenError> {
        let mut waited = Duration::ZERO;
        loop {
            match lock.try_lock() {
                Ok(true) => return Ok(()),
                Ok(false) if waited >= self.wait => return Err(OpenError::Locked(path.to_owned())),
                Ok(false) => std::thread::sleep(NAP),
                Err(source) => return Err(OpenError::Io { path: path.to_owned(), source }),
            }
            waited += NAP;
        }
    }

    /// The files of the journal up to the one that is written, by their last lines.
    fn follow_links(&self, base: &Path, first: &Arc<dyn DiskFile>) -> Result<Files, OpenError> {
        let mut files =
            Files { path: base.to_owned(), file: Arc::clone(first), before: None, earlier: 0, number: 1 };
        loop {
            let io = |source| OpenError::Io { path: files.path.clone(), source };
            let last = links::last_event(files.file.as_ref()).map_err(io)?;
            let Some(next) = links::closing(last.as_ref()).and_then(|closed| closed.continued_in.clone())
            else {
                return Ok(files);
            };
            let contradicted = |what| OpenError::Contradicted { path: files.path.clone(), what };
            let path = links::beside(&files.path, &next)
                .ok_or_else(|| contradicted(format!("it goes on in `{next}`, which is no file beside it")))?;
            let file: Arc<dyn DiskFile> = self.disk.open(&path).map_err(io)?.into();
            let begun = links::first_event(file.as_ref()).map_err(io)?;
            let named = links::opening(begun.as_ref()).and_then(|opened| opened.continues.as_ref());
            if begun.is_some() && named.is_none_or(|before| before.file != links::name(&files.path)) {
                return Err(contradicted(format!("it goes on in `{next}`, which does not continue it")));
            }
            let earlier = files.earlier + files.file.len().map_err(io)?;
            let before = Before { path: files.path, file: files.file, last };
            files = Files { path, file, before: Some(before), earlier, number: files.number + 1 };
        }
    }

    /// Checks the last file and makes it fit to be written.
    fn take_up(&self, base: &Path, files: Files) -> Result<State, OpenError> {
        let Files { path, file, before, earlier, number } = files;
        let io = |source| OpenError::Io { path: path.clone(), source };
        let signed = self.signed_about(base, &links::name(&path))?;
        let found = self.check(&path, file.as_ref(), &signed)?;
        let mut first: Vec<Fresh> = Vec::new();
        let scope = log_scope(&self.run);
        let mut open_calls = found.open_calls;
        match before {
            Some(before) if found.chain == Chain::default() => {
                let (continues, calls) = before.link()?;
                open_calls = calls;
                let opened = LogOpened { format: 1, writer: self.writer.clone(), continues: Some(continues) };
                first.push(fresh(self.clock.as_ref(), &scope, None, opened.into()));
            }
            Some(before) => before.must_be(&path, found.opened.as_ref())?,
            None if found.chain == Chain::default() => {
                let opened = LogOpened { format: 1, writer: self.writer.clone(), continues: None };
                first.push(fresh(self.clock.as_ref(), &scope, None, opened.into()));
            }
            None => {}
        }
        let is_new = found.bytes == 0;
        if !found.torn.is_empty() {
            self.set_aside(&path, &found.torn).map_err(io)?;
            file.cut(found.bytes).map_err(io)?;
        }
        let interrupted = std::mem::take(&mut open_calls);
        if !found.torn.is_empty() || !interrupted.is_empty() {
            let recovered = LogRecovered {
                torn_bytes: found.torn.len() as u64,
                interrupted_calls: interrupted.len() as u64,
            };
            first.push(fresh(self.clock.as_ref(), &scope, None, recovered.into()));
            first.extend(interrupted.values().map(|call| self.interrupted(call)));
        }
        let mut state = State::new(path.clone(), file, found.chain, found.bytes, earlier, number);
        state.write(&first).map_err(|e| io(io::Error::other(e.0)))?;
        if !first.is_empty() {
            state.file.sync().map_err(io)?;
        }
        if is_new {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
            self.disk.sync_folder(folder.unwrap_or(Path::new("."))).map_err(io)?;
        }
        Ok(state)
    }

    /// What the own key has signed about a file: number and hash. What another key signed is for
    /// [`verify`](super::verify).
    fn signed_about(&self, base: &Path, file: &str) -> Result<BTreeMap<u64, String>, OpenError> {
        let Some(notary) = &self.notary else { return Ok(BTreeMap::new()) };
        let path = notary.file(base);
        let mut bytes = Vec::new();
        let read = self.disk.exists(&path).then(|| self.disk.open(&path)).transpose();
        let io = |source| OpenError::Io { path: path.clone(), source };
        if let Some(file) = read.map_err(io)? {
            file.read_from(0).and_then(|mut read| read.read_to_end(&mut bytes)).map_err(io)?;
        }
        let key = notary.signer.public();
        let checkpoints = Checkpoints::parse(&bytes);
        // Signatures are dear where a run is long: the last one vouches for all that it stands on.
        let last = checkpoints.of(file).filter(|c| c.is_signed_by(&key)).last();
        Ok(last.map(|c| (c.seq, c.hash.to_string())).into_iter().collect())
    }

    fn check(
        &self,
        path: &Path,
        file: &dyn DiskFile,
        signed: &BTreeMap<u64, String>,
    ) -> Result<Scan, OpenError> {
        let mut contradiction = None;
        let scanned = file.read_from(0).map_err(ScanError::Io).and_then(|read| {
            scan(read, |line| {
                if signed.get(&line.seq).is_some_and(|hash| hash != line.hash) {
                    contradiction.get_or_insert(line.seq);
                }
                Ok(())
            })
        });
        let found = scanned.map_err(|error| match error {
            ScanError::Io(source) => OpenError::Io { path: path.to_owned(), source },
            ScanError::Broken(fault) => OpenError::Broken { path: path.to_owned(), fault },
        })?;
        let contradicted = |what| Err(OpenError::Contradicted { path: path.to_owned(), what });
        if let Some(line) = contradiction {
            return contradicted(format!("line {line} is not the one that a checkpoint was signed for"));
        }
        match signed.last_key_value() {
            Some((seq, _)) if *seq > found.events() => contradicted(format!(
                "it ends after {} events, and a checkpoint was signed for {seq}",
                found.events()
            )),
            _ => Ok(found),
        }
    }

    fn set_aside(&self, path: &Path, torn: &[u8]) -> io::Result<()> {
        let mut name = path.as_os_str().to_owned();
        name.push(".torn");
        let aside = self.disk.open(Path::new(&name))?;
        aside.append(torn)?;
        aside.sync()
    }

    /// A call that started and never finished: what it did, nobody knows, so nothing runs it again by itself.
    fn interrupted(&self, call: &OpenCall) -> Fresh {
        let scope = Scope {
            session_id: call.session_id.clone(),
            run_id: call.run_id.clone(),
            call_id: Some(call.tool_call_id.clone()),
        };
        let error = ToolError {
            code: "interrupted".to_owned(),
            message: "the manager ended while the call ran; what it did is unknown".to_owned(),
            retryable: false,
            safe_to_show_user: true,
        };
        let finished: Fact = ToolCallFinished {
            status: FinishStatus::Interrupted,
            effects_observed: EffectsObserved::default(),
            output_bytes: 0,
            output_digest: None,
            latency_ms: 0,
            error: Some(error),
            changes_digest: None,
        }
        .into();
        fresh(self.clock.as_ref(), &scope, Some(&call.started), finished)
    }
}

/// The file that is written, and the one before it.
struct Files {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    before: Option<Before>,
    earlier: u64,
    number: u32,
}

/// The file before the one that is written.
struct Before {
    path: PathBuf,
    file: Arc<dyn DiskFile>,
    last: Option<Event>,
}

impl Before {
    /// What the next file has to say of this one, where a crash came between the two.
    fn link(self) -> Result<(PreviousFile, BTreeMap<String, OpenCall>), OpenError> {
        let scanned = self.file.read_from(0).map_err(ScanError::Io).and_then(|read| scan(read, |_| Ok(())));
        let found = scanned.map_err(|error| match error {
            ScanError::Io(source) => OpenError::Io { path: self.path.clone(), source },
            ScanError::Broken(fault) => OpenError::Broken { path: self.path.clone(), fault },
        })?;
        let link = PreviousFile {
            file: links::name(&self.path),
            seq: found.events(),
            hash: found.chain.last_hash().clone(),
            open_calls: found.open_calls.values().cloned().collect(),
        };
        Ok((link, found.open_calls))
    }

    fn must_be(self, path: &Path, opened: Option<&LogOpened>) -> Result<(), OpenError> {
        let stated = opened.and_then(|opened| opened.continues.as_ref());
        let fits = stated
            .zip(self.last.as_ref())
            .is_some_and(|(stated, last)| stated.is(&PreviousFile::ended_by(links::name(&self.path), last)));
        let what = || format!("it does not continue `{}` where that ends", links::name(&self.path));
        if fits { Ok(()) } else { Err(OpenError::Contradicted { path: path.to_owned(), what: what() }) }
    }
}
