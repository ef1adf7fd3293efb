//! `proofhouse journal`: what the journal of a manager or a run says, and whether it can be believed.

mod replay;
mod tail;
mod verify;
mod what_if;

use super::{CliError, Command, Exit};
use clap::{ArgMatches, FromArgMatches as _, Subcommand as _, ValueEnum};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Journal;

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Check the chain, the links and the checkpoints of journals, and name the first line that is wrong
    Verify(verify::Options),
    /// Show the last events, and those that come
    Tail(tail::Options),
    /// Make every recorded decision again and say what differs; nothing is executed
    Replay(replay::Options),
    /// Decide recorded calls under other policies and say what changes; nothing is executed
    WhatIf(what_if::Options),
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

impl Command for Journal {
    fn clap(&self) -> clap::Command {
        let command = clap::Command::new("journal")
            .about("Check, show and replay journals, or ask what other policies would have decided")
            .subcommand_required(true)
            .arg_required_else_help(true);
        Action::augment_subcommands(command)
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        match Action::from_arg_matches(matches).map_err(CliError::usage)? {
            Action::Verify(options) => verify::run(&options),
            Action::Tail(options) => tail::run(&options),
            Action::Replay(options) => replay::run(&options),
            Action::WhatIf(options) => what_if::run(&options),
        }
    }
}
