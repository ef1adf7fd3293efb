//! Linting many tools, each by itself and as neighbours.
//!
//! Both must grow with the number of tools and not faster: the second half of each group has twice the first's.

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use proofhouse_manager::{
    document::{Format, parse},
    lint::{lint_registry, lint_tool},
    model::ToolDescriptor,
};
use std::{hint::black_box, path::Path};

/// The shipped descriptors, each many times under other names and with a few other words.
fn tools(count: usize) -> Vec<ToolDescriptor> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("manager/descriptors");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("descriptors").map(|e| e.expect("entry").path()).collect();
    files.sort();
    let originals: Vec<ToolDescriptor> = files
        .iter()
        .map(|file| {
            let bytes = std::fs::read(file).expect("readable");
            parse("descriptor", &bytes, Format::Yaml).expect("YAML").decode().expect("a descriptor")
        })
        .collect();
    let vary = |number: usize| {
        let mut tool = originals[number % originals.len()].clone();
        let series = number / originals.len();
        tool.tool_id = format!("s{series}.{}", tool.tool_id).into();
        tool.canonical_name = tool.tool_id.to_string();
        tool.description.summary.push_str(&format!(" Series {series}, batch {}.", series % 17));
        tool
    };
    (0..count).map(vary).collect()
}

fn lint(c: &mut Criterion) {
    let mut group = c.benchmark_group("lint");
    group.sample_size(10);
    for count in [1_000, 2_000] {
        let tools = tools(count);
        group.bench_with_input(BenchmarkId::new("each tool", count), &tools, |b, tools| {
            b.iter(|| tools.iter().map(|tool| lint_tool(black_box(tool), None).len()).sum::<usize>());
        });
        let neighbours: Vec<&ToolDescriptor> = tools.iter().collect();
        group.bench_with_input(BenchmarkId::new("neighbours", count), &neighbours, |b, tools| {
            b.iter(|| lint_registry(black_box(tools)).len());
        });
    }
    group.finish();
}

criterion_group!(benches, lint);
criterion_main!(benches);
