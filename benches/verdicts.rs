//! Recorded answers to verdicts: JSON text in a file, on one core and on all of them.
//!
//! The answers are made here, alike to real ones in what takes time: some hundred bytes a row, half of them a raw
//! answer that is only stepped over; several functions, some parameters each, text that is compared without case and
//! punctuation, lists, objects, calls in parallel; most of them right, some wrong, some that could not be decoded.

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use proofhouse::{
    import::bfcl::{CaseBook, judge},
    matcher::bfcl::{Names, Rules},
};
use serde_json::{Value, json};
use std::{fmt::Write as _, hint::black_box, path::PathBuf};
use tempfile::TempDir;

const CASES: usize = 1_000;
const MODELS: usize = 20;

/// A number that looks drawn, and is the same in every run.
fn drawn(seed: usize, below: usize) -> usize {
    (seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 33) % below
}

fn functions(case: usize) -> Value {
    let function = |number: usize| {
        json!({ "name": format!("service{}.action_{number}", case % 97), "description": "does something", "parameters": {
            "type": "dict", "required": ["place", "count"], "properties": {
                "place": { "type": "string" }, "count": { "type": "integer" }, "rate": { "type": "float" },
                "days": { "type": "array", "items": { "type": "string" } }, "options": { "type": "dict" },
            } } })
    };
    (0..1 + case % 3).map(function).collect()
}

fn calls(case: usize) -> usize {
    if case.is_multiple_of(4) { 2 + case % 3 } else { 1 }
}

fn case(case: usize) -> Value {
    let functions = functions(case);
    let name = functions[0]["name"].as_str().unwrap_or_default().to_owned();
    let expected = |call: usize| {
        json!({ name.clone(): {
            "place": [format!("New York, {call}"), "NYC"], "count": [case + call], "rate": [0.5, ""],
            "days": [["Monday", "Tuesday"], ""], "options": [{ "size": ["large"], "colour": ["red", ""] }, ""],
        } })
    };
    let truth: Vec<Value> = (0..calls(case)).map(expected).collect();
    let category = if calls(case) > 1 { "parallel" } else { "simple" };
    json!({ "id": format!("{category}_{case}"), "category": category, "functions": functions, "ground_truth": truth })
}

fn row(number: usize, case: usize) -> String {
    let category = if calls(case) > 1 { "parallel" } else { "simple" };
    let what = drawn(number, 20);
    let mut row = format!(r#"{{"id":"{category}_{case}","category":"{category}","decode":"#);
    if what == 0 {
        let words = "I am sorry, but I need to know more about this. ".repeat(6);
        let _ = writeln!(row, r#""failed","calls":null,"verdict":false,"raw":"{words}"}}"#);
        return row;
    }
    let call = |call: usize| {
        let place = if what == 1 { "Boston" } else { "new york" };
        let count = case + call + usize::from(what == 2);
        let more = match drawn(number + 7, 3) {
            0 => "",
            1 => r#","rate":0.5,"days":["monday","tuesday"]"#,
            _ => r#","options":{"size":"Large","colour":"red"},"rate":0.5"#,
        };
        let name = format!("service{}.action_0", case % 97);
        format!(r#"{{"name":"{name}","arguments":{{"place":"{place} {call}","count":{count}{more}}}}}"#)
    };
    let calls: Vec<String> = (0..calls(case)).map(call).collect();
    let calls = calls.join(",");
    let raw = json!(calls);
    let _ = writeln!(
        row,
        r#""ok","calls":[{calls}],"verdict":true,"error_type":null,"raw":[{{"answer":{raw}}}]}}"#
    );
    row
}

/// A file of cases and a file of answers.
fn files(folder: &TempDir) -> (PathBuf, PathBuf, u64) {
    let cases: String = (0..CASES).map(|number| format!("{}\n", case(number))).collect();
    let rows: String = (0..CASES * MODELS).map(|number| row(number, number % CASES)).collect();
    let (cases_file, rows_file) = (folder.path().join("cases.jsonl"), folder.path().join("rows.jsonl"));
    std::fs::write(&cases_file, cases).expect("INVARIANT: a new folder takes files");
    std::fs::write(&rows_file, &rows).expect("INVARIANT: a new folder takes files");
    (cases_file, rows_file, rows.len() as u64)
}

fn verdicts(c: &mut Criterion) {
    let folder = tempfile::tempdir().expect("INVARIANT: there is room for a folder");
    let (cases, rows, bytes) = files(&folder);
    let book = CaseBook::read(&[cases], Rules::V4).expect("INVARIANT: the cases above can be judged");
    let judged = |out: &mut Vec<u8>| judge(&book, std::slice::from_ref(&rows), Rules::V4, Names::Dotted, out);
    let summary = judged(&mut Vec::new()).expect("INVARIANT: so can the answers");
    let (right, all) = (summary.valid, summary.rows);
    assert!(right > all / 2 && right < all, "{right} of {all}: neither all are right nor most are wrong");

    let mut group = c.benchmark_group("verdicts");
    for (name, cores) in [("on one core", 1), ("on all cores", 0)] {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(cores).build();
        let pool = pool.expect("INVARIANT: threads can be started");
        for (unit, throughput) in [("rows", Throughput::Elements(all)), ("bytes", Throughput::Bytes(bytes))] {
            group.throughput(throughput);
            group.bench_function(format!("{name}, {unit}"), |b| {
                b.iter_batched(
                    || Vec::with_capacity(usize::try_from(bytes).unwrap_or_default()),
                    |mut out| pool.install(|| black_box(judged(&mut out))),
                    BatchSize::PerIteration,
                );
            });
        }
    }
    group.finish();
}

criterion_group!(benches, verdicts);
criterion_main!(benches);
