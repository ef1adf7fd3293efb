//! What a trial costs: an instant model, through the whole path of the manager.
//!
//! Target: at most 100 µs of CPU a trial (resolve, view, names, validate, policy, authorize, events, score).

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use proofhouse::{
    provider::{Patience, ProviderSettings},
    run::{Conduct, Prepared, RunOptions, Shard, SuiteTrust, Surroundings},
};
use proofhouse_manager::{adapters::clock::SystemClock, event::Chain, model::RunId, port::Clock as _};
use std::{collections::BTreeSet, hint::black_box, path::Path, sync::Arc};

fn prepare(suite: &str, model: &str) -> Prepared {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(suite);
    let options = RunOptions {
        models: vec![model.to_owned()],
        trials: None,
        filter: "-kind:ambiguous".to_owned(),
        shard: Shard::WHOLE,
        seed: 0,
    };
    let conduct =
        Conduct { concurrency: 1, per_minute: None, patience: Patience::default(), trust: SuiteTrust::Inert };
    let surroundings = Surroundings {
        clock: Arc::new(SystemClock),
        providers: &ProviderSettings::new(Arc::new(|_| None), || SystemClock.now()),
        failed: &BTreeSet::new(),
    };
    Prepared::new(&path, RunId::new("run_bench"), &options, &conduct, &surroundings)
        .expect("the shipped suite")
}

fn trials(c: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let mut group = c.benchmark_group("trial");
    group.throughput(Throughput::Elements(1));
    for (suite, model) in [
        ("suites/coding-agent.yaml", "script:perfect"),
        ("suites/coding-agent.yaml", "lexical"),
        ("suites/matchers.yaml", "script:perfect"),
    ] {
        let prepared = prepare(suite, model);
        let mut number = 0;
        group.bench_function(BenchmarkId::new(model, suite), |b| {
            b.iter(|| {
                number = (number + 1) % prepared.plan().len();
                black_box(runtime.block_on(prepared.play(number)))
            });
        });
    }
    let prepared = prepare("suites/coding-agent.yaml", "script:perfect");
    let (record, events) = runtime.block_on(prepared.play(0)).expect("a trial");
    group.bench_function("chain and serialize its events", |b| {
        let mut chain = Chain::default();
        let mut out = Vec::new();
        b.iter(|| {
            out.clear();
            for event in &events {
                chain.seal(event, &mut out).expect("canonical");
            }
            serde_json::to_writer(&mut out, &record).expect("JSON");
            black_box(out.len())
        });
    });
    group.finish();
}

criterion_group!(benches, trials);
criterion_main!(benches);
