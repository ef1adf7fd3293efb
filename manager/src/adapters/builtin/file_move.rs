//! `file.move`: a file or folder under another name. Nothing is overwritten.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    places::Purpose,
    plan::Plan,
    walk::within,
};
use crate::model::{ArtifactKind, EffectsObserved};
use serde_json::json;

/// The tool.
pub(super) struct FileMove;

impl Tool for FileMove {
    fn id(&self) -> &'static str {
        "file.move"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let (from, to) = (job.text("from"), job.text("to"));
        job.places.find(from, Purpose::Write)?;
        let source = job.places.slot(from)?.path;
        let target = job.places.place(to)?;
        if job.places.stands(&target.path)? {
            return Err(Fault::new("exists", format!("`{to}` exists already")));
        }
        if target.path.starts_with(&format!("{source}/")) {
            return Err(Fault::new("path_denied", format!("`{to}` lies in what is to be moved")));
        }
        let paths = within(job, from)?;
        let plan = Plan::relocate(job, &paths, (&source, &target.path), &target.folders)?;
        Ok(Done {
            output: format!("{source} -> {}\n", target.path).into_bytes(),
            kind: ArtifactKind::ToolOutput,
            structured: json!({ "from": source, "to": target.path }),
            effects: EffectsObserved {
                reads: vec![file(&source)],
                writes: vec![file(&source), file(&target.path)],
                ..Default::default()
            },
            plan,
        })
    }
}
