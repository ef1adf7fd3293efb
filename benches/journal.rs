//! The journal: sealing, appending, durable appends with group commit, verification, reading.
//!
//! Targets: at least 100,000 events a second, buffered; durable appends at the disk's fsync rate, and beyond it where
//! threads share one; verification at 300 MB a second. Beside them stands what the machine itself can do: one fsync, and
//! SHA-256 alone.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use proofhouse_manager::{
    adapters::{
        clock::SystemClock,
        journal::{self, JournalWriter, Trust},
    },
    event::{Chain, Fresh, Scope, verify},
    model::{Digest, Domain, EventId},
    port::Clock as _,
};
use serde_json::json;
use std::{hint::black_box, io::Write as _, path::Path, sync::Arc, time::Duration};

fn journals(c: &mut Criterion) {
    let event = Fresh {
        event_id: EventId::from_uuid(SystemClock.uuid()),
        ts: SystemClock.now(),
        scope: Scope { session_id: "ses_1".into(), run_id: "run_1".into(), call_id: Some("tc_1".into()) },
        parent: Some(EventId::from_uuid(SystemClock.uuid())),
        fact: serde_json::from_value(json!({
            "type": "ToolPolicyChecked", "decision": "allow", "policyIds": ["L0-pure-read"],
            "policySet": Digest::zero(), "reason": "L0: it only reads",
        }))
        .expect("a fact"),
    };
    let folder = tempfile::tempdir().expect("a folder");
    let mut group = c.benchmark_group("journal");
    group.warm_up_time(Duration::from_millis(500)).measurement_time(Duration::from_secs(2));
    group.throughput(Throughput::Elements(1));
    group.bench_function("seal an event", |b| {
        let mut chain = Chain::default();
        let mut out = Vec::with_capacity(1 << 10);
        b.iter(|| {
            out.clear();
            black_box(chain.seal(&event, &mut out).expect("canonical"))
        });
    });
    let writer = journal_in(folder.path(), "buffered.jsonl");
    group.bench_function("append an event", |b| {
        b.iter(|| black_box(writer.append_all(std::slice::from_ref(&event)).expect("written")));
    });
    group.sample_size(10);
    let log = folder.path().join("log.jsonl");
    let writer = journal_in(folder.path(), "log.jsonl");
    let block = vec![event.clone(); 1_000];
    for _ in 0..200 {
        writer.append_all(&block).expect("written");
    }
    drop(writer);
    group.throughput(Throughput::Bytes(std::fs::metadata(&log).expect("there").len()));
    let bytes = std::fs::read(&log).expect("readable");
    group.bench_function("verify, one core", |b| b.iter(|| black_box(verify(&bytes).expect("whole"))));
    group.bench_function("verify a file, all cores", |b| {
        b.iter(|| black_box(journal::verify(&log, &Trust::default()).expect("whole")));
    });
    group.bench_function("SHA-256 alone: the ceiling of one core", |b| {
        b.iter(|| black_box(Digest::of_bytes(Domain::Plain, &bytes)));
    });
    group.throughput(Throughput::Elements(200_001));
    group.bench_function("read verified events", |b| {
        b.iter(|| journal::read_verified(&log).expect("there").filter(|event| event.is_ok()).count());
    });
    group.finish();
    durable(c, &event, folder.path());
}

/// Appends that are on the disk, each before its thread goes on; beside it what the disk does without us.
fn durable(c: &mut Criterion, event: &Fresh, folder: &Path) {
    const EACH: usize = 8;
    let mut group = c.benchmark_group("journal, durable");
    group.sample_size(10);
    let mut bare = std::fs::File::create(folder.join("bare")).expect("writable");
    group.throughput(Throughput::Elements(1));
    group.bench_function("fsync alone", |b| {
        b.iter(|| {
            bare.write_all(&[b'x'; 600]).expect("written");
            bare.sync_data().expect("durable");
        });
    });
    for threads in [1, 8, 64] {
        let writer = journal_in(folder, &format!("durable-{threads}.jsonl"));
        group.throughput(Throughput::Elements((threads * EACH) as u64));
        group.bench_function(format!("append and commit, {threads} threads"), |b| {
            b.iter(|| {
                std::thread::scope(|scope| {
                    for _ in 0..threads {
                        let writer = writer.clone();
                        scope.spawn(move || {
                            for _ in 0..EACH {
                                writer.append_all(std::slice::from_ref(event)).expect("written");
                                writer.commit().expect("durable");
                            }
                        });
                    }
                });
            });
        });
    }
    group.finish();
}

fn journal_in(folder: &Path, name: &str) -> JournalWriter {
    let clock = Arc::new(SystemClock);
    JournalWriter::open(&folder.join(name), &"run_1".into(), "bench", clock).expect("writable")
}

criterion_group!(benches, journals);
criterion_main!(benches);
