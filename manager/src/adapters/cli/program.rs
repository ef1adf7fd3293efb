//! Which file a program's name means, and what is in it.

use super::Fault;
use crate::{
    adapters::health::is_program,
    model::{Digest, ExecutableRef},
};
use proofhouse_sandbox as sandbox;
use std::path::{Path, PathBuf};

/// A program that was found.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Program {
    /// By the name that was meant: some programs go by it.
    pub(super) path: PathBuf,
    /// The file, with no link left in its path, and its digest.
    pub(super) file: ExecutableRef,
}

/// Finds a program: a name in the first of the folders that has it, but never in the workspace; an absolute path;
/// a path with `./` in the workspace.
///
/// # Errors
/// [`Fault`] if it is not there, or is no program.
pub(super) fn find(name: &str, folders: &[PathBuf], workspace: &Path) -> Result<Program, Fault> {
    let path = locate(name, folders, workspace)?;
    let unusable = |why: std::io::Error| missing(format!("`{}` cannot be used: {why}", path.display()));
    let real = path.canonicalize().map_err(unusable)?;
    let digest = sandbox::Digest::of_file(&real).map_err(unusable)?;
    let file = ExecutableRef { path: utf8(&real)?.to_owned(), digest: Digest::from_hash(digest.as_bytes()) };
    Ok(Program { path, file })
}

fn locate(name: &str, folders: &[PathBuf], workspace: &Path) -> Result<PathBuf, Fault> {
    if let Some(inside) = name.strip_prefix("./") {
        let path = workspace.join(inside);
        let real = path.canonicalize().ok().filter(|real| real.starts_with(workspace) && is_program(real));
        return real.map(|_| path).ok_or_else(|| missing(format!("`{name}` is no program of the workspace")));
    }
    if name.starts_with('/') {
        let path = PathBuf::from(name);
        return if is_program(&path) { Ok(path) } else { Err(missing(format!("`{name}` is no program"))) };
    }
    // What the workspace offers under the name of a program is not that program, wherever a link leads to it from.
    let foreign = |path: &PathBuf| path.canonicalize().is_ok_and(|real| !real.starts_with(workspace));
    let found = folders
        .iter()
        .filter(|folder| !folder.starts_with(workspace))
        .map(|folder| folder.join(name))
        .find(|path| is_program(path) && foreign(path));
    found.ok_or_else(|| {
        missing(format!("`{name}` is not on the path here\nhint: install it, or start where it is on `PATH`"))
    })
}

fn missing(message: String) -> Fault {
    Fault::new("program_missing", message)
}

/// A path as text: what cannot be told cannot be approved.
pub(super) fn utf8(path: &Path) -> Result<&str, Fault> {
    path.to_str().ok_or_else(|| {
        Fault::new(
            "path_not_text",
            format!("the path `{}` is no text that could be recorded", path.display()),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    fn program(path: &Path) {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "#!/bin/sh\n").unwrap();
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    #[test]
    fn a_name_is_looked_for_on_the_path_and_never_in_the_workspace() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        let workspace = root.join("ws");
        for path in ["ws/bin/tool", "ws/check", "bin/tool", "later/tool", "later/other"] {
            program(&root.join(path));
        }
        std::fs::write(root.join("bin/notes"), "").unwrap();
        symlink(workspace.join("check"), root.join("bin/check")).unwrap();
        symlink(root.join("later/other"), root.join("bin/alias")).unwrap();
        let folders = [workspace.join("bin"), root.join("bin"), root.join("later")];
        let found = |name: &str| find(name, &folders, &workspace).map(|p| (p.path, p.file.path));
        let at = |path: &str| root.join(path);
        let text = |path: &str| at(path).display().to_string();
        assert_eq!(found("tool").unwrap(), (at("bin/tool"), text("bin/tool")));
        assert_eq!(found("alias").unwrap(), (at("bin/alias"), text("later/other")));
        assert_eq!(found("./check").unwrap(), (at("ws/check"), text("ws/check")));
        assert_eq!(found(&text("later/tool")).unwrap().0, at("later/tool"));
        for missing in ["check", "notes", "./notes", "./../bin/tool", "/nowhere", "no-such"] {
            assert_eq!(found(missing).unwrap_err().code, "program_missing", "{missing}");
        }
    }
}
