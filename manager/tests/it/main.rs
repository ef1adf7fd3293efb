//! The manager from outside: what a turn shows, what a call is answered, and what the journal says of it.

mod approvals;
mod boundaries;
mod journal;
#[cfg(target_os = "linux")]
mod rehearsal;
mod retry;

use proofhouse_manager::{
    adapters::{clock::SystemClock, journal::MemoryLog, sources::Descriptors},
    event::{Fact, Scope},
    manager::{Manager, Session, StatedIntent, Turn, Verdict},
    model::{
        ActionType, Decision, EffectLevel, EventId, Principal, ProposedArgs, ProposedBy, ProposedCall,
        StopCode, ToolBudget,
    },
    policy::{Actor, PolicyEngine, PolicyText, Vocabulary},
    port::{EventSink, JournalError, ToolSourcePort as _},
    registry::Registry,
    resolve::{Environment, Selection},
};
use serde_json::{Value, json};
use std::{collections::BTreeSet, path::Path, sync::Arc};

/// The shipped tools.
fn registry() -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("descriptors");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    paths.sort();
    let found = Descriptors { paths }.discover().unwrap();
    assert!(found.rejected.is_empty() && found.problems.is_empty(), "{}", found.problems);
    let mut registry = Registry::new();
    for tool in found.tools {
        registry.register(tool.descriptor).unwrap();
    }
    registry
}

fn manager() -> Manager {
    Manager::new(registry(), PolicyEngine::standard().unwrap(), Arc::new(SystemClock))
}

fn session(scopes: &[&str]) -> Session {
    let scopes = scopes.iter().map(|s| (*s).to_owned()).collect();
    Session {
        scope: Scope { session_id: "ses_1".into(), run_id: "run_1".into(), call_id: None },
        actor: Arc::new(Actor::new(Principal { id: "user:dev".into(), scopes })),
        scene: Arc::default(),
        budget: ToolBudget { max_tools_visible: 100, max_tokens: None },
        selection: Selection::Ranked,
        max_level: EffectLevel::DestructiveOrAdmin,
        environment: Arc::new(Environment::default()),
        tenant: None,
        memory: Default::default(),
    }
}

const EVERYTHING_LOCAL: &[&str] = &["workspace:read", "workspace:write", "issues:read", "issues:write"];

/// Every action type open, so that only policy and context decide what is shown.
fn open(manager: &Manager, session: &Session, log: &mut dyn EventSink) -> Turn {
    let open = StatedIntent { action_types: Vec::new(), target: None };
    manager.open_turn(session, "do it", Some(&open), None, log).unwrap()
}

fn call(tool: &str, args: Value) -> ProposedCall {
    ProposedCall { tool: tool.into(), args: ProposedArgs::from_value(args), proposed_by: ProposedBy::Model }
}

#[test]
fn the_shipped_tools_cover_every_level_and_action() {
    let registry = registry();
    assert!(registry.tools().len() >= 25);
    let levels: BTreeSet<EffectLevel> = registry.tools().iter().map(|t| t.level()).collect();
    assert_eq!(levels, BTreeSet::from(EffectLevel::ALL));
    let actions: BTreeSet<ActionType> =
        registry.tools().iter().flat_map(|t| t.descriptor().intent.action_types.clone()).collect();
    assert_eq!(actions, BTreeSet::from(ActionType::ALL));
    for tool in registry.tools() {
        let description = &tool.descriptor().description;
        assert!(!description.use_when.is_empty() && !description.do_not_use_when.is_empty(), "{}", tool.id());
    }
}

#[test]
fn every_tool_is_shown_with_a_reason_or_dropped_with_a_filter() {
    let manager = manager();
    let mut log = MemoryLog::new(&SystemClock);
    let session = session(EVERYTHING_LOCAL);
    let turn = open(&manager, &session, &mut log);
    assert_eq!(turn.view.tools.len() + turn.view.dropped.len(), manager.registry().tools().len());
    assert!(turn.view.tools.iter().all(|t| !t.reason.is_empty() && t.policy_decision != Decision::Deny));
    assert!(turn.view.dropped.iter().all(|t| !t.reason.is_empty()));
    // Without the scopes for it, nothing that needs them is even seen.
    assert!(turn.view.get(&"db.drop_table".into()).is_none());
    assert!(turn.view.get(&"file.read".into()).is_some());
}

#[test]
fn a_call_is_answered_and_its_events_say_how() {
    let manager = manager();
    let session = session(EVERYTHING_LOCAL);
    let issue = json!({ "title": "Crash", "body": "It crashes." });
    let rows = [
        ("allowed", call("file.read", json!({ "path": "a.md" })), Ok(Decision::Allow), "RVP"),
        ("asked about", call("issues.create", issue), Ok(Decision::Ask), "RVPA"),
        ("invalid", call("file.read", json!({ "path": 3 })), Err(StopCode::InvalidArguments), "RVB"),
        ("no object", call("file.read", json!([1])), Err(StopCode::InvalidArguments), "RVB"),
        (
            "too large to be exact",
            call("file.read", json!({ "path": "a", "startLine": 9_007_199_254_740_993_u64 })),
            Err(StopCode::InvalidArguments),
            "RVB",
        ),
        ("hidden", call("db.drop_table", json!({})), Err(StopCode::UnknownTool), "RB"),
        ("unknown", call("rm", json!({})), Err(StopCode::UnknownTool), "RB"),
    ];
    for (what, proposed, expected, letters) in rows {
        let mut log = MemoryLog::new(&SystemClock);
        let turn = open(&manager, &session, &mut log);
        let before = log.events().len();
        let (id, verdict) = manager.decide(&session, &turn, proposed, &mut log).unwrap();
        let got = match &verdict {
            Verdict::Stopped(reason) => Err(reason.code),
            other => Ok(other.decision()),
        };
        assert_eq!(got, expected, "{what}");
        let events = &log.events()[before..];
        let said: String = events.iter().map(|e| letter(&e.fact)).collect();
        assert_eq!(said, letters, "{what}");
        assert!(events.iter().all(|e| e.scope.call_id.as_ref() == Some(&id) && e.parent.is_some()), "{what}");
    }
}

/// PO-06, PO-08, PO-09: policy sees the arguments that run, and a set that takes over decides from then on.
#[test]
fn policy_sees_what_runs_and_a_new_set_decides_from_then_on() {
    let registry = registry();
    let own = |condition: &str| {
        let head = r#"forbid (principal, action == Action::"call:file.read", resource)"#;
        let own = PolicyText::new("own.cedar", format!("@id(\"own\") {head} when {{ {condition} }};"));
        let vocabulary = Vocabulary::new(registry.tools().iter().map(|t| t.descriptor()));
        PolicyEngine::load(&[PolicyEngine::standard_text(), own], &vocabulary).unwrap()
    };
    let policies = [
        own(r#"context.args.path like "private/*""#),
        // Nothing is filled in behind policy's back: an argument that is left out is absent.
        own("context.args has endLine"),
        PolicyEngine::closed("no policies"),
    ];
    let manager = manager();
    let session = session(EVERYTHING_LOCAL);
    let mut log = MemoryLog::new(&SystemClock);
    let turn = open(&manager, &session, &mut log);
    let expected = [
        [Ok(Decision::Allow), Err(StopCode::PolicyDenied), Err(StopCode::InvalidArguments)],
        [Ok(Decision::Allow), Ok(Decision::Allow), Err(StopCode::InvalidArguments)],
        [Err(StopCode::PolicyError), Err(StopCode::PolicyError), Err(StopCode::InvalidArguments)],
    ];
    for (policy, expected) in policies.into_iter().zip(expected) {
        let digest = policy.digest().clone();
        manager.replace_policy(policy);
        let paths = [json!("a.md"), json!("private/a.md"), json!(7)];
        for (path, expected) in paths.into_iter().zip(expected) {
            let before = log.events().len();
            let proposed = call("file.read", json!({ "path": path }));
            let got = match manager.decide(&session, &turn, proposed, &mut log).unwrap().1 {
                Verdict::Stopped(reason) => Err(reason.code),
                verdict => Ok(verdict.decision()),
            };
            assert_eq!(got, expected, "{path}");
            let decided = log.events()[before..].iter().find_map(|event| match &event.fact {
                Fact::ToolPolicyChecked(checked) => Some(checked),
                _ => None,
            });
            let by = decided.map(|checked| (&checked.policy_set, checked.principal.as_deref()));
            let valid = expected != Err(StopCode::InvalidArguments);
            assert_eq!(by, valid.then_some((&digest, Some(session.actor.principal()))), "{path}");
        }
    }
}

fn letter(fact: &Fact) -> char {
    match fact {
        Fact::ToolCallRequested(_) => 'R',
        Fact::ToolArgsValidated(_) => 'V',
        Fact::ToolPolicyChecked(_) => 'P',
        Fact::ApprovalRequested(_) => 'A',
        Fact::ToolCallBlocked(_) => 'B',
        other => panic!("{}", other.kind()),
    }
}

#[test]
fn a_hidden_tool_and_one_that_does_not_exist_get_the_same_answer() {
    let manager = manager();
    let session = session(&[]);
    let mut log = MemoryLog::new(&SystemClock);
    let turn = open(&manager, &session, &mut log);
    let mut answer =
        |tool: &str| match manager.decide(&session, &turn, call(tool, json!({})), &mut log).unwrap().1 {
            Verdict::Stopped(reason) => reason.message.replace(tool, "TOOL"),
            other => panic!("{other:?}"),
        };
    assert_eq!(answer("secret.rotate"), answer("no.such_tool"));
}

#[test]
fn an_approval_request_holds_the_exact_arguments_and_what_is_at_stake() {
    let manager = manager();
    let session = session(EVERYTHING_LOCAL);
    let mut log = MemoryLog::new(&SystemClock);
    let turn = open(&manager, &session, &mut log);
    let args = json!({ "title": "Crash", "body": "It crashes." });
    let (_, verdict) =
        manager.decide(&session, &turn, call("issues.create", args.clone()), &mut log).unwrap();
    let Verdict::Asked(pending) = verdict else { panic!("{verdict:?}") };
    let request = pending.request();
    assert_eq!(
        (&request.args_preview, &request.args_digest),
        (&args, pending.checked().valid().args_digest())
    );
    assert_eq!(request.risk.effect_level, EffectLevel::ExternalWrite);
    assert!(!request.risk.reasons.is_empty() && request.effects_preview.user_visible_side_effect);
    assert_eq!(request.credential_preview.scopes, ["issues:write"]);
}

/// A journal with room for so many events.
struct Full<'a>(MemoryLog<'a>, usize);

impl EventSink for Full<'_> {
    fn append(
        &mut self,
        scope: &Scope,
        parent: Option<&EventId>,
        fact: Fact,
    ) -> Result<EventId, JournalError> {
        if self.1 == 0 {
            return Err(JournalError("no space left".to_owned()));
        }
        self.1 -= 1;
        self.0.append(scope, parent, fact)
    }

    fn commit(&mut self) -> Result<(), JournalError> {
        self.0.commit()
    }
}

#[test]
fn without_a_journal_nothing_goes_on() {
    let manager = manager();
    let session = session(EVERYTHING_LOCAL);
    let mut log = MemoryLog::new(&SystemClock);
    let turn = open(&manager, &session, &mut log);
    // An allowed call leaves three events; with room for fewer there is no verdict at all.
    for room in 0..3 {
        let mut log = Full(MemoryLog::new(&SystemClock), room);
        let proposed = call("file.read", json!({ "path": "a.md" }));
        let error = manager.decide(&session, &turn, proposed, &mut log).unwrap_err();
        assert!(error.to_string().contains("no log, no run"), "{room}: {error}");
    }
    let mut log = Full(MemoryLog::new(&SystemClock), 3);
    let (_, verdict) =
        manager.decide(&session, &turn, call("file.read", json!({ "path": "a.md" })), &mut log).unwrap();
    assert_eq!(verdict.decision(), Decision::Allow);
}
