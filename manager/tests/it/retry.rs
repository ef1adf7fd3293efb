//! Calls that are tried again: only what may be, only so often, and each attempt in the journal.

use super::{
    boundaries::{settled, writer},
    call, open, registry, session,
};
use proofhouse_manager::{
    adapters::{artifacts::ArtifactFolder, clock::SystemClock, journal::read_verified},
    event::{Fact, fact::FinishStatus},
    manager::{Ended, Executors, Manager, RunOptions, Verdict},
    model::{EffectsObserved, ResultStatus, StopCode, StopReason, ToolError},
    policy::PolicyEngine,
    port::{Adapter, Interrupt, Ran, RunRequest, Settled, Wait},
    registry::Registry,
    stage::{RunMode, Ticket},
    usage::{Limit, Limits, Most, Used},
};
use serde_json::json;
use std::{
    sync::{
        Arc, LazyLock, Mutex,
        atomic::{AtomicU32, Ordering},
    },
    time::Duration,
};

static SHIPPED: LazyLock<Registry> = LazyLock::new(registry);

/// Fails so many times with a code, and does it then.
struct Flaky {
    failures: u32,
    code: &'static str,
    status: FinishStatus,
    ran: AtomicU32,
}

impl Adapter for Flaky {
    fn word(&self) -> &'static str {
        "builtin"
    }

    fn settle(&self, _: &RunRequest<'_>) -> Result<Settled, StopReason> {
        settled()
    }

    fn invoke(&self, _: Ticket<'_>) -> Ran {
        let error = ToolError {
            code: self.code.to_owned(),
            message: "not now".to_owned(),
            retryable: true,
            safe_to_show_user: true,
        };
        let failed = Ran { status: self.status, ..Ran::failed(error) };
        if self.ran.fetch_add(1, Ordering::SeqCst) < self.failures {
            return failed;
        }
        Ran {
            status: FinishStatus::Success,
            output: b"done".to_vec(),
            structured: Some(json!({ "path": "a.md", "text": "done" })),
            effects: EffectsObserved::default(),
            error: None,
            ..failed
        }
    }
}

/// Notes the pauses and takes none.
#[derive(Default)]
struct Pauses(Mutex<Vec<Duration>>);

impl Wait for Pauses {
    fn pause(&self, time: Duration) {
        self.0.lock().unwrap().push(time);
    }
}

/// Calls a call off when it is looked at so many times.
struct CalledOff(AtomicU32);

impl Interrupt for CalledOff {
    fn reason(&self) -> Option<StopReason> {
        let left = self.0.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |n| n.checked_sub(1));
        left.is_err().then(|| StopReason::new(StopCode::Revoked, "it was called off"))
    }
}

struct Case {
    idempotent: bool,
    max_retries: u32,
    retry_on: &'static str,
    failures: u32,
    code: &'static str,
    status: FinishStatus,
    looks: u32,
    most_calls: u64,
}

const CASE: Case = Case {
    idempotent: true,
    max_retries: 2,
    retry_on: "busy",
    failures: 1,
    code: "busy",
    status: FinishStatus::Error,
    looks: u32::MAX,
    most_calls: u64::MAX,
};

/// What the journal says of attempts: `S` a start, `F` an end, `B` a stop.
fn letters(facts: &[Fact]) -> String {
    let letter = |fact: &Fact| match fact {
        Fact::ToolCallStarted(_) => Some('S'),
        Fact::ToolCallFinished(_) => Some('F'),
        Fact::ToolCallBlocked(_) => Some('B'),
        _ => None,
    };
    facts.iter().filter_map(letter).collect()
}

fn run(case: &Case) -> (Ended, Vec<Fact>, u32, Vec<Duration>) {
    let mut one = Registry::new();
    let mut tool = SHIPPED.get("file.read").unwrap().descriptor().clone();
    tool.effects.idempotent = case.idempotent;
    tool.execution.retry_policy.max_retries = case.max_retries;
    tool.execution.retry_policy.retry_on = vec![case.retry_on.to_owned()];
    tool.execution.retry_policy.backoff_ms = Some(100);
    one.register(tool).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let Case { failures, code, status, .. } = *case;
    let adapter = Arc::new(Flaky { failures, code, status, ran: AtomicU32::new(0) });
    let executors = Executors::new(
        vec![Arc::clone(&adapter) as Arc<dyn Adapter>],
        Arc::new(ArtifactFolder::new(folder.path())),
    );
    let limit = Limit {
        id: "few".to_owned(),
        tools: Vec::new(),
        principals: Vec::new(),
        per: Vec::new(),
        most: Most::Calls(case.most_calls),
        window: None,
    };
    let pauses = Arc::new(Pauses::default());
    let manager = Manager::new(one, PolicyEngine::standard().unwrap(), Arc::new(SystemClock))
        .with_executors(executors)
        .with_used(Arc::new(Used::new(Limits::new(vec![limit]))))
        .with_wait(Arc::clone(&pauses) as Arc<dyn Wait>);
    let session = session(&["workspace:read"]);
    let path = folder.path().join("run.jsonl");
    let mut log = writer(&path);
    let turn = open(&manager, &session, &mut log);
    let verdict = manager.decide(&session, &turn, call("file.read", json!({ "path": "a.md" })), &mut log);
    let Verdict::Allowed(authorized) = verdict.unwrap().1 else { panic!("it is not allowed") };
    let interrupt = CalledOff(AtomicU32::new(case.looks));
    let options = RunOptions { mode: RunMode::Real, interrupt: &interrupt, attempt: 0 };
    let ended = manager.run(authorized, &options, &mut log).unwrap();
    let facts = read_verified(&path).unwrap().map(|event| event.unwrap().fresh.fact).collect();
    let slept = pauses.0.lock().unwrap().clone();
    (ended, facts, adapter.ran.load(Ordering::SeqCst), slept)
}

#[test]
fn a_failed_call_is_tried_again_only_where_its_contract_says_so() {
    let ms = Duration::from_millis;
    type Row<'a> = (&'a str, Case, &'a str, Option<&'a str>, &'a [Duration]);
    let rows: [Row<'_>; 10] = [
        ("it works at once", Case { failures: 0, ..CASE }, "SF", None, &[]),
        ("it works then", CASE, "SFSF", None, &[ms(100)]),
        ("at the last attempt", Case { failures: 2, ..CASE }, "SFSFSF", None, &[ms(100), ms(200)]),
        ("too often", Case { failures: 9, ..CASE }, "SFSFSF", Some("busy"), &[ms(100), ms(200)]),
        ("not idempotent", Case { idempotent: false, ..CASE }, "SF", Some("busy"), &[]),
        ("another error", Case { code: "denied", ..CASE }, "SF", Some("denied"), &[]),
        ("no retries", Case { max_retries: 0, ..CASE }, "SF", Some("busy"), &[]),
        ("called off by somebody", Case { status: FinishStatus::Cancelled, ..CASE }, "SF", Some("busy"), &[]),
        // One look before the start; the next comes before the pause.
        ("called off before the pause", Case { looks: 1, ..CASE }, "SF", Some("busy"), &[]),
        // A second start would be over the limit: the failure is the result, and nothing says that it did not run.
        ("a limit", Case { most_calls: 1, ..CASE }, "SF", Some("busy"), &[ms(100)]),
    ];
    for (what, case, journal, error, pauses) in rows {
        let (ended, facts, ran, slept) = run(&case);
        assert_eq!(letters(&facts), journal, "{what}");
        assert_eq!(ran as usize, journal.matches('S').count(), "{what}");
        assert_eq!(slept, pauses, "{what}");
        let result = ended.result().unwrap_or_else(|| panic!("{what}: {ended:?}"));
        assert_eq!(result.error.as_ref().map(|e| e.code.as_str()), error, "{what}");
        assert_eq!(result.status == ResultStatus::Success, error.is_none(), "{what}");
    }
}

#[test]
fn every_attempt_has_its_number_and_the_same_key_and_one_result_is_recorded() {
    let (_, facts, ..) = run(&Case { failures: 2, ..CASE });
    let starts: Vec<(u32, String)> = facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::ToolCallStarted(s) => Some((s.attempt, s.idempotency_key.clone().unwrap())),
            _ => None,
        })
        .collect();
    let key = starts[0].1.clone();
    assert_eq!(starts, [(0, key.clone()), (1, key.clone()), (2, key)]);
    let recorded = |kind: &str| facts.iter().filter(|fact| fact.kind() == kind).count();
    assert_eq!((recorded("ToolResultValidated"), recorded("TraceUpdated")), (1, 1));
}

#[test]
fn pauses_are_bounded_whatever_a_contract_says() {
    let (_, facts, ran, slept) = run(&Case { max_retries: u32::MAX, failures: u32::MAX, ..CASE });
    assert_eq!((ran, letters(&facts).len()), (11, 22));
    let total: Duration = slept.iter().sum();
    // 0.1, 0.2, … 25.6 seconds, and then no more than half a minute.
    assert_eq!(total, Duration::from_millis(100 * 511 + 30_000));
}
