//! Grants and approvals from a shell.

use crate::cli::Desk;
use chrono::{DateTime, TimeDelta, Utc};
use proofhouse_manager::{
    adapters::{
        approvers::FileQueue, clock::SystemClock, home::Home, journal::MemoryLog, sources::Descriptors,
        wait::ThreadWait,
    },
    event::{GrantReach, Scope},
    manager::{Manager, Session, StatedIntent, Verdict},
    model::{
        ApprovalRequest, EffectLevel, Principal, ProposedArgs, ProposedBy, ProposedCall, ToolBudget,
        ToolDescriptor,
    },
    policy::{Actor, PolicyEngine},
    port::{AnswerDecision, Approver as _, Clock as _, Reply, ToolSourcePort as _, Uninterrupted},
    registry::Registry,
    resolve::{Environment, Selection},
};
use serde_json::{Value, json};
use std::{path::Path, sync::Arc};

fn descriptors() -> Vec<ToolDescriptor> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager/descriptors");
    let paths = ["issues.create", "db.drop_table"].map(|name| folder.join(format!("{name}.yaml"))).into();
    let found = Descriptors { paths }.discover().unwrap();
    found.tools.into_iter().map(|tool| tool.descriptor).collect()
}

/// What a manager asks about this call.
fn request(tool: &str, args: Value) -> ApprovalRequest {
    let mut registry = Registry::new();
    for descriptor in descriptors() {
        registry.register(descriptor).unwrap();
    }
    let scopes = descriptors().iter().flat_map(|tool| tool.permissions.required_scopes.clone()).collect();
    let manager = Manager::new(registry, PolicyEngine::standard().unwrap(), Arc::new(SystemClock));
    let session = Session {
        scope: Scope { session_id: "ses_1".into(), run_id: "run_1".into(), call_id: None },
        actor: Arc::new(Actor::new(Principal { id: "user:dev".into(), scopes })),
        scene: Arc::default(),
        budget: ToolBudget { max_tools_visible: 10, max_tokens: None },
        selection: Selection::Ranked,
        max_level: EffectLevel::DestructiveOrAdmin,
        environment: Arc::new(Environment::default()),
        tenant: None,
        memory: Default::default(),
    };
    let mut log = MemoryLog::new(&SystemClock);
    let open = StatedIntent { action_types: Vec::new(), target: None };
    let turn = manager.open_turn(&session, "do it", Some(&open), None, &mut log).unwrap();
    let call = ProposedCall {
        tool: tool.into(),
        args: ProposedArgs::from_value(args),
        proposed_by: ProposedBy::Model,
    };
    match manager.decide(&session, &turn, call, &mut log).unwrap().1 {
        Verdict::Asked(pending) => pending.request().clone(),
        other => panic!("{other:?}"),
    }
}

/// Asks through the queue while somebody works at the shell.
fn asked(home: &Home, request: &ApprovalRequest, shell: impl FnOnce()) -> Reply {
    let queue = FileQueue::new(home, Arc::new(SystemClock), Arc::new(ThreadWait));
    std::thread::scope(|scope| {
        let reply = scope.spawn(|| queue.ask(request, request.expires_at, &Uninterrupted));
        while queue.get(&request.approval_id).is_err() {
            assert!(!reply.is_finished(), "the asker has given up");
            std::thread::yield_now();
        }
        shell();
        reply.join().unwrap()
    })
}

#[test]
fn a_destructive_call_is_looked_at_and_approved_from_a_shell() {
    let desk = Desk::new();
    let home = Home::open(desk.path().join("agent")).unwrap();
    let run = |arguments: &[&str]| desk.run(&[arguments, &["--home", "agent"]].concat());
    let (code, out, _) = run(&["approvals", "list"]);
    assert_eq!((code, out.as_str()), (0, "nothing waits for an answer\n"));

    let request = request("db.drop_table", json!({ "table": "orders" }));
    let id = request.approval_id.as_str();
    let reply = asked(&home, &request, || {
        let (code, out, _) = run(&["approvals", "list", "--format", "json"]);
        let listed: Value = serde_json::from_str(&out).unwrap();
        let row = &listed["approvals"][0];
        assert_eq!((code, &row["approvalId"], &row["state"]), (0, &json!(id), &json!("waits")), "{out}");
        assert_eq!(row["typedConfirmation"], "db.drop_table");
        let (code, out, _) = run(&["approvals", "show", id]);
        assert!(code == 0 && out.starts_with(&request.preview) && out.contains("\"orders\""), "{out}");
        let refusals: [(&[&str], &str); 4] = [
            (&["grant", id], "choosing is not enough"),
            (&["grant", id, "--typed", "yes"], "--typed db.drop_table"),
            (&["grant", id, "--always", "--typed", "db.drop_table"], "does not offer `--always`"),
            (&["grant", "apr_none"], "no request `apr_none`"),
        ];
        for (arguments, part) in refusals {
            let (code, _, err) = run(&[&["approvals"][..], arguments].concat());
            assert!(code == 2 && err.contains(part) && err.contains("hint: "), "{arguments:?}: {code} {err}");
        }
        let (code, out, err) = run(&["approvals", "grant", id, "--typed", "db.drop_table"]);
        assert!(
            code == 0 && out.starts_with(&format!("granted {id} for this one call, as user:")),
            "{out}{err}"
        );
    });
    let Reply::Answer(answer) = reply else { panic!("{reply:?}") };
    assert_eq!(answer.decision, AnswerDecision::Allow { reach: GrantReach::Once });
    assert_eq!(answer.contract_digest, request.contract_digest);
    let (code, _, err) = run(&["approvals", "deny", id]);
    assert!(code == 2 && err.contains("no request"), "{err}");
}

#[test]
fn a_call_is_denied_from_a_shell_with_its_reason() {
    let desk = Desk::new();
    let home = Home::open(desk.path().join("agent")).unwrap();
    let request = request("issues.create", json!({ "title": "Crash" }));
    let id = request.approval_id.as_str();
    let reply = asked(&home, &request, || {
        let (code, _, err) =
            desk.run(&["approvals", "deny", id, "--reason", "a duplicate", "--home", "agent"]);
        assert_eq!(code, 0, "{err}");
    });
    let Reply::Answer(answer) = reply else { panic!("{reply:?}") };
    assert_eq!(answer.decision, AnswerDecision::Deny { reason: "a duplicate".into() });
}

#[test]
fn a_grant_is_issued_shown_and_revoked_from_a_shell() {
    let desk = Desk::new();
    let run = |arguments: &[&str]| desk.run(&[arguments, &["--home", "agent"]].concat());
    assert_eq!(run(&["grants", "list"]).1, "no grant is in force\n");
    let issue = ["grants", "issue", "issues.close", "--to", "user:dev", "--for", "12h"];
    let (code, _, err) = run(&issue);
    assert!(code == 2 && err.contains("no version of `issues.close` is enabled here"), "{err}");
    let suite = concat!(env!("CARGO_MANIFEST_DIR"), "/suites/admission.yaml");
    let register = ["tools", "register", "standard", "--only", "issues.close", "--only", "db.drop_table"];
    let enabled = ["--suite", suite, "-m", "lexical", "--enable"];
    let (code, _, err) = run(&[&register[..], &enabled].concat());
    assert_eq!(code, 0, "{err}");
    let (code, _, err) = run(&["grants", "issue", "db.drop_table", "--to", "user:dev", "--for", "12h"]);
    assert!(code == 2 && err.contains("one call at a time"), "{err}");
    let (code, _, err) = run(&[&issue[..], &["--args", r#"{"title":1,"title":2}"#]].concat());
    assert!(code == 2 && err.contains("`title` stands twice"), "{err}");

    let (code, out, err) = run(&issue);
    assert_eq!(code, 0, "{err}");
    let id = out.split(' ').nth(1).unwrap().to_owned();
    let listed: Value = serde_json::from_str(&run(&["grants", "list", "--format", "json"]).1).unwrap();
    let grant = &listed["grants"][0]["grant"];
    assert_eq!((&grant["grantId"], &grant["arguments"]["are"]), (&json!(id), &json!("any")));
    let until: DateTime<Utc> = grant["expiresAt"].as_str().unwrap().parse().unwrap();
    assert!(until <= SystemClock.now() + TimeDelta::hours(12));

    let (code, _, err) = run(&["grants", "revoke", &id, "--reason", "leaked"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(run(&["grants", "list"]).1, "no grant is in force\n");
    let shown: Value = serde_json::from_str(&run(&["grants", "show", &id]).1).unwrap();
    assert_eq!(shown["state"], "ended");
    assert!(shown["why"].as_str().unwrap().ends_with(": leaked"), "{shown}");
    let (code, _, err) = run(&["grants", "revoke", &id, "--reason", "again"]);
    assert!(code == 2 && err.contains("was ended before"), "{err}");
    let (code, _, err) = run(&["grants", "show", "gr_none"]);
    assert!(code == 2 && err.contains("no grant `gr_none`"), "{err}");
}
