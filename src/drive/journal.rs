//! The journals of a home as one: every event in the order in which it happened.

use super::Failure;
use proofhouse_manager::adapters::home::Home;
use serde_json::{Map, Value};
use std::{fs, path::PathBuf};

/// Every event of a home. Of two at the same microsecond, that of the registry comes first.
///
/// # Errors
/// If a journal cannot be read.
pub(super) fn events(home: &Home) -> Result<Vec<Map<String, Value>>, Failure> {
    let runs: Result<Vec<PathBuf>, _> = fs::read_dir(home.runs())?.map(|e| e.map(|e| e.path())).collect();
    let mut runs = runs?;
    runs.retain(|path| path.extension().is_some_and(|e| e == "jsonl"));
    runs.sort();
    let mut events: Vec<Map<String, Value>> = Vec::new();
    for path in [home.registry()].iter().chain(&runs) {
        let text = if path.exists() { fs::read_to_string(path)? } else { String::new() };
        for line in text.lines() {
            events.push(serde_json::from_str(line)?);
        }
    }
    // Times have one form, so that their texts sort as they do.
    events.sort_by(|a, b| ts(a).cmp(ts(b)));
    Ok(events)
}

fn ts(event: &Map<String, Value>) -> &str {
    event.get("ts").and_then(Value::as_str).unwrap_or_default()
}
