//! `proofhouse schema`: the JSON Schemas of our formats, for editors and other programs.

use super::{CliError, Command, Exit, exit::say};
use crate::run::Toolbox;
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use proofhouse_manager::{model::ToolDescriptor, policy::Vocabulary};
use serde_json::Value;
use std::path::PathBuf;

/// The subcommand.
#[derive(Debug)]
pub(super) struct Schema;

/// Print the JSON Schema of a format
#[derive(Debug, clap::Args)]
struct Options {
    /// Which format
    format: Format,
    /// With `policy`: tools whose arguments policies speak of
    tools: Vec<PathBuf>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum Format {
    /// A suite
    Suite,
    /// A file of cases
    Cases,
    /// A tool descriptor
    Descriptor,
    /// What policies can speak of, as a Cedar schema
    Policy,
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
            Format::Policy => return policy(&options.tools),
        };
        say(&format!("{schema:#}\n"));
        Ok(Exit::Holds)
    }
}

/// The vocabulary of policies about these tools.
fn policy(tools: &[PathBuf]) -> Result<Exit, CliError> {
    let toolboxes: Vec<Toolbox> = tools
        .iter()
        .map(|path| Toolbox::from_path(path))
        .collect::<Result<_, _>>()
        .map_err(CliError::usage)?;
    let tools = toolboxes.iter().flat_map(|toolbox| toolbox.registry.tools()).map(|tool| tool.descriptor());
    say(&Vocabulary::new(tools).to_cedar());
    Ok(Exit::Holds)
}
