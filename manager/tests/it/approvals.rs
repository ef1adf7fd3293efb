//! Approvals as contracts: each fault that may befall one, by its name in the list of faults.

use crate::{call, registry, session};
use chrono::{DateTime, TimeDelta, Utc};
use proofhouse_manager::{
    adapters::{
        approvers::{Callback, FileQueue, ListedApprovers, QueueError, SpentMarkers},
        clock::SystemClock,
        grants::GrantBook,
        home::Home,
        journal::{JournalWriter, MemoryLog},
    },
    event::{Fact, GrantReach},
    manager::{Approving, Manager, Session, StatedIntent, Verdict},
    model::{
        ApprovalContract, ApprovalId, ApprovalRequest, Digest, Domain, ExecutableRef, PrincipalId, RiskLevel,
        RuntimeTerms, StopCode, StopReason, ToolDescriptor,
    },
    policy::PolicyEngine,
    port::{
        Answer, AnswerDecision, Approver, ApproverRights, Clock, Confirmation, Interrupt, NoApprover,
        NoGrants, Reply, RunRequest, RuntimeResolver, Silence, SingleUse, SpendError, Uninterrupted, Wait,
    },
    registry::{RegisteredTool, Registry},
    stage::{Approve, Authority, Authorized, GrantLifetimes, Outcome, Pending, Present, advance},
};
use serde_json::{Value, json};
use std::{
    collections::BTreeSet,
    sync::{Arc, LazyLock, Mutex, PoisonError},
    time::Duration,
};

/// A clock that stands still until it is moved.
#[derive(Clone)]
struct Stopped(Arc<Mutex<DateTime<Utc>>>);

impl Stopped {
    fn new() -> Self {
        Self(Arc::new(Mutex::new("2026-01-01T00:00:00Z".parse().unwrap())))
    }

    fn pass(&self, time: TimeDelta) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) += time;
    }
}

impl Clock for Stopped {
    fn now(&self) -> DateTime<Utc> {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn uuid(&self) -> uuid::Uuid {
        SystemClock.uuid()
    }
}

/// Waiting moves the clock, and takes no time.
impl Wait for Stopped {
    fn pause(&self, time: Duration) {
        self.pass(TimeDelta::from_std(time).unwrap());
    }
}

#[derive(Clone)]
struct Runtime(Result<RuntimeTerms, StopReason>);

impl RuntimeResolver for Runtime {
    fn settle(&self, _: &RunRequest<'_>) -> Result<RuntimeTerms, StopReason> {
        self.0.clone()
    }
}

fn terms() -> RuntimeTerms {
    RuntimeTerms {
        working_directory: Some("/srv/shop".into()),
        executable: Some(ExecutableRef { path: "/usr/bin/gh".into(), digest: digest("gh 2.1") }),
        sandbox_digest: digest("a sandbox"),
        credentials: vec!["env:ISSUES_TOKEN".into()],
    }
}

fn digest(of: &str) -> Digest {
    Digest::of_bytes(Domain::Plain, of.as_bytes())
}

#[derive(Default)]
struct Rights(Option<&'static str>);

impl ApproverRights for Rights {
    fn may_approve(&self, _: &PrincipalId, _: &ApprovalContract) -> Result<(), String> {
        self.0.map_or(Ok(()), |why| Err(why.to_owned()))
    }
}

/// Spent approvals, in memory.
#[derive(Default)]
struct Uses(Mutex<BTreeSet<ApprovalId>>);

impl SingleUse for Uses {
    fn spend(&self, approval: &ApprovalId) -> Result<(), SpendError> {
        let fresh = self.0.lock().unwrap().insert(approval.clone());
        if fresh { Ok(()) } else { Err(SpendError::Spent(approval.clone())) }
    }
}

struct CalledOff;

impl Interrupt for CalledOff {
    fn reason(&self) -> Option<StopReason> {
        Some(StopReason::new(StopCode::Revoked, "`issues.create` was blocked by user:ops: it drifted"))
    }
}

/// Everything that an answer meets when it is used; a fault changes one thing of it.
struct World {
    clock: Stopped,
    principal: PrincipalId,
    tool: Option<Arc<RegisteredTool>>,
    policy_set: Digest,
    runtime: Runtime,
    rights: Rights,
    uses: Uses,
    interrupt: &'static dyn Interrupt,
    reply: Reply,
}

impl World {
    fn answer(&mut self) -> &mut Answer {
        match &mut self.reply {
            Reply::Answer(answer) => answer,
            Reply::Silence(_) => panic!("there is no answer"),
        }
    }

    fn terms(&mut self) -> &mut RuntimeTerms {
        self.runtime.0.as_mut().unwrap()
    }

    fn change_tool(&mut self, change: impl FnOnce(&mut ToolDescriptor)) {
        let mut descriptor = self.tool.as_ref().unwrap().descriptor().clone();
        change(&mut descriptor);
        self.tool = Some(Arc::new(RegisteredTool::new(descriptor).unwrap()));
    }

    fn approve(&self, pending: Pending) -> (Result<Authorized, StopReason>, Vec<Fact>) {
        let mut log = MemoryLog::new(&self.clock);
        let step = Approve {
            now: self.clock.now(),
            grant_id: "gr_1".into(),
            principal: &self.principal,
            tenant: Some("workspace:/srv/shop"),
            tool: self.tool.as_deref(),
            policy_set: &self.policy_set,
            runtime: &self.runtime,
            rights: &self.rights,
            uses: &self.uses,
            interrupt: self.interrupt,
            lifetimes: GrantLifetimes::default(),
        };
        let outcome = match advance(&step, (pending, self.reply.clone()), &mut log).unwrap() {
            Outcome::Next(authorized) => Ok(authorized),
            Outcome::Stop(stop) => Err(stop.reason),
        };
        (outcome, log.into_events().into_iter().map(|event| event.fact).collect())
    }
}

/// One that sends, and one that destroys.
static TWO_TOOLS: LazyLock<Registry> = LazyLock::new(|| {
    let all = registry();
    let mut two = Registry::new();
    for id in ["issues.create", "db.drop_table"] {
        two.register(all.get(id).unwrap().descriptor().clone()).unwrap();
    }
    two
});

struct Asking {
    manager: Manager,
    session: Session,
    clock: Stopped,
}

impl Asking {
    fn new() -> Self {
        let clock = Stopped::new();
        let manager =
            Manager::new(TWO_TOOLS.clone(), PolicyEngine::standard().unwrap(), Arc::new(clock.clone()))
                .with_runtime(Arc::new(Runtime(Ok(terms()))));
        let tools = TWO_TOOLS.tools().iter();
        let scopes: Vec<String> =
            tools.flat_map(|tool| tool.descriptor().permissions.required_scopes.clone()).collect();
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        Self { manager, session: session(&scopes), clock }
    }

    fn propose(&self, tool: &str, args: Value) -> (Verdict, Vec<Fact>) {
        let mut log = MemoryLog::new(&self.clock);
        let open = StatedIntent { action_types: Vec::new(), target: None };
        let turn = self.manager.open_turn(&self.session, "do it", Some(&open), None, &mut log).unwrap();
        let verdict = self.manager.decide(&self.session, &turn, call(tool, args), &mut log).unwrap().1;
        (verdict, log.into_events().into_iter().map(|event| event.fact).collect())
    }

    fn ask(&self, tool: &str, args: Value) -> Pending {
        match self.propose(tool, args).0 {
            Verdict::Asked(pending) => pending,
            other => panic!("{other:?}"),
        }
    }

    /// The world in which a yes to this request is good.
    fn world(&self, request: &ApprovalRequest) -> World {
        let confirmation = match &request.typed_confirmation {
            Some(phrase) => Confirmation::Typed { phrase: phrase.clone() },
            None => Confirmation::Chosen,
        };
        World {
            clock: self.clock.clone(),
            principal: "user:dev".into(),
            tool: self.manager.registry().get(&request.contract.tool_id).cloned(),
            policy_set: self.manager.policy_set().clone(),
            runtime: Runtime(Ok(terms())),
            rights: Rights::default(),
            uses: Uses::default(),
            interrupt: &Uninterrupted,
            reply: Reply::Answer(Answer {
                approval_id: request.approval_id.clone(),
                contract_digest: request.contract_digest.clone(),
                decision: AnswerDecision::Allow { reach: GrantReach::Once },
                by: "user:lead".into(),
                confirmation,
                at: self.clock.now(),
            }),
        }
    }
}

fn issue() -> Value {
    json!({ "title": "Crash", "body": "It crashes." })
}

fn letters(facts: &[Fact]) -> String {
    let letter = |fact: &Fact| match fact {
        Fact::ApprovalGranted(_) => 'G',
        Fact::GrantIssued(_) => 'I',
        Fact::ApprovalDenied(_) => 'D',
        Fact::ApprovalExpired(_) => 'E',
        Fact::ApprovalInvalidated(_) => 'V',
        Fact::ToolCallBlocked(_) => 'B',
        other => panic!("{}", other.kind()),
    };
    facts.iter().map(letter).collect()
}

type Fault = fn(&mut World);
type Expected = Result<(), (StopCode, &'static str, &'static str)>;

#[test]
fn every_fault_between_a_question_and_its_use_stops_the_call() {
    use StopCode as C;
    let dropped = json!({ "table": "orders" });
    let mail = "issues.create";
    let rows: Vec<(&str, &str, Fault, Expected)> = vec![
        ("sound", mail, |_| {}, Ok(())),
        (
            "sound, at the last moment",
            mail,
            |w| w.clock.pass(TimeDelta::minutes(10) - TimeDelta::milliseconds(1)),
            Ok(()),
        ),
        (
            "AP-01 another call's answer",
            mail,
            |w| w.answer().approval_id = "apr_2".into(),
            Err((C::ApprovalMismatch, "`approvalId`", "VB")),
        ),
        (
            "AP-01 another contract's answer",
            mail,
            |w| w.answer().contract_digest = digest("another"),
            Err((C::ApprovalMismatch, "`contractDigest`", "VB")),
        ),
        (
            "AP-07 expired at the very moment",
            mail,
            |w| w.clock.pass(TimeDelta::minutes(10)),
            Err((C::ApprovalExpired, "00:10:00.000Z", "EB")),
        ),
        (
            "AP-09 another principal",
            mail,
            |w| w.principal = "user:other".into(),
            Err((C::ApprovalMismatch, "`principal`", "VB")),
        ),
        (
            "AP-09 a subagent",
            mail,
            |w| w.principal = "subagent:coder".into(),
            Err((C::ApprovalMismatch, "`principal`", "VB")),
        ),
        (
            "AP-10 version",
            mail,
            |w| w.change_tool(|t| t.version = "1.0.1".into()),
            Err((C::ApprovalMismatch, "`toolVersion`", "VB")),
        ),
        (
            "AP-10 descriptor",
            mail,
            |w| w.change_tool(|t| t.description.summary.push('.')),
            Err((C::ApprovalMismatch, "`descriptorDigest`", "VB")),
        ),
        ("AP-10 gone", mail, |w| w.tool = None, Err((C::ApprovalMismatch, "`toolId`", "VB"))),
        (
            "AP-11 policy set",
            mail,
            |w| w.policy_set = digest("another"),
            Err((C::ApprovalMismatch, "`policySet`", "VB")),
        ),
        (
            "AP-11 sandbox",
            mail,
            |w| w.terms().sandbox_digest = digest("a wider sandbox"),
            Err((C::ApprovalMismatch, "`sandboxDigest`", "VB")),
        ),
        (
            "AP-11 credentials",
            mail,
            |w| w.terms().credentials.push("env:ADMIN_TOKEN".into()),
            Err((C::ApprovalMismatch, "`credentials`", "VB")),
        ),
        (
            "AP-11 scopes",
            mail,
            |w| w.change_tool(|t| t.permissions.required_scopes.push("issues:admin".into())),
            Err((C::ApprovalMismatch, "`descriptorDigest`", "VB")),
        ),
        (
            "AP-11 risk",
            mail,
            |w| w.change_tool(|t| t.risk.level = RiskLevel::Critical),
            Err((C::ApprovalMismatch, "`descriptorDigest`", "VB")),
        ),
        (
            "AP-12 working directory",
            mail,
            |w| w.terms().working_directory = Some("/srv/other".into()),
            Err((C::ApprovalMismatch, "`workingDirectory`", "VB")),
        ),
        (
            "AP-12 program",
            mail,
            |w| w.terms().executable.as_mut().unwrap().digest = digest("gh 2.2"),
            Err((C::ApprovalMismatch, "`executable`", "VB")),
        ),
        (
            "AP-12 it cannot run any more",
            mail,
            |w| w.runtime.0 = Err(StopReason::new(C::SandboxUnavailable, "no namespaces")),
            Err((C::SandboxUnavailable, "no namespaces", "DB")),
        ),
        (
            "AP-18 no answer",
            mail,
            |w| w.reply = Reply::Silence(Silence::TimedOut),
            Err((C::ApprovalExpired, "expired at", "EB")),
        ),
        (
            "AP-18 the approver crashes",
            mail,
            |w| w.reply = Reply::Silence(Silence::Failed("it panicked".into())),
            Err((C::ApprovalUnavailable, "it panicked", "DB")),
        ),
        (
            "AP-18 a late answer",
            mail,
            |w| {
                w.clock.pass(TimeDelta::minutes(11));
                let at = w.clock.now();
                w.answer().at = at;
            },
            Err((C::ApprovalExpired, "expired at", "EB")),
        ),
        (
            "nobody to ask",
            mail,
            |w| w.reply = Reply::Silence(Silence::Nobody("no terminal".into())),
            Err((C::ApprovalUnavailable, "no terminal", "DB")),
        ),
        (
            "AP-19 a subagent consents",
            mail,
            |w| w.answer().by = "subagent:coder".into(),
            Err((C::ApprovalDenied, "no person", "DB")),
        ),
        (
            "AP-19 a model consents",
            mail,
            |w| w.answer().by = "model:gpt".into(),
            Err((C::ApprovalDenied, "no person", "DB")),
        ),
        (
            "AP-22 rights removed",
            mail,
            |w| w.rights = Rights(Some("approvers here are user:owner")),
            Err((C::ApprovalDenied, "user:lead may not approve this", "DB")),
        ),
        (
            "AP-22 rights removed, and a no stays a no",
            mail,
            |w| {
                w.rights = Rights(Some("approvers here are user:owner"));
                w.answer().decision = AnswerDecision::Deny { reason: "not today".into() };
            },
            Err((C::ApprovalDenied, "user:lead has denied it: not today", "DB")),
        ),
        (
            "PO-13 revoked while pending",
            mail,
            |w| w.interrupt = &CalledOff,
            Err((C::Revoked, "it drifted", "DB")),
        ),
        (
            "PO-13 revoked while pending, told by the approver",
            mail,
            |w| w.reply = Reply::Silence(Silence::Interrupted(CalledOff.reason().unwrap())),
            Err((C::Revoked, "it drifted", "DB")),
        ),
        (
            "AP-08 used before",
            mail,
            |w| {
                let id = w.answer().approval_id.clone();
                w.uses.spend(&id).unwrap();
            },
            Err((C::ApprovalSpent, "used before", "B")),
        ),
        ("destructive, typed", "db.drop_table", |_| {}, Ok(())),
        (
            "destructive, chosen",
            "db.drop_table",
            |w| w.answer().confirmation = Confirmation::Chosen,
            Err((C::ApprovalDenied, "type `db.drop_table`", "DB")),
        ),
        (
            "destructive, mistyped",
            "db.drop_table",
            |w| w.answer().confirmation = Confirmation::Typed { phrase: "yes".into() },
            Err((C::ApprovalDenied, "type `db.drop_table`", "DB")),
        ),
        (
            "destructive, for the session",
            "db.drop_table",
            |w| w.answer().decision = AnswerDecision::Allow { reach: GrantReach::Session },
            Err((C::ApprovalDenied, "`session` was not offered", "DB")),
        ),
        (
            "destructive, for ever",
            "db.drop_table",
            |w| w.answer().decision = AnswerDecision::Allow { reach: GrantReach::Always },
            Err((C::ApprovalDenied, "`always` was not offered", "DB")),
        ),
    ];
    for (what, tool, fault, expected) in rows {
        let asking = Asking::new();
        let args = if tool == mail { issue() } else { dropped.clone() };
        let pending = asking.ask(tool, args);
        let mut world = asking.world(pending.request());
        fault(&mut world);
        let (outcome, facts) = world.approve(pending);
        match (outcome, expected) {
            (Ok(authorized), Ok(())) => {
                assert_eq!(letters(&facts), "GI", "{what}");
                assert_eq!(authorized.grant_id().map(|id| id.as_str()), Some("gr_1"), "{what}");
                assert_eq!(authorized.contract().unwrap().args_digest, *authorized.valid().args_digest());
            }
            (Err(reason), Err((code, part, told))) => {
                assert_eq!((reason.code, letters(&facts).as_str()), (code, told), "{what}: {reason}");
                assert!(reason.message.contains(part), "{what}: {reason}");
            }
            (outcome, _) => panic!("{what}: {outcome:?}"),
        }
    }
}

#[test]
fn what_changes_after_the_yes_is_found_before_the_run() {
    type Change = fn(&mut World);
    let rows: [(&str, Change, Option<&str>); 9] = [
        ("nothing", |_| {}, None),
        ("AP-07 a millisecond too late", |w| w.clock.pass(TimeDelta::minutes(10)), Some("expired at")),
        ("AP-09", |w| w.principal = "user:other".into(), Some("`principal`")),
        ("AP-10", |w| w.change_tool(|t| t.version = "2.0.0".into()), Some("`toolVersion`")),
        ("AP-11 policy", |w| w.policy_set = digest("another"), Some("`policySet`")),
        ("AP-11 sandbox", |w| w.terms().sandbox_digest = digest("wider"), Some("`sandboxDigest`")),
        ("AP-11 credentials", |w| w.terms().credentials.clear(), Some("`credentials`")),
        ("AP-12 folder", |w| w.terms().working_directory = None, Some("`workingDirectory`")),
        ("AP-12 program", |w| w.terms().executable = None, Some("`executable`")),
    ];
    for (what, change, expected) in rows {
        let asking = Asking::new();
        let pending = asking.ask("issues.create", issue());
        let mut world = asking.world(pending.request());
        let authorized = world.approve(pending).0.unwrap();
        change(&mut world);
        let present = Present {
            tool: world.tool.as_deref(),
            principal: &world.principal,
            policy_set: &world.policy_set,
            terms: world.runtime.0.as_ref().unwrap(),
            changes: None,
            now: world.clock.now(),
        };
        match (authorized.hold(&present), expected) {
            (Ok(()), None) => {}
            (Err(refused), Some(part)) => {
                assert!(refused.reason.message.contains(part), "{what}: {}", refused.reason);
                assert_eq!(refused.facts.len(), 1, "{what}");
            }
            (outcome, _) => panic!("{what}: {outcome:?}"),
        }
        // AP-02, AP-16: there is no way to the arguments that could change them.
        assert_eq!(*authorized.valid().args(), issue(), "{what}");
    }
}

#[test]
fn a_wider_answer_grants_exactly_what_was_shown_and_asks_no_second_time() {
    for (reach, binding) in [(GrantReach::Session, "session"), (GrantReach::Always, "standing")] {
        let asking = Asking::new();
        let pending = asking.ask("issues.create", issue());
        let mut world = asking.world(pending.request());
        world.answer().decision = AnswerDecision::Allow { reach };
        let (authorized, facts) = world.approve(pending);
        // The call itself is bound to its contract all the same.
        assert!(authorized.unwrap().contract().is_some());
        let Some(Fact::GrantIssued(issued)) = facts.get(1) else { panic!("{facts:?}") };
        let grant = serde_json::to_value(&issued.grant).unwrap();
        // AP-13: the scope is what the preview shows.
        assert_eq!(grant["arguments"]["are"], "exactly", "{grant}");
        assert_eq!(grant["binding"]["to"], binding);
        assert_eq!(grant["tenant"], "workspace:/srv/shop");
        assert_eq!(grant["terms"]["workingDirectory"], "/srv/shop");
    }
}

#[test]
fn questions_are_counted_deduplicated_and_remember_denials() {
    let asking = Asking::new();
    let first = asking.ask("issues.create", issue());
    // AP-20: the very same question is not asked twice, and not allowed either.
    let (again, facts) = asking.propose("issues.create", issue());
    let Verdict::Stopped(reason) = again else { panic!("{again:?}") };
    assert_eq!(reason.code, StopCode::ApprovalUnavailable);
    assert!(reason.message.contains(first.request().approval_id.as_str()), "{reason}");
    assert!(matches!(facts.last(), Some(Fact::ToolCallBlocked(_))));

    // AP-21: a denial is shown when the call comes back, also with a small change.
    let id = first.request().approval_id.clone();
    let mut world = asking.world(first.request());
    world.answer().decision = AnswerDecision::Deny { reason: "a duplicate of #7".into() };
    let (outcome, facts) = world.approve(first);
    assert_eq!(outcome.unwrap_err().code, StopCode::ApprovalDenied);
    for fact in &facts {
        asking.session.memory.apply(asking.clock.now(), fact);
    }
    let changed = json!({ "title": "Crash!", "body": "It crashes." });
    for (args, alike) in [(issue(), "the same arguments"), (changed, "nearly the same arguments")] {
        let pending = asking.ask("issues.create", args);
        let request = pending.request();
        assert_ne!(request.approval_id, id);
        assert_eq!(request.denied_before.len(), 1, "{alike}");
        assert!(request.denied_before[0].contains("denied by user:lead (a duplicate of #7)"));
        assert!(request.denied_before[0].contains(alike), "{:?}", request.denied_before);
        assert!(request.preview.contains("denied before: "), "{}", request.preview);
    }
    let other =
        asking.ask("issues.create", json!({ "title": "Wholly different", "labels": ["ux", "later"] }));
    assert_eq!(other.request().denied_before, Vec::<String>::new());
    assert_eq!(other.request().asked_before, 3);
    assert!(other.request().preview.contains("question 4 of this session"));
}

/// A home with its queue, and a clock that waiting moves.
fn queue(clock: &Stopped) -> (tempfile::TempDir, Home, FileQueue) {
    let folder = tempfile::tempdir().unwrap();
    let home = Home::open(folder.path().join("agent")).unwrap();
    let queue = FileQueue::new(&home, Arc::new(clock.clone()), Arc::new(clock.clone()));
    (folder, home, queue)
}

/// Somebody who answers during the wait.
struct Meanwhile<F>(F);

impl<F: Fn() + Send + Sync> Interrupt for Meanwhile<F> {
    fn reason(&self) -> Option<StopReason> {
        (self.0)();
        None
    }
}

#[test]
fn the_queue_carries_an_answer_from_another_process() {
    let asking = Asking::new();
    let (_folder, home, queue) = queue(&asking.clock);
    let pending = asking.ask("issues.create", issue());
    let request = pending.request().clone();
    let Reply::Answer(yes) = asking.world(&request).reply else { panic!() };
    let other = queue.clone();
    let asked = request.clone();
    let someone = Meanwhile(move || {
        let queued = other.get(&asked.approval_id).unwrap();
        assert_eq!(queued.request, asked);
        match other.put(&queued.request, &yes) {
            Ok(()) | Err(QueueError::Answered(..)) => {}
            Err(error) => panic!("{error}"),
        }
    });
    let reply = queue.ask(&request, request.expires_at, &someone);
    let Reply::Answer(answer) = &reply else { panic!("{reply:?}") };
    // Who has answered is whose file it is, whatever stands in it.
    assert_ne!(answer.by.as_str(), "user:lead");
    assert_eq!(answer.by, proofhouse_manager::adapters::approvers::own_principal());
    assert!(ListedApprovers::of(&home).may_approve(&answer.by, &request.contract).is_ok());
    assert!(matches!(queue.get(&request.approval_id), Err(QueueError::Unknown(_))));
    let mut world = asking.world(&request);
    world.reply = reply;
    assert_eq!(letters(&world.approve(pending).1), "GI");
}

#[test]
fn silence_in_the_queue_is_no_and_a_late_answer_is_kept_and_not_applied() {
    let asking = Asking::new();
    let (folder, _, queue) = queue(&asking.clock);
    let pending = asking.ask("issues.create", issue());
    let request = pending.request().clone();
    let Reply::Answer(yes) = asking.world(&request).reply else { panic!() };
    // AP-18: the wait ends with the contract, and takes the request back.
    assert_eq!(queue.ask(&request, request.expires_at, &Uninterrupted), Reply::Silence(Silence::TimedOut));
    assert!(matches!(queue.get(&request.approval_id), Err(QueueError::Unknown(_))));
    assert!(matches!(queue.put(&request, &yes), Err(QueueError::Late(..))));
    let kept = folder.path().join(format!("agent/approvals/{}.late.json", request.approval_id));
    assert!(kept.is_file());
    // AP-23: what a crashed asker left is swept, never allowed.
    let off = queue.ask(&request, request.expires_at, &CalledOff);
    assert!(matches!(off, Reply::Silence(Silence::Interrupted(_))), "{off:?}");
    std::fs::write(
        folder.path().join(format!("agent/approvals/{}.request.json", request.approval_id)),
        serde_json::to_vec(&request).unwrap(),
    )
    .unwrap();
    assert_eq!(queue.sweep().unwrap(), 1);
    assert!(queue.list().unwrap().is_empty());
}

#[test]
fn a_request_that_was_changed_in_the_queue_is_not_shown() {
    let asking = Asking::new();
    let (folder, _, queue) = queue(&asking.clock);
    let request = asking.ask("issues.create", issue()).request().clone();
    let path = folder.path().join(format!("agent/approvals/{}.request.json", request.approval_id));
    type Change = fn(&mut ApprovalRequest);
    let rows: [(&str, Change); 7] = [
        ("arguments", |r| r.args_preview["title"] = "Harmless".into()),
        ("preview", |r| r.preview = "nothing to see".into()),
        ("preview", |r| r.summary = "reads a file".into()),
        ("preview", |r| r.denied_before.push("never".into())),
        ("digest", |r| r.contract.credentials.clear()),
        ("digest", |r| r.contract_digest = digest("another")),
        ("another approval", |r| r.contract.approval_id = "apr_2".into()),
    ];
    for (part, change) in rows {
        let mut changed = request.clone();
        change(&mut changed);
        if part == "digest" {
            changed.preview = proofhouse_manager::authority::preview(&changed);
        }
        std::fs::write(&path, serde_json::to_vec(&changed).unwrap()).unwrap();
        let error = queue.get(&request.approval_id).unwrap_err();
        assert!(matches!(error, QueueError::Changed(..)), "{part}: {error}");
    }
    for id in ["../approvals/apr_1", "", "a/b", "apr_\u{e9}"] {
        assert!(matches!(queue.get(id), Err(QueueError::Unknown(_))), "{id}");
    }
}

#[test]
fn two_workers_with_one_approval_execute_once() {
    // AP-08: many threads, each with a handle of its own, as processes have.
    let (_folder, home, _) = queue(&Stopped::new());
    let ids: Vec<ApprovalId> = (0..20).map(|n| format!("apr_{n}").into()).collect();
    let wins: usize = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|_| {
                let uses = SpentMarkers::of(&home);
                let ids = &ids;
                scope.spawn(move || ids.iter().filter(|id| uses.spend(id).is_ok()).count())
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap()).sum()
    });
    assert_eq!(wins, ids.len());
    let lost = SpentMarkers::of(&home).spend(&ids[0]);
    assert_eq!(lost, Err(SpendError::Spent(ids[0].clone())));
}

#[test]
fn a_use_that_cannot_be_recorded_is_no_use() {
    let (folder, home, _) = queue(&Stopped::new());
    std::fs::remove_dir_all(folder.path().join("agent/approvals")).unwrap();
    assert!(matches!(SpentMarkers::of(&home).spend(&"apr_1".into()), Err(SpendError::Unknown(_))));
}

#[test]
fn rights_are_read_when_they_are_asked_about() {
    let (folder, home, _) = queue(&Stopped::new());
    let asking = Asking::new();
    let contract = asking.ask("issues.create", issue()).request().contract.clone();
    let rights = ListedApprovers::of(&home);
    let lead = "user:lead".into();
    assert!(rights.may_approve(&lead, &contract).unwrap_err().contains("approvers here are user:"));
    let file = folder.path().join("agent/approvals/approvers.json");
    let rows = [
        (r#"{"mayApprove":["user:lead"]}"#, None),
        // AP-22: taken away again.
        (r#"{"mayApprove":["user:other"]}"#, Some("approvers here are user:other")),
        (r#"{"mayApprove":"everybody"}"#, Some("cannot be read")),
        ("", Some("cannot be read")),
    ];
    for (text, expected) in rows {
        std::fs::write(&file, text).unwrap();
        match (rights.may_approve(&lead, &contract), expected) {
            (Ok(()), None) => {}
            (Err(why), Some(part)) => assert!(why.contains(part), "{why}"),
            (found, _) => panic!("{text}: {found:?}"),
        }
    }
}

#[test]
fn a_callback_answers_or_is_silent() {
    let asking = Asking::new();
    let request = asking.ask("issues.create", issue()).request().clone();
    let clock = || Arc::new(asking.clock.clone());
    let Reply::Answer(yes) = asking.world(&request).reply else { panic!() };
    let said = yes.clone();
    let answers = Callback::new(move |_| Some(said.clone()), clock());
    assert_eq!(answers.ask(&request, request.expires_at, &Uninterrupted), Reply::Answer(yes));
    let none = Callback::new(|_| None, clock()).ask(&request, request.expires_at, &Uninterrupted);
    assert!(matches!(none, Reply::Silence(Silence::Nobody(_))), "{none:?}");
    // AP-18: it crashes; it never comes back.
    let crash = Callback::new(|_| std::panic::panic_any("x"), clock());
    let crashed = crash.ask(&request, request.expires_at, &Uninterrupted);
    assert!(matches!(crashed, Reply::Silence(Silence::Failed(_))), "{crashed:?}");
    let (never, waits) = std::sync::mpsc::channel::<()>();
    let waits = Mutex::new(waits);
    let stuck = Callback::new(move |_| waits.lock().unwrap().recv().ok().and(None), clock());
    assert_eq!(stuck.ask(&request, asking.clock.now(), &Uninterrupted), Reply::Silence(Silence::TimedOut));
    drop(never);
}

#[test]
fn a_grant_spares_the_question_until_it_is_revoked_or_cannot_be_known() {
    let mut asking = Asking::new();
    let (_folder, home, _) = queue(&asking.clock);
    let book = Arc::new(GrantBook::open(&home, Arc::new(asking.clock.clone())).unwrap());
    asking.manager = asking.manager.with_grants(book.clone());
    let pending = asking.ask("issues.create", issue());
    let mut world = asking.world(pending.request());
    world.answer().decision = AnswerDecision::Allow { reach: GrantReach::Session };
    let with = Approving {
        approver: &NoApprover,
        rights: &world.rights,
        uses: &world.uses,
        interrupt: &Uninterrupted,
        lifetimes: GrantLifetimes::default(),
    };
    let mut log = MemoryLog::new(&asking.clock);
    let refused = asking.manager.approve(&asking.session, pending, &with, &mut log);
    // A log in memory promises nothing, so nobody is even asked.
    assert!(refused.unwrap_err().to_string().contains("no log, no run"));

    // A journal on the disk, and the answer.
    let run = home.run(&"run_1".into());
    let mut journal = JournalWriter::open(&run, &"run_1".into(), "test", Arc::new(SystemClock)).unwrap();
    asking.clock.pass(TimeDelta::minutes(11));
    let pending = asking.ask("issues.create", issue());
    let mut reply = asking.world(pending.request());
    reply.answer().decision = AnswerDecision::Allow { reach: GrantReach::Session };
    let verdict =
        asking.manager.answered(&asking.session, pending, reply.reply, &with, &mut journal).unwrap();
    let Verdict::Allowed(authorized) = verdict else { panic!("{verdict:?}") };
    let grant = authorized.grant_id().unwrap().clone();

    // The same call again: no question, and its authority is the grant.
    let (again, _) = asking.propose("issues.create", issue());
    let Verdict::Allowed(again) = again else { panic!("{again:?}") };
    assert!(matches!(again.authority(), Authority::Grant(given) if given.grant_id == grant));
    assert_eq!((again.approval_id(), again.contract().is_none()), (None, true));
    // AP-13: another one is asked about.
    asking.ask("issues.create", json!({ "title": "Crash", "body": "It crashes!" }));
    // PO-12: revoked, the same call is asked about.
    book.revoke(grant, "user:ops".into(), "over".into()).unwrap();
    asking.ask("issues.create", issue());
    // PO-19: nobody knows what is revoked.
    std::fs::remove_file(home.registry()).unwrap();
    let (unknown, _) = asking.propose("issues.create", json!({ "title": "Another" }));
    let Verdict::Stopped(reason) = unknown else { panic!("{unknown:?}") };
    assert_eq!(reason.code, StopCode::Revoked);
    // What policy allows by itself needs no grant, and nothing that destroys is covered by one.
    asking.manager = asking.manager.with_grants(Arc::new(NoGrants));
    asking.ask("db.drop_table", json!({ "table": "orders" }));
}
