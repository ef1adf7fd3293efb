//! Retrieval and planning, measured on real prompts over real tools.
//!
//! The public corpora lie beside the repository, if at all; a test that lacks them says so and passes. What is
//! asserted is a floor below the figure that is printed: a change that costs quality is seen.

use super::bm25::{Document, Index, Population, Query, Tuning};
use super::document;
use crate::{
    adapters::sources::Descriptors,
    document::{Format, parse},
    model::ActionType,
    plan::plan,
    port::ToolSourcePort,
    registry::RegisteredTool,
};
use globset::{Glob, GlobSet, GlobSetBuilder};
use serde_json::Value;
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
    process::Command,
};

/// A prompt, the tools it is offered, and those that are right.
struct Task {
    prompt: String,
    offered: Vec<usize>,
    right: BTreeSet<usize>,
}

/// How often a right tool was first, and among the first five.
#[derive(Debug, Default)]
struct Figures {
    tasks: usize,
    first: usize,
    in_five: usize,
}

impl Figures {
    fn of(names: &[String], documents: &[Document], tasks: &[Task]) -> Self {
        let mut figures = Self { tasks: tasks.len(), ..Self::default() };
        for task in tasks {
            let rank = rank_of_right(names, documents, task);
            figures.first += usize::from(rank == 0);
            figures.in_five += usize::from(rank < 5);
        }
        figures
    }

    #[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
    fn assert(&self, name: &str, tasks: usize, first: f64, in_five: f64) {
        let share = |n: usize| n as f64 / self.tasks as f64;
        eprintln!(
            "MEASURED {name}: first {:.1} %, in five {:.1} % of {}",
            share(self.first) * 100.0,
            share(self.in_five) * 100.0,
            self.tasks
        );
        assert_eq!(self.tasks, tasks);
        assert!(share(self.first) >= first && share(self.in_five) >= in_five, "{name}: {self:?}");
    }
}

/// Relevance alone, ties by name: the ranking before risk.
fn rank_of_right(names: &[String], documents: &[Document], task: &Task) -> usize {
    let index = Index::new(task.offered.iter().map(|at| documents[*at].clone()));
    let query = Query::new(&task.prompt);
    let scores = index.score(&query, &Population::everything(&index));
    let mut order: Vec<(f32, usize)> =
        task.offered.iter().enumerate().map(|(at, tool)| (scores.of(at as u32), *tool)).collect();
    order.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| names[a.1].cmp(&names[b.1])));
    order.iter().position(|(_, tool)| task.right.contains(tool)).unwrap()
}

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn shared(path: &str) -> Option<PathBuf> {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = above.find_map(|f| Some(f.join("shared/data").join(path)).filter(|p| p.exists()));
    if found.is_none() {
        eprintln!("SKIPPED: no shared/data/{path} beside the repository");
    }
    found
}

fn text<'v>(value: &'v Value, key: &str) -> &'v str {
    value[key].as_str().unwrap_or_default()
}

fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
    value[key].as_array().into_iter().flatten()
}

fn json_lines(bytes: &[u8]) -> Vec<Value> {
    serde_json::Deserializer::from_slice(bytes).into_iter().map(Result::unwrap).collect()
}

/// The tools that a suite's case or turn names as right.
fn right_ids(case: &Value) -> BTreeSet<&str> {
    let alternatives = list(case, "anyOf").filter_map(Value::as_array).flatten();
    list(case, "expect").chain(alternatives).map(|call| text(call, "tool")).collect()
}

fn globs(case: &Value) -> GlobSet {
    let mut set = GlobSetBuilder::new();
    let offer: Vec<&str> = list(case, "offer").filter_map(Value::as_str).collect();
    for glob in if offer.is_empty() { vec!["*"] } else { offer } {
        set.add(Glob::new(glob).unwrap());
    }
    set.build().unwrap()
}

/// The golden cases as tasks over tools of those names.
fn tasks(cases: &[Value], names: &[String]) -> Vec<Task> {
    let golden = cases.iter().filter(|case| text(case, "kind") == "golden");
    let tasks = golden.map(|case| {
        let turn = list(case, "turns").next().unwrap_or(case);
        let (offer, right) = (globs(case), right_ids(turn));
        let offered: Vec<usize> = (0..names.len()).filter(|at| offer.is_match(&names[*at])).collect();
        let right = offered.iter().copied().filter(|at| right.contains(names[*at].as_str())).collect();
        Task { prompt: text(turn, "prompt").to_owned(), offered, right }
    });
    tasks.filter(|task| !task.right.is_empty()).collect()
}

#[test]
fn berkeley_live_multiple() {
    let Some(path) = shared("bfcl/cases-v4-live_multiple.jsonl.gz") else { return };
    let unpacked = Command::new("gzip").arg("-dc").arg(path).output().unwrap().stdout;
    let (mut names, mut documents, mut tasks) = (Vec::new(), Vec::new(), Vec::new());
    let mut known = BTreeMap::new();
    for case in json_lines(&unpacked) {
        let right: Vec<&String> =
            list(&case, "ground_truth").filter_map(Value::as_object).flat_map(|call| call.keys()).collect();
        let start = names.len();
        for tool in list(&case, "tools") {
            // Many cases offer the same tools.
            let read = || {
                let name = text(tool, "name");
                Document::new(name, [text(tool, "description")], &tool["parameters"], &Tuning::STANDARD)
            };
            documents.push(known.entry(tool.to_string()).or_insert_with(read).clone());
            names.push(text(tool, "name").to_owned());
        }
        let prompt = list(&case, "messages").filter(|m| text(m, "role") == "user").last().unwrap();
        let offered: Vec<usize> = (start..names.len()).collect();
        let right = offered.iter().copied().filter(|at| right.contains(&&names[*at])).collect();
        tasks.push(Task { prompt: text(prompt, "content").to_owned(), offered, right });
    }
    Figures::of(&names, &documents, &tasks).assert("berkeley live_multiple", 1053, 0.88, 0.99);
}

#[test]
fn tools_of_real_servers() {
    let Some(folder) = shared("mcp") else { return };
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder.join("servers")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut tools: Vec<(String, Value)> = Vec::new();
    for file in files {
        let server: Value = serde_json::from_slice(&std::fs::read(&file).unwrap()).unwrap();
        let stem = file.file_stem().unwrap().to_string_lossy();
        tools.extend(list(&server, "tools").map(|t| (format!("{stem}.{}", text(t, "name")), t.clone())));
    }
    let names: Vec<String> = tools.iter().map(|(name, _)| name.clone()).collect();
    let cases = json_lines(&std::fs::read(folder.join("cases.jsonl")).unwrap());
    let tasks = tasks(&cases, &names);
    let mut documents = vec![Document::default(); tools.len()];
    for at in tasks.iter().flat_map(|task| task.offered.iter().copied()).collect::<BTreeSet<usize>>() {
        let (name, tool) = &tools[at];
        documents[at] =
            Document::new(name, [text(tool, "description")], &tool["inputSchema"], &Tuning::STANDARD);
    }
    Figures::of(&names, &documents, &tasks).assert("real servers", 110, 0.54, 0.78);
}

fn files(folder: &str) -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn shipped_tools() -> Vec<RegisteredTool> {
    let found = Descriptors { paths: files("descriptors") }.discover().unwrap();
    found.tools.into_iter().map(|t| RegisteredTool::new(t.descriptor).unwrap()).collect()
}

fn shipped_cases() -> Vec<Value> {
    let parsed = files("../golden/prompts").into_iter().map(|path| {
        parse(path.display().to_string(), &std::fs::read(&path).unwrap(), Format::Yaml).unwrap().to_value()
    });
    parsed.flat_map(|cases| cases.as_array().cloned().unwrap_or_default()).collect()
}

#[test]
fn shipped_prompts() {
    let tools = shipped_tools();
    let names: Vec<String> = tools.iter().map(|t| t.id().to_string()).collect();
    let documents: Vec<Document> = tools.iter().map(document).collect();
    let cases = shipped_cases();
    let tasks = tasks(&cases, &names);
    Figures::of(&names, &documents, &tasks).assert("shipped prompts", tasks.len(), 0.70, 0.95);
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
fn the_planner_hides_no_right_tool() {
    let tools = shipped_tools();
    let actions = |id: &str| {
        tools.iter().find(|t| t.id().as_str() == id).map(|t| t.descriptor().intent.action_types.as_slice())
    };
    let (mut turns, mut decided, mut lost) = (0, 0, Vec::new());
    for case in shipped_cases() {
        let turns_of = case["turns"].as_array().cloned().unwrap_or_else(|| vec![case.clone()]);
        for turn in &turns_of {
            let plan = plan(text(turn, "prompt"));
            turns += 1;
            decided += usize::from(!plan.action_types.is_empty());
            let hides = |served: &[ActionType]| {
                !plan.action_types.is_empty() && !served.iter().any(|a| plan.action_types.contains(a))
            };
            let hidden = right_ids(turn).into_iter().filter(|id| actions(id).is_some_and(hides));
            lost.extend(hidden.map(|id| format!("{}: {id}", text(turn, "prompt"))));
        }
    }
    eprintln!(
        "MEASURED planner: types named in {decided} of {turns} turns, {} right tools hidden",
        lost.len()
    );
    assert!(lost.is_empty(), "{lost:#?}");
    assert!(decided * 5 > turns, "a planner that never decides proves nothing");
}
