//! Policy decisions.
//!
//! Target: a policy decision p99 < 100 µs.

#![expect(clippy::print_stdout, reason = "the slowest hundredth is a figure that the harness does not print")]

use cedar_policy::{Authorizer, Context, Entities, PolicySet, Request};
use criterion::{Criterion, criterion_group, criterion_main};
use proofhouse_manager::{
    model::{Decision, Principal, ToolDescriptor, ToolIntent},
    policy::{Actor, Asks, PolicyEngine, PolicySubject, PolicyText, Question, Scene, Vocabulary},
};
use serde_json::{Value, json};
use std::{hint::black_box, path::Path, time::Instant};

fn descriptor(name: &str) -> ToolDescriptor {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("manager/descriptors/{name}.yaml"));
    let bytes = std::fs::read(path).expect("readable");
    let format = proofhouse_manager::document::Format::Yaml;
    let node = proofhouse_manager::document::parse("descriptor", &bytes, format).expect("YAML");
    node.decode().expect("a descriptor")
}

/// Policies that read arguments, beside the standard ones.
const OWN: &str = r#"
@id("no-etc") forbid (principal, action == Action::"call:file.read", resource)
when { context.args.path like "/etc/*" || context.args.path like "*/.ssh/*" };
@id("flow") forbid (principal, action in Action::"call", resource)
when { resource.egress && context.labels.contains("read-private") && context.intent.actionTypes.contains("delete") };
"#;

fn intent() -> ToolIntent {
    serde_json::from_value(json!({
        "intentId": "int_1", "sessionId": "ses_1", "runId": "run_1", "userGoal": "", "currentTask": "",
        "actionTypes": ["read"], "rationaleSummary": "", "confidence": 1.0, "createdAt": "2026-01-01T00:00:00Z",
    }))
    .expect("an intent")
}

/// The 99th of 100 answers, in microseconds: what a mean hides.
fn p99(mut ask: impl FnMut()) -> f64 {
    const ASKED: usize = 20_000;
    let mut took: Vec<u128> = (0..ASKED)
        .map(|_| {
            let start = Instant::now();
            ask();
            start.elapsed().as_nanos()
        })
        .collect();
    took.sort_unstable();
    took[ASKED * 99 / 100] as f64 / 1e3
}

fn decisions(c: &mut Criterion) {
    let (read, create) = (descriptor("file.read"), descriptor("issues.create"));
    let standard = PolicyEngine::standard().expect("valid");
    let texts = [PolicyEngine::standard_text(), PolicyText::new("own.cedar", OWN)];
    let with_arguments = PolicyEngine::load(&texts, &Vocabulary::new([&read, &create])).expect("valid");
    let actor = |scopes: &[&str]| {
        let scopes = scopes.iter().map(|s| (*s).to_owned()).collect();
        Actor::new(Principal { id: "user:dev".into(), scopes })
    };
    let (holder, stranger) = (actor(&["issues:write", "workspace:read"]), actor(&[]));
    let (intent, scene) = (intent(), Scene::default());
    let (path, title) = (json!({ "path": "src/main.rs", "startLine": 100 }), json!({ "title": "It fails" }));
    let (read, create) = (PolicySubject::new(&read), PolicySubject::new(&create));
    let rows: [(&str, &PolicyEngine, &Actor, &PolicySubject, &Value, Decision); 5] = [
        ("file.read", &standard, &holder, &read, &path, Decision::Allow),
        ("issues.create", &standard, &holder, &create, &title, Decision::Ask),
        ("issues.create without a scope", &standard, &stranger, &create, &title, Decision::Deny),
        ("file.read by its arguments", &with_arguments, &holder, &read, &path, Decision::Allow),
        ("issues.create by its intent", &with_arguments, &holder, &create, &title, Decision::Ask),
    ];
    let mut group = c.benchmark_group("policy decision");
    for (name, engine, actor, tool, args, answer) in rows {
        let question = Question { actor, tool, scene: &scene, asks: Asks::Call { intent: &intent, args } };
        assert_eq!(engine.decide(&question).decision, answer, "{name}");
        let slow = p99(|| drop(black_box(engine.decide(&question))));
        println!("policy decision/{answer} {name}: p99 {slow:.1} µs");
        group.bench_function(format!("{answer} {name}"), |b| b.iter(|| black_box(engine.decide(&question))));
    }
    let (policies, request, entities) = cedar_alone();
    let slow = p99(|| drop(black_box(Authorizer::new().is_authorized(&request, &policies, &entities))));
    println!("policy decision/Cedar alone, one question: p99 {slow:.1} µs");
    group.bench_function("Cedar alone, one question", |b| {
        b.iter(|| black_box(Authorizer::new().is_authorized(&request, &policies, &entities)));
    });
    group.finish();
}

/// The standard policies and `file.read`, with everything prepared: what no wrapper can be faster than.
fn cedar_alone() -> (PolicySet, Request, Entities) {
    let uid = |text: &str| text.parse().expect("an entity");
    let entities = json!([
        { "uid": { "type": "Principal", "id": "user:dev" }, "parents": [],
          "attrs": { "id": "user:dev", "kind": "user", "scopes": ["issues:write", "workspace:read"] } },
        { "uid": { "type": "Action", "id": "call:file.read" }, "attrs": {},
          "parents": [{ "type": "Action", "id": "call" }] },
        { "uid": { "type": "Tool", "id": "file.read" }, "parents": [], "attrs": {
            "level": 0, "risk": "low", "reversible": true, "egress": false, "labels": [], "sandboxed": true,
            "redacted": true, "approvalPolicy": "never", "requiredScopes": ["workspace:read"],
            "allowedPrincipals": [], "blockedPrincipals": [],
        } },
    ]);
    let context = json!({
        "approved": false, "confirmationRequested": false, "environment": "production", "budget": {}, "labels": [],
    });
    let request = Request::new(
        uid("Principal::\"user:dev\""),
        uid("Action::\"call:file.read\""),
        uid("Tool::\"file.read\""),
        Context::from_json_value(context, None).expect("a context"),
        None,
    );
    let entities = Entities::from_json_value(entities, None).expect("entities");
    let policies: PolicySet = PolicyEngine::standard_text().text.parse().expect("policies");
    let response =
        Authorizer::new().is_authorized(request.as_ref().expect("a request"), &policies, &entities);
    assert_eq!(response.decision(), cedar_policy::Decision::Allow);
    assert_eq!(response.diagnostics().errors().count(), 0);
    (policies, request.expect("a request"), entities)
}

criterion_group!(benches, decisions);
criterion_main!(benches);
