//! `proofhouse report`: every report of a finished run, rebuilt from its log.

use super::{
    CliError, Command, Exit,
    exit::{layout, say},
    run::{exit_of, report_path},
};
use crate::{report, run::Home};
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use std::path::{Path, PathBuf};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Report;

/// Rebuild the reports of finished runs, without asking a model again
#[derive(Debug, clap::Args)]
struct Options {
    /// Runs: an id, a run folder, or `latest`
    #[arg(default_value = "latest")]
    runs: Vec<String>,

    /// Write a report too; the extension chooses the format (repeatable)
    #[arg(short = 'o', long = "output", value_name = "FILE")]
    outputs: Vec<PathBuf>,

    /// What to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

impl Command for Report {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("report"))
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        if !options.outputs.is_empty() && options.runs.len() > 1 {
            return Err(CliError::usage(
                "several runs cannot go into one file\nhint: name one run with `-o`",
            ));
        }
        for path in &options.outputs {
            report::for_path(path).map_err(CliError::usage)?;
        }
        let home = Home::in_folder(Path::new("."));
        let mut documents = Vec::new();
        let mut worst = Exit::Holds;
        for run in &options.runs {
            let folder = home.open(Some(run)).map_err(CliError::usage)?;
            let outcome = report::write_all(&folder).map_err(CliError::usage)?;
            for path in &options.outputs {
                outcome.write_to(&folder, path).map_err(CliError::surroundings)?;
            }
            match options.format {
                Format::Json => documents.push(outcome.document(&folder).map_err(CliError::usage)?),
                Format::Table => say(&outcome
                    .table(&folder, &layout(Some(report_path(&folder))))
                    .map_err(CliError::usage)?),
            }
            worst = worst.max(exit_of(&outcome));
        }
        match documents.as_slice() {
            [] => {}
            [one] => say(&format!("{one}\n")),
            several => say(&format!("{{\"runs\":[{}]}}\n", several.join(","))),
        }
        Ok(worst)
    }
}
