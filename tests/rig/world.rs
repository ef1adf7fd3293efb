//! Who and what the manager meets: a clock, a person, tools, a suite.

use super::{CANARY, ONCE};
use chrono::{DateTime, TimeDelta, Utc};
use proofhouse_manager::{
    event::{GrantReach, fact::FinishStatus},
    model::{
        ApprovalRequest, ArtifactKind, Digest, EffectsObserved, Egress, EvalScores, ExecutableRef,
        FilesystemRules, GrantId, NetworkRules, ResourceRef, SandboxAudit, SandboxEnvironment, SandboxId,
        SandboxPolicy, SandboxProcess, StopReason, ToolEval,
    },
    port::{
        Adapter, Answer, AnswerDecision, Approver, Clock, Confirmation, Evaluation, Evaluator,
        EvaluatorError, Interrupt, Ran, Reply, RunRequest, Settled,
    },
    registry::RegisteredTool,
    stage::Ticket,
};
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    sync::{
        Arc, Mutex,
        atomic::{AtomicI64, AtomicU64, Ordering},
    },
};
use uuid::Uuid;

/// A clock that goes on by a millisecond each time that somebody looks, and identifiers that count.
#[derive(Default)]
pub(crate) struct Clockwork {
    millis: AtomicI64,
    ids: AtomicU64,
}

/// 2026-01-05T09:00:00Z, in milliseconds.
const BEGIN: i64 = 1_767_603_600_000;

impl Clockwork {
    /// Lets time pass.
    pub(crate) fn pass(&self, time: TimeDelta) {
        self.millis.fetch_add(time.num_milliseconds(), Ordering::SeqCst);
    }
}

impl Clock for Clockwork {
    fn now(&self) -> DateTime<Utc> {
        let millis = BEGIN + self.millis.fetch_add(1, Ordering::SeqCst);
        DateTime::from_timestamp_millis(millis).unwrap()
    }

    fn uuid(&self) -> Uuid {
        let count = self.ids.fetch_add(1, Ordering::SeqCst);
        let millis = u128::try_from(BEGIN).unwrap();
        Uuid::from_u128((millis << 80) | (7 << 76) | (2 << 62) | u128::from(count))
    }
}

/// How Grace, who may approve, answers.
pub(crate) struct Grace {
    pub(crate) allows: bool,
    pub(crate) types: bool,
    pub(crate) reach: GrantReach,
    pub(crate) granted: Option<GrantId>,
}

impl Default for Grace {
    fn default() -> Self {
        Self { allows: true, types: true, reach: ONCE, granted: None }
    }
}

/// Grace, asked.
pub(crate) struct Asked {
    pub(crate) grace: Arc<Mutex<Grace>>,
    pub(crate) clock: Arc<Clockwork>,
}

impl Approver for Asked {
    fn ask(&self, request: &ApprovalRequest, _: DateTime<Utc>, _: &dyn Interrupt) -> Reply {
        let grace = self.grace.lock().unwrap();
        let decision = match grace.allows {
            true => AnswerDecision::Allow { reach: grace.reach },
            false => AnswerDecision::Deny { reason: "not today".to_owned() },
        };
        let confirmation = match &request.typed_confirmation {
            Some(phrase) if grace.types => Confirmation::Typed { phrase: phrase.clone() },
            Some(_) | None => Confirmation::Chosen,
        };
        Reply::Answer(Answer {
            approval_id: request.approval_id.clone(),
            contract_digest: request.contract_digest.clone(),
            decision,
            by: "user:grace".into(),
            confirmation,
            at: self.clock.now(),
        })
    }
}

/// A suite that measures what it is told to.
pub(crate) struct Suite {
    pub(crate) passed: bool,
    pub(crate) negative: u64,
}

impl Default for Suite {
    fn default() -> Self {
        Self { passed: true, negative: 3 }
    }
}

impl Evaluator for Suite {
    fn evaluate(&self, tool: &RegisteredTool) -> Result<Evaluation, EvaluatorError> {
        let eval = ToolEval {
            tool_id: tool.id().clone(),
            tool_version: tool.version().clone(),
            descriptor_digest: tool.digest().clone(),
            suite: "house".to_owned(),
            suite_digest: Digest::zero(),
            golden: 5,
            negative: self.negative,
            scores: EvalScores { precision: Some(1.0), recall: Some(1.0), ..EvalScores::default() },
        };
        let thresholds = vec!["recall is at least 0.9".to_owned()];
        Ok(Evaluation { eval, passed: self.passed, thresholds, model: "scripted".to_owned() })
    }
}

/// Runs nothing, and says what would have come of it.
pub(crate) struct Scripted(pub(crate) &'static str);

impl Adapter for Scripted {
    fn word(&self) -> &'static str {
        self.0
    }

    fn settle(&self, run: &RunRequest<'_>) -> Result<Settled, StopReason> {
        let program = match self.0 {
            "cli" => Some("/usr/bin/make"),
            "mcp-stdio" => Some("/opt/tickets/server"),
            "skill-script" => Some("/skills/pdf/scripts/fill.sh"),
            _ => None,
        };
        let executable = program.map(|path| ExecutableRef { path: path.to_owned(), digest: Digest::zero() });
        let enforced = BTreeMap::from([("everything".to_owned(), "nothing is run".to_owned())]);
        Settled::new(sandbox(run), enforced, executable, Vec::new())
    }

    fn invoke(&self, ticket: Ticket<'_>) -> Ran {
        let (output, effects) = answer(ticket.tool().tool_id.as_str(), ticket.args());
        Ran {
            status: FinishStatus::Success,
            output: output.into_bytes(),
            kind: ArtifactKind::ToolOutput,
            structured: None,
            effects,
            error: None,
            latency_ms: 12,
        }
    }
}

/// What a tool says and does.
fn answer(tool: &str, args: &Value) -> (String, EffectsObserved) {
    let some = |text: &str| vec![ResourceRef(text.to_owned())];
    let none = EffectsObserved::default;
    match tool {
        "notes.read" => {
            ("remember the milk".to_owned(), EffectsObserved { reads: some("file:notes.txt"), ..none() })
        }
        "notes.write" => ("written".to_owned(), EffectsObserved { writes: some("file:notes.txt"), ..none() }),
        "table.drop" => {
            let external_calls = vec!["db.example.com".to_owned()];
            ("dropped".to_owned(), EffectsObserved { deletes: some("db:import"), external_calls, ..none() })
        }
        "tests.run" if args.get("only").is_none() => ("ok 1 passed\n".repeat(60), none()),
        "vault.read" => (format!("key={CANARY}"), none()),
        _ => ("done".to_owned(), none()),
    }
}

fn sandbox(run: &RunRequest<'_>) -> SandboxPolicy {
    SandboxPolicy {
        sandbox_id: SandboxId::new("unnumbered"),
        mode: run.tool.sandbox.mode,
        filesystem: FilesystemRules {
            cwd: "/workspace/shop".to_owned(),
            read_roots: vec![".".to_owned()],
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
        process: SandboxProcess {
            timeout_ms: 10_000,
            max_memory_mb: 0,
            max_stdout_bytes: 1 << 20,
            max_stderr_bytes: 0,
        },
        audit: SandboxAudit { record_command: true, record_file_access: true, record_network_access: true },
    }
}

/// A value put into another, field by field.
pub(crate) fn merge(into: &mut Value, from: Value) {
    match (into, from) {
        (Value::Object(into), Value::Object(from)) => {
            for (name, value) in from {
                merge(into.entry(name).or_insert(json!({})), value);
            }
        }
        (into, from) => *into = from,
    }
}
