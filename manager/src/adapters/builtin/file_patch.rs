//! `file.patch`: a piece of text of one file replaced.

use super::{
    Fault, Tool,
    file_write::{Before, diff, replace},
    job::{Done, Job, file},
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
        let before = Before::of(&job.places, path, job.max_bytes())?;
        let Some(text) = before.text.as_deref() else {
            return Err(Fault::new("not_found", format!("`{path}` does not exist")));
        };
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
        let changed = replace(job, path, &before, &after)?;
        let diff = diff(&changed, text, &after);
        Ok(Done {
            structured: json!({ "path": changed, "replacements": count, "diff": diff }),
            output: diff.into_bytes(),
            kind: ArtifactKind::Diff,
            effects: EffectsObserved {
                reads: vec![file(&changed)],
                writes: vec![file(&changed)],
                ..Default::default()
            },
        })
    }
}
