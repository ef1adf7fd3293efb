//! What of the person who runs this a program may get: where programs are, their home, declared variables.

use std::{
    fmt,
    path::{Path, PathBuf},
    sync::Arc,
};

/// Where programs are looked for when the caller has no path.
const STANDARD: &str = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin";

/// Knows the variables of a process.
type Variables = dyn Fn(&str) -> Option<String> + Send + Sync;

/// Whose surroundings programs are started in.
#[derive(Clone)]
pub struct Caller {
    folders: Vec<PathBuf>,
    home: Option<PathBuf>,
    variable: Arc<Variables>,
}

impl fmt::Debug for Caller {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Caller")
            .field("folders", &self.folders)
            .field("home", &self.home)
            .finish_non_exhaustive()
    }
}

impl Caller {
    /// One with these variables. The path is what it is now: later changes, and relative entries, do not count.
    pub fn new(variable: impl Fn(&str) -> Option<String> + Send + Sync + 'static) -> Self {
        let path = variable("PATH").unwrap_or_else(|| STANDARD.to_owned());
        let folders = std::env::split_paths(&path).filter(|folder| folder.is_absolute()).collect();
        let home = variable("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
        Self { folders, home, variable: Arc::new(variable) }
    }

    /// Folders in which programs are looked for, in order.
    pub fn folders(&self) -> &[PathBuf] {
        &self.folders
    }

    /// A path beneath their home, where it is there.
    pub(super) fn at_home(&self, beneath: &str) -> Option<PathBuf> {
        self.home.as_ref().map(|home| home.join(beneath)).filter(|path| path.exists())
    }

    /// The value of a variable.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        (self.variable)(name)
    }

    /// The path that a program gets: where it was found itself, and what every system has.
    pub(super) fn path_for(program: &Path) -> String {
        let own = program.parent().map(|folder| folder.display().to_string()).unwrap_or_default();
        if STANDARD.split(':').any(|folder| folder == own) || own.contains(':') {
            return STANDARD.to_owned();
        }
        format!("{own}:{STANDARD}")
    }
}
