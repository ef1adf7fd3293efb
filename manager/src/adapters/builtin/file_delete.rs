//! `file.delete`: a file, or a folder with everything in it.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    places::{Purpose, Slot},
    walk::{Blocked, Depth, entries},
};
use crate::model::{ArtifactKind, EffectsObserved};
use rustix::fs::{AtFlags, FileType};
use serde_json::json;

/// The tool.
pub(super) struct FileDelete;

impl Tool for FileDelete {
    fn id(&self) -> &'static str {
        "file.delete"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let path = job.text("path");
        let dry = job.dry() || job.switch("dryRun", false);
        let doomed = doomed(job, path)?;
        let mut removed = Vec::new();
        for (path, kind) in doomed {
            if !dry {
                let effects = || effects(&removed);
                job.go_on().map_err(|fault| fault.after(effects()))?;
                remove(job, &path, kind).map_err(|fault| fault.after(effects()))?;
            }
            removed.push(path);
        }
        let lines: String = removed.iter().map(|path| format!("{path}\n")).collect();
        Ok(Done {
            output: lines.into_bytes(),
            kind: ArtifactKind::ToolOutput,
            effects: if dry { EffectsObserved::default() } else { effects(&removed) },
            structured: json!({ "removed": removed, "dryRun": dry }),
        })
    }
}

fn effects(removed: &[String]) -> EffectsObserved {
    EffectsObserved { deletes: removed.iter().map(|path| file(path)).collect(), ..Default::default() }
}

/// What would go, what lies inside before what holds it. A link goes itself, and not what it leads to.
fn doomed(job: &Job<'_>, path: &str) -> Result<Vec<(String, FileType)>, Fault> {
    let slot = job.places.slot(path)?;
    let kind = kind(&slot)?;
    if !kind.is_dir() {
        return Ok(vec![(slot.path, kind)]);
    }
    if !job.switch("recursive", false) {
        return Err(Fault::new(
            "is_a_folder",
            format!("`{path}` is a folder\nhint: `recursive` removes it with everything in it"),
        ));
    }
    let folder = job.places.find(path, Purpose::Write)?;
    let mut inside: Vec<_> = entries(job, &folder, Depth::Recursive, Blocked::Refused)?
        .into_iter()
        .map(|e| (e.path, e.kind))
        .collect();
    inside.reverse();
    inside.push((slot.path, kind));
    Ok(inside)
}

fn kind(slot: &Slot) -> Result<FileType, Fault> {
    let stat = rustix::fs::statat(&slot.folder, slot.name.as_str(), AtFlags::SYMLINK_NOFOLLOW)
        .map_err(|e| Fault::system(&slot.path, e))?;
    Ok(FileType::from_raw_mode(stat.st_mode))
}

fn remove(job: &Job<'_>, path: &str, kind: FileType) -> Result<(), Fault> {
    let slot = job.places.slot(path)?;
    let flags = if kind.is_dir() { AtFlags::REMOVEDIR } else { AtFlags::empty() };
    rustix::fs::unlinkat(&slot.folder, slot.name.as_str(), flags).map_err(|e| Fault::system(path, e))
}
