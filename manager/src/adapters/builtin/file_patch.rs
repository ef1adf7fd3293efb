//! `file.patch`: a piece of text of one file replaced.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    plan::{Before, Plan},
};
use crate::model::{ArtifactKind, EffectsObserved};
use serde_json::json;

/// The tool.
pub(super) struct FilePatch;

impl Tool for FilePatch {
    fn id(&self) -> &'static str {
        "file.patch"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let (path, find, replacement) = (job.text("path"), job.text("find"), job.text("replace"));
        let before = Before::of(job, path)?;
        let Some(bytes) = before.bytes.as_deref() else {
            return Err(Fault::new("not_found", format!("`{path}` does not exist")));
        };
        // What is no text holds no piece of text.
        let text = std::str::from_utf8(bytes).unwrap_or_default();
        let count = text.matches(find).count();
        let told = match (count, job.switch("all", false)) {
            (0, _) => {
                Some(Fault::new("text_not_found", format!("`{path}` does not hold the text to replace")))
            }
            (2.., false) => Some(Fault::new(
                "text_not_unique",
                format!(
                    "`{path}` holds the text {count} times\nhint: give more of what stands around it, or `all`"
                ),
            )),
            _ => None,
        };
        if let Some(fault) = told {
            return Err(fault);
        }
        let after = text.replace(find, replacement);
        let place = job.places.place(path)?;
        let plan = Plan::write(job, &place.path, &place.folders, &before, after.into_bytes());
        Ok(Done {
            structured: json!({ "path": place.path, "replacements": count, "diff": plan.diff }),
            output: plan.diff.clone().into_bytes(),
            kind: ArtifactKind::Diff,
            effects: EffectsObserved {
                reads: vec![file(&place.path)],
                writes: vec![file(&place.path)],
                ..Default::default()
            },
            plan,
        })
    }
}
