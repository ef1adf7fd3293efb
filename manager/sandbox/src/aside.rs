//! What a program wrote while its writes were kept aside: learned from the kernel's own layer, shown, and applied.
//!
//! A layer is what overlayfs leaves: changed files whole, deleted ones as devices `0:0`, replaced folders marked
//! opaque. So what a program did to its workspace is a fact that it did not tell itself. Applying compares every
//! file with what it was and writes exactly the bytes that were shown, or nothing.
//!
//! A store describes itself, so that another process may apply it later.

use crate::Digest;
use crate::blocked;
use crate::refused::Refused;
use crate::wire::{Access, Place, Root};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, CWD, Mode, OFlags, ResolveFlags};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

const INDEX: &str = "view.json";

/// What a store says of itself.
#[derive(Debug, Serialize, Deserialize)]
struct Index {
    /// The write roots, whose layers are the folders with their numbers.
    roots: Vec<OsString>,
    blocked: Vec<String>,
}

/// Makes a store with a layer for each write root.
pub(crate) fn arrange(store: &Path, roots: &mut [Root], blocked: &[String]) -> Result<(), Refused> {
    let no = |why: io::Error| Refused::path("folder for what is written", store, why);
    fs::create_dir(store).map_err(no)?;
    let store = store.canonicalize().map_err(no)?;
    if roots.iter().any(|root| store.starts_with(root.place.path())) {
        fs::remove_dir(&store).map_err(no)?;
        return Err(Refused::path("folder for what is written", &store, "it lies in a root"));
    }
    let mut index = Index { roots: Vec::new(), blocked: blocked.to_vec() };
    for root in roots.iter_mut().filter(|root| root.access == Access::Write) {
        let layer = store.join(index.roots.len().to_string());
        fs::create_dir_all(layer.join("upper"))
            .and_then(|()| fs::create_dir(layer.join("work")))
            .map_err(no)?;
        // the layer's top stands for the root, and must not seem changed
        let mode = fs::metadata(root.place.path()).map_err(no)?.permissions();
        fs::set_permissions(layer.join("upper"), mode).map_err(no)?;
        root.layer = Some(Place::resolve(&layer).map_err(no)?);
        index.roots.push(root.place.path().as_os_str().to_owned());
    }
    let text = serde_json::to_vec(&index).map_err(|error| no(error.into()))?;
    fs::write(store.join(INDEX), text).map_err(no)
}

/// What is, or was, at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Node {
    /// Nothing.
    Absent,
    /// A folder.
    Folder {
        /// Its permissions.
        mode: u32,
    },
    /// A file.
    File {
        /// What is in it.
        digest: Digest,
        /// How much is in it.
        bytes: u64,
        /// Its permissions.
        mode: u32,
    },
    /// A symbolic link.
    Link {
        /// Where it leads.
        to: PathBuf,
    },
}

/// One path that is no longer what it was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Change {
    /// The write root.
    pub root: PathBuf,
    /// The path in it.
    pub path: PathBuf,
    /// What was there.
    pub before: Node,
    /// What is there now.
    pub after: Node,
}

/// Why changes are not applied.
#[derive(Debug, thiserror::Error)]
pub enum Conflict {
    /// The workspace or the store has changed since the changes were shown.
    #[error("`{}` is not what it was when the changes were shown\nhint: run the tool again", .0.display())]
    Moved(PathBuf),
    /// The path may not be written.
    #[error("`{}` is blocked", .0.display())]
    Blocked(PathBuf),
    /// A path holds what cannot be applied, such as a device.
    #[error("`{}` is neither file, folder nor link", .0.display())]
    Unknown(PathBuf),
    /// The operating system refused something.
    #[error("`{}` cannot be read or written: {error}", path.display())]
    Io {
        /// Where.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

fn io_at(path: &Path) -> impl Fn(io::Error) -> Conflict {
    move |error| Conflict::Io { path: path.to_owned(), error }
}

/// What was written aside by one run.
#[derive(Debug)]
pub struct Aside {
    store: PathBuf,
    roots: Vec<PathBuf>,
    rules: blocked::Rules,
}

impl Aside {
    /// Opens the store of a run.
    ///
    /// # Errors
    /// When it is none.
    pub fn open(store: &Path) -> Result<Self, Conflict> {
        let at = store.join(INDEX);
        let index: Index =
            fs::read(&at).and_then(|text| Ok(serde_json::from_slice(&text)?)).map_err(io_at(&at))?;
        let rules = blocked::compile(&index.blocked).map_err(|why| io_at(&at)(io::Error::other(why)))?;
        Ok(Self {
            store: store.to_owned(),
            roots: index.roots.into_iter().map(PathBuf::from).collect(),
            rules,
        })
    }

    /// Lists everything that is no longer what it was, in the order of paths.
    ///
    /// # Errors
    /// When the layer or the workspace cannot be read.
    pub fn changes(&self) -> Result<Vec<Change>, Conflict> {
        let mut changes = Vec::new();
        for (number, root) in self.roots.iter().enumerate() {
            let walk = Walk { root, upper: &self.upper(number) };
            walk.folder(Path::new(""), Lower::Seen, &mut changes)?;
        }
        changes.sort_by(|a, b| (&a.root, &a.path).cmp(&(&b.root, &b.path)));
        Ok(changes)
    }

    fn upper(&self, number: usize) -> PathBuf {
        self.store.join(number.to_string()).join("upper")
    }

    /// The file that holds what a change puts at its path.
    ///
    /// # Errors
    /// When the change is not one of this store's.
    pub fn content(&self, change: &Change) -> Result<File, Conflict> {
        let number = self.roots.iter().position(|root| *root == change.root);
        let number = number.ok_or_else(|| Conflict::Moved(change.root.clone()))?;
        let path = self.upper(number).join(&change.path);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            rustix::fs::open(&path, flags, Mode::empty()).map_err(|error| io_at(&path)(error.into()))?;
        Ok(file.into())
    }

    /// Applies exactly these changes: every one of them is checked before the first is made.
    ///
    /// # Errors
    /// When the workspace or the store is not what it was, a path is blocked, or the system refuses; in the last
    /// case a part may have been applied.
    pub fn commit(&self, changes: &[Change]) -> Result<(), Conflict> {
        let now = self.changes()?;
        for change in changes {
            let full = change.root.join(&change.path);
            if !now.contains(change) {
                return Err(Conflict::Moved(full));
            }
            if change.path.ancestors().any(|part| self.rules.hides(&change.root, &change.root.join(part))) {
                return Err(Conflict::Blocked(full));
            }
        }
        // What goes, goes from the deepest on; what comes, comes from the top.
        let replaced = |change: &&Change| {
            let folder = |node: &Node| matches!(node, Node::Folder { .. });
            change.after == Node::Absent
                || (folder(&change.before) != folder(&change.after) && change.before != Node::Absent)
        };
        for change in changes.iter().rev().filter(replaced) {
            Target::open(change)?.remove(&change.before)?;
        }
        for change in changes.iter().filter(|change| change.after != Node::Absent) {
            Target::open(change)?.put(change, self)?;
        }
        Ok(())
    }
}

impl Aside {
    /// Forgets everything that was written.
    ///
    /// # Errors
    /// When the store cannot be removed.
    pub fn discard(self) -> Result<(), Conflict> {
        for number in 0..self.roots.len() {
            // the kernel leaves a folder that not even its owner may search
            let own = self.store.join(number.to_string()).join("work/work");
            if own.is_dir() {
                fs::set_permissions(&own, fs::Permissions::from_mode(0o700)).map_err(io_at(&own))?;
            }
        }
        fs::remove_dir_all(&self.store).map_err(io_at(&self.store))
    }
}

/// Whether what is below may still be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lower {
    Seen,
    Hidden,
}

struct Walk<'a> {
    root: &'a Path,
    upper: &'a Path,
}

impl Walk<'_> {
    fn folder(&self, path: &Path, lower: Lower, changes: &mut Vec<Change>) -> Result<(), Conflict> {
        let upper = self.upper.join(path);
        let mut seen = Vec::new();
        for entry in fs::read_dir(&upper).map_err(io_at(&upper))? {
            let entry = entry.map_err(io_at(&upper))?;
            seen.push(entry.file_name());
            self.entry(&path.join(entry.file_name()), lower, changes)?;
        }
        if lower == Lower::Seen && is_opaque(&upper)? {
            // what is not in the layer is gone
            let below = self.root.join(path);
            for entry in fs::read_dir(&below).map_err(io_at(&below))? {
                let name = entry.map_err(io_at(&below))?.file_name();
                if !seen.contains(&name) {
                    self.gone(&path.join(name), changes)?;
                }
            }
        }
        Ok(())
    }

    fn entry(&self, path: &Path, lower: Lower, changes: &mut Vec<Change>) -> Result<(), Conflict> {
        let upper = self.upper.join(path);
        let meta = upper.symlink_metadata().map_err(io_at(&upper))?;
        if meta.file_type().is_char_device() && meta.rdev() == 0 {
            return if lower == Lower::Seen { self.gone(path, changes) } else { Ok(()) };
        }
        let before = self.node_below(path)?;
        let after = node(&upper)?;
        let both_folders = matches!((&before, &after), (Node::Folder { .. }, Node::Folder { .. }));
        if matches!(before, Node::Folder { .. }) && !both_folders {
            self.gone_inside(path, changes)?;
        }
        let is_folder = matches!(after, Node::Folder { .. });
        if before != after {
            changes.push(Change { root: self.root.to_owned(), path: path.to_owned(), before, after });
        }
        if is_folder {
            // a folder that took another's place hides what was in that
            let lower = if both_folders { lower } else { Lower::Hidden };
            self.folder(path, lower, changes)?;
        }
        Ok(())
    }

    fn node_below(&self, path: &Path) -> Result<Node, Conflict> {
        node(&self.root.join(path))
    }

    /// Something that was there, with all that was in it.
    fn gone(&self, path: &Path, changes: &mut Vec<Change>) -> Result<(), Conflict> {
        let before = self.node_below(path)?;
        match before {
            Node::Absent => return Ok(()),
            Node::Folder { .. } => self.gone_inside(path, changes)?,
            Node::File { .. } | Node::Link { .. } => {}
        }
        changes.push(Change {
            root: self.root.to_owned(),
            path: path.to_owned(),
            before,
            after: Node::Absent,
        });
        Ok(())
    }

    fn gone_inside(&self, path: &Path, changes: &mut Vec<Change>) -> Result<(), Conflict> {
        let below = self.root.join(path);
        for entry in fs::read_dir(&below).map_err(io_at(&below))? {
            let name = entry.map_err(io_at(&below))?.file_name();
            self.gone(&path.join(name), changes)?;
        }
        Ok(())
    }
}

fn is_opaque(folder: &Path) -> Result<bool, Conflict> {
    let mut value = [0; 4];
    match rustix::fs::lgetxattr(folder, "user.overlay.opaque", &mut value) {
        Ok(length) => Ok(value[..length] == *b"y"),
        Err(rustix::io::Errno::NODATA | rustix::io::Errno::OPNOTSUPP) => Ok(false),
        Err(error) => Err(io_at(folder)(error.into())),
    }
}

/// Looks at a path without following a link.
fn node(path: &Path) -> Result<Node, Conflict> {
    let meta = match path.symlink_metadata() {
        Ok(meta) => meta,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Node::Absent),
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => return Ok(Node::Absent),
        Err(error) => return Err(io_at(path)(error)),
    };
    let mode = meta.permissions().mode() & 0o777;
    if meta.is_symlink() {
        return Ok(Node::Link { to: fs::read_link(path).map_err(io_at(path))? });
    }
    if meta.is_dir() {
        return Ok(Node::Folder { mode });
    }
    if !meta.is_file() {
        return Err(Conflict::Unknown(path.to_owned()));
    }
    Ok(Node::File { digest: Digest::of_file(path).map_err(io_at(path))?, bytes: meta.len(), mode })
}

/// A name in a folder of the workspace, which is held open so that nobody can swap it.
struct Target {
    folder: OwnedFd,
    name: OsString,
    full: PathBuf,
}

impl Target {
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
        name.push(std::ffi::OsStr::from_bytes(&self.name.as_bytes()[..self.name.len().min(200)]));
        name.push(format!(".{}.new", std::process::id()));
        name
    }

    fn put(&self, change: &Change, aside: &Aside) -> Result<(), Conflict> {
        match &change.after {
            Node::Absent => Ok(()),
            Node::Folder { mode } => self.put_folder(*mode),
            Node::File { digest, mode, .. } => self.put_file(aside.content(change)?, *digest, *mode),
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
    fn own(&self, made: &impl rustix::fd::AsFd) -> Result<(), Conflict> {
        if !rustix::process::geteuid().is_root() {
            return Ok(());
        }
        let folder = rustix::fs::fstat(&self.folder).map_err(|error| self.error(error))?;
        let (uid, gid) = (rustix::fs::Uid::from_raw(folder.st_uid), rustix::fs::Gid::from_raw(folder.st_gid));
        rustix::fs::fchown(made, Some(uid), Some(gid)).map_err(|error| self.error(error))
    }

    fn take_place(&self, new: &OsString) -> Result<(), Conflict> {
        rustix::fs::renameat(&self.folder, new, &self.folder, &self.name).map_err(|error| self.error(error))
    }
}
