//! Tools that are programs: the ones that ship, run for real in sample workspaces, and hostile ones, held.
//!
//! What a machine lacks is said loudly and not tried.

mod hostile;
mod page;
mod shipped;

use std::path::{Path, PathBuf};

/// Where a program is on this machine's path; says so where it is not.
#[expect(clippy::print_stderr, reason = "a skipped test says so")]
fn program(name: &str) -> Option<PathBuf> {
    let path = std::env::split_paths(&path()).map(|folder| folder.join(name)).find(|path| path.is_file());
    if path.is_none() {
        eprintln!("skipped: `{name}` is not on the path here");
    }
    path
}

#[expect(clippy::disallowed_methods, reason = "a test looks for what this machine has")]
fn path() -> String {
    std::env::var("PATH").unwrap_or_default()
}

/// Writes files beneath a folder; those that begin with `#!` can be started.
fn write(folder: &Path, files: &[(&str, &str)]) {
    for (name, text) in files {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        #[cfg(unix)]
        if text.starts_with("#!") {
            use std::os::unix::fs::PermissionsExt as _;
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        }
    }
}
