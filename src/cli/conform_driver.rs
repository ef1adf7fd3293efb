//! `proofhouse conform-driver`: our own manager behind the driver protocol, for the suite to start as a child.

use super::{CliError, Command, Exit};
use crate::{conform::driver::serve, drive::Ours};
use clap::ArgMatches;

/// The subcommand; people have no use for it.
#[derive(Debug)]
pub(super) struct ConformDriver;

impl Command for ConformDriver {
    fn clap(&self) -> clap::Command {
        clap::Command::new("conform-driver")
            .about("Answer the driver protocol of the conformance suite on standard input and output")
            .hide(true)
    }

    fn run(&self, _: &ArgMatches) -> Result<Exit, CliError> {
        serve(&mut Ours::default(), std::io::stdin().lock(), std::io::stdout().lock())
            .map_err(CliError::surroundings)?;
        Ok(Exit::Holds)
    }
}
