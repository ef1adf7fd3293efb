//! `code.search`: lines of text files that hold a text or match a pattern.

use super::{
    Fault, Tool,
    file_list::name_pattern,
    job::{Done, Job, file},
    places::{Found, Purpose},
    plan::Plan,
    walk::{Blocked, Depth, entries},
};
use crate::model::{ArtifactKind, EffectsObserved, ResourceRef};
use regex::{Regex, RegexBuilder};
use serde_json::{Value, json};

/// The tool.
pub(super) struct CodeSearch;

/// A longer line is cut: minified code would fill the answer.
const MAX_LINE: usize = 400;

impl Tool for CodeSearch {
    fn id(&self) -> &'static str {
        "code.search"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let pattern = pattern(job)?;
        let start = job
            .places
            .find(if job.text("path").is_empty() { "." } else { job.text("path") }, Purpose::Read)?;
        let max = job.number("maxResults").unwrap_or(50);
        let mut matches: Vec<Value> = Vec::new();
        let mut reads = Vec::new();
        for path in files(job, start)? {
            job.go_on()?;
            if matches.len() > max {
                break;
            }
            search(job, &path, &pattern, max + 1 - matches.len(), &mut matches, &mut reads);
        }
        let truncated = matches.len() > max;
        matches.truncate(max);
        let lines: String = matches
            .iter()
            .map(|m| {
                format!(
                    "{}:{}: {}\n",
                    m["path"].as_str().unwrap_or_default(),
                    m["line"],
                    m["text"].as_str().unwrap_or_default()
                )
            })
            .collect();
        Ok(Done {
            output: lines.into_bytes(),
            kind: ArtifactKind::ToolOutput,
            structured: json!({ "matches": matches, "truncated": truncated }),
            effects: EffectsObserved { reads, ..Default::default() },
            plan: Plan::default(),
        })
    }
}

fn pattern(job: &Job<'_>) -> Result<Regex, Fault> {
    let query = job.text("query");
    let source = if job.switch("regex", false) { query.to_owned() } else { regex::escape(query) };
    // The engine is linear in the text; the bound is on the memory of the pattern.
    RegexBuilder::new(&source)
        .case_insensitive(!job.switch("caseSensitive", true))
        .size_limit(1 << 20)
        .build()
        .map_err(|e| Fault::new("bad_pattern", format!("`{query}` is no regular expression: {e}")))
}

fn files(job: &Job<'_>, start: Found) -> Result<Vec<String>, Fault> {
    if !start.kind.is_dir() {
        return Ok(vec![start.path]);
    }
    let wanted = name_pattern(job.text("glob"))?;
    let all = entries(job, &start, Depth::Recursive, Blocked::Skipped)?;
    Ok(all.into_iter().filter(|e| e.kind.is_file() && wanted(&e.path)).map(|e| e.path).collect())
}

/// Searches one file. What is no text, too large or gone is passed over, as people expect of a search.
fn search(
    job: &Job<'_>,
    path: &str,
    pattern: &Regex,
    max: usize,
    matches: &mut Vec<Value>,
    reads: &mut Vec<ResourceRef>,
) {
    let Ok(found) = job.places.find(path, Purpose::Read) else { return };
    let Ok(bytes) = found.read(job.max_bytes()) else { return };
    reads.push(file(path));
    let Ok(text) = String::from_utf8(bytes) else { return };
    let hits = text.lines().enumerate().filter(|(_, line)| pattern.is_match(line)).take(max);
    matches.extend(hits.map(|(at, line)| {
        let shown: String = line.chars().take(MAX_LINE).collect();
        json!({ "path": path, "line": at + 1, "text": shown })
    }));
}
