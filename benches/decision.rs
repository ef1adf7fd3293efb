//! Policy decisions and the journal.
//!
//! Targets: a policy decision p99 < 100 µs; at least 100,000 events a second into the journal; verification at
//! 300 MB a second.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use proofhouse_manager::{
    adapters::clock::SystemClock,
    event::{Chain, Fresh, Scope, fact::ToolPolicyChecked, verify},
    model::{Decision, EventId, Principal},
    policy::{Actor, PolicyAction, PolicyEngine, PolicySubject},
    port::Clock as _,
};
use std::{hint::black_box, path::Path};

fn subject(name: &str) -> PolicySubject {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("manager/descriptors/{name}.yaml"));
    let bytes = std::fs::read(path).expect("readable");
    let format = proofhouse_manager::document::Format::Yaml;
    let node = proofhouse_manager::document::parse("descriptor", &bytes, format).expect("YAML");
    PolicySubject::new(&node.decode().expect("a descriptor"))
}

fn decisions(c: &mut Criterion) {
    let engine = PolicyEngine::standard().expect("valid");
    let scopes = ["issues:write", "workspace:read"].map(str::to_owned).into();
    let actor = Actor::new(Principal { id: "user:dev".into(), scopes });
    let mut group = c.benchmark_group("policy decision");
    for (name, answer) in [("file.read", Decision::Allow), ("issues.create", Decision::Ask)] {
        let tool = subject(name);
        assert_eq!(engine.decide(&actor, PolicyAction::Call, &tool, false).decision, answer);
        group.bench_function(format!("{answer} {name}"), |b| {
            b.iter(|| black_box(engine.decide(&actor, PolicyAction::Call, &tool, false)));
        });
    }
    group.finish();
}

fn journal(c: &mut Criterion) {
    let event = Fresh {
        event_id: EventId::from_uuid(SystemClock.uuid()),
        ts: SystemClock.now(),
        scope: Scope { session_id: "ses_1".into(), run_id: "run_1".into(), call_id: Some("tc_1".into()) },
        parent: Some(EventId::from_uuid(SystemClock.uuid())),
        fact: ToolPolicyChecked {
            decision: Decision::Allow,
            policy_ids: vec!["L0-pure-read".into()],
            policy_set: PolicyEngine::standard().expect("valid").digest().clone(),
            reason: "L0: it only reads".into(),
            principal: None,
        }
        .into(),
    };
    let mut group = c.benchmark_group("journal");
    group.throughput(Throughput::Elements(1));
    group.bench_function("seal an event", |b| {
        let mut chain = Chain::default();
        let mut out = Vec::with_capacity(1 << 10);
        b.iter(|| {
            out.clear();
            black_box(chain.seal(&event, &mut out).expect("canonical"))
        });
    });
    let mut log = Vec::new();
    let mut chain = Chain::default();
    for _ in 0..2_000 {
        chain.seal(&event, &mut log).expect("canonical");
    }
    group.throughput(Throughput::Bytes(log.len() as u64));
    group.bench_function("verify", |b| {
        b.iter_batched(|| &log, |log| black_box(verify(log).expect("whole")), BatchSize::SmallInput);
    });
    group.finish();
}

criterion_group!(benches, decisions, journal);
criterion_main!(benches);
