//! Going through folders, one open descriptor at a time, without following links.

use super::{
    Fault,
    job::Job,
    places::{Found, Purpose, text},
};
use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags};
use std::{
    ffi::CStr,
    os::fd::OwnedFd,
    path::{Path, PathBuf},
};

/// Folders deeper than this are not entered.
const MAX_DEPTH: usize = 64;
/// A folder with more entries than this is refused.
const MAX_ENTRIES: usize = 200_000;

/// Something in a folder.
pub(super) struct Entry {
    /// Its path beneath the workspace root.
    pub(super) path: String,
    pub(super) kind: FileType,
    pub(super) bytes: u64,
}

/// Whether subfolders are entered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    Flat,
    Recursive,
}

/// What becomes of entries that the sandbox blocks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Blocked {
    /// They are passed over, as if they were not there.
    Skipped,
    /// They stop the whole.
    Refused,
}

/// What a folder holds, sorted by path.
pub(super) fn entries(
    job: &Job<'_>,
    folder: &Found,
    depth: Depth,
    blocked: Blocked,
) -> Result<Vec<Entry>, Fault> {
    let base = PathBuf::from(&folder.path);
    let mut walk = Walk { job, depth, blocked, found: Vec::new() };
    walk.descend(&folder.fd, &base, 0)?;
    walk.found.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(walk.found)
}

/// Something that a path names, and what lies in it where it is a folder; sorted. A link is itself, and not what it
/// leads to.
pub(super) fn within(job: &Job<'_>, path: &str) -> Result<Vec<String>, Fault> {
    let slot = job.places.slot(path)?;
    let mut paths = Vec::new();
    if job.places.is_folder(&slot)? {
        let folder = job.places.find(path, Purpose::Write)?;
        paths.extend(entries(job, &folder, Depth::Recursive, Blocked::Refused)?.into_iter().map(|e| e.path));
    }
    paths.insert(0, slot.path);
    Ok(paths)
}

struct Walk<'a> {
    job: &'a Job<'a>,
    depth: Depth,
    blocked: Blocked,
    found: Vec<Entry>,
}

impl Walk<'_> {
    fn descend(&mut self, folder: &OwnedFd, at: &Path, level: usize) -> Result<(), Fault> {
        self.job.go_on()?;
        let refused = |e| Fault::system(&text(at), e);
        for entry in Dir::read_from(folder).map_err(refused)? {
            let entry = entry.map_err(refused)?;
            let name = entry.file_name();
            if name != c"." && name != c".." {
                self.take(folder, name, at, level)?;
            }
        }
        Ok(())
    }

    fn take(&mut self, folder: &OwnedFd, name: &CStr, at: &Path, level: usize) -> Result<(), Fault> {
        let path = at.join(name.to_string_lossy().as_ref());
        if !self.job.places.visible(&path) {
            return match self.blocked {
                Blocked::Skipped => Ok(()),
                Blocked::Refused => {
                    let message = format!("`{}` holds something that the tool's sandbox blocks", text(at));
                    Err(Fault::new("path_denied", message))
                }
            };
        }
        if self.found.len() == MAX_ENTRIES || level == MAX_DEPTH {
            let message = format!("`{}`: more than {MAX_ENTRIES} entries or {MAX_DEPTH} levels", text(at));
            return Err(Fault::new("too_large", message));
        }
        // Gone since it was listed: then it is not there.
        let Ok(stat) = rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { return Ok(()) };
        let kind = FileType::from_raw_mode(stat.st_mode);
        let bytes = u64::try_from(stat.st_size).unwrap_or_default();
        self.found.push(Entry { path: text(&path), kind, bytes });
        if kind.is_dir() && self.depth == Depth::Recursive {
            let inner = subfolder(folder, name).map_err(|e| Fault::system(&text(&path), e))?;
            self.descend(&inner, &path, level + 1)?;
        }
        Ok(())
    }
}

fn subfolder(folder: &OwnedFd, name: &CStr) -> Result<OwnedFd, rustix::io::Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    rustix::fs::openat(folder, name, flags, Mode::empty())
}
