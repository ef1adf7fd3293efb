//! `proofhouse journal`: what the journal of a manager or a run says, and whether it can be believed.

mod tail;
mod verify;

use super::{CliError, Command, Exit};
use clap::{ArgMatches, FromArgMatches as _, Subcommand as _};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Journal;

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Check the chain, the links and the checkpoints of journals, and name the first line that is wrong
    Verify(verify::Options),
    /// Show the last events, and those that come
    Tail(tail::Options),
}

impl Command for Journal {
    fn clap(&self) -> clap::Command {
        let command = clap::Command::new("journal")
            .about("Check and show journals")
            .subcommand_required(true)
            .arg_required_else_help(true);
        Action::augment_subcommands(command)
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        match Action::from_arg_matches(matches).map_err(CliError::usage)? {
            Action::Verify(options) => options.run(),
            Action::Tail(options) => options.run(),
        }
    }
}
