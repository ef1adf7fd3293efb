//! Journals: in memory, and as a file with one writer.

use crate::{
    event::{
        Chain, Fact, Fresh, Scope,
        fact::{LogClosed, LogOpened, LogRecovered},
    },
    model::{EventId, RunId, SessionId},
    port::{Clock, EventSink, JournalError},
};
use std::{
    fs::{File, OpenOptions, TryLockError},
    io::{Read as _, Seek as _, SeekFrom, Write as _},
    path::{Path, PathBuf},
};

/// Facts kept in memory, in order, until somebody gives them their place in a file.
///
/// Fit for decisions from which nothing is executed, such as those of an evaluation.
pub struct MemoryLog<'a> {
    clock: &'a dyn Clock,
    events: Vec<Fresh>,
}

impl std::fmt::Debug for MemoryLog<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("MemoryLog").field("events", &self.events).finish_non_exhaustive()
    }
}

impl<'a> MemoryLog<'a> {
    /// An empty log.
    pub fn new(clock: &'a dyn Clock) -> Self {
        Self { clock, events: Vec::new() }
    }

    /// The events so far.
    pub fn events(&self) -> &[Fresh] {
        &self.events
    }

    /// Hands the events over.
    pub fn into_events(self) -> Vec<Fresh> {
        self.events
    }
}

impl EventSink for MemoryLog<'_> {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        let event = fresh(self.clock, scope, parent, fact);
        let id = event.event_id.clone();
        self.events.push(event);
        Ok(id)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        Err(JournalError("a log in memory survives nothing, so nothing may run on its word".to_owned()))
    }
}

/// A journal file as a sink: each fact is written when it is appended, and on the disk after a commit.
pub struct JournalSink<'a> {
    file: JournalFile,
    clock: &'a dyn Clock,
}

impl std::fmt::Debug for JournalSink<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("JournalSink").field("file", &self.file).finish_non_exhaustive()
    }
}

impl<'a> JournalSink<'a> {
    /// Appends to this file from now on.
    pub fn new(file: JournalFile, clock: &'a dyn Clock) -> Self {
        Self { file, clock }
    }

    /// Hands the file back.
    pub fn into_file(self) -> JournalFile {
        self.file
    }
}

impl EventSink for JournalSink<'_> {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        let event = fresh(self.clock, scope, parent, fact);
        self.file.append(std::slice::from_ref(&event))?;
        Ok(event.event_id)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        self.file.sync()
    }
}

fn fresh(clock: &dyn Clock, scope: &Scope, parent: Option<&EventId>, fact: Fact) -> Fresh {
    Fresh {
        event_id: EventId::from_uuid(clock.uuid()),
        ts: clock.now(),
        scope: scope.clone(),
        parent: parent.cloned(),
        fact,
    }
}

/// A journal file that this process alone appends to.
///
/// Opening it takes a lock, sets an incomplete last line aside in `<file>.torn`, checks the chain and
/// continues it.
#[derive(Debug)]
pub struct JournalFile {
    path: PathBuf,
    file: File,
    chain: Chain,
    buffer: Vec<u8>,
    /// A failed write could not be undone: the file may end in a part of a line.
    torn: bool,
}

/// A journal file that cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// The file system refuses.
    #[error("cannot open the journal `{path}`: {source}")]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
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
}

impl JournalFile {
    /// Opens a journal for appending, and creates it with a `LogOpened` if it is not there.
    ///
    /// # Errors
    /// [`OpenError`] if it cannot be opened, is locked, or its chain is broken.
    pub fn open(path: &Path, run: &RunId, writer: &str, clock: &dyn Clock) -> Result<Self, OpenError> {
        let io = |source| OpenError::Io { path: path.to_owned(), source };
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(io)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(OpenError::Locked(path.to_owned())),
            Err(TryLockError::Error(source)) => return Err(io(source)),
        }
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(io)?;
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        let mut chain = Chain::default();
        for line in bytes[..whole].split(|b| *b == b'\n').filter(|l| !l.is_empty()) {
            chain.follow(line).map_err(|fault| OpenError::Broken { path: path.to_owned(), fault })?;
        }
        let torn = &bytes[whole..];
        if !torn.is_empty() {
            set_aside(path, torn).map_err(io)?;
            file.set_len(whole as u64).map_err(io)?;
            file.seek(SeekFrom::End(0)).map_err(io)?;
        }
        let mut journal = Self { path: path.to_owned(), file, chain, buffer: Vec::new(), torn: false };
        let mut first: Vec<Fact> = Vec::new();
        if journal.chain.next_seq() == 1 {
            first.push(LogOpened { format: 1, writer: writer.to_owned(), continues: None }.into());
        }
        if !torn.is_empty() {
            first.push(LogRecovered { torn_bytes: torn.len() as u64, interrupted_calls: 0 }.into());
        }
        let scope = log_scope(run);
        let events: Vec<Fresh> = first.into_iter().map(|fact| fresh(clock, &scope, None, fact)).collect();
        journal.append(&events).map_err(|e| io(std::io::Error::other(e.0)))?;
        Ok(journal)
    }

    /// Whether it holds nothing yet but its `LogOpened`.
    pub fn is_new(&self) -> bool {
        self.chain.next_seq() <= 2
    }

    /// Appends events in order, with one write. Returns the numbers of the first and the last; of an empty
    /// list, the number that comes next, twice.
    ///
    /// # Errors
    /// [`JournalError`] if they could not all be written; the file then ends where it did before.
    pub fn append(&mut self, events: &[Fresh]) -> Result<(u64, u64), JournalError> {
        if self.torn {
            return Err(JournalError(format!("`{}` ends in a part of a line", self.path.display())));
        }
        let before = self.chain.clone();
        self.buffer.clear();
        for event in events {
            self.chain.seal(event, &mut self.buffer).map_err(|e| JournalError(e.to_string()))?;
        }
        if let Err(error) = self.write() {
            self.chain = before;
            return Err(JournalError(format!("`{}`: {error}", self.path.display())));
        }
        let first = before.next_seq();
        Ok((first, (first + events.len() as u64).saturating_sub(1).max(first)))
    }

    fn write(&mut self) -> std::io::Result<()> {
        let end = self.file.seek(SeekFrom::End(0))?;
        let written = self.file.write_all(&self.buffer);
        if written.is_err() {
            // A part of a line would break the chain for every later reader.
            self.torn = self.file.set_len(end).is_err();
        }
        written
    }

    /// Puts everything on the disk.
    ///
    /// # Errors
    /// [`JournalError`] if the system cannot promise it.
    pub fn sync(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|e| JournalError(format!("`{}`: {e}", self.path.display())))
    }

    /// Ends the journal in good order.
    ///
    /// # Errors
    /// [`JournalError`] if it could not be written.
    pub fn close(mut self, run: &RunId, clock: &dyn Clock) -> Result<(), JournalError> {
        let events = self.chain.next_seq() - 1;
        self.append(&[fresh(clock, &log_scope(run), None, LogClosed { events, continued_in: None }.into())])?;
        self.sync()
    }
}

/// Events about the log itself belong to no conversation.
fn log_scope(run: &RunId) -> Scope {
    Scope { session_id: SessionId::new("log"), run_id: run.clone(), call_id: None }
}

fn set_aside(path: &Path, torn: &[u8]) -> std::io::Result<()> {
    let mut name = path.as_os_str().to_owned();
    name.push(".torn");
    OpenOptions::new().create(true).append(true).open(PathBuf::from(name))?.write_all(torn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::adapters::clock::SystemClock;
    use crate::event::{decode, fact::UserPromptSubmitted, verify};

    fn event(n: u32) -> Fresh {
        let scope = Scope { session_id: "s".into(), run_id: "r".into(), call_id: None };
        fresh(&SystemClock, &scope, None, UserPromptSubmitted { prompt: n.to_string() }.into())
    }

    fn open(path: &Path) -> Result<JournalFile, OpenError> {
        JournalFile::open(path, &"r".into(), "test", &SystemClock)
    }

    #[test]
    fn a_journal_continues_after_a_crash_in_the_middle_of_a_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut journal = open(&path).unwrap();
        assert_eq!(journal.append(&[event(1), event(2)]).unwrap(), (2, 3));
        drop(journal);
        OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"hash\":\"torn").unwrap();

        let mut journal = open(&path).unwrap();
        assert_eq!(journal.append(&[event(3)]).unwrap(), (5, 5));
        journal.close(&"r".into(), &SystemClock).unwrap();

        let bytes = std::fs::read(&path).unwrap();
        assert_eq!(verify(&bytes), Ok(6));
        assert_eq!(std::fs::read(folder.path().join("events.jsonl.torn")).unwrap(), b"{\"hash\":\"torn");
        let kinds: Vec<String> = bytes
            .split(|b| *b == b'\n')
            .filter(|l| !l.is_empty())
            .map(|l| decode(l).unwrap().fresh.fact.kind().to_owned())
            .collect();
        let prompt = "UserPromptSubmitted";
        assert_eq!(kinds, ["LogOpened", prompt, prompt, "LogRecovered", prompt, "LogClosed"]);
    }

    #[test]
    fn one_writer_and_no_writing_into_a_changed_journal() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("events.jsonl");
        let mut journal = open(&path).unwrap();
        journal.append(&[event(1)]).unwrap();
        assert!(matches!(open(&path), Err(OpenError::Locked(_))));
        drop(journal);
        let text = std::fs::read_to_string(&path).unwrap().replace("\"prompt\":\"1\"", "\"prompt\":\"2\"");
        std::fs::write(&path, text).unwrap();
        let error = open(&path).unwrap_err().to_string();
        assert!(error.contains("line 2"), "{error}");
    }

    #[test]
    fn a_full_disk_stops_the_caller_and_leaves_the_journal_whole() {
        // /dev/full refuses every write, as a full disk does.
        let file = OpenOptions::new().append(true).open("/dev/full").unwrap();
        let chain = Chain::default();
        let mut journal =
            JournalFile { path: "/dev/full".into(), file, chain, buffer: Vec::new(), torn: false };
        let error = journal.append(&[event(1)]).unwrap_err();
        assert!(error.0.contains("No space left"), "{error}");
        assert_eq!(journal.chain, Chain::default());
        // A device cannot be cut back, so nothing more may be written.
        assert!(journal.append(&[event(1)]).unwrap_err().0.contains("part of a line"));
    }
}
