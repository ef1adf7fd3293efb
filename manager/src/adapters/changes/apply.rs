//! Making changes: each over exactly what it was worked out from, and whole at once for whoever looks.

use super::{
    look::{digest_of, errno, look},
    pair::moved,
    slot::Slot,
};
use crate::model::{Changes, FileChange, FileState};
use rustix::{
    fs::{AtFlags, Gid, Mode, OFlags, RenameFlags, Uid},
    io::Errno,
};
use std::{
    collections::{BTreeMap, BTreeSet},
    fs::File,
    io::{Read, Write as _},
    os::fd::{AsFd, OwnedFd},
};

/// Opens the bytes that a change puts at its path.
pub type Content<'a> = &'a dyn Fn(&FileChange) -> std::io::Result<Box<dyn Read>>;

/// With what changes are made.
#[derive(Clone, Copy)]
pub struct Apply<'a> {
    /// The workspace's root.
    pub root: &'a OwnedFd,
    /// The bytes of files that come.
    pub content: Content<'a>,
    /// A name that nobody else uses, for files on their way.
    pub tag: &'a str,
    /// Whether to go on; asked before each change.
    pub go_on: &'a dyn Fn() -> bool,
}

/// Why changes were not all made.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Conflict {
    /// Something is not what the change was worked out from.
    #[error("`{0}` is not what it was when the change was worked out")]
    Moved(String),
    /// Something that can be neither kept nor restored, such as a device.
    #[error("`{0}` is neither file, folder nor link")]
    Unknown(String),
    /// The call was called off.
    #[error("it was called off before `{0}`")]
    Stopped(String),
    /// The system refuses.
    #[error("`{0}`: {1}")]
    System(String, Errno),
}

/// What came of making changes.
#[derive(Debug, Default)]
pub struct Applied {
    /// The paths that were changed.
    pub made: BTreeSet<String>,
    /// Why the others were not.
    pub conflict: Option<Conflict>,
}

impl Apply<'_> {
    /// Makes changes, which are in the order of their paths. Every one is checked before the first is made.
    pub fn all(&self, changes: &Changes) -> Applied {
        let mut made = BTreeSet::new();
        let conflict = self.check(changes).and_then(|()| self.make(changes, &mut made)).err();
        Applied { made, conflict }
    }

    /// Whether everything is still what the changes were worked out from.
    ///
    /// # Errors
    /// [`Conflict`] with the first path that is not.
    pub fn check(&self, changes: &Changes) -> Result<(), Conflict> {
        for change in &changes.0 {
            let (found, _) = look(self.root, &change.path).map_err(|e| conflict(&change.path, e))?;
            if found != change.before {
                return Err(Conflict::Moved(change.path.clone()));
            }
        }
        Ok(())
    }

    fn make(&self, changes: &Changes, made: &mut BTreeSet<String>) -> Result<(), Conflict> {
        let all = &changes.0;
        let pairs = moved(changes);
        let moves: BTreeSet<usize> = pairs.iter().map(|(from, _)| *from).collect();
        let sources: BTreeMap<usize, usize> = pairs.into_iter().map(|(from, to)| (to, from)).collect();
        let goes = |at: &usize| all[*at].after == FileState::Absent;
        let leaves = |at: &usize| goes(at) && !moves.contains(at);
        // Where a file and a folder change places, what goes must go first; else what comes is there first, so that
        // at no time anything is nowhere.
        let first = all.iter().any(FileChange::changes_kind);
        if first {
            for at in (0..all.len()).rev().filter(|at| goes(at) || all[*at].changes_kind()) {
                self.step(&all[at], made, |slot| self.remove(slot, &all[at]))?;
            }
        }
        for at in (0..all.len()).filter(|at| !goes(at)) {
            let from = sources.get(&at).map(|from| &all[*from]);
            self.step(&all[at], made, |slot| match from {
                Some(from) => self.rename(from, slot, &all[at]),
                None => self.put(slot, &all[at], first),
            })?;
            made.extend(from.map(|from| from.path.clone()));
        }
        if !first {
            for at in (0..all.len()).rev().filter(leaves) {
                self.step(&all[at], made, |slot| self.remove(slot, &all[at]))?;
            }
        }
        Ok(())
    }

    fn step(
        &self,
        change: &FileChange,
        made: &mut BTreeSet<String>,
        act: impl FnOnce(&Slot) -> Result<(), Fault>,
    ) -> Result<(), Conflict> {
        if !(self.go_on)() {
            return Err(Conflict::Stopped(change.path.clone()));
        }
        let slot = Slot::open(self.root, &change.path).map_err(|e| conflict(&change.path, e))?;
        act(&slot).map_err(|fault| match fault {
            Fault::Moved => Conflict::Moved(change.path.clone()),
            Fault::System(error) => conflict(&change.path, error),
        })?;
        made.insert(change.path.clone());
        Ok(())
    }

    /// The name under which something is on its way. One change is made at a time.
    fn part(&self) -> String {
        format!(".{}.part", self.tag)
    }

    fn put(&self, slot: &Slot, change: &FileChange, cleared: bool) -> Result<(), Fault> {
        let part = self.part();
        // What was in the way has gone already.
        let before = if cleared && change.changes_kind() { &FileState::Absent } else { &change.before };
        match &change.after {
            FileState::Absent => return Ok(()),
            FileState::Folder { mode } => return put_folder(slot, *mode, before),
            FileState::Link { to } => rustix::fs::symlinkat(to.as_str(), &slot.folder, part.as_str())?,
            FileState::File { .. } => self.write(slot, &part, change)?,
        }
        let placed = place(slot, &part, before);
        if placed.is_err() {
            // Nothing more can be done about a part that cannot be removed either.
            rustix::fs::unlinkat(&slot.folder, part.as_str(), AtFlags::empty()).ok();
        }
        placed?;
        Ok(rustix::fs::fsync(&slot.folder)?)
    }

    /// Writes a file whole under a name of its own, and finds that it is what the change says.
    fn write(&self, slot: &Slot, part: &str, change: &FileChange) -> Result<(), Fault> {
        let written = || -> Result<(), Fault> {
            let mut from = (self.content)(change).map_err(|e| errno(&e))?;
            let flags = OFlags::RDWR | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            let fd = rustix::fs::openat(&slot.folder, part, flags, Mode::from_raw_mode(0o600))?;
            let mut file = File::from(fd);
            std::io::copy(&mut from, &mut file).map_err(|e| errno(&e))?;
            file.flush().map_err(|e| errno(&e))?;
            std::io::Seek::rewind(&mut file).map_err(|e| errno(&e))?;
            let (digest, bytes) = digest_of(&mut file).map_err(|e| errno(&e))?;
            own(slot, &file)?;
            let FileState::File { mode, .. } = change.after else { return Err(Fault::Moved) };
            rustix::fs::fchmod(&file, Mode::from_raw_mode(mode))?;
            file.sync_all().map_err(|e| errno(&e))?;
            let there = FileState::File { digest, bytes, mode };
            if there == change.after { Ok(()) } else { Err(Fault::Moved) }
        };
        written().inspect_err(|_| {
            rustix::fs::unlinkat(&slot.folder, part, AtFlags::empty()).ok();
        })
    }

    /// Takes away what is there, if it is what was there.
    fn remove(&self, slot: &Slot, change: &FileChange) -> Result<(), Fault> {
        if let FileState::Folder { .. } = change.before {
            return match rustix::fs::unlinkat(&slot.folder, slot.name.as_str(), AtFlags::REMOVEDIR) {
                Err(Errno::NOTEMPTY) => Err(Fault::Moved),
                removed => Ok(removed?),
            };
        }
        let part = self.part();
        displace(slot, &slot.name, &part)?;
        let (found, _) = slot.look(&part)?;
        if found != change.before {
            displace(slot, &part, &slot.name)?;
            return Err(Fault::Moved);
        }
        Ok(rustix::fs::unlinkat(&slot.folder, part.as_str(), AtFlags::empty())?)
    }

    /// Moves a file to its new name, if it is the file that was to be moved.
    fn rename(&self, from: &FileChange, slot: &Slot, to: &FileChange) -> Result<(), Fault> {
        let old = Slot::open(self.root, &from.path)?;
        exclusive((&old, &old.name), (slot, &slot.name))?;
        let (found, _) = slot.look(&slot.name)?;
        if found != to.after {
            exclusive((slot, &slot.name), (&old, &old.name))?;
            return Err(Fault::Moved);
        }
        Ok(rustix::fs::fsync(&slot.folder)?)
    }
}

/// Moves something beneath a root to a name that nothing stands under.
///
/// # Errors
/// What the system said; [`Errno::EXIST`] if something stands there.
pub fn rename(root: &OwnedFd, from: &str, to: &str) -> Result<(), Errno> {
    let (old, new) = (Slot::open(root, from)?, Slot::open(root, to)?);
    exclusive((&old, &old.name), (&new, &new.name))?;
    rustix::fs::fsync(&new.folder)
}

enum Fault {
    Moved,
    System(Errno),
}

impl From<Errno> for Fault {
    fn from(error: Errno) -> Self {
        match error {
            // Something stands where nothing stood, or nothing where something did.
            Errno::EXIST | Errno::NOENT => Self::Moved,
            error => Self::System(error),
        }
    }
}

fn conflict(path: &str, error: Errno) -> Conflict {
    match error {
        Errno::OPNOTSUPP | Errno::ILSEQ => Conflict::Unknown(path.to_owned()),
        // A link where a folder was, or a folder that is gone.
        Errno::LOOP | Errno::NOENT | Errno::NOTDIR => Conflict::Moved(path.to_owned()),
        error => Conflict::System(path.to_owned(), error),
    }
}

/// Gives a part its place, if what stands there is what stood there; what it displaces goes.
fn place(slot: &Slot, part: &str, before: &FileState) -> Result<(), Fault> {
    if *before == FileState::Absent {
        return Ok(exclusive((slot, part), (slot, &slot.name))?);
    }
    let exchange =
        |flags| rustix::fs::renameat_with(&slot.folder, part, &slot.folder, slot.name.as_str(), flags);
    match exchange(RenameFlags::EXCHANGE) {
        Ok(()) => {}
        // A file system that cannot exchange names: looked at once more, just before.
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            return match slot.look(&slot.name)?.0 == *before {
                true => Ok(exchange(RenameFlags::empty())?),
                false => Err(Fault::Moved),
            };
        }
        Err(error) => return Err(error.into()),
    }
    // What stood there stands under the part's name now, and nobody finds it by its own: it can be judged in peace.
    let (displaced, _) = slot.look(part)?;
    if displaced != *before {
        exchange(RenameFlags::EXCHANGE)?;
        return Err(Fault::Moved);
    }
    Ok(rustix::fs::unlinkat(&slot.folder, part, AtFlags::empty())?)
}

fn displace(slot: &Slot, from: &str, to: &str) -> Result<(), Errno> {
    exclusive((slot, from), (slot, to))
}

/// Renames without overwriting, also where the file system cannot do that by itself.
fn exclusive((old, from): (&Slot, &str), (new, to): (&Slot, &str)) -> Result<(), Errno> {
    let rename = |flags| rustix::fs::renameat_with(&old.folder, from, &new.folder, to, flags);
    match rename(RenameFlags::NOREPLACE) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::OPNOTSUPP) => {
            match rustix::fs::statat(&new.folder, to, AtFlags::SYMLINK_NOFOLLOW) {
                Err(Errno::NOENT) => rename(RenameFlags::empty()),
                Ok(_) => Err(Errno::EXIST),
                Err(error) => Err(error),
            }
        }
        renamed => renamed,
    }
}

fn put_folder(slot: &Slot, mode: u32, before: &FileState) -> Result<(), Fault> {
    match (rustix::fs::mkdirat(&slot.folder, slot.name.as_str(), Mode::from_raw_mode(0o700)), before) {
        (Ok(()), _) | (Err(Errno::EXIST), FileState::Folder { .. }) => {}
        (Err(error), _) => return Err(error.into()),
    }
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let made = rustix::fs::openat(&slot.folder, slot.name.as_str(), flags, Mode::empty())?;
    if *before == FileState::Absent {
        own(slot, &made)?;
    }
    rustix::fs::fchmod(&made, Mode::from_raw_mode(mode))?;
    Ok(rustix::fs::fsync(&slot.folder)?)
}

/// What root makes in another's folder is that other's.
fn own(slot: &Slot, made: &impl AsFd) -> Result<(), Errno> {
    if !rustix::process::geteuid().is_root() {
        return Ok(());
    }
    let folder = rustix::fs::fstat(&slot.folder)?;
    rustix::fs::fchown(made, Some(Uid::from_raw(folder.st_uid)), Some(Gid::from_raw(folder.st_gid)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{Digest, Domain};
    use rustix::fs::CWD;
    use std::{
        cell::Cell,
        fs,
        os::unix::fs::{PermissionsExt as _, symlink},
        path::Path,
    };

    fn file(text: &str) -> FileState {
        let digest = Digest::of_bytes(Domain::Plain, text.as_bytes());
        FileState::File { digest, bytes: text.len() as u64, mode: 0o644 }
    }

    fn change(path: &str, before: FileState, after: FileState) -> FileChange {
        FileChange { path: path.to_owned(), before, after }
    }

    /// Everything in a folder, in words.
    fn words(root: &Path) -> String {
        let mut names: Vec<_> = fs::read_dir(root).unwrap().map(|e| e.unwrap().path()).collect();
        names.sort();
        let word = |path: &std::path::PathBuf| {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_symlink() {
                format!("{name}@")
            } else if path.is_dir() {
                format!("{name}/[{}]", words(path))
            } else {
                format!("{name}={}", fs::read_to_string(path).unwrap())
            }
        };
        names.iter().map(word).collect::<Vec<_>>().join(" ")
    }

    fn write(path: &Path, text: &str) {
        fs::write(path, text).unwrap();
        fs::set_permissions(path, fs::Permissions::from_mode(0o644)).unwrap();
    }

    /// Makes changes in a folder with `a=old`, `b=gone` and `f/[x=x]`; something happens right before one of them, when
    /// all was checked already.
    fn make(changes: &[FileChange], before: usize, tamper: &dyn Fn(&Path)) -> (Applied, String) {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::create_dir(at("f")).unwrap();
        fs::set_permissions(at("f"), fs::Permissions::from_mode(0o755)).unwrap();
        for (name, text) in [("a", "old"), ("b", "gone"), ("f/x", "x")] {
            write(&at(name), text);
        }
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        let root = rustix::fs::openat(CWD, folder.path(), flags, Mode::empty()).unwrap();
        let count = Cell::new(0);
        let go_on = || {
            if count.replace(count.get() + 1) == before {
                tamper(folder.path());
            }
            true
        };
        // Every file that comes is called by its content.
        let content = |change: &FileChange| {
            let text = change.path.rsplit('/').next().unwrap_or_default().to_owned();
            Ok(Box::new(std::io::Cursor::new(text)) as Box<dyn Read>)
        };
        let apply = Apply { root: &root, content: &content, tag: "t", go_on: &go_on };
        let applied = apply.all(&Changes(changes.to_vec()));
        (applied, words(folder.path()))
    }

    #[test]
    fn changes_of_every_kind_are_made() {
        use FileState::{Absent, Folder};
        let mode = 0o755;
        let link = || FileState::Link { to: "a".to_owned() };
        let rows: [(Vec<FileChange>, &str); 7] = [
            (vec![change("a", file("old"), file("a"))], "a=a b=gone f/[x=x]"),
            (
                vec![change("n", Absent, Folder { mode }), change("n/new", Absent, file("new"))],
                "a=old b=gone f/[x=x] n/[new=new]",
            ),
            (vec![change("b", file("gone"), Absent), change("c", Absent, link())], "a=old c@ f/[x=x]"),
            (vec![change("f", Folder { mode }, Absent), change("f/x", file("x"), Absent)], "a=old b=gone"),
            // A file that changes its place is moved, whatever its name.
            (
                vec![change("a", file("old"), Absent), change("z", Absent, file("old"))],
                "b=gone f/[x=x] z=old",
            ),
            // A folder becomes a file, and a file a folder.
            (
                vec![change("f", Folder { mode }, file("f")), change("f/x", file("x"), Absent)],
                "a=old b=gone f=f",
            ),
            (
                vec![change("a", file("old"), Folder { mode }), change("a/new", Absent, file("new"))],
                "a/[new=new] b=gone f/[x=x]",
            ),
        ];
        for (changes, expected) in rows {
            let (applied, found) = make(&changes, usize::MAX, &|_| {});
            assert_eq!((applied.conflict, found.as_str()), (None, expected));
            assert_eq!(applied.made.len(), changes.len(), "{expected}");
        }
    }

    #[test]
    fn what_comes_in_between_is_found_and_kept() {
        use FileState::Absent;
        let replace = [change("a", file("old"), file("a"))];
        let create = [change("new", Absent, file("new"))];
        let remove = [change("b", file("gone"), Absent)];
        let relocate = [change("a", file("old"), Absent), change("z", Absent, file("old"))];
        let moved = |path: &str| Some(Conflict::Moved(path.to_owned()));
        type Tamper = fn(&Path);
        type Row<'a> = (&'a str, &'a [FileChange], Tamper, Option<Conflict>, &'a str);
        let edit: Tamper = |ws| write(&ws.join("a"), "theirs");
        let mode: Tamper = |ws| fs::set_permissions(ws.join("a"), fs::Permissions::from_mode(0o600)).unwrap();
        let rows: [Row<'_>; 9] = [
            ("edited", &replace, edit, moved("a"), "a=theirs b=gone f/[x=x]"),
            ("other rights", &replace, mode, moved("a"), "a=old b=gone f/[x=x]"),
            ("gone", &replace, |ws| fs::remove_file(ws.join("a")).unwrap(), moved("a"), "b=gone f/[x=x]"),
            (
                "a link in its place",
                &replace,
                |ws| {
                    fs::remove_file(ws.join("a")).unwrap();
                    symlink("b", ws.join("a")).unwrap();
                },
                moved("a"),
                "a@ b=gone f/[x=x]",
            ),
            (
                "made by another",
                &create,
                |ws| write(&ws.join("new"), "theirs"),
                moved("new"),
                "a=old b=gone f/[x=x] new=theirs",
            ),
            (
                "edited before it goes",
                &remove,
                |ws| write(&ws.join("b"), "theirs"),
                moved("b"),
                "a=old b=theirs f/[x=x]",
            ),
            ("edited before it moves", &relocate, edit, moved("z"), "a=theirs b=gone f/[x=x]"),
            (
                "its place is taken",
                &relocate,
                |ws| write(&ws.join("z"), "theirs"),
                moved("z"),
                "a=old b=gone f/[x=x] z=theirs",
            ),
            ("something else", &replace, |ws| write(&ws.join("b"), "theirs"), None, "a=a b=theirs f/[x=x]"),
        ];
        for (what, changes, tamper, conflict, expected) in rows {
            let (applied, found) = make(changes, 0, &tamper);
            assert_eq!((applied.conflict, found.as_str()), (conflict, expected), "{what}");
        }
        // What was changed before anything is made stops all of it, and so does somebody who calls it off.
        let both = [replace[0].clone(), change("b", file("other"), Absent)];
        let (applied, found) = make(&both, usize::MAX, &|_| {});
        assert_eq!((applied.made.len(), found.as_str()), (0, "a=old b=gone f/[x=x]"));
        assert_eq!(applied.conflict, moved("b"));
        // Bytes that are not those of the change are not put anywhere.
        let (applied, found) = make(&[change("a", file("old"), file("other"))], usize::MAX, &|_| {});
        assert_eq!((applied.conflict, found.as_str()), (moved("a"), "a=old b=gone f/[x=x]"));
    }
}
