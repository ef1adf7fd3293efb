//! What of a workspace may be touched: paths become open descriptors, and these are judged.

use super::{Fault, Workspace};
use crate::model::FilesystemRules;
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustix::fs::{FileType, Mode, OFlags, ResolveFlags};
use std::{
    fs::File,
    io::Read as _,
    os::fd::{AsFd, AsRawFd as _, OwnedFd},
    path::{Path, PathBuf},
};

/// A workspace under the rules of one sandbox.
pub(super) struct Places<'a> {
    workspace: &'a Workspace,
    blocked: GlobSet,
    readable: Vec<PathBuf>,
    writable: Vec<PathBuf>,
}

/// What a path is wanted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Purpose {
    Read,
    Write,
}

/// Something that exists, open, with its real path beneath the root.
pub(super) struct Found {
    pub(super) fd: OwnedFd,
    pub(super) path: String,
    pub(super) kind: FileType,
    pub(super) mode: Mode,
}

/// A name in an open folder, whether or not something stands there.
pub(super) struct Slot {
    pub(super) folder: OwnedFd,
    pub(super) name: String,
    pub(super) path: String,
}

impl<'a> Places<'a> {
    pub(super) fn new(workspace: &'a Workspace, rules: &FilesystemRules) -> Result<Self, Fault> {
        Ok(Self {
            workspace,
            blocked: globs(&rules.blocked_paths)?,
            readable: roots(&rules.read_roots)?,
            writable: roots(&rules.write_roots)?,
        })
    }

    /// Whether the kernel can open paths beneath a folder; without that no path can be judged.
    pub(super) fn probe(&self) -> Result<(), Fault> {
        self.beneath(".", OFlags::PATH | OFlags::CLOEXEC).map(drop)
    }

    /// Opens what a path leads to.
    pub(super) fn find(&self, path: &str, purpose: Purpose) -> Result<Found, Fault> {
        // Without NONBLOCK, opening a pipe that nobody writes to would never return.
        let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let fd = self.beneath(path, flags)?;
        let real = self.real_path(path, &fd)?;
        self.judge(path, &real, purpose)?;
        let stat = rustix::fs::fstat(&fd).map_err(|e| Fault::system(path, e))?;
        let kind = FileType::from_raw_mode(stat.st_mode);
        Ok(Found { fd, path: text(&real), kind, mode: Mode::from_raw_mode(stat.st_mode) })
    }

    /// Opens the folder that a path's last name stands in. A last name that is a link is not followed.
    pub(super) fn slot(&self, path: &str) -> Result<Slot, Fault> {
        let given = Path::new(path);
        let name =
            given.file_name().ok_or_else(|| Fault::new("path_denied", format!("`{path}` names no file")))?;
        let parent = given.parent().filter(|p| *p != Path::new("")).unwrap_or(Path::new("."));
        let folder = self.beneath(&text(parent), OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC)?;
        let real = self.real_path(path, &folder)?.join(name);
        self.judge(path, &real, Purpose::Write)?;
        Ok(Slot { folder, name: text(Path::new(name)), path: text(&real) })
    }

    /// Like [`slot`](Self::slot), after making the folders that are missing.
    pub(super) fn slot_with_folders(&self, path: &str) -> Result<Slot, Fault> {
        // `.`, `..` and the root are there already, and name nothing that could be made.
        let named = |p: &&Path| p.file_name().is_some();
        let folders: Vec<&Path> = Path::new(path).ancestors().skip(1).filter(named).collect();
        for folder in folders.into_iter().rev() {
            let Slot { folder: parent, name, path } = self.slot(&text(folder))?;
            match rustix::fs::mkdirat(&parent, name.as_str(), Mode::from_raw_mode(0o755)) {
                Ok(()) | Err(rustix::io::Errno::EXIST) => {}
                Err(error) => return Err(Fault::system(&path, error)),
            }
        }
        self.slot(path)
    }

    /// Where [`slot_with_folders`](Self::slot_with_folders) would lead, without making anything.
    pub(super) fn foresee(&self, path: &str) -> Result<String, Fault> {
        let missing = match self.slot(path) {
            Ok(slot) => return Ok(slot.path),
            Err(fault) if fault.code == "not_found" => fault,
            Err(fault) => return Err(fault),
        };
        // The nearest folder that is there already decides about those that would be made.
        for folder in Path::new(path).ancestors().skip(1).filter(|p| p.file_name().is_some()) {
            match self.slot(&text(folder)) {
                Err(fault) if fault.code == "not_found" => {}
                decided => return decided.map(|_| path.to_owned()),
            }
        }
        Err(missing)
    }

    /// Whether a real path may be listed.
    pub(super) fn visible(&self, real: &Path) -> bool {
        self.judge("", real, Purpose::Read).is_ok()
    }

    fn beneath(&self, path: &str, flags: OFlags) -> Result<OwnedFd, Fault> {
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS;
        rustix::fs::openat2(self.workspace.root(), path, flags, Mode::empty(), resolve)
            .map_err(|e| Fault::system(path, e))
    }

    /// Where an open descriptor really is, beneath the root. The kernel answers, not the path's text.
    fn real_path(&self, path: &str, fd: impl AsFd) -> Result<PathBuf, Fault> {
        let unknown = |e: std::io::Error| {
            Fault::new("path_denied", format!("where `{path}` leads cannot be told: {e}"))
        };
        let link = format!("/proc/self/fd/{}", fd.as_fd().as_raw_fd());
        let real = std::fs::read_link(link).map_err(unknown)?;
        real.strip_prefix(self.workspace.path()).map(Path::to_owned).map_err(|_| Fault::outside(path))
    }

    fn judge(&self, path: &str, real: &Path, purpose: Purpose) -> Result<(), Fault> {
        let denied = |why: &str| Err(Fault::new("path_denied", format!("`{path}` {why}")));
        // `.git/**` also blocks `.git` itself: what blocks everything in a folder blocks the folder.
        if real.ancestors().any(|a| self.blocked.is_match(a)) || self.blocked.is_match(real.join("x")) {
            return denied("is a path that the tool's sandbox blocks");
        }
        let (roots, why) = match purpose {
            Purpose::Read => (&self.readable, "is outside what the tool's sandbox may read"),
            Purpose::Write => (&self.writable, "is outside what the tool's sandbox may write"),
        };
        if roots.iter().any(|root| real.starts_with(root)) { Ok(()) } else { denied(why) }
    }
}

impl Found {
    /// The whole of a file, up to a bound.
    pub(super) fn read(self, max_bytes: u64) -> Result<Vec<u8>, Fault> {
        if !self.kind.is_file() {
            return Err(Fault::new("not_a_file", format!("`{}` is no file", self.path)));
        }
        let mut bytes = Vec::new();
        let too_much = max_bytes.saturating_add(1);
        File::from(self.fd)
            .take(too_much)
            .read_to_end(&mut bytes)
            .map_err(|e| Fault::new("system", format!("`{}`: {e}", self.path)))?;
        if bytes.len() as u64 == too_much {
            return Err(Fault::new("too_large", format!("`{}` is larger than {max_bytes} bytes", self.path)));
        }
        Ok(bytes)
    }
}

/// Blocked paths. A pattern without a slash blocks that name wherever it stands; what a pattern blocks, it
/// blocks with everything in it.
fn globs(patterns: &[String]) -> Result<GlobSet, Fault> {
    let bad = |e: globset::Error| Fault::new("bad_rule", format!("a blocked path is no pattern: {e}"));
    let mut set = GlobSetBuilder::new();
    for pattern in patterns {
        let anywhere = format!("**/{}", pattern.trim_start_matches("**/"));
        for glob in [pattern.clone(), anywhere] {
            set.add(
                GlobBuilder::new(&glob)
                    .literal_separator(true)
                    .case_insensitive(true)
                    .build()
                    .map_err(bad)?,
            );
        }
    }
    set.build().map_err(bad)
}

/// Roots are folders beneath the workspace: `.` for all of it.
fn roots(stated: &[String]) -> Result<Vec<PathBuf>, Fault> {
    let root = |stated: &String| {
        let path = Path::new(stated);
        let plain = path
            .components()
            .all(|c| matches!(c, std::path::Component::Normal(_) | std::path::Component::CurDir));
        if !plain {
            return Err(Fault::new("bad_rule", format!("the root `{stated}` is no folder of the workspace")));
        }
        Ok(path.strip_prefix(".").unwrap_or(path).to_owned())
    };
    stated.iter().map(root).collect()
}

pub(super) fn text(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}
