//! `proofhouse schema`: the JSON Schemas of our formats, for editors and other programs.

use super::{CliError, Command, Exit, exit::say};
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use proofhouse_manager::model::ToolDescriptor;
use serde_json::Value;

/// The subcommand.
#[derive(Debug)]
pub(super) struct Schema;

/// Print the JSON Schema of a format
#[derive(Debug, clap::Args)]
struct Options {
    /// Which format
    format: Format,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A suite
    Suite,
    /// A file of cases
    Cases,
    /// A tool descriptor
    Descriptor,
}

impl Command for Schema {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("schema"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let schema: Value = match options.format {
            Format::Suite => crate::suite::suite_schema(),
            Format::Cases => crate::suite::case_schema(),
            Format::Descriptor => schemars::schema_for!(ToolDescriptor).to_value(),
        };
        say(&format!("{schema:#}\n"));
        Ok(Exit::Holds)
    }
}
