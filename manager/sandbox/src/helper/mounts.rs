//! Detached mounts: what will be seen, taken from the host before it is put anywhere.
//!
//! Each is made from an open descriptor whose file was compared with the one that was checked, so no name can be
//! swapped in between. Root makes them while it is root, because only then may it show files under another id.

use crate::helper::identity::{Identity, Mapping};
use crate::helper::kernel::{Change, change_mount};
use crate::refused::Fault;
use crate::wire::{Access, Order, Place};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::mount::OpenTreeFlags;
use std::ffi::OsString;
use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// What of the system a program needs to find its libraries, names, certificates and time.
const SYSTEM: &[&str] = &[
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/nix/store",
    "/etc/alternatives",
    "/etc/ca-certificates",
    "/etc/group",
    "/etc/hosts",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/mime.types",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/pki",
    "/etc/protocols",
    "/etc/services",
    "/etc/ssl",
];

/// The devices that there are.
const DEVICES: &[&str] = &["/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom"];

/// Something that is put into the tree.
#[derive(Debug)]
pub(crate) struct Piece {
    pub(crate) target: PathBuf,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    /// A part of the host.
    Mount { fd: OwnedFd, kind: Kind, rights: Rights },
    /// A folder of the host that stays as it is, and another in which what is written is kept.
    Layered { lower: OwnedFd, layer: OwnedFd },
    /// A link like the host's.
    Link(OsString),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    File,
    Folder,
}

/// What may be done with a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rights {
    Read,
    Write,
    Device,
}

/// Takes everything from the host that the order names.
pub(crate) fn take(order: &Order, identity: Identity) -> Result<Vec<Piece>, Fault> {
    let mut taker = Taker { identity, mappings: Vec::new() };
    let mut pieces = Vec::new();
    for device in DEVICES {
        pieces.push(taker.take_as_it_is(Path::new(device), Rights::Device)?);
    }
    if order.system {
        for path in SYSTEM.iter().map(Path::new) {
            let Ok(meta) = path.symlink_metadata() else { continue };
            pieces.push(if meta.is_symlink() {
                let to = fs::read_link(path).map_err(Fault::at(format!("read `{}`", path.display())))?;
                Piece { target: path.to_owned(), content: Content::Link(to.into_os_string()) }
            } else {
                taker.take_as_it_is(path, Rights::Read)?
            });
        }
    }
    // INVARIANT: roots are in the order of their depth, so that one inside another comes on top of it
    for root in &order.roots {
        let rights = match root.access {
            Access::Read => Rights::Read,
            Access::Write => Rights::Write,
        };
        pieces.push(match &root.layer {
            None => taker.take_checked(&root.place, rights)?,
            Some(layer) => {
                let (lower, _) = taker.mount_checked(&root.place, Rights::Read)?;
                let (layer, _) = taker.mount_checked(layer, Rights::Write)?;
                Piece { target: root.place.path().to_owned(), content: Content::Layered { lower, layer } }
            }
        });
    }
    pieces.push(taker.take_checked(&order.executable, Rights::Read)?);
    check(&open(order.cwd.path())?, &order.cwd)?;
    Ok(pieces)
}

struct Taker {
    identity: Identity,
    mappings: Vec<((u32, u32), Mapping)>,
}

impl Taker {
    fn take_as_it_is(&mut self, path: &Path, rights: Rights) -> Result<Piece, Fault> {
        let file = open(path)?;
        let (mount, kind) = detach(&file, path)?;
        restrict(&mount, rights, None).map_err(Fault::at(format!("restrict `{}`", path.display())))?;
        Ok(Piece { target: path.to_owned(), content: Content::Mount { fd: mount, kind, rights } })
    }

    fn take_checked(&mut self, place: &Place, rights: Rights) -> Result<Piece, Fault> {
        let (fd, kind) = self.mount_checked(place, rights)?;
        Ok(Piece { target: place.path().to_owned(), content: Content::Mount { fd, kind, rights } })
    }

    fn mount_checked(&mut self, place: &Place, rights: Rights) -> Result<(OwnedFd, Kind), Fault> {
        let path = place.path();
        let file = open(path)?;
        let meta = check(&file, place)?;
        let (mount, kind) = detach(&file, path)?;
        let step = || format!("restrict `{}`", path.display());
        match self.mapping((meta.uid(), meta.gid()))? {
            None => restrict(&mount, rights, None).map_err(Fault::at(step()))?,
            Some(mapping) => match restrict(&mount, rights, Some(mapping)) {
                Ok(()) => {}
                // Its file system, or one below it, knows no mapping. What everybody may read can still be read;
                // writing would be impossible, which is better said now.
                Err(_) if rights == Rights::Read => {
                    restrict(&mount, rights, None).map_err(Fault::at(step()))?;
                }
                Err(error) => {
                    return Err(Fault::new(
                        format!("let an unprivileged user write in `{}`", path.display()),
                        format!("its file system shows no files under another id ({error})"),
                    ));
                }
            },
        }
        Ok((mount, kind))
    }

    /// The mapping that shows what this owner has as the run's own; none for a caller who is the run's user.
    fn mapping(&mut self, owner: (u32, u32)) -> Result<Option<&Mapping>, Fault> {
        let Identity::OfItsOwn(id) = self.identity else { return Ok(None) };
        let at = match self.mappings.iter().position(|(of, _)| *of == owner) {
            Some(at) => at,
            None => {
                self.mappings.push((owner, Mapping::new(owner, id)?));
                self.mappings.len() - 1
            }
        };
        Ok(Some(&self.mappings[at].1))
    }
}

/// Opens a path that must lead nowhere else.
fn open(path: &Path) -> Result<OwnedFd, Fault> {
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
        .map_err(Fault::at(format!("open `{}`", path.display())))
}

/// What was opened must be the file that was checked.
fn check(file: &OwnedFd, place: &Place) -> Result<fs::Metadata, Fault> {
    let meta = metadata(file, place.path())?;
    if (meta.dev(), meta.ino()) == (place.dev, place.ino) {
        Ok(meta)
    } else {
        Err(Fault::new(format!("use `{}`", place.path().display()), "another file has taken its place"))
    }
}

fn metadata(file: &OwnedFd, path: &Path) -> Result<fs::Metadata, Fault> {
    let step = || format!("look at `{}`", path.display());
    fs::File::from(file.try_clone().map_err(Fault::at(step()))?).metadata().map_err(Fault::at(step()))
}

fn detach(file: &OwnedFd, path: &Path) -> Result<(OwnedFd, Kind), Fault> {
    let kind = if metadata(file, path)?.is_dir() { Kind::Folder } else { Kind::File };
    // Recursive, because a mount below another may hide something, and is not the namespace's to leave out.
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    let mount =
        rustix::mount::open_tree(file, "", flags).map_err(Fault::at(format!("take `{}`", path.display())))?;
    Ok((mount, kind))
}

fn restrict(mount: &OwnedFd, rights: Rights, mapping: Option<&Mapping>) -> std::io::Result<()> {
    let set = libc::MOUNT_ATTR_NOSUID
        | match rights {
            Rights::Read => libc::MOUNT_ATTR_NODEV | libc::MOUNT_ATTR_RDONLY,
            Rights::Write => libc::MOUNT_ATTR_NODEV,
            Rights::Device => libc::MOUNT_ATTR_NOEXEC,
        };
    change_mount(mount.as_fd(), Change { set, idmap: mapping.map(Mapping::as_fd), recursive: true })
}
