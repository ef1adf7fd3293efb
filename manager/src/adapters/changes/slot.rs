//! A name in a folder that is held open, so that nobody can put another one in its place.

use rustix::{
    fs::{Mode, OFlags, ResolveFlags},
    io::Errno,
};
use std::{os::fd::OwnedFd, path::Path};

/// A name in an open folder.
pub(super) struct Slot {
    pub(super) folder: OwnedFd,
    pub(super) name: String,
}

impl Slot {
    /// Opens the folder that a path's last name stands in. No link is followed.
    pub(super) fn open(root: &OwnedFd, path: &str) -> Result<Self, Errno> {
        let at = Path::new(path);
        let name = at.file_name().and_then(|name| name.to_str()).ok_or(Errno::INVAL)?;
        let parent = at.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
        let folder = rustix::fs::openat2(root, parent, flags, Mode::empty(), resolve)?;
        Ok(Self { folder, name: name.to_owned() })
    }
}
