//! What a program wrote in its own view of the workspace: learned from the kernel's layer, told as facts, and kept
//! exactly as told or forgotten.

use super::{Fault, fault::PARTLY, program::utf8};
use crate::{
    adapters::changes::{Side, diff},
    model::{
        Changes, Digest, EffectsObserved, FileChange, FileState, ResourceRef, ToolDescriptor, WorkspaceWrites,
    },
    stage::declared,
};
use proofhouse_sandbox::{Aside, Change, Conflict, Node};
use std::{
    io::Read,
    path::{Path, PathBuf},
    time::Duration,
};

/// Paths that nobody's contract may change: what is in them runs when somebody else works in the repository.
const PROTECTED: &[&str] = &[".git/hooks", ".git/config", ".git/info/attributes"];

/// What is older than this waits for nobody.
const STALE: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// A view, with all that was written in it.
#[derive(Debug)]
pub(super) struct View {
    aside: Aside,
    workspace: PathBuf,
    raw: Vec<Change>,
    writes: WorkspaceWrites,
    /// The same, beneath the workspace.
    pub(super) changes: Changes,
    /// What of it a contract is held against.
    pub(super) effects: EffectsObserved,
}

impl View {
    /// Reads what is in a store.
    ///
    /// # Errors
    /// [`Fault`] if it cannot be read, or holds what cannot be told.
    pub(super) fn open(store: &Path, workspace: &Path, writes: WorkspaceWrites) -> Result<Self, Fault> {
        let aside = Aside::open(store).map_err(unreadable)?;
        let raw = aside.changes().map_err(unreadable)?;
        let (changes, effects) = match writes {
            WorkspaceWrites::Declared => {
                let told = raw.iter().map(|change| tell(change, workspace)).collect::<Result<Vec<_>, _>>();
                let mut told = told?;
                told.sort_by(|a, b| a.path.cmp(&b.path));
                let effects = effects(&told);
                (Changes(told), effects)
            }
            // Nothing of it changes the workspace.
            WorkspaceWrites::Scratch => (Changes::default(), left_behind(&raw, workspace)),
        };
        Ok(Self { aside, workspace: workspace.to_owned(), raw, writes, changes, effects })
    }

    /// Holds what was written against the contract.
    ///
    /// # Errors
    /// [`Fault`] with the first path that it may not write.
    pub(super) fn hold(&self, tool: &ToolDescriptor) -> Result<(), Fault> {
        if self.writes == WorkspaceWrites::Scratch {
            return Ok(());
        }
        if let Some(path) =
            self.changes.0.iter().map(|change| change.path.as_str()).find(|path| is_protected(path))
        {
            let message =
                format!("it writes `{path}`, which would run when others work here; nothing was kept");
            return Err(Fault::new("undeclared_effects", message));
        }
        declared(tool, &self.effects)
            .map_err(|why| Fault::new("undeclared_effects", format!("{why}; nothing was kept")))
    }

    /// Everything as a unified diff.
    ///
    /// # Errors
    /// [`Fault`] if a file cannot be read any more.
    pub(super) fn diff(&self) -> Result<String, Fault> {
        let mut text = String::new();
        if self.writes == WorkspaceWrites::Scratch {
            return Ok(text);
        }
        for change in &self.raw {
            let path = tell(change, &self.workspace)?.path;
            let before = match &change.before {
                Node::File { .. } => read(&path, std::fs::File::open(change.full()))?,
                Node::Absent | Node::Folder { .. } | Node::Link { .. } => Vec::new(),
            };
            let after = match &change.after {
                Node::File { .. } => read(&path, Ok(self.aside.content(change).map_err(unreadable)?))?,
                Node::Absent | Node::Folder { .. } | Node::Link { .. } => Vec::new(),
            };
            text.push_str(&diff(&path, side(&change.before, &before)?, side(&change.after, &after)?));
        }
        Ok(text)
    }

    /// Writes exactly what was told, or nothing. Where the system stops it in the middle, a part may be written.
    ///
    /// # Errors
    /// [`Fault`] if the workspace is not what it was, or the system refuses.
    pub(super) fn commit(&self) -> Result<(), Fault> {
        if self.writes == WorkspaceWrites::Scratch {
            return Ok(());
        }
        self.aside.commit(&self.raw).map_err(|conflict| {
            let code = match &conflict {
                Conflict::Moved(_) => "changed_meanwhile",
                Conflict::Blocked(_) => "path_denied",
                Conflict::Unknown(_) => "undeclared_effects",
                Conflict::Io { .. } => PARTLY,
            };
            Fault::new(code, conflict.to_string())
        })
    }

    /// Opens what a change is about to replace.
    pub(super) fn before(&self, change: &FileChange) -> std::io::Result<Box<dyn Read>> {
        Ok(Box::new(std::fs::File::open(self.workspace.join(&change.path))?))
    }

    /// Forgets it.
    pub(super) fn discard(self) -> Result<(), Fault> {
        self.aside.discard().map_err(unreadable)
    }
}

/// Forgets a store, whatever is in it. What cannot be removed now is swept later.
pub(super) fn forget(store: &Path) {
    match Aside::open(store) {
        Ok(aside) => drop(aside.discard()),
        Err(_) => drop(std::fs::remove_dir_all(store)),
    }
}

/// Forgets what crashed runs and unanswered rehearsals have left in a folder.
pub(super) fn sweep(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let modified = entry.metadata().and_then(|meta| meta.modified());
        if modified.is_ok_and(|at| at.elapsed().is_ok_and(|age| age > STALE)) {
            forget(&entry.path().join("view"));
            forget(&entry.path());
        }
    }
}

/// A change as the journal tells it.
fn tell(change: &Change, workspace: &Path) -> Result<FileChange, Fault> {
    let full = change.full();
    let beneath = full.strip_prefix(workspace).unwrap_or(&full);
    Ok(FileChange {
        path: utf8(beneath)?.to_owned(),
        before: state(&change.before)?,
        after: state(&change.after)?,
    })
}

fn state(node: &Node) -> Result<FileState, Fault> {
    Ok(match node {
        Node::Absent => FileState::Absent,
        Node::Folder { mode } => FileState::Folder { mode: *mode },
        Node::File { digest, bytes, mode } => {
            FileState::File { digest: Digest::from_hash(digest.as_bytes()), bytes: *bytes, mode: *mode }
        }
        Node::Link { to } => FileState::Link { to: utf8(to)?.to_owned() },
    })
}

/// What stands on one side of a diff; the bytes are those of a file.
fn side<'a>(node: &'a Node, bytes: &'a [u8]) -> Result<Side<'a>, Fault> {
    Ok(match node {
        Node::Absent => Side::Absent,
        Node::Folder { .. } => Side::Folder,
        Node::Link { to } => Side::Link(utf8(to)?),
        Node::File { mode, .. } => Side::File { bytes, mode: *mode },
    })
}

fn read(path: &str, file: std::io::Result<std::fs::File>) -> Result<Vec<u8>, Fault> {
    let mut bytes = Vec::new();
    file.and_then(|mut file| file.read_to_end(&mut bytes))
        .map_err(|error| Fault::new("system", format!("`{path}`: {error}")))?;
    Ok(bytes)
}

/// What a contract is held against. A folder that comes or goes with what is in it is told by what is in it.
fn effects(changes: &[FileChange]) -> EffectsObserved {
    let mut effects = EffectsObserved::default();
    for (at, change) in changes.iter().enumerate() {
        let inside = format!("{}/", change.path);
        // in the order of paths, what is in a folder follows it, though not always at once
        if is_folder(change) && changes[at + 1..].iter().any(|other| other.path.starts_with(&inside)) {
            continue;
        }
        let resource = resource(&change.path);
        if change.after == FileState::Absent {
            effects.deletes.push(resource);
        } else {
            effects.writes.push(resource);
        }
    }
    effects
}

fn is_folder(change: &FileChange) -> bool {
    let folder = |state: &FileState| matches!(state, FileState::Folder { .. } | FileState::Absent);
    folder(&change.before) && folder(&change.after)
}

/// What a scratch workspace was left with: of a new folder, only itself.
fn left_behind(changes: &[Change], workspace: &Path) -> EffectsObserved {
    let mut effects = EffectsObserved::default();
    let mut made: Vec<PathBuf> = Vec::new();
    for change in changes {
        let full = change.full();
        if made.iter().any(|folder| full.starts_with(folder)) {
            continue;
        }
        let beneath = full.strip_prefix(workspace).unwrap_or(&full).to_string_lossy().into_owned();
        effects.writes.push(ResourceRef(format!("temp:{beneath}")));
        if change.before == Node::Absent && matches!(change.after, Node::Folder { .. }) {
            made.push(full);
        }
    }
    effects
}

/// A path as a resource: what is in the repository's own folder is the repository.
fn resource(path: &str) -> ResourceRef {
    match path.strip_prefix(".git/") {
        Some(inside) => ResourceRef(format!("repo:{inside}")),
        None => ResourceRef(format!("file:{path}")),
    }
}

fn is_protected(path: &str) -> bool {
    PROTECTED.iter().any(|protected| {
        let rest = path
            .strip_prefix(protected)
            .or_else(|| path.split_once(&format!("/{protected}")).map(|(_, r)| r));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
    })
}

#[expect(clippy::needless_pass_by_value, reason = "errors are handed over whole")]
fn unreadable(conflict: Conflict) -> Fault {
    Fault::new("effects_unknown", format!("what it wrote cannot be told: {conflict}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(path: &str, before: FileState, after: FileState) -> FileChange {
        FileChange { path: path.to_owned(), before, after }
    }

    fn file() -> FileState {
        FileState::File { digest: Digest::zero(), bytes: 1, mode: 0o644 }
    }

    const FOLDER: FileState = FileState::Folder { mode: 0o755 };

    fn texts(resources: &[ResourceRef]) -> Vec<&str> {
        resources.iter().map(|r| r.0.as_str()).collect()
    }

    #[test]
    fn files_are_told_and_folders_only_where_they_are_empty() {
        let changes = [
            change(".git/index", file(), file()),
            change("a", FileState::Absent, FOLDER),
            change("a-b", FileState::Absent, file()),
            change("a/new", FileState::Absent, file()),
            change("empty", FileState::Absent, FOLDER),
            change("gone", FOLDER, FileState::Absent),
            change("gone/old", file(), FileState::Absent),
            change("swapped", FOLDER, file()),
        ];
        let told = effects(&changes);
        assert_eq!(
            texts(&told.writes),
            ["repo:index", "file:a-b", "file:a/new", "file:empty", "file:swapped"]
        );
        assert_eq!(texts(&told.deletes), ["file:gone/old"]);
    }

    #[test]
    fn of_what_a_scratch_workspace_was_left_with_a_new_folder_is_told_once() {
        let raw = |path: &str, before: Node, after: Node| Change {
            root: "/ws".into(),
            path: path.into(),
            before,
            after,
        };
        let link = || Node::Link { to: "x".into() };
        let changes = [
            raw("a", Node::Absent, Node::Folder { mode: 0o755 }),
            raw("a/b", Node::Absent, link()),
            raw("a-b", Node::Absent, link()),
            raw("old", link(), Node::Absent),
        ];
        assert_eq!(
            texts(&left_behind(&changes, Path::new("/ws")).writes),
            ["temp:a", "temp:a-b", "temp:old"]
        );
    }

    #[test]
    fn what_would_run_for_others_is_protected_at_any_depth() {
        for (path, protected) in [
            (".git/hooks", true),
            (".git/hooks/pre-commit", true),
            ("sub/.git/config", true),
            (".git/config.lock", false),
            (".git/HEAD", false),
            ("hooks/x", false),
        ] {
            assert_eq!(is_protected(path), protected, "{path}");
        }
    }
}
