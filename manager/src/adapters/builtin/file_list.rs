//! `file.list`: what a folder holds.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    places::Purpose,
    plan::Plan,
    walk::{Blocked, Depth, entries},
};
use crate::model::{ArtifactKind, EffectsObserved};
use globset::Glob;
use serde_json::{Value, json};
use std::path::Path;

/// The tool.
pub(super) struct FileList;

impl Tool for FileList {
    fn id(&self) -> &'static str {
        "file.list"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let path = match job.text("path") {
            "" => ".",
            path => path,
        };
        let folder = job.places.find(path, Purpose::Read)?;
        if !folder.kind.is_dir() {
            return Err(Fault::new("not_a_folder", format!("`{path}` is no folder")));
        }
        let read = file(&folder.path);
        let wanted = name_pattern(job.text("pattern"))?;
        let depth = if job.switch("recursive", false) { Depth::Recursive } else { Depth::Flat };
        let listed: Vec<Value> = entries(job, &folder, depth, Blocked::Skipped)?
            .into_iter()
            .filter(|e| wanted(&e.path))
            .map(|e| match e.kind.is_dir() {
                true => json!({ "path": e.path, "kind": "folder" }),
                false => json!({ "path": e.path, "kind": "file", "bytes": e.bytes }),
            })
            .collect();
        let lines: String =
            listed.iter().map(|e| format!("{}\n", e["path"].as_str().unwrap_or_default())).collect();
        Ok(Done {
            output: lines.into_bytes(),
            kind: ArtifactKind::ToolOutput,
            structured: json!({ "entries": listed }),
            effects: EffectsObserved { reads: vec![read], ..Default::default() },
            plan: Plan::default(),
        })
    }
}

/// Whether a path's last name matches a glob; every name does where there is none.
pub(super) fn name_pattern(pattern: &str) -> Result<impl Fn(&str) -> bool, Fault> {
    let glob = match pattern {
        "" => None,
        pattern => {
            let bad = |e| Fault::new("bad_pattern", format!("`{pattern}` is no glob: {e}"));
            Some(Glob::new(pattern).map_err(bad)?.compile_matcher())
        }
    };
    Ok(move |path: &str| {
        let name = Path::new(path).file_name().unwrap_or_default();
        glob.as_ref().is_none_or(|g| g.is_match(name))
    })
}
