//! `file.write`: a whole file, created or replaced.

use super::{
    Fault, Tool,
    job::{Done, Job, file},
    places::{Places, Purpose, Slot},
};
use crate::model::{ArtifactKind, EffectsObserved};
use rustix::fs::{AtFlags, FileType, Mode, OFlags};
use serde_json::json;
use similar::TextDiff;
use std::{fs::File, io::Write as _};

/// The tool.
pub(super) struct FileWrite;

impl Tool for FileWrite {
    fn id(&self) -> &'static str {
        "file.write"
    }

    fn run(&self, job: &Job<'_>) -> Result<Done, Fault> {
        let (path, content) = (job.text("path"), job.text("content"));
        let before = Before::of(&job.places, path, job.max_bytes())?;
        let changed = replace(job, path, &before, content)?;
        let diff = diff(&changed, before.text.as_deref().unwrap_or_default(), content);
        let created = before.text.is_none();
        Ok(Done {
            output: diff.into_bytes(),
            kind: ArtifactKind::Diff,
            structured: json!({ "path": changed, "bytesWritten": content.len(), "created": created }),
            effects: EffectsObserved { writes: vec![file(&changed)], ..Default::default() },
        })
    }
}

/// A file as it is before it is changed.
pub(super) struct Before {
    /// Its text; absent where there is no file yet, empty where it is no text.
    pub(super) text: Option<String>,
    mode: Mode,
}

impl Before {
    pub(super) fn of(places: &Places<'_>, path: &str, max_bytes: u64) -> Result<Self, Fault> {
        match places.find(path, Purpose::Write) {
            Ok(found) => {
                let mode = found.mode;
                let text = String::from_utf8(found.read(max_bytes)?).unwrap_or_default();
                Ok(Self { text: Some(text), mode })
            }
            Err(fault) if fault.code == "not_found" => {
                Ok(Self { text: None, mode: Mode::from_raw_mode(0o644) })
            }
            Err(fault) => Err(fault),
        }
    }
}

/// Puts a new content in a file's place, at once; a reader sees the old one or the new one. In a dry run
/// nothing is written. Returns the real path.
pub(super) fn replace(job: &Job<'_>, path: &str, before: &Before, content: &str) -> Result<String, Fault> {
    job.go_on()?;
    if job.dry() {
        return job.places.foresee(path);
    }
    let slot = job.places.slot_with_folders(path)?;
    refuse_link(&slot)?;
    let part = job.scratch_name();
    let written = write_part(&slot, &part, before.mode, content)
        .and_then(|()| rustix::fs::renameat(&slot.folder, part.as_str(), &slot.folder, slot.name.as_str()))
        .and_then(|()| rustix::fs::fsync(&slot.folder));
    if let Err(error) = written {
        // Nothing more can be done about a part that cannot be removed either.
        rustix::fs::unlinkat(&slot.folder, part.as_str(), AtFlags::empty()).ok();
        return Err(Fault::system(&slot.path, error));
    }
    Ok(slot.path)
}

fn write_part(slot: &Slot, part: &str, mode: Mode, content: &str) -> Result<(), rustix::io::Errno> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    // Never more than the owner's and the group's ordinary rights: no setuid, no setgid, no sticky bit.
    let ordinary = Mode::from_raw_mode(mode.as_raw_mode() & 0o777);
    let fd = rustix::fs::openat(&slot.folder, part, flags, ordinary)?;
    let mut file = File::from(fd);
    file.write_all(content.as_bytes())
        .and_then(|()| file.sync_all())
        .map_err(|e| rustix::io::Errno::from_io_error(&e).unwrap_or(rustix::io::Errno::IO))
}

/// A link in the place of a file is refused: what it leads to is not what was judged.
pub(super) fn refuse_link(slot: &Slot) -> Result<(), Fault> {
    match rustix::fs::statat(&slot.folder, slot.name.as_str(), AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink => {
            Err(Fault::new("path_denied", format!("`{}` is a link, and is not written through", slot.path)))
        }
        Ok(_) | Err(rustix::io::Errno::NOENT) => Ok(()),
        Err(error) => Err(Fault::system(&slot.path, error)),
    }
}

/// What changes, as a unified diff.
pub(super) fn diff(path: &str, before: &str, after: &str) -> String {
    let text = TextDiff::from_lines(before, after);
    text.unified_diff().context_radius(3).header(&format!("a/{path}"), &format!("b/{path}")).to_string()
}
