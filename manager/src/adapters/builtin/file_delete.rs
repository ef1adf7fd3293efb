//! `file.delete`: a file, or a folder with everything in it.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    plan::Plan,
    walk::within,
};
use crate::model::{ArtifactKind, EffectsObserved};
use serde_json::json;

/// The tool.
pub(super) struct FileDelete;

impl Tool for FileDelete {
    fn id(&self) -> &'static str {
        "file.delete"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let path = job.text("path");
        let slot = job.places.slot(path)?;
        if job.places.is_folder(&slot)? && !job.switch("recursive", false) {
            return Err(Fault::new(
                "is_a_folder",
                format!("`{path}` is a folder\nhint: `recursive` removes it with everything in it"),
            ));
        }
        let mut removed = within(job, path)?;
        let plan = Plan::remove(job, &removed)?;
        // What lies inside goes before what holds it.
        removed.reverse();
        let only_shown = job.switch("dryRun", false);
        let deletes = removed.iter().map(|path| file(path)).collect();
        Ok(Done {
            output: removed.iter().map(|path| format!("{path}\n")).collect::<String>().into_bytes(),
            kind: ArtifactKind::ToolOutput,
            structured: json!({ "removed": removed, "dryRun": only_shown || job.dry() }),
            effects: match only_shown {
                true => EffectsObserved::default(),
                false => EffectsObserved { deletes, ..Default::default() },
            },
            plan: if only_shown { Plan::default() } else { plan },
        })
    }
}
