//! What the embedded model makes of real prompts over real servers' tools.
//!
//! The corpus lies beside the repository, if at all; without it the test says so and passes. What is asserted is a
//! floor below the figures that are printed.

use super::Lexical;
use crate::{
    provider::{Message, Request, RequestTool},
    run::TrialKey,
};
use globset::{Glob, GlobSetBuilder};
use proofhouse_manager::{
    adapters::sources::McpCapture,
    model::{ProposedArgs, ToolDescriptor, TrustLevel},
    port::ToolSourcePort,
    registry::RegisteredTool,
};
use serde_json::Value;
use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
    sync::Arc,
};

#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn corpus() -> Option<PathBuf> {
    let mut above = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors();
    let found = above.find_map(|f| Some(f.join("shared/data/mcp")).filter(|p| p.is_dir()));
    if found.is_none() {
        eprintln!("SKIPPED: no shared/data/mcp beside the repository");
    }
    found
}

/// The tools of the servers that are asked for, each registered once.
struct Servers {
    folder: PathBuf,
    known: BTreeMap<String, Vec<RequestTool>>,
}

impl Servers {
    fn tools(&mut self, globs: &[&str]) -> Vec<RequestTool> {
        let mut set = GlobSetBuilder::new();
        let mut offered = Vec::new();
        for glob in globs {
            set.add(Glob::new(glob).unwrap());
            let server = glob.split('.').next().unwrap();
            offered.extend(self.server(server).iter().cloned());
        }
        let set = set.build().unwrap();
        offered.retain(|tool| set.is_match(tool.tool.id().as_str()));
        offered
    }

    fn server(&mut self, name: &str) -> &[RequestTool] {
        let folder = &self.folder;
        self.known.entry(name.to_owned()).or_insert_with(|| {
            let path = folder.join(format!("servers/{name}.json"));
            let found = McpCapture { path, trust: TrustLevel::default() }.discover().unwrap();
            found.tools.into_iter().map(|t| offer(t.descriptor)).collect()
        })
    }
}

fn offer(descriptor: ToolDescriptor) -> RequestTool {
    let tool = Arc::new(RegisteredTool::new(descriptor).unwrap());
    RequestTool { wire_name: tool.id().as_str().into(), tool }
}

fn right_ids(case: &Value) -> Vec<&str> {
    let list = |key: &str| case[key].as_array().into_iter().flatten();
    let alternatives = list("anyOf").filter_map(Value::as_array).flatten();
    list("expect").chain(alternatives).filter_map(|call| call["tool"].as_str()).collect()
}

#[derive(Debug, Default)]
struct Figures {
    golden: usize,
    right: usize,
    wrong: usize,
    valid: usize,
    negative: usize,
    abstained: usize,
}

#[test]
#[expect(clippy::print_stderr, reason = "the figures are what the test is for")]
fn real_servers() {
    let Some(folder) = corpus() else { return };
    let lines = std::fs::read(folder.join("cases.jsonl")).unwrap();
    let mut servers = Servers { folder, known: BTreeMap::new() };
    let lexical = Lexical::new();
    let mut figures = Figures::default();
    for case in serde_json::Deserializer::from_slice(&lines).into_iter::<Value>().map(Result::unwrap) {
        let globs: Vec<&str> = case["offer"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        let key =
            TrialKey { suite: "s".into(), model: "m".into(), distractors: 0, case: "c".into(), repeat: 0 };
        let messages = vec![Message::User(case["prompt"].as_str().unwrap().to_owned())];
        let request = Request { trial: key, turn: 0, messages, tools: servers.tools(&globs) };
        let reply = lexical.answer(&request);
        let call = reply.calls.first();
        match case["kind"].as_str() {
            Some("golden") => {
                figures.golden += 1;
                let right = call.is_some_and(|(name, _)| right_ids(&case).contains(&name.as_str()));
                figures.right += usize::from(right);
                figures.wrong += usize::from(call.is_some() && !right);
                if let Some((name, ProposedArgs::Object(args))) = call {
                    let tool = request.tools.iter().find(|t| *t.wire_name == **name).unwrap();
                    let faults = tool.tool.arguments().faults(&Value::Object(args.clone()));
                    figures.valid += usize::from(faults.is_empty());
                }
            }
            Some("negative") => {
                figures.negative += 1;
                figures.abstained += usize::from(call.is_none());
            }
            _ => (),
        }
    }
    eprintln!("MEASURED lexical over real servers: {figures:?}");
    assert_eq!((figures.golden, figures.negative), (110, 71));
    assert!(figures.right >= 40 && figures.abstained >= 35, "{figures:?}");
}
