//! Resolving an intent and compiling a view from many registered tools.
//!
//! Targets: 10,000 tools in less than 2 ms, 100,000 in less than 20 ms.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use proofhouse_manager::{
    adapters::{clock::SystemClock, journal::MemoryLog},
    event::Scope,
    manager::{Manager, Session},
    model::{EffectLevel, Principal, ToolBudget, ToolDescriptor},
    policy::{Actor, PolicyEngine},
    registry::Registry,
    resolve::{Environment, Selection},
};
use std::{hint::black_box, path::Path, sync::Arc};

/// The shipped descriptors, each many times under other names and with a few other words.
fn registry(tools: usize) -> Registry {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager/descriptors");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("descriptors").map(|e| e.expect("entry").path()).collect();
    files.sort();
    let originals: Vec<ToolDescriptor> = files
        .iter()
        .map(|file| {
            let bytes = std::fs::read(file).expect("readable");
            let format = proofhouse_manager::document::Format::Yaml;
            let node = proofhouse_manager::document::parse("descriptor", &bytes, format).expect("YAML");
            node.decode().expect("a descriptor")
        })
        .collect();
    let mut registry = Registry::new();
    for number in 0..tools {
        let mut tool = originals[number % originals.len()].clone();
        let series = number / originals.len();
        tool.tool_id = format!("s{series}.{}", tool.tool_id).into();
        tool.canonical_name = tool.tool_id.to_string();
        tool.description.summary.push_str(&format!(" Series {series}, batch {}.", series % 17));
        registry.register(tool).expect("sound");
    }
    registry
}

fn resolve(c: &mut Criterion) {
    let mut group = c.benchmark_group("resolve and view of 16");
    group.sample_size(20);
    for tools in [1_000, 10_000, 100_000] {
        let registry = registry(tools);
        let scopes = registry
            .tools()
            .iter()
            .flat_map(|t| t.descriptor().permissions.required_scopes.iter().cloned())
            .collect();
        let manager = Manager::new(registry, PolicyEngine::standard().expect("valid"), Arc::new(SystemClock));
        let session = Session {
            scope: Scope { session_id: "s".into(), run_id: "r".into(), call_id: None },
            actor: Arc::new(Actor::new(Principal { id: "user:dev".into(), scopes })),
            scene: Arc::default(),
            budget: ToolBudget { max_tools_visible: 16, max_tokens: None },
            selection: Selection::Ranked,
            max_level: EffectLevel::DestructiveOrAdmin,
            environment: Arc::new(Environment::default()),
            tenant: None,
            memory: Default::default(),
        };
        group.bench_function(BenchmarkId::from_parameter(tools), |b| {
            b.iter(|| {
                let mut log = MemoryLog::new(&SystemClock);
                let prompt = "run the tests of the auth module again and show what fails";
                black_box(manager.open_turn(&session, prompt, None, None, &mut log).expect("a turn"))
            });
        });
    }
    group.finish();
}

criterion_group!(benches, resolve);
criterion_main!(benches);
