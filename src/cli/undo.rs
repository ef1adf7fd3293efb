//! `proofhouse undo`: the files that a call changed, as they were before.

use super::{CliError, Command, Exit, exit::say, home::HomeOption};
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use proofhouse_manager::{
    adapters::home::Home,
    model::{CallId, UndoStanding},
};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Undo;

/// Take back what a call changed in its workspace
///
/// Every file must still be as the call left it, or nothing is touched. An undo is recorded, and can be undone.
#[derive(Debug, clap::Args)]
struct Options {
    /// The id of the call, or of an undo, or a beginning of it that no other has
    id: String,
    /// Show what would be changed back, and change nothing
    #[arg(long)]
    dry_run: bool,
    #[command(flatten)]
    home: HomeOption,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Command for Undo {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("undo"))
            .after_help("Exit codes: 0 undone · 1 it cannot be undone · 2 usage · 3 the surroundings failed")
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        say(&undo(&options)?);
        Ok(Exit::Holds)
    }
}

#[cfg(target_os = "linux")]
fn undo(options: &Options) -> Result<String, CliError> {
    use proofhouse_manager::{
        adapters::{approvers::own_principal, calls, clock::SystemClock, undo::Undoing},
        authority::escape,
    };
    use serde_json::json;
    let home = options.home.open()?;
    let journals = super::evidence::runs(&home)?;
    let call = calls::named(&journals, &options.id).map_err(CliError::usage)?;
    let undoing = Undoing::of(home, std::sync::Arc::new(SystemClock));
    let reversal = undoing.look(&call).map_err(refusal)?;
    let diff: String =
        reversal.diff.split_inclusive('\n').map(|l| escape(l.trim_end_matches('\n')) + "\n").collect();
    let changes = reversal.changes();
    if options.dry_run {
        return Ok(match options.format {
            Format::Text => format!(
                "{diff}would be changed back in {}; nothing was done\n",
                reversal.workspace().display()
            ),
            Format::Json => format!(
                "{:#}\n",
                json!({ "format": 1, "toolCallId": call, "wouldChange": changes, "diff": reversal.diff })
            ),
        });
    }
    let undone = undoing.undo(&reversal, &own_principal()).map_err(refusal)?;
    let (id, count) = (&undone.undo, changes.0.len());
    let paths = if count == 1 { "path" } else { "paths" };
    Ok(match options.format {
        Format::Text => format!(
            "{diff}undone {call}: {count} {paths} restored\n{id}: `proofhouse undo {id}` takes this back\n"
        ),
        Format::Json => format!(
            "{:#}\n",
            json!({ "format": 1, "toolCallId": call, "undoneBy": id, "changes": changes, "diff": reversal.diff })
        ),
    })
}

/// Whether a call can be undone.
#[cfg(target_os = "linux")]
pub(super) fn standing(home: Home, call: &CallId) -> Result<UndoStanding, CliError> {
    use proofhouse_manager::adapters::{clock::SystemClock, undo::Undoing};
    Undoing::of(home, std::sync::Arc::new(SystemClock)).standing(call).map_err(CliError::surroundings)
}

#[cfg(not(target_os = "linux"))]
pub(super) fn standing(_: Home, _: &CallId) -> Result<UndoStanding, CliError> {
    Ok(UndoStanding::Nothing)
}

#[cfg(target_os = "linux")]
fn refusal(error: proofhouse_manager::adapters::undo::UndoRefused) -> CliError {
    use proofhouse_manager::adapters::undo::UndoRefused as Refused;
    match error {
        Refused::Nothing(_)
        | Refused::Gone(_)
        | Refused::Before { .. }
        | Refused::Changed { .. }
        | Refused::AsBefore(_)
        | Refused::Conflict(_) => CliError::fails(error),
        Refused::Workspace(_) => CliError::usage(error),
        Refused::Store(_)
        | Refused::Canonical(_)
        | Refused::Calls(_)
        | Refused::Open(_)
        | Refused::Journal(_)
        | Refused::Io(_) => CliError::surroundings(error),
    }
}

#[cfg(not(target_os = "linux"))]
fn undo(_: &Options) -> Result<String, CliError> {
    Err(CliError::surroundings("calls are run, and undone, on Linux only"))
}
