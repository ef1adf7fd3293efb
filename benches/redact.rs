//! Taking secrets out of a tool's output: ten megabytes of a build's log, against few and many secrets in all forms.
//!
//! `escaped` is the costlier half: a text with escapes is read twice.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use proofhouse_manager::{model::Secret, redact::Redactor};
use std::hint::black_box;

const BYTES: usize = 10 << 20;

/// Secrets as services give them out, each different.
fn secrets(count: usize) -> Vec<Secret> {
    const ALPHABET: &[u8; 62] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut letter = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(ALPHABET[usize::try_from(state >> 33).unwrap_or_default() % ALPHABET.len()])
    };
    (0..count)
        .map(|_| Secret::new(format!("ghp_{}", (0..36).map(|_| letter()).collect::<String>())))
        .collect()
}

fn log(line: impl Fn(usize) -> String) -> Vec<u8> {
    let mut text = String::with_capacity(BYTES + 200);
    let mut at = 0;
    while text.len() < BYTES {
        text.push_str(&line(at));
        at += 1;
    }
    text.into_bytes()
}

fn bench(c: &mut Criterion) {
    let plain = log(|n| {
        format!(
            "2026-03-01T12:00:{:02} [info] compiling module {n} of src/pages/index.ts, 3f9a{n:04x} in {} ms\n",
            n % 60,
            n % 977
        )
    });
    let escaped = log(|n| {
        format!(
            "{{\"file\":\"src\\\\pages\\\\{n}.ts\",\"url\":\"/a%20b/{n}\",\"text\":\"line one\\nline two\"}}\n"
        )
    });
    let mut group = c.benchmark_group("redact");
    group.sample_size(10).throughput(Throughput::Bytes(BYTES as u64));
    for count in [1, 10, 1000] {
        let all = secrets(count);
        let redactor =
            Redactor::new(all.iter().map(|secret| ("TOKEN", secret))).expect("INVARIANT: they fit");
        for (name, text) in [("plain", &plain), ("escaped", &escaped)] {
            group.bench_function(format!("{name}/{count}"), |b| b.iter(|| redactor.redact(black_box(text))));
        }
    }
    group.finish();
}

criterion_group!(benches, bench);
criterion_main!(benches);
