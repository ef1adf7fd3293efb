//! Which home a subcommand works in: `--home`, else `PROOFHOUSE_HOME`, else `~/.agent`.

use super::{CliError, environment};
use proofhouse_manager::adapters::home::Home;
use std::path::{Path, PathBuf};

/// The option.
#[derive(Debug, clap::Args)]
pub(super) struct HomeOption {
    /// Folder of registry, grants, runs and artifacts [default: $PROOFHOUSE_HOME, else ~/.agent]
    #[arg(long, value_name = "DIR", global = true)]
    home: Option<PathBuf>,
}

impl HomeOption {
    /// Whether it was named on the command line.
    pub(super) fn is_stated(&self) -> bool {
        self.home.is_some()
    }

    /// Opens it.
    ///
    /// # Errors
    /// [`CliError`] if nobody says where it is, or it cannot be made.
    pub(super) fn open(&self) -> Result<Home, CliError> {
        let environment = environment();
        let stated = self.home.clone().or_else(|| environment("PROOFHOUSE_HOME").map(PathBuf::from));
        let own = || environment("HOME").map(|home| Path::new(&home).join(".agent"));
        let root = stated.or_else(own).ok_or_else(|| {
            CliError::usage("there is no home folder\nhint: name one with `--home DIR` or `PROOFHOUSE_HOME`")
        })?;
        Home::open(root).map_err(CliError::surroundings)
    }
}
