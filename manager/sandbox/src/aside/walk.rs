//! From a layer to what it says: which paths are no longer what they were.

use super::{Change, Conflict, Node, io_at};
use crate::Digest;
use std::fs;
use std::io;
use std::os::unix::fs::{FileTypeExt, MetadataExt, PermissionsExt};
use std::path::Path;

/// Whether what is below may still be seen.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lower {
    Seen,
    Hidden,
}

/// A root and its layer.
pub(super) struct Walk<'a> {
    pub(super) root: &'a Path,
    pub(super) upper: &'a Path,
}

impl Walk<'_> {
    /// Adds what a folder of the layer says.
    pub(super) fn folder(
        &self,
        path: &Path,
        lower: Lower,
        changes: &mut Vec<Change>,
    ) -> Result<(), Conflict> {
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
pub(super) fn node(path: &Path) -> Result<Node, Conflict> {
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
