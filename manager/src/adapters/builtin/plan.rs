//! What a tool would change, worked out before anything is: shown in a rehearsal or a dry run, made in a run.

use super::{Fault, job::Job};
use crate::{
    adapters::changes::{self, Apply, Conflict, Side, look},
    model::{Changes, EffectsObserved, FileChange, FileState},
};
use rustix::io::Errno;
use std::{
    collections::BTreeMap,
    fs::File,
    io::{Cursor, Read},
};

/// What a tool would change.
#[derive(Default)]
pub(super) struct Plan {
    /// Path by path, in the order of paths.
    pub(super) changes: Changes,
    /// The bytes of files that come.
    contents: BTreeMap<String, Vec<u8>>,
    /// What changes its place as a whole: from and to.
    whole: Option<(String, String)>,
    /// The same for people.
    pub(super) diff: String,
}

impl Plan {
    /// A file that gets a new content, with the folders that it needs.
    pub(super) fn write(
        job: &Job<'_>,
        path: &str,
        folders: &[String],
        before: &Before,
        content: Vec<u8>,
    ) -> Self {
        let mode = before.mode.unwrap_or(0o666) & 0o777 & !job.umask_of_new(before.mode);
        let (digest, bytes) = digest(&content);
        let made = FileState::Folder { mode: 0o777 & !job.umask_of_new(None) };
        let mut changes: Vec<FileChange> = folders
            .iter()
            .map(|path| FileChange { path: path.clone(), before: FileState::Absent, after: made.clone() })
            .collect();
        let after = FileState::File { digest, bytes, mode };
        changes.push(FileChange { path: path.to_owned(), before: before.state(), after });
        let old = match (&before.bytes, before.mode) {
            (Some(bytes), Some(mode)) => Side::File { bytes, mode: mode & 0o7777 },
            _ => Side::Absent,
        };
        let diff = changes::diff(path, old, Side::File { bytes: &content, mode });
        let contents = [(path.to_owned(), content)].into();
        Self { changes: Changes(changes), contents, whole: None, diff }
    }

    /// Things that go, what lies inside a folder beside the folder itself.
    pub(super) fn remove(job: &Job<'_>, paths: &[String]) -> Result<Self, Fault> {
        let mut plan = Self::default();
        for path in paths {
            job.go_on()?;
            let (before, file) = seen(job, path)?;
            plan.diff += &shown(path, &before, file);
            plan.changes.0.push(FileChange { path: path.clone(), before, after: FileState::Absent });
        }
        plan.sort();
        Ok(plan)
    }

    /// Something that gets another name, with everything in it and the folders that it needs.
    pub(super) fn relocate(
        job: &Job<'_>,
        paths: &[String],
        (from, to): (&str, &str),
        folders: &[String],
    ) -> Result<Self, Fault> {
        let mut plan = Self { whole: Some((from.to_owned(), to.to_owned())), ..Self::default() };
        let mode = 0o777 & !job.umask_of_new(None);
        for path in folders {
            let after = FileState::Folder { mode };
            plan.changes.0.push(FileChange { path: path.clone(), before: FileState::Absent, after });
        }
        for path in paths {
            job.go_on()?;
            let (state, _) = seen(job, path)?;
            let there = format!("{to}{}", path.strip_prefix(from).unwrap_or_default());
            plan.diff += &format!("{path} -> {there}\n");
            for (path, before, after) in
                [(path.clone(), state.clone(), FileState::Absent), (there, FileState::Absent, state)]
            {
                plan.changes.0.push(FileChange { path, before, after });
            }
        }
        plan.sort();
        Ok(plan)
    }

    fn sort(&mut self) {
        self.changes.0.sort_by(|a, b| a.path.cmp(&b.path));
    }

    /// Makes the changes, after what they replace was kept.
    pub(super) fn make(&self, job: &Job<'_>, keep: Keep<'_>) -> Result<(), Fault> {
        if self.changes.0.is_empty() {
            return Ok(());
        }
        let root = job.places.root();
        keep(&self.changes, &|change| {
            let gone = || std::io::Error::from(std::io::ErrorKind::NotFound);
            let (_, file) = look(root, &change.path).map_err(std::io::Error::from)?;
            file.map(|file| Box::new(file) as Box<dyn Read>).ok_or_else(gone)
        })?;
        let content = |change: &FileChange| {
            let bytes = self.contents.get(&change.path).cloned().unwrap_or_default();
            Ok(Box::new(Cursor::new(bytes)) as Box<dyn Read>)
        };
        let (tag, go_on) = (job.tag(), || job.go_on().is_ok());
        let apply = Apply { root, content: &content, tag: &tag, go_on: &go_on };
        match &self.whole {
            None => self.finish(job, apply.all(&self.changes)),
            Some((from, to)) => self.make_whole(job, &apply, from, to),
        }
    }

    /// Moves something as a whole: at no time a part of it is here and a part there.
    fn make_whole(&self, job: &Job<'_>, apply: &Apply<'_>, from: &str, to: &str) -> Result<(), Fault> {
        apply.check(&self.changes).map_err(|c| fault(job, c))?;
        let beneath = |path: &str, top: &str| path == top || path.starts_with(&format!("{top}/"));
        let folders = |change: &&FileChange| !beneath(&change.path, from) && !beneath(&change.path, to);
        let made = apply.all(&Changes(self.changes.0.iter().filter(folders).cloned().collect()));
        self.finish(job, made)?;
        changes::rename(apply.root, from, to).map_err(|error| match error {
            Errno::EXIST => Fault::new("exists", format!("`{to}` exists already")),
            error => Fault::system(from, error),
        })?;
        // What was moved is what was looked at, or goes back.
        let arrived = Changes(self.changes.0.iter().map(settled).collect());
        apply.check(&arrived).map_err(|conflict| {
            changes::rename(apply.root, to, from).ok();
            fault(job, conflict)
        })
    }

    fn finish(&self, job: &Job<'_>, applied: changes::Applied) -> Result<(), Fault> {
        let Some(conflict) = applied.conflict else { return Ok(()) };
        let mut effects = EffectsObserved::default();
        for change in self.changes.0.iter().filter(|change| applied.made.contains(&change.path)) {
            let told = match change.after {
                FileState::Absent => &mut effects.deletes,
                FileState::File { .. } | FileState::Folder { .. } | FileState::Link { .. } => {
                    &mut effects.writes
                }
            };
            told.push(super::job::file(&change.path));
        }
        Err(fault(job, conflict).after(effects))
    }
}

/// Keeps what is about to be replaced.
pub(super) type Keep<'a> = &'a dyn Fn(&Changes, crate::port::Before<'_>) -> Result<(), Fault>;

/// A change that was made, as one that changes nothing any more.
fn settled(change: &FileChange) -> FileChange {
    FileChange { before: change.after.clone(), ..change.clone() }
}

fn fault(job: &Job<'_>, conflict: Conflict) -> Fault {
    let message = conflict.to_string();
    match conflict {
        Conflict::Moved(_) => Fault::new("changed_meanwhile", message),
        Conflict::Unknown(_) => Fault::new("not_a_file", message),
        Conflict::Stopped(_) => job.go_on().err().unwrap_or_else(|| Fault::new("cancelled", message)),
        Conflict::System(path, error) => Fault::system(&path, error),
    }
}

fn seen(job: &Job<'_>, path: &str) -> Result<(FileState, Option<File>), Fault> {
    match look(job.places.root(), path) {
        Ok((FileState::Absent, _)) => Err(Fault::new("not_found", format!("`{path}` does not exist"))),
        Ok(seen) => Ok(seen),
        Err(Errno::OPNOTSUPP) => {
            Err(Fault::new("not_a_file", format!("`{path}` is neither file, folder nor link")))
        }
        Err(error) => Err(Fault::system(path, error)),
    }
}

/// A file that goes is shown up to so many bytes.
const SHOWN: u64 = 256 << 10;

/// What goes, for people.
fn shown(path: &str, before: &FileState, file: Option<File>) -> String {
    let mut bytes = Vec::new();
    let side = match before {
        FileState::Absent => Side::Absent,
        FileState::Folder { .. } => Side::Folder,
        FileState::Link { to } => Side::Link(to),
        FileState::File { bytes: size, digest, .. } if *size > SHOWN => {
            return format!("{path}: {size} bytes, sha256 {} -> nothing\n", digest.short());
        }
        FileState::File { mode, .. } => {
            // What cannot be read any more is told as empty here, and found when the change is made.
            file.map(|mut file| file.read_to_end(&mut bytes));
            Side::File { bytes: &bytes, mode: *mode }
        }
    };
    changes::diff(path, side, Side::Absent)
}

fn digest(bytes: &[u8]) -> (crate::model::Digest, u64) {
    use crate::model::{Digest, Domain};
    (Digest::of_bytes(Domain::Plain, bytes), bytes.len() as u64)
}

/// A file as it is before it is changed.
pub(super) struct Before {
    /// Its bytes; absent where there is no file yet.
    pub(super) bytes: Option<Vec<u8>>,
    mode: Option<u32>,
}

impl Before {
    pub(super) fn of(job: &Job<'_>, path: &str) -> Result<Self, Fault> {
        match job.places.find(path, super::places::Purpose::Write) {
            Ok(found) => {
                let mode = found.mode.as_raw_mode() & 0o7777;
                Ok(Self { bytes: Some(found.read(job.max_bytes())?), mode: Some(mode) })
            }
            Err(fault) if fault.code == "not_found" => Ok(Self { bytes: None, mode: None }),
            Err(fault) => Err(fault),
        }
    }

    fn state(&self) -> FileState {
        match (&self.bytes, self.mode) {
            (Some(content), Some(mode)) => {
                let (digest, bytes) = digest(content);
                FileState::File { digest, bytes, mode }
            }
            _ => FileState::Absent,
        }
    }
}
