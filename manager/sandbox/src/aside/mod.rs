//! What a program wrote while its writes were kept aside: learned from the kernel's own layer, shown, and applied.
//!
//! A layer is what overlayfs leaves: changed files whole, deleted ones as devices `0:0`, replaced folders marked
//! opaque. So what a program did to its workspace is a fact that it did not tell itself. Applying compares every
//! file with what it was and writes exactly the bytes that were shown, or nothing.
//!
//! A store describes itself, so that another process may apply it later.

mod apply;
mod walk;

use crate::Digest;
use crate::blocked;
use crate::refused::Refused;
use crate::wire::{Access, Place, Root};
use rustix::fs::{Mode, OFlags};
use serde::{Deserialize, Serialize};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use walk::{Lower, Walk};

const INDEX: &str = "view.json";
/// The part of a layer's folder that has what a commit replaced.
const KEPT: &str = "kept";

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
        self.open_part("upper", change)
    }

    fn open_part(&self, part: &str, change: &Change) -> Result<File, Conflict> {
        let path = self.part(part, change)?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let file =
            rustix::fs::open(&path, flags, Mode::empty()).map_err(|error| io_at(&path)(error.into()))?;
        Ok(file.into())
    }

    /// Where a part of the store has something for a change.
    fn part(&self, part: &str, change: &Change) -> Result<PathBuf, Conflict> {
        let number = self.roots.iter().position(|root| *root == change.root);
        let number = number.ok_or_else(|| Conflict::Moved(change.root.clone()))?;
        Ok(self.store.join(number.to_string()).join(part).join(&change.path))
    }

    /// Applies exactly these changes: every one of them is checked before the first is made. What was there is kept
    /// in the store, for [`Aside::undo`].
    ///
    /// # Errors
    /// When the workspace or the store is not what it was, a path is blocked, or the system refuses; in the last
    /// case a part may have been applied.
    pub fn commit(&self, changes: &[Change]) -> Result<(), Conflict> {
        let now = self.changes()?;
        for change in changes {
            if !now.contains(change) {
                return Err(Conflict::Moved(change.full()));
            }
            if change.path.ancestors().any(|part| self.rules.hides(&change.root, &change.root.join(part))) {
                return Err(Conflict::Blocked(change.full()));
            }
        }
        changes.iter().try_for_each(|change| self.keep(change))?;
        apply::all(changes, &|change| self.content(change))
    }

    /// Takes committed changes back: every path must still be as they left it.
    ///
    /// # Errors
    /// See [`Aside::commit`].
    pub fn undo(&self, changes: &[Change]) -> Result<(), Conflict> {
        for change in changes {
            if walk::node(&change.full())? != change.after {
                return Err(Conflict::Moved(change.full()));
            }
        }
        let back: Vec<Change> = changes.iter().map(Change::reversed).collect();
        apply::all(&back, &|change| self.open_part(KEPT, change))
    }

    /// Copies what a change replaces, which must be what was shown.
    fn keep(&self, change: &Change) -> Result<(), Conflict> {
        let Node::File { digest, .. } = &change.before else { return Ok(()) };
        let kept = self.part(KEPT, change)?;
        let err = io_at(&kept);
        fs::create_dir_all(kept.parent().unwrap_or(&kept)).map_err(&err)?;
        fs::copy(change.full(), &kept).map_err(&err)?;
        if Digest::of_file(&kept).map_err(&err)? == *digest {
            Ok(())
        } else {
            Err(Conflict::Moved(change.full()))
        }
    }
}

impl Change {
    /// The whole path.
    pub fn full(&self) -> PathBuf {
        self.root.join(&self.path)
    }

    fn reversed(&self) -> Self {
        let (before, after) = (self.after.clone(), self.before.clone());
        Self { root: self.root.clone(), path: self.path.clone(), before, after }
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
