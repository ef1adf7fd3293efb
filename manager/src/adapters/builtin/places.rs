//! What of a workspace may be touched: paths become open descriptors, and these are judged.

use super::{Fault, Workspace};
use crate::{
    adapters::changes::look,
    model::{FileState, FilesystemRules},
};
use globset::{GlobBuilder, GlobSet, GlobSetBuilder};
use rustix::{
    fs::{AtFlags, FileType, Mode, OFlags, ResolveFlags},
    io::Errno,
};
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

/// Where something would be written.
pub(super) struct Place {
    /// The folders that are missing, outermost first.
    pub(super) folders: Vec<String>,
    /// Its real path.
    pub(super) path: String,
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

    /// Where something that is written would stand, and the folders that would have to be made for it. A link in
    /// its place is refused: what it leads to is not what was judged.
    pub(super) fn place(&self, path: &str) -> Result<Place, Fault> {
        let place = self.foresee(path)?;
        match look(self.root(), &place.path) {
            Ok((FileState::Link { .. }, _)) => {
                Err(Fault::new("path_denied", format!("`{path}` is a link, and is not written through")))
            }
            Ok(_) | Err(Errno::OPNOTSUPP) => Ok(place),
            Err(error) => Err(Fault::system(path, error)),
        }
    }

    fn foresee(&self, path: &str) -> Result<Place, Fault> {
        let missing = match self.slot(path) {
            Ok(slot) => return Ok(Place { folders: Vec::new(), path: slot.path }),
            Err(fault) if fault.code == "not_found" => fault,
            Err(fault) => return Err(fault),
        };
        // `.`, `..` and the root are there already, and name nothing that could be made.
        let at = Path::new(path);
        let parent = at.parent().filter(|parent| parent.file_name().is_some()).ok_or(missing)?;
        let Place { mut folders, path: folder } = self.foresee(&text(parent))?;
        let real = Path::new(&folder).join(at.file_name().unwrap_or_default());
        self.judge(path, &real, Purpose::Write)?;
        folders.push(folder);
        Ok(Place { folders, path: text(&real) })
    }

    /// Whether anything stands at a real path.
    pub(super) fn stands(&self, path: &str) -> Result<bool, Fault> {
        match look(self.root(), path) {
            Ok((state, _)) => Ok(state != FileState::Absent),
            Err(Errno::OPNOTSUPP) => Ok(true),
            Err(error) => Err(Fault::system(path, error)),
        }
    }

    /// Whether a folder stands under a name; a link to one is none.
    pub(super) fn is_folder(&self, slot: &Slot) -> Result<bool, Fault> {
        let stat = rustix::fs::statat(&slot.folder, slot.name.as_str(), AtFlags::SYMLINK_NOFOLLOW)
            .map_err(|e| Fault::system(&slot.path, e))?;
        Ok(FileType::from_raw_mode(stat.st_mode).is_dir())
    }

    /// The workspace's root.
    pub(super) fn root(&self) -> &OwnedFd {
        self.workspace.root()
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
