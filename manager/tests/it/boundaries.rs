//! A call whose journal fails at each of its writes in turn: nothing runs that the disk does not know of, nothing
//! runs twice, and whatever was left open is closed as interrupted by the next reader.

use super::{call, open, registry, session};
use proofhouse_manager::{
    adapters::{
        artifacts::ArtifactFolder,
        clock::SystemClock,
        journal::{JournalOptions, JournalWriter, read_verified},
    },
    event::{Event, Fact, Scope, fact::FinishStatus},
    manager::{Executors, Manager, RunOptions, Verdict},
    model::{
        ArtifactKind, EffectsObserved, Egress, EventId, FilesystemRules, NetworkRules, SandboxAudit,
        SandboxEnvironment, SandboxId, SandboxMode, SandboxPolicy, SandboxProcess, StopReason,
    },
    policy::PolicyEngine,
    port::{Adapter, EventSink, JournalError, Ran, RunRequest, Settled, Uninterrupted},
    stage::{RunMode, Ticket},
};
use serde_json::json;
use std::{
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU32, Ordering},
    },
};

/// Counts how often it runs.
#[derive(Default)]
struct Counting(AtomicU32);

impl Adapter for Counting {
    fn word(&self) -> &'static str {
        "builtin"
    }

    fn settle(&self, _: &RunRequest<'_>) -> Result<Settled, StopReason> {
        settled()
    }

    fn invoke(&self, _: Ticket<'_>) -> Ran {
        self.0.fetch_add(1, Ordering::SeqCst);
        Ran {
            status: FinishStatus::Success,
            output: b"done".to_vec(),
            kind: ArtifactKind::ToolOutput,
            structured: Some(json!({ "path": "a.md", "text": "done" })),
            effects: EffectsObserved::default(),
            error: None,
            latency_ms: 0,
        }
    }
}

/// A sandbox that demands nothing.
pub(crate) fn settled() -> Result<Settled, StopReason> {
    let policy = SandboxPolicy {
        sandbox_id: SandboxId::new(""),
        mode: SandboxMode::ReadOnly,
        filesystem: FilesystemRules {
            cwd: "/".to_owned(),
            read_roots: Vec::new(),
            write_roots: Vec::new(),
            blocked_paths: Vec::new(),
            temp_dir: String::new(),
            persist_outputs: false,
        },
        network: NetworkRules {
            egress: Egress::None,
            allow_domains: Vec::new(),
            deny_private_networks: true,
        },
        environment: SandboxEnvironment {
            inherited_env: Vec::new(),
            injected_env: Vec::new(),
            secret_env_allowed: false,
        },
        process: SandboxProcess { timeout_ms: 1, max_memory_mb: 1, max_stdout_bytes: 1, max_stderr_bytes: 0 },
        audit: SandboxAudit {
            record_command: false,
            record_file_access: false,
            record_network_access: false,
        },
    };
    Settled::new(policy, Default::default(), None, Vec::new())
}

/// A journal on a disk that refuses the write after so many.
pub(crate) struct Failing {
    pub(crate) writer: JournalWriter,
    pub(crate) left: u32,
}

impl Failing {
    fn take(&mut self) -> Result<(), JournalError> {
        self.left = self.left.checked_sub(1).ok_or_else(|| JournalError("the disk is gone".to_owned()))?;
        Ok(())
    }
}

impl EventSink for Failing {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        self.take()?;
        self.writer.append(scope, parent, fact)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        self.take()?;
        EventSink::commit(&mut self.writer)
    }
}

pub(crate) fn writer(path: &Path) -> JournalWriter {
    JournalOptions::new(&"run_1".into(), "test", Arc::new(SystemClock)).open(path).unwrap()
}

pub(crate) fn kinds(path: &Path) -> Vec<String> {
    let events: Vec<Event> = read_verified(path).unwrap().map(Result::unwrap).collect();
    events.iter().map(|e| e.fresh.fact.kind().to_owned()).collect()
}

#[test]
fn at_every_write_of_a_call_the_disk_may_fail() {
    let mut completed = false;
    for room in 0..40 {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("run.jsonl");
        let adapter = Arc::new(Counting::default());
        let executors = Executors::new(
            vec![Arc::clone(&adapter) as Arc<dyn Adapter>],
            Arc::new(ArtifactFolder::new(folder.path())),
        );
        let policy = PolicyEngine::standard().unwrap();
        let manager = Manager::new(registry(), policy, Arc::new(SystemClock)).with_executors(executors);
        let session = session(&["workspace:read"]);
        let mut log = Failing { writer: writer(&path), left: u32::MAX };
        let turn = open(&manager, &session, &mut log);
        log.left = room;
        let proposed = call("file.read", json!({ "path": "a.md" }));
        let decided = manager.decide(&session, &turn, proposed, &mut log);
        let ended = decided.and_then(|(_, verdict)| match verdict {
            Verdict::Allowed(authorized) => {
                let options = RunOptions { mode: RunMode::Real, interrupt: &Uninterrupted, attempt: 0 };
                manager.run(authorized, &options, &mut log)
            }
            other => panic!("{other:?}"),
        });
        drop(log);

        let before = kinds(&path);
        let started = before.iter().any(|k| k == "ToolCallStarted");
        let ran = adapter.0.load(Ordering::SeqCst);
        assert!(ran <= u32::from(started), "{room}: it ran {ran} times, and the journal says {before:?}");
        // Whoever opens the journal next closes what is open, and runs nothing.
        writer(&path).close().unwrap();
        let after = kinds(&path);
        let finished = after.iter().filter(|k| *k == "ToolCallFinished").count();
        assert_eq!(finished, usize::from(started), "{room}: {after:?}");
        assert_eq!(adapter.0.load(Ordering::SeqCst), ran, "{room}: it ran again");
        if ended.is_ok() {
            completed = true;
            assert_eq!((ran, finished), (1, 1));
            // Request, validation, policy, sandbox, start and commit, end and commit, verification, artifact,
            // projection, trace: the last of them is the last write that can fail.
            assert_eq!(room, 12);
            break;
        }
    }
    assert!(completed, "no call came to its end");
}
