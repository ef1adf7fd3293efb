//! `file.write`: a whole file, created or replaced.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    plan::{Before, Plan},
};
use crate::model::{ArtifactKind, EffectsObserved};
use serde_json::json;

/// The tool.
pub(super) struct FileWrite;

impl Tool for FileWrite {
    fn id(&self) -> &'static str {
        "file.write"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let (path, content) = (job.text("path"), job.text("content"));
        let before = Before::of(job, path)?;
        let created = before.bytes.is_none();
        let place = job.places.place(path)?;
        let plan = Plan::write(job, &place.path, &place.folders, &before, content.into());
        Ok(Done {
            output: plan.diff.clone().into_bytes(),
            kind: ArtifactKind::Diff,
            structured: json!({ "path": place.path, "bytesWritten": content.len(), "created": created }),
            effects: EffectsObserved { writes: vec![file(&place.path)], ..Default::default() },
            plan,
        })
    }
}
