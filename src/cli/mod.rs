//! The command line: a file a subcommand, each with its options, its help and its work.
//!
//! Results go to standard output, talk to standard error. Every error says what happened, where, and what to
//! do about it.

mod approvals;
mod call;
mod conform;
mod conform_driver;
mod credentials;
mod doctor;
mod evidence;
mod exit;
mod grants;
mod home;
mod import;
mod journal;
mod lint;
mod report;
mod run;
mod schema;
mod tool_call;
mod tools;
mod undo;

pub use exit::{CliError, Exit};

use clap::ArgMatches;

/// A subcommand.
pub trait Command: Sync {
    /// Its name, options and help.
    fn clap(&self) -> clap::Command;

    /// Does its work.
    ///
    /// # Errors
    /// [`CliError`] with the exit code that fits.
    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError>;
}

/// Every subcommand, in the order of the help.
pub const ALL: &[&dyn Command] = &[
    &run::Run,
    &report::Report,
    &lint::Lint,
    &tools::Tools,
    &call::Call,
    &grants::Grants,
    &credentials::Credentials,
    &approvals::Approvals,
    &tool_call::ToolCall,
    &undo::Undo,
    &journal::Journal,
    &conform::Conform,
    &doctor::Doctor,
    &conform_driver::ConformDriver,
    &schema::Schema,
    &import::Import,
];

/// Parses the arguments, runs the subcommand and returns its exit code.
pub fn main(arguments: impl IntoIterator<Item = std::ffi::OsString>) -> Exit {
    let matches = match app().try_get_matches_from(arguments) {
        Ok(matches) => matches,
        Err(error) => {
            let code = if error.use_stderr() { Exit::Usage } else { Exit::Holds };
            // Nothing is left to do if the terminal is gone.
            error.print().ok();
            return code;
        }
    };
    let Some((name, matches)) = matches.subcommand() else { return greet() };
    let found = ALL.iter().find(|c| c.clap().get_name() == name);
    let command = found.expect("INVARIANT: clap knows no subcommand beside those of `ALL`");
    command.run(matches).unwrap_or_else(CliError::report)
}

fn app() -> clap::Command {
    clap::Command::new("proofhouse")
        .version(env!("CARGO_PKG_VERSION"))
        .about("Test, gate and govern the tools that AI agents call")
        .after_help("Exit codes: 0 it holds · 1 a gate or a case fails · 2 usage or a bad file · 3 undecided, or the surroundings failed · 70 our bug")
        .max_term_width(100)
        .subcommands(ALL.iter().map(|c| c.clap()))
}

/// Without a subcommand: runs `proofhouse.yaml` where there is one, else says what to try first.
fn greet() -> Exit {
    if std::path::Path::new("proofhouse.yaml").is_file() {
        return main(["proofhouse", "run", "proofhouse.yaml"].map(Into::into));
    }
    exit::say(&format!(
        "{}\n\nTry first:  proofhouse run SUITE.yaml   (in this project: proofhouse run suites/coding-agent.yaml)\n",
        app().render_help()
    ));
    Exit::Usage
}

/// The environment, for the one purpose of finding keys.
#[expect(clippy::disallowed_methods, reason = "the command line is where the environment is read")]
fn environment() -> crate::provider::Environment {
    std::sync::Arc::new(|name| std::env::var(name).ok().filter(|value| !value.is_empty()))
}

/// Where answers of real models are kept: `$XDG_CACHE_HOME/proofhouse`, or `~/.cache/proofhouse`.
fn cache_folder() -> std::path::PathBuf {
    let environment = environment();
    let base = environment("XDG_CACHE_HOME").map(std::path::PathBuf::from).filter(|p| p.is_absolute());
    let home = || environment("HOME").map(|home| std::path::Path::new(&home).join(".cache"));
    base.or_else(home).unwrap_or_else(std::env::temp_dir).join("proofhouse")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        app().debug_assert();
    }

    #[test]
    fn every_file_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli");
        let mut files: Vec<String> = std::fs::read_dir(folder)
            .unwrap()
            .map(|e| e.unwrap().file_name().to_string_lossy().trim_end_matches(".rs").replace('_', "-"))
            .filter(|name| !["mod", "exit", "home", "evidence"].contains(&name.as_str()))
            .collect();
        let mut table: Vec<String> = ALL.iter().map(|c| c.clap().get_name().to_owned()).collect();
        files.sort();
        // A subcommand may be a file with a folder of its own.
        files.dedup();
        table.sort();
        assert_eq!(files, table);
    }
}
