//! The tree that the program sees, built from nothing.

use crate::blocked::Rules;
use crate::helper::kernel::{Change, change_mount};
use crate::helper::mounts::{Content, Kind, Piece, Rights};
use crate::refused::Fault;
use crate::wire::{Access, Order};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{CWD, Mode, OFlags, ResolveFlags};
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountPropagationFlags, MoveMountFlags, OpenTreeFlags,
    UnmountFlags,
};
use std::ffi::OsStr;
use std::fs::{self, DirBuilder};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, symlink};
use std::path::{Path, PathBuf};

/// Bytes of the private `/dev/shm`, at most.
const SHARED_MEMORY: u64 = 64 << 20;

/// Builds the tree and makes it the only one there is.
pub(crate) fn build(order: &Order, pieces: &[Piece]) -> Result<(), Fault> {
    let limits = &order.limits;
    rustix::mount::mount_change("/", MountPropagationFlags::REC | MountPropagationFlags::PRIVATE)
        .map_err(Fault::at("detach its mounts from the host's"))?;
    // a fresh one is only granted while the host's can be seen
    let processes =
        fresh("proc", &[], MountAttrFlags::MOUNT_ATTR_NOEXEC | MountAttrFlags::MOUNT_ATTR_RDONLY)?;
    let root = small("0755", MountAttrFlags::empty())?;
    become_root(&root)?;
    let devices = small("0755", MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
    let shared_size = SHARED_MEMORY.min(limits.memory).to_string();
    let shared = tmpfs(&shared_size, "1024", "1777", MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
    let temp =
        tmpfs(&limits.temp.to_string(), &limits.temp_files.to_string(), "1777", MountAttrFlags::empty())?;
    let temp_again = clone(&temp, "/var/tmp")?;
    attach(&processes, Path::new("/proc"), Kind::Folder)?;
    attach(&devices, Path::new("/dev"), Kind::Folder)?;
    attach(&shared, Path::new("/dev/shm"), Kind::Folder)?;
    for (link, to) in [("fd", "/proc/self/fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")] {
        symlink(to, Path::new("/dev").join(link)).map_err(Fault::at("link a device"))?;
    }
    let (deep, shallow): (Vec<_>, Vec<_>) =
        pieces.iter().partition(|piece| piece.target.starts_with("/var/tmp"));
    let (below_temp, shallow): (Vec<_>, Vec<_>) =
        shallow.into_iter().partition(|piece| piece.target.starts_with("/tmp"));
    shallow.into_iter().try_for_each(put)?;
    attach(&temp, Path::new("/tmp"), Kind::Folder)?;
    attach(&temp_again, Path::new("/var/tmp"), Kind::Folder)?;
    below_temp.into_iter().chain(deep).try_for_each(put)?;
    // What has come with a mount is there already.
    let missing = order.links.iter().map(|(link, to)| (Path::new(link), to));
    for (link, to) in missing.filter(|(link, _)| link.symlink_metadata().is_err()) {
        make_link(link, to)?;
    }
    for fd in [&root, &devices] {
        let read_only = Change { set: libc::MOUNT_ATTR_RDONLY, ..Change::default() };
        change_mount(fd.as_fd(), read_only).map_err(Fault::at("close its own folders"))?;
    }
    Ok(())
}

fn put(piece: &Piece) -> Result<(), Fault> {
    match &piece.content {
        Content::Mount { fd, kind, .. } => attach(fd, &piece.target, *kind),
        Content::Layered { lower, layer } => attach(&overlay(lower, layer)?, &piece.target, Kind::Folder),
        Content::Link(to) => make_link(&piece.target, to),
    }
}

fn make_link(link: &Path, to: &OsStr) -> Result<(), Fault> {
    make_parents(link)?;
    symlink(to, link).map_err(Fault::at(format!("link `{}`", link.display())))
}

/// A folder that shows the lower one, and keeps what is written in the layer.
fn overlay(lower: &OwnedFd, layer: &OwnedFd) -> Result<OwnedFd, Fault> {
    let step = || "make a view that keeps what is written aside";
    // Names without anything to escape, for as long as it takes.
    let places = ["/.lower", "/.layer"].map(Path::new);
    attach(lower, places[0], Kind::Folder)?;
    attach(layer, places[1], Kind::Folder)?;
    let context = rustix::mount::fsopen("overlay", FsOpenFlags::FSOPEN_CLOEXEC).map_err(Fault::at(step()))?;
    for (key, value) in [("lowerdir", "/.lower"), ("upperdir", "/.layer/upper"), ("workdir", "/.layer/work")]
    {
        rustix::mount::fsconfig_set_string(&context, key, value).map_err(Fault::at(step()))?;
    }
    rustix::mount::fsconfig_set_flag(&context, "userxattr").map_err(Fault::at(step()))?;
    rustix::mount::fsconfig_create(&context).map_err(Fault::at(step()))?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    let view = rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, attributes)
        .map_err(Fault::at(step()))?;
    for place in places {
        rustix::mount::unmount(place, UnmountFlags::DETACH).map_err(Fault::at(step()))?;
        fs::remove_dir(place).map_err(Fault::at(step()))?;
    }
    Ok(view)
}

/// Puts an empty tmpfs over everything and leaves nothing but it.
fn become_root(root: &OwnedFd) -> Result<(), Fault> {
    let step = || "become the root of its own tree";
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH;
    rustix::mount::move_mount(root, "", CWD, "/", flags).map_err(Fault::at(step()))?;
    rustix::process::fchdir(root).map_err(Fault::at(step()))?;
    // The old root comes to lie on the new one, and goes from there.
    rustix::process::pivot_root(".", ".").map_err(Fault::at(step()))?;
    rustix::mount::unmount(".", UnmountFlags::DETACH).map_err(Fault::at(step()))?;
    rustix::process::chdir("/").map_err(Fault::at(step()))
}

fn small(mode: &str, attributes: MountAttrFlags) -> Result<OwnedFd, Fault> {
    tmpfs("1048576", "4096", mode, attributes)
}

fn tmpfs(size: &str, files: &str, mode: &str, attributes: MountAttrFlags) -> Result<OwnedFd, Fault> {
    fresh("tmpfs", &[("size", size), ("nr_inodes", files), ("mode", mode)], attributes)
}

/// Makes a file system of its own.
fn fresh(kind: &str, options: &[(&str, &str)], attributes: MountAttrFlags) -> Result<OwnedFd, Fault> {
    let step = || format!("make a fresh `{kind}`");
    let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC).map_err(Fault::at(step()))?;
    for (key, value) in options {
        rustix::mount::fsconfig_set_string(&context, *key, *value).map_err(Fault::at(step()))?;
    }
    rustix::mount::fsconfig_create(&context).map_err(Fault::at(step()))?;
    let always = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    rustix::mount::fsmount(&context, FsMountFlags::FSMOUNT_CLOEXEC, always | attributes)
        .map_err(Fault::at(step()))
}

fn clone(mount: &OwnedFd, what: &str) -> Result<OwnedFd, Fault> {
    let flags =
        OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
    rustix::mount::open_tree(mount, "", flags).map_err(Fault::at(format!("show `{what}` twice")))
}

/// Puts a mount at a path of the tree, which is made if it is not there.
fn attach(mount: &OwnedFd, target: &Path, kind: Kind) -> Result<(), Fault> {
    if target.symlink_metadata().is_err() {
        make_parents(target)?;
        let step = || format!("make `{}`", target.display());
        match kind {
            Kind::Folder => make_folder(target)?,
            Kind::File => {
                fs::OpenOptions::new()
                    .write(true)
                    .create_new(true)
                    .mode(0o444)
                    .open(target)
                    .map_err(Fault::at(step()))?;
            }
        }
    }
    let step = || format!("show `{}`", target.display());
    let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
    let place = rustix::fs::openat2(CWD, target, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)
        .map_err(Fault::at(step()))?;
    let both = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    rustix::mount::move_mount(mount, "", &place, "", both).map_err(Fault::at(step()))
}

fn make_parents(target: &Path) -> Result<(), Fault> {
    target.parent().map_or(Ok(()), make_folder)
}

fn make_folder(path: &Path) -> Result<(), Fault> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(path)
        .map_err(Fault::at(format!("make `{}`", path.display())))
}

/// Hides every blocked path under an empty file or folder that nobody may open. Returns the hidden paths of write
/// roots.
pub(crate) fn hide(order: &Order, rules: &Rules) -> Result<Vec<PathBuf>, Fault> {
    if rules.is_empty() {
        return Ok(Vec::new());
    }
    let mut writable = Vec::new();
    let mut hidden = Vec::new();
    for root in &order.roots {
        let found = rules.find(root.place.path()).map_err(Fault::at("search for blocked paths"))?;
        if root.access == Access::Write {
            writable.extend(found.iter().cloned());
        }
        hidden.extend(found);
    }
    hidden.sort();
    hidden.dedup();
    if hidden.is_empty() {
        return Ok(writable);
    }
    let masks = Masks::new()?;
    for (at, path) in hidden.iter().enumerate() {
        // what lies in a hidden folder is hidden with it
        if hidden[..at].iter().any(|other| path.starts_with(other)) {
            continue;
        }
        // A link of the workspace may lead out of the roots, where nothing of the host is there to hide.
        let Ok(meta) = path.symlink_metadata() else { continue };
        let (mask, kind) =
            if meta.is_dir() { (&masks.folder, Kind::Folder) } else { (&masks.file, Kind::File) };
        let step = || format!("hide `{}`", path.display());
        let flags =
            OpenTreeFlags::OPEN_TREE_CLONE | OpenTreeFlags::OPEN_TREE_CLOEXEC | OpenTreeFlags::AT_EMPTY_PATH;
        let copy = rustix::mount::open_tree(mask, "", flags).map_err(Fault::at(step()))?;
        let read_only = Change { set: libc::MOUNT_ATTR_RDONLY, ..Change::default() };
        change_mount(copy.as_fd(), read_only).map_err(Fault::at(step()))?;
        attach(&copy, path, kind)?;
    }
    Ok(writable)
}

/// An empty file and an empty folder.
struct Masks {
    file: OwnedFd,
    folder: OwnedFd,
}

impl Masks {
    fn new() -> Result<Self, Fault> {
        let step = || "make the masks of blocked paths";
        // made in the private `/tmp` and gone from there before the program starts
        let place = Path::new("/tmp/.blocked");
        let mount = tmpfs("4096", "8", "0700", MountAttrFlags::MOUNT_ATTR_NOEXEC)?;
        fs::create_dir(place).map_err(Fault::at(step()))?;
        attach(&mount, place, Kind::Folder)?;
        fs::OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o000)
            .open(place.join("file"))
            .map_err(Fault::at(step()))?;
        DirBuilder::new().mode(0o000).create(place.join("folder")).map_err(Fault::at(step()))?;
        let open = |name: &str| {
            let flags = OFlags::PATH | OFlags::CLOEXEC | OFlags::NOFOLLOW;
            rustix::fs::open(place.join(name), flags, Mode::empty()).map_err(Fault::at("open a mask"))
        };
        let clone = |fd: &OwnedFd| clone(fd, "a mask");
        let masks = Self { file: clone(&open("file")?)?, folder: clone(&open("folder")?)? };
        rustix::mount::unmount(place, UnmountFlags::DETACH).map_err(Fault::at(step()))?;
        fs::remove_dir(place).map_err(Fault::at(step()))?;
        Ok(masks)
    }
}

/// The paths below which a program may do something, for rules that name paths.
pub(crate) fn grants(pieces: &[Piece]) -> impl Iterator<Item = (&Path, Kind, Rights)> {
    let private = [("/tmp", Rights::Write), ("/var/tmp", Rights::Write), ("/dev/shm", Rights::Write)];
    let own = private.into_iter().map(|(path, rights)| (Path::new(path), Kind::Folder, rights));
    let seen =
        [("/proc", Rights::Read)].into_iter().map(|(path, rights)| (Path::new(path), Kind::Folder, rights));
    let taken = pieces.iter().filter_map(|piece| match &piece.content {
        Content::Mount { kind, rights, .. } => Some((piece.target.as_path(), *kind, *rights)),
        Content::Layered { .. } => Some((piece.target.as_path(), Kind::Folder, Rights::Write)),
        Content::Link(_) => None,
    });
    own.chain(seen).chain(taken)
}
