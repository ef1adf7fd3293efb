//! Applying a change: a file is made whole beside its place and then takes it, below a folder that is held open.

use super::{Change, Conflict, Node, io_at};
use crate::Digest;
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, Gid, Mode, OFlags, ResolveFlags, Uid};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Opens the bytes that a change puts at its path.
pub(super) type Content<'a> = &'a dyn Fn(&Change) -> Result<File, Conflict>;

/// Makes changes, which are in the order of their paths.
pub(super) fn all(changes: &[Change], content: Content<'_>) -> Result<(), Conflict> {
    // What goes, goes from the deepest on; what comes, comes from the top.
    let folder = |node: &Node| matches!(node, Node::Folder { .. });
    let goes = |change: &&Change| {
        change.before != Node::Absent
            && (change.after == Node::Absent || folder(&change.before) != folder(&change.after))
    };
    for change in changes.iter().rev().filter(goes) {
        Target::open(change)?.remove(&change.before)?;
    }
    for change in changes.iter().filter(|change| change.after != Node::Absent) {
        Target::open(change)?.put(change, content)?;
    }
    Ok(())
}

/// A name in a folder of the workspace, which is held open so that nobody can swap it.
struct Target {
    folder: OwnedFd,
    name: OsString,
    full: PathBuf,
}

impl Target {
    /// Opens the folder that the change is in.
    fn open(change: &Change) -> Result<Self, Conflict> {
        let full = change.root.join(&change.path);
        let err = |error: rustix::io::Errno| io_at(&full)(error.into());
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let root = rustix::fs::openat2(CWD, &change.root, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS);
        let root = root.map_err(err)?;
        let parent = change.path.parent().filter(|parent| !parent.as_os_str().is_empty());
        let inside = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
        let folder = match parent {
            None => root,
            Some(parent) => rustix::fs::openat2(&root, parent, flags, Mode::empty(), inside).map_err(err)?,
        };
        let name = change.path.file_name().ok_or_else(|| Conflict::Unknown(full.clone()))?.to_owned();
        Ok(Self { folder, name, full })
    }

    /// Takes away what is there.
    fn remove(&self, what: &Node) -> Result<(), Conflict> {
        let flags = if matches!(what, Node::Folder { .. }) { AtFlags::REMOVEDIR } else { AtFlags::empty() };
        rustix::fs::unlinkat(&self.folder, &self.name, flags).map_err(|error| self.error(error))
    }

    fn error(&self, error: rustix::io::Errno) -> Conflict {
        io_at(&self.full)(error.into())
    }

    /// A name beside the target, under which a new file is made whole before it takes its place.
    fn aside(&self) -> OsString {
        let mut name = OsString::from(".");
        // a long name leaves room for ours
        name.push(OsStr::from_bytes(&self.name.as_bytes()[..self.name.len().min(200)]));
        name.push(format!(".{}.new", std::process::id()));
        name
    }

    /// Puts there what the change says.
    fn put(&self, change: &Change, content: Content<'_>) -> Result<(), Conflict> {
        match &change.after {
            Node::Absent => Ok(()),
            Node::Folder { mode } => self.put_folder(*mode),
            Node::File { digest, mode, .. } => self.put_file(content(change)?, *digest, *mode),
            Node::Link { to } => {
                let new = self.aside();
                rustix::fs::symlinkat(to, &self.folder, &new).map_err(|error| self.error(error))?;
                self.take_place(&new)
            }
        }
    }

    fn put_folder(&self, mode: u32) -> Result<(), Conflict> {
        match rustix::fs::mkdirat(&self.folder, &self.name, Mode::from_raw_mode(0o700)) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(self.error(error)),
        }
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made =
            rustix::fs::openat(&self.folder, &self.name, flags, Mode::empty()).map_err(|e| self.error(e))?;
        self.own(&made)?;
        rustix::fs::fchmod(&made, Mode::from_raw_mode(mode)).map_err(|error| self.error(error))
    }

    fn put_file(&self, mut from: File, digest: Digest, mode: u32) -> Result<(), Conflict> {
        let new = self.aside();
        let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let made = rustix::fs::openat(&self.folder, &new, flags, Mode::from_raw_mode(0o600));
        let mut made = File::from(made.map_err(|error| self.error(error))?);
        let written = io::copy(&mut from, &mut made)
            .and_then(|_| io::Seek::rewind(&mut made))
            .and_then(|()| Digest::of_reader(&mut made))
            .and_then(|found| Ok((found, made.sync_all()?)));
        let result = match written {
            Ok((found, ())) if found == digest => self
                .own(&made)
                .and_then(|()| {
                    rustix::fs::fchmod(&made, Mode::from_raw_mode(mode)).map_err(|error| self.error(error))
                })
                .and_then(|()| self.take_place(&new)),
            Ok(_) => Err(Conflict::Moved(self.full.clone())),
            Err(error) => Err(io_at(&self.full)(error)),
        };
        if result.is_err() {
            rustix::fs::unlinkat(&self.folder, &new, AtFlags::empty()).ok();
        }
        result
    }

    /// What root makes in another's folder is that other's.
    fn own(&self, made: &impl AsFd) -> Result<(), Conflict> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let folder = rustix::fs::fstat(&self.folder).map_err(|error| self.error(error))?;
        let (uid, gid) = (Uid::from_raw(folder.st_uid), Gid::from_raw(folder.st_gid));
        rustix::fs::fchown(made, Some(uid), Some(gid)).map_err(|error| self.error(error))
    }

    fn take_place(&self, new: &OsString) -> Result<(), Conflict> {
        rustix::fs::renameat(&self.folder, new, &self.folder, &self.name).map_err(|error| self.error(error))
    }
}
