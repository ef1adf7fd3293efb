//! The one who writes a journal, from any number of threads.

use super::{JournalOptions, OpenError, checkpoint::Stand, disk::DiskFile, fresh, links, log_scope};
use crate::{
    event::{
        Chain, Fact, Fresh, Scope,
        fact::{LogClosed, LogOpened, OpenCall, PreviousFile},
    },
    model::{EventId, RunId},
    port::{Clock, EventSink, JournalError},
};
use std::{
    collections::BTreeMap,
    io,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError},
};

/// A journal that this process alone appends to. Clones write the same journal; each is an [`EventSink`].
#[derive(Debug, Clone)]
pub struct JournalWriter(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    options: JournalOptions,
    /// The first file, by which the journal is named.
    base: PathBuf,
    /// The first file, open and locked for as long as this lives.
    _lock: Arc<dyn DiskFile>,
    state: Mutex<State>,
    syncs: Mutex<Syncs>,
    synced: Condvar,
    /// Why nothing more may be written, after an fsync that failed.
    failed: OnceLock<String>,
}

/// Where the journal stands.
#[derive(Debug)]
pub(super) struct State {
    path: PathBuf,
    pub(super) file: Arc<dyn DiskFile>,
    chain: Chain,
    /// Bytes of the file that are whole lines.
    len: u64,
    /// Bytes of the files before it.
    earlier: u64,
    /// Which file of the journal it is.
    number: u32,
    /// Events appended since the journal was opened, over all files.
    position: u64,
    open_calls: BTreeMap<String, OpenCall>,
    buffer: Vec<u8>,
    /// The file may end in a part of a line.
    torn: bool,
}

/// How far the disk has it.
#[derive(Debug, Default)]
struct Syncs {
    durable: u64,
    signed: u64,
    /// Somebody is at it.
    busy: bool,
}

/// What an fsync covers.
struct Covered {
    file: Arc<dyn DiskFile>,
    position: u64,
    stand: Stand,
}

impl JournalWriter {
    /// Opens a journal by the plainest [`JournalOptions`].
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be opened, is locked, or its chain is broken.
    pub fn open(path: &Path, run: &RunId, writer: &str, clock: Arc<dyn Clock>) -> Result<Self, OpenError> {
        JournalOptions::new(run, writer, clock).open(path)
    }

    pub(super) fn start(
        options: JournalOptions,
        base: PathBuf,
        lock: Arc<dyn DiskFile>,
        state: State,
    ) -> Self {
        // What opening wrote is on the disk already.
        let syncs = Syncs { durable: state.position, signed: 0, busy: false };
        Self(Arc::new(Shared {
            options,
            base,
            _lock: lock,
            state: Mutex::new(state),
            syncs: Mutex::new(syncs),
            synced: Condvar::new(),
            failed: OnceLock::new(),
        }))
    }

    /// Whether the journal holds nothing yet but its `LogOpened`.
    pub fn is_new(&self) -> bool {
        let state = self.0.state();
        state.number == 1 && state.chain.next_seq() <= 2
    }

    /// The file that is written now.
    pub fn path(&self) -> PathBuf {
        self.0.state().path.clone()
    }

    /// Appends events in order, with one write. Returns the numbers of the first and the last; of an empty
    /// list, the number that comes next, twice.
    ///
    /// # Errors
    /// [`JournalError`] if they could not all be written; the journal then ends where it did before.
    pub fn append_all(&self, events: &[Fresh]) -> Result<(u64, u64), JournalError> {
        let mut state = self.0.state();
        self.0.may_write()?;
        if !events.is_empty() && self.0.is_full(&state) {
            self.0.rotate(&mut state)?;
        }
        self.0.within_quota(&state, events)?;
        state.write(events)
    }

    /// Appends one fact, as [`EventSink::append`] does, from any thread.
    ///
    /// # Errors
    /// [`JournalError`] if it could not be written; the caller must stop.
    pub fn record(
        &self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        let event = fresh(self.0.options.clock.as_ref(), scope, parent, fact);
        self.append_all(std::slice::from_ref(&event))?;
        Ok(event.event_id)
    }

    /// Puts everything appended so far on the disk. Threads that ask at the same time share one fsync.
    ///
    /// # Errors
    /// [`JournalError`] if that cannot be promised. Nothing more can be written then: after a failed fsync the
    /// system may have dropped what it could not write, and only opening anew tells what is left.
    pub fn commit(&self) -> Result<(), JournalError> {
        let wanted = self.0.state().position;
        let mut syncs = self.0.syncs();
        loop {
            self.0.may_write()?;
            if syncs.durable >= wanted {
                return Ok(());
            }
            if syncs.busy {
                syncs = self.0.synced.wait(syncs).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            syncs.busy = true;
            let signed = syncs.signed;
            drop(syncs);
            let (durable, signed) = self.0.sync(signed);
            syncs = self.0.syncs();
            (syncs.durable, syncs.signed, syncs.busy) = (syncs.durable.max(durable), signed, false);
            self.0.synced.notify_all();
        }
    }

    /// Commits, and signs where the journal stands; without a key, only commits.
    ///
    /// # Errors
    /// [`JournalError`] if either cannot be written.
    pub fn checkpoint(&self) -> Result<(), JournalError> {
        let covered = self.0.state().covered();
        self.commit()?;
        self.0.attest(&covered.stand).map_err(|e| self.0.error(&e))
    }

    /// Ends the journal in good order, with a checkpoint.
    ///
    /// # Errors
    /// [`JournalError`] if it could not be written.
    pub fn close(self) -> Result<(), JournalError> {
        {
            let mut state = self.0.state();
            self.0.may_write()?;
            let closed = LogClosed { events: state.chain.next_seq() - 1, continued_in: None };
            state.write(&[self.0.of_the_log(closed.into())])?;
        }
        self.checkpoint()
    }
}

impl EventSink for JournalWriter {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        self.record(scope, parent, fact)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        Self::commit(self)
    }
}

impl Shared {
    /// A thread that panicked with the lock left whole lines behind: `write` puts nothing else there.
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn syncs(&self) -> MutexGuard<'_, Syncs> {
        self.syncs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn error(&self, error: &io::Error) -> JournalError {
        JournalError(format!("`{}`: {error}", self.base.display()))
    }

    fn may_write(&self) -> Result<(), JournalError> {
        self.failed.get().map_or(Ok(()), |why| Err(JournalError(why.clone())))
    }

    fn fail(&self, error: &io::Error) -> JournalError {
        let why = format!("{} (the disk refused a commit; open the journal anew)", self.error(error).0);
        JournalError(self.failed.get_or_init(|| why).clone())
    }

    fn of_the_log(&self, fact: Fact) -> Fresh {
        fresh(self.options.clock.as_ref(), &log_scope(&self.options.run), None, fact)
    }

    /// One fsync for all that is appended by now; returns how far the disk has it, and how far it is signed.
    fn sync(&self, signed: u64) -> (u64, u64) {
        let covered = self.state().covered();
        if let Err(error) = covered.file.sync() {
            self.fail(&error);
            return (0, signed);
        }
        let due = covered.position >= signed + self.options.checkpoint_every;
        // A checkpoint that cannot be written now is written with the next commit: the events are safe.
        let signed = if due && self.attest(&covered.stand).is_ok() { covered.position } else { signed };
        (covered.position, signed)
    }

    fn attest(&self, stand: &Stand) -> io::Result<()> {
        let Some(notary) = &self.options.notary else { return Ok(()) };
        notary.attest(self.options.disk.as_ref(), &self.base, stand, self.options.clock.now())
    }

    fn is_full(&self, state: &State) -> bool {
        self.options.rotate_at.is_some_and(|limit| state.len >= limit) && state.chain.next_seq() > 2
    }

    fn within_quota(&self, state: &State, events: &[Fresh]) -> Result<(), JournalError> {
        let Some(quota) = self.options.quota else { return Ok(()) };
        let used = state.earlier + state.len;
        if used < quota || events.iter().all(|event| concludes(&event.fact)) {
            return Ok(());
        }
        Err(JournalError(format!(
            "`{}` has used its quota: {used} of {quota} bytes; move finished runs away or raise it",
            self.base.display()
        )))
    }

    /// Goes on in a new file. Everything before it is on the disk when this returns.
    fn rotate(&self, state: &mut State) -> Result<(), JournalError> {
        let (path, file, number) = self.free_name(state).map_err(|e| self.error(&e))?;
        let (len, chain, position) = (state.len, state.chain.clone(), state.position);
        let closed = LogClosed { events: chain.next_seq() - 1, continued_in: Some(links::name(&path)) };
        state.write(&[self.of_the_log(closed.into())])?;
        state.file.sync().map_err(|e| self.fail(&e))?;
        let stand = state.covered().stand;
        let continues = PreviousFile {
            file: stand.file.clone(),
            seq: stand.seq,
            hash: stand.hash.clone(),
            open_calls: state.open_calls.values().cloned().collect(),
        };
        let opened = LogOpened { format: 1, writer: self.options.writer.clone(), continues: Some(continues) };
        let mut next = State::new(path, file, Chain::default(), 0, state.earlier + state.len, number);
        let begun = next.write(&[self.of_the_log(opened.into())]).and_then(|_| {
            let folder = self.base.parent().filter(|folder| !folder.as_os_str().is_empty());
            let named = || self.options.disk.sync_folder(folder.unwrap_or(Path::new(".")));
            next.file.sync().and_then(|()| named()).map_err(|e| self.error(&e))
        });
        if let Err(error) = begun {
            // The old file has not ended after all. What cannot be taken back now is taken back before the next line.
            next.file.cut(0).ok();
            (state.len, state.chain, state.position, state.torn) = (len, chain, position, true);
            state.mend().ok();
            return Err(error);
        }
        // A checkpoint that cannot be written is made up for by the next; the link stands in the signed file.
        self.attest(&stand).ok();
        next.position = state.position + 1;
        next.open_calls = std::mem::take(&mut state.open_calls);
        *state = next;
        Ok(())
    }

    /// The next file of the journal that holds nothing yet.
    fn free_name(&self, state: &State) -> io::Result<(PathBuf, Arc<dyn DiskFile>, u32)> {
        let mut number = state.number;
        loop {
            number += 1;
            let path = links::nth(&self.base, number);
            let file = self.options.disk.open(&path)?;
            if file.is_empty()? {
                return Ok((path, file.into(), number));
            }
        }
    }
}

impl State {
    pub(super) fn new(
        path: PathBuf,
        file: Arc<dyn DiskFile>,
        chain: Chain,
        len: u64,
        earlier: u64,
        number: u32,
    ) -> Self {
        Self {
            path,
            file,
            chain,
            len,
            earlier,
            number,
            position: 0,
            open_calls: BTreeMap::new(),
            buffer: Vec::new(),
            torn: false,
        }
    }

    /// Writes events whole or not at all.
    pub(super) fn write(&mut self, events: &[Fresh]) -> Result<(u64, u64), JournalError> {
        let path = self.path.display();
        let told = |error: io::Error| JournalError(format!("`{path}`: {error}"));
        if self.torn {
            self.file.cut(self.len).map_err(told)?;
            self.torn = false;
        }
        let before = self.chain.clone();
        self.buffer.clear();
        for event in events {
            if let Err(error) = self.chain.seal(event, &mut self.buffer) {
                self.chain = before;
                return Err(JournalError(error.to_string()));
            }
        }
        if let Err(error) = self.file.append(&self.buffer) {
            // A part of a line would break the chain for every later reader.
            self.torn = self.file.cut(self.len).is_err();
            self.chain = before;
            return Err(told(error));
        }
        self.len += self.buffer.len() as u64;
        self.position += events.len() as u64;
        events.iter().for_each(|event| self.note(event));
        let first = before.next_seq();
        Ok((first, (first + events.len() as u64).saturating_sub(1).max(first)))
    }

    /// Takes back what does not belong to the file.
    fn mend(&mut self) -> io::Result<()> {
        self.file.cut(self.len)?;
        self.torn = false;
        Ok(())
    }

    fn note(&mut self, event: &Fresh) {
        let Some(call) = &event.scope.call_id else { return };
        match &event.fact {
            Fact::ToolCallStarted(_) => {
                let open = OpenCall {
                    tool_call_id: call.clone(),
                    session_id: event.scope.session_id.clone(),
                    run_id: event.scope.run_id.clone(),
                    started: event.event_id.clone(),
                };
                self.open_calls.insert(call.to_string(), open);
            }
            Fact::ToolCallFinished(_) => drop(self.open_calls.remove(call.as_str())),
            _ => {}
        }
    }

    fn covered(&self) -> Covered {
        let hash = self.chain.last_hash().clone();
        let stand = Stand { file: links::name(&self.path), seq: self.chain.next_seq() - 1, hash };
        Covered { file: Arc::clone(&self.file), position: self.position, stand }
    }
}

/// Whether a fact ends what has begun, so that even a full quota must not keep it out.
fn concludes(fact: &Fact) -> bool {
    matches!(
        fact,
        Fact::ToolCallFinished(_)
            | Fact::ToolResultValidated(_)
            | Fact::ArtifactPersisted(_)
            | Fact::ContextProjected(_)
            | Fact::StateUpdated(_)
            | Fact::TraceUpdated(_)
            | Fact::ToolCallBlocked(_)
            | Fact::ToolCallCancelled(_)
            | Fact::ApprovalDenied(_)
            | Fact::ApprovalExpired(_)
            | Fact::ApprovalInvalidated(_)
            | Fact::GrantRevoked(_)
            | Fact::ToolBlocked(_)
            | Fact::LogClosed(_)
    )
}
