//! Grants as the registry's journal tells of them, followed while other processes write it.
//!
//! What is known is never trusted to be all: before each question the file's end is looked at, and what came
//! since is read, checked against the chain and taken in. A journal that is gone, cut, replaced or changed
//! means that nobody knows what was revoked, and so nothing is granted and what runs is stopped.

use super::{
    home::Home,
    journal::{JournalOptions, OpenError},
};
use crate::{
    authority::{Bindings, CallFacts, Grants},
    event::{
        Chain, Fact, LineMemory, Scope, decode,
        fact::{
            CredentialBound, CredentialUnbound, GrantIssued, GrantRevoked, LogClosed, LogOpened,
            PreviousFile, ToolBlocked,
        },
    },
    model::{
        CredentialBinding, CredentialBindingId, GrantId, PermissionGrant, PrincipalId, RunId, SessionId,
        StopCode, StopReason, ToolId, ToolVersion,
    },
    port::{Clock, GrantStore, GrantStoreError, Interrupt, JournalError},
};
use chrono::{DateTime, Utc};
use std::{
    fs::{File, Metadata},
    io::{self, ErrorKind, Read as _, Seek as _, SeekFrom},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

/// The grants of a registry's journal, as of now.
pub struct GrantBook {
    home: Home,
    clock: Arc<dyn Clock>,
    known: Mutex<Known>,
}

impl std::fmt::Debug for GrantBook {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("GrantBook").field("home", &self.home).finish_non_exhaustive()
    }
}

/// A grant or a revocation that could not be recorded.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The registry's journal cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// It cannot be written.
    #[error(transparent)]
    Journal(#[from] JournalError),
}

/// All that was read so far.
#[derive(Debug, Default)]
struct Known {
    grants: Grants,
    bindings: Bindings,
    blocks: Vec<ToolBlocked>,
    chain: Chain,
    memory: LineMemory,
    /// The journal's last file, as far as is known, and how much of it was read.
    path: PathBuf,
    read: u64,
    /// Device and number of that file.
    file: Option<(u64, u64)>,
    /// Where the file before it ended; taken by its first line.
    before: Option<PreviousFile>,
    /// The file that its last line names.
    next: Option<String>,
}

impl GrantBook {
    /// Follows the registry's journal of a home.
    ///
    /// # Errors
    /// [`GrantStoreError`] if it is there and cannot be read.
    pub fn open(home: &Home, clock: Arc<dyn Clock>) -> Result<Self, GrantStoreError> {
        let known = Mutex::new(Known { path: home.registry(), ..Known::default() });
        let book = Self { home: home.clone(), clock, known };
        drop(book.fresh()?);
        Ok(book)
    }

    /// The grants as of now.
    ///
    /// # Errors
    /// [`GrantStoreError`] if that cannot be known.
    pub fn grants(&self) -> Result<Grants, GrantStoreError> {
        Ok(self.fresh()?.grants.clone())
    }

    /// Gives a grant: for every process, from here on.
    ///
    /// # Errors
    /// [`RecordError`] if it could not be put on the disk; nothing is granted then.
    pub fn issue(&self, grant: PermissionGrant) -> Result<(), RecordError> {
        self.record(GrantIssued { grant: Box::new(grant) }.into())
    }

    /// Takes a grant back: for every process, from here on, whatever waits or runs on it.
    ///
    /// # Errors
    /// [`RecordError`] if it could not be put on the disk.
    pub fn revoke(&self, grant_id: GrantId, by: PrincipalId, reason: String) -> Result<(), RecordError> {
        self.record(GrantRevoked { grant_id, by, reason }.into())
    }

    /// The credentials that are bound, as of now.
    ///
    /// # Errors
    /// [`GrantStoreError`] if that cannot be known.
    pub fn bindings(&self) -> Result<Bindings, GrantStoreError> {
        Ok(self.fresh()?.bindings.clone())
    }

    /// Binds a credential: for every process, from here on.
    ///
    /// # Errors
    /// [`RecordError`] if it could not be put on the disk; nothing is bound then.
    pub fn bind(&self, binding: CredentialBinding) -> Result<(), RecordError> {
        self.record(CredentialBound { binding }.into())
    }

    /// Takes a credential back: for every process, from here on, whatever runs with it.
    ///
    /// # Errors
    /// [`RecordError`] if it could not be put on the disk.
    pub fn unbind(
        &self,
        credential_binding_id: CredentialBindingId,
        by: PrincipalId,
        reason: String,
    ) -> Result<(), RecordError> {
        self.record(CredentialUnbound { credential_binding_id, by, reason }.into())
    }

    fn record(&self, fact: Fact) -> Result<(), RecordError> {
        let run = RunId::new("registry");
        let writer = concat!("proofhouse ", env!("CARGO_PKG_VERSION"));
        let options = JournalOptions::of_home(&self.home, &run, writer, Arc::clone(&self.clock))?;
        let journal = options.open(&self.home.registry())?;
        let scope = Scope { session_id: SessionId::new("registry"), run_id: run, call_id: None };
        journal.record(&scope, None, fact)?;
        Ok(journal.commit()?)
    }

    /// What calls a call off from here on: its grant is ended, or its tool blocked.
    ///
    /// # Errors
    /// [`GrantStoreError`] if that cannot be known even now.
    pub fn watch(
        self: &Arc<Self>,
        tool: (&ToolId, &ToolVersion),
        grant: Option<&PermissionGrant>,
    ) -> Result<Watch, GrantStoreError> {
        let seen = self.fresh()?.blocks.len();
        let (tool_id, version) = (tool.0.clone(), tool.1.clone());
        Ok(Watch { book: Arc::clone(self), tool_id, version, grant: grant.cloned(), seen })
    }

    /// What is known, after a look at what came since.
    fn fresh(&self) -> Result<MutexGuard<'_, Known>, GrantStoreError> {
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(what) = known.catch_up() {
            return Err(GrantStoreError(format!("`{}` {what}", known.path.display())));
        }
        Ok(known)
    }
}

impl Known {
    /// Reads what came since, through as many files as the journal has by now.
    fn catch_up(&mut self) -> Result<(), String> {
        loop {
            self.read_on()?;
            let Some(next) = self.next.take() else { return Ok(()) };
            // INVARIANT: a link leads to a file in the same folder and nowhere else.
            if Path::new(&next).file_name().is_none_or(|name| *name != *next) {
                return Err(format!("goes on in `{next}`, which is no name of a file beside it"));
            }
            let ended = self.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            let (seq, hash) = (self.chain.next_seq() - 1, self.chain.last_hash().clone());
            self.before = Some(PreviousFile { file: ended, seq, hash, open_calls: Vec::new() });
            self.path.set_file_name(next);
            (self.chain, self.read, self.file) = (Chain::default(), 0, None);
        }
    }

    fn read_on(&mut self) -> Result<(), String> {
        let unreadable = |e: io::Error| format!("cannot be read: {e}");
        let metadata = match std::fs::metadata(&self.path) {
            Ok(metadata) => metadata,
            // A home in which nothing was ever registered has no grants.
            Err(e) if e.kind() == ErrorKind::NotFound && self.file.is_none() && self.before.is_none() => {
                return Ok(());
            }
            Err(e) => return Err(unreadable(e)),
        };
        self.is_same(&metadata)?;
        if metadata.len() == self.read {
            return Ok(());
        }
        let mut file = File::open(&self.path).map_err(unreadable)?;
        self.is_same(&file.metadata().map_err(unreadable)?)?;
        file.seek(SeekFrom::Start(self.read)).map_err(unreadable)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).map_err(unreadable)?;
        // A line that is still being written is read when it is whole.
        let whole = bytes.iter().rposition(|b| *b == b'\n').map_or(0, |at| at + 1);
        for line in bytes[..whole].split(|b| *b == b'\n').filter(|line| !line.is_empty()) {
            self.take(line)?;
        }
        self.read += whole as u64;
        Ok(())
    }

    fn is_same(&mut self, metadata: &Metadata) -> Result<(), String> {
        let found = (metadata.dev(), metadata.ino());
        if *self.file.get_or_insert(found) != found || metadata.len() < self.read {
            return Err("was replaced or cut while it was followed".to_owned());
        }
        Ok(())
    }

    fn take(&mut self, line: &[u8]) -> Result<(), String> {
        if self.next.is_some() {
            return Err("has lines behind its end".to_owned());
        }
        self.chain.follow(line, &mut self.memory).map_err(|fault| format!("was changed, {fault}"))?;
        let event = decode(line).map_err(|e| format!("cannot be understood: {e}"))?;
        if let Some(before) = self.before.take() {
            let continues = match &event.fresh.fact {
                Fact::LogOpened(LogOpened { continues, .. }) => continues.as_ref(),
                _ => None,
            };
            let linked =
                |c: &PreviousFile| (&c.file, c.seq, &c.hash) == (&before.file, before.seq, &before.hash);
            if !continues.is_some_and(linked) {
                return Err(format!("does not continue `{}`", before.file));
            }
        }
        self.grants.apply(&event.fresh.fact);
        self.bindings.apply(&event.fresh.fact);
        match event.fresh.fact {
            Fact::ToolBlocked(blocked) => self.blocks.push(blocked),
            Fact::LogClosed(LogClosed { continued_in, .. }) => self.next = continued_in,
            _ => {}
        }
        Ok(())
    }
}

impl GrantStore for GrantBook {
    fn covering(
        &self,
        call: &CallFacts<'_>,
        now: DateTime<Utc>,
    ) -> Result<Option<PermissionGrant>, GrantStoreError> {
        Ok(self.fresh()?.grants.covering(call, now).cloned())
    }

    fn keep(&self, grant: &PermissionGrant) -> Result<(), GrantStoreError> {
        self.issue(grant.clone()).map_err(|error| GrantStoreError(error.to_string()))
    }
}

/// What may call one call off while it waits, is queued or runs.
#[derive(Debug, Clone)]
pub struct Watch {
    book: Arc<GrantBook>,
    tool_id: ToolId,
    version: ToolVersion,
    grant: Option<PermissionGrant>,
    seen: usize,
}

impl Interrupt for Watch {
    fn reason(&self) -> Option<StopReason> {
        let revoked = |why: String| Some(StopReason::new(StopCode::Revoked, why));
        let known = match self.book.fresh() {
            Ok(known) => known,
            Err(error) => return revoked(error.to_string()),
        };
        let hit = |blocked: &&ToolBlocked| is_hit_by(&self.tool_id, &self.version, blocked);
        if let Some(blocked) = known.blocks[self.seen..].iter().find(hit) {
            return revoked(format!("`{}` was blocked by {}: {}", self.tool_id, blocked.by, blocked.reason));
        }
        let grant = self.grant.as_ref()?;
        known
            .grants
            .interruption(grant, self.book.clock.now())
            .and_then(|misfit| revoked(format!("the grant `{}` is gone: {misfit}", grant.grant_id)))
    }
}

impl Watch {
    /// The grant that it looks after.
    pub fn grant_id(&self) -> Option<&GrantId> {
        self.grant.as_ref().map(|grant| &grant.grant_id)
    }
}

fn is_hit_by(tool: &ToolId, version: &ToolVersion, blocked: &ToolBlocked) -> bool {
    blocked.tool_id == *tool && blocked.tool_version.as_ref().is_none_or(|v| v == version)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        adapters::{clock::SystemClock, journal::JournalOptions},
        model::{Digest, Domain, GrantArguments, GrantBinding},
    };
    use chrono::TimeDelta;
    use std::time::{Duration, Instant};

    fn grant(id: &str) -> PermissionGrant {
        PermissionGrant {
            grant_id: id.into(),
            principal: "user:dev".into(),
            tool_id: "mail.send".into(),
            tool_version: "1.0.0".into(),
            descriptor_digest: Digest::of_bytes(Domain::Plain, b"contract"),
            scopes: Vec::new(),
            arguments: GrantArguments::Any,
            binding: GrantBinding::Standing,
            tenant: None,
            terms: None,
            derived_from: None,
            approval_id: None,
            granted_by: "user:dev".into(),
            granted_at: SystemClock.now(),
            expires_at: SystemClock.now() + TimeDelta::hours(1),
        }
    }

    fn home() -> (tempfile::TempDir, Home) {
        let folder = tempfile::tempdir().unwrap();
        let home = Home::open(folder.path().join("agent")).unwrap();
        (folder, home)
    }

    fn book(home: &Home) -> Arc<GrantBook> {
        Arc::new(GrantBook::open(home, Arc::new(SystemClock)).unwrap())
    }

    fn tool() -> (ToolId, ToolVersion) {
        ("mail.send".into(), "1.0.0".into())
    }

    #[test]
    fn one_process_takes_back_what_another_one_runs_on() {
        let (_folder, home) = home();
        let (here, there) = (book(&home), book(&home));
        assert_eq!(here.grants().unwrap().all().len(), 0);
        there.issue(grant("gr_1")).unwrap();
        let (id, version) = tool();
        let standing = here.watch((&id, &version), Some(&grant("gr_1"))).unwrap();
        // That of one approved call: no registry tells of it, but its revocation.
        let once = PermissionGrant {
            binding: GrantBinding::Call {
                tool_call_id: "tc_1".into(),
                contract_digest: Digest::of_bytes(Domain::Plain, b"c"),
            },
            ..grant("gr_2")
        };
        let once = here.watch((&id, &version), Some(&once)).unwrap();
        // Passed on to a subagent, which lives in the same run.
        let passed_on = PermissionGrant { derived_from: Some("gr_1".into()), ..grant("gr_3") };
        let passed_on = here.watch((&id, &version), Some(&passed_on)).unwrap();
        let by_policy = here.watch((&id, &version), None).unwrap();
        let reasons =
            || [&standing, &once, &passed_on, &by_policy].map(|w| w.reason().map(|r| (r.code, r.message)));
        assert_eq!(reasons(), [None, None, None, None]);

        // PO-13, PO-16: revoked, it reaches the call, and what was passed on.
        there.revoke("gr_1".into(), "user:ops".into(), "leaked".into()).unwrap();
        let [standing_now, once_now, passed_on_now, by_policy_now] = reasons();
        let (code, why) = standing_now.unwrap();
        assert_eq!(code, StopCode::Revoked);
        assert!(why.contains("revoked by user:ops: leaked"), "{why}");
        assert!(passed_on_now.unwrap().1.contains("passed on from is gone"));
        assert_eq!((once_now, by_policy_now), (None, None));
        there.revoke("gr_2".into(), "user:ops".into(), "leaked".into()).unwrap();
        assert!(once.reason().unwrap().message.contains("leaked"));
        // A grant that was given afterwards stands.
        there.issue(grant("gr_4")).unwrap();
        assert_eq!(here.watch((&id, &version), Some(&grant("gr_4"))).unwrap().reason(), None);
    }

    #[test]
    fn what_cannot_be_known_is_no() {
        // PO-19: gone, cut, changed, replaced.
        type Fault = fn(&Path);
        let rows: [(&str, Fault); 4] = [
            ("cannot be read", |path| std::fs::remove_file(path).unwrap()),
            ("was replaced or cut", |path| std::fs::write(path, "").unwrap()),
            ("was changed", |path| {
                use std::io::Write as _;
                let mut file = std::fs::OpenOptions::new().append(true).open(path).unwrap();
                file.write_all(b"{\"type\":\"GrantIssued\"}\n").unwrap();
            }),
            ("was replaced or cut", |path| {
                let copy = path.with_extension("copy");
                std::fs::copy(path, &copy).unwrap();
                std::fs::rename(copy, path).unwrap();
            }),
        ];
        for (part, fault) in rows {
            let (_folder, home) = home();
            let path = home.registry();
            let book = book(&home);
            book.issue(grant("gr_1")).unwrap();
            let (id, version) = tool();
            let watch = book.watch((&id, &version), Some(&grant("gr_1"))).unwrap();
            assert_eq!(watch.reason(), None);
            fault(&path);
            let reason = watch.reason().expect(part);
            assert_eq!(reason.code, StopCode::Revoked);
            assert!(reason.message.contains(part), "{reason}");
            assert!(book.grants().is_err() && book.watch((&id, &version), None).is_err(), "{part}");
        }
    }

    #[test]
    fn a_journal_is_followed_into_its_next_files() {
        let (_folder, home) = home();
        let here = book(&home);
        let run = RunId::new("registry");
        let options = JournalOptions::new(&run, "test", Arc::new(SystemClock)).rotate_at(1);
        let journal = options.open(&home.registry()).unwrap();
        let scope = Scope { session_id: "registry".into(), run_id: run, call_id: None };
        let (id, version) = tool();
        let mut watches = Vec::new();
        for n in 0..4 {
            let grant = grant(&format!("gr_{n}"));
            journal.record(&scope, None, GrantIssued { grant: Box::new(grant.clone()) }.into()).unwrap();
            watches.push(here.watch((&id, &version), Some(&grant)).unwrap());
        }
        assert!(home.registry().with_file_name("registry.3.jsonl").is_file());
        assert!(watches.iter().all(|watch| watch.reason().is_none()));
        let revoked = GrantRevoked { grant_id: "gr_0".into(), by: "user:ops".into(), reason: "over".into() };
        journal.record(&scope, None, revoked.into()).unwrap();
        let hit: Vec<bool> = watches.iter().map(|watch| watch.reason().is_some()).collect();
        assert_eq!(hit, [true, false, false, false]);
        assert_eq!(book(&home).grants().unwrap().all().len(), 4);
        // A file in the middle that is gone takes with it what nobody else tells of.
        std::fs::remove_file(home.registry().with_file_name("registry.2.jsonl")).unwrap();
        assert!(GrantBook::open(&home, Arc::new(SystemClock)).is_err());
    }

    /// Prints how long a revocation takes from the disk to a look; run it with `--nocapture`.
    #[test]
    #[expect(clippy::print_stderr, reason = "the figures are what people run it for")]
    fn a_revocation_is_seen_at_the_next_look() {
        let (_folder, home) = home();
        let (here, there) = (book(&home), book(&home));
        let mut slowest = Duration::ZERO;
        for n in 0..50 {
            let grant = grant(&format!("gr_{n}"));
            there.issue(grant.clone()).unwrap();
            let (id, version) = tool();
            let watch = here.watch((&id, &version), Some(&grant)).unwrap();
            there.revoke(grant.grant_id, "user:ops".into(), "over".into()).unwrap();
            let looked = Instant::now();
            assert!(watch.reason().is_some(), "{n}");
            slowest = slowest.max(looked.elapsed());
        }
        let (id, version) = tool();
        let quiet = here.watch((&id, &version), None).unwrap();
        let looked = Instant::now();
        (0..1000).for_each(|_| assert_eq!(quiet.reason(), None));
        let idle = looked.elapsed() / 1000;
        eprintln!(
            "a revocation is seen within {slowest:?} of the next look; a look at no news takes {idle:?}"
        );
    }
}
