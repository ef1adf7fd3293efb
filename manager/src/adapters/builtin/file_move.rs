//! `file.move`: a file or folder under another name. Nothing is overwritten.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    places::Purpose,
};
use crate::model::{ArtifactKind, EffectsObserved};
use rustix::fs::RenameFlags;
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
        let source = job.places.slot(from)?;
        let target = match job.dry() {
            true => job.places.foresee(to)?,
            false => {
                let target = job.places.slot_with_folders(to)?;
                let (old, new) =
                    ((&source.folder, source.name.as_str()), (&target.folder, target.name.as_str()));
                rustix::fs::renameat_with(old.0, old.1, new.0, new.1, RenameFlags::NOREPLACE)
                    .map_err(|e| Fault::system(to, e))?;
                target.path
            }
        };
        Ok(Done {
            output: format!("{} -> {target}\n", source.path).into_bytes(),
            kind: ArtifactKind::ToolOutput,
            structured: json!({ "from": source.path, "to": target }),
            effects: EffectsObserved {
                reads: vec![file(&source.path)],
                writes: vec![file(&source.path), file(&target)],
                ..Default::default()
            },
        })
    }
}
