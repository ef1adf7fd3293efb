//! `proofhouse doctor`: what this machine can enforce, what the home holds, which tools could run and which models
//! could be asked; and what to do about what is missing.
//!
//! An area is one file and its line in [`AREAS`]. Nothing is changed, and no model is asked.

mod home;
mod models;
mod modes;
mod sandbox;
mod tools;

use super::{CliError, Command, Exit, exit::say, home::HomeOption};
use clap::{ArgMatches, Args as _, FromArgMatches as _, ValueEnum};
use comfy_table::{ContentArrangement, Table, presets};
use proofhouse_manager::{
    adapters::{home::Home, sandbox::Sandbox},
    text,
};
use serde::Serialize;
use serde_json::json;

/// The subcommand.
#[derive(Debug)]
pub(super) struct Doctor;

/// Say what this machine can enforce and reach, and how to get what is missing
#[derive(Debug, clap::Args)]
struct Options {
    #[command(flatten)]
    home: HomeOption,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Table,
    Json,
}

/// How sure it is that something holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
enum State {
    /// It was tried now, and held.
    Probed,
    /// It is there by the word of whoever keeps it.
    Attested,
    /// Nobody can say.
    Unknown,
    /// It is not there, and what needs it is refused.
    Missing,
    /// It is there and cannot be used as it is: something is wrong.
    Broken,
}

impl State {
    const fn word(self) -> &'static str {
        match self {
            Self::Probed => "probed",
            Self::Attested => "attested",
            Self::Unknown => "unknown",
            Self::Missing => "missing",
            Self::Broken => "broken",
        }
    }
}

/// One thing that was looked at.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
struct Finding {
    area: &'static str,
    what: String,
    state: State,
    /// By what it holds, or why not.
    because: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    fix: Option<String>,
}

impl Finding {
    fn new(area: &'static str, what: impl Into<String>, state: State, because: impl Into<String>) -> Self {
        let because = because.into();
        let (because, fix) = match because.split_once("\nhint: ") {
            Some((because, fix)) => (because.to_owned(), Some(fix.replace("\nhint: ", "; "))),
            None => (because, None),
        };
        Self { area, what: what.into(), state, because, fix }
    }
}

/// Where the areas are looked at; the sandbox is tried once.
struct Place {
    home: Home,
    sandbox: Sandbox,
}

/// Looks at one area.
type Area = fn(&Place) -> Vec<Finding>;

/// Every area, in the order in which they are shown.
const AREAS: &[Area] = &[sandbox::look, modes::look, home::look, tools::look, models::look];

impl Command for Doctor {
    fn clap(&self) -> clap::Command {
        Options::augment_args(clap::Command::new("doctor")).after_help(
            "probed: tried now, and held · attested: said by whoever keeps it · unknown: nobody can say · missing: what needs it is refused\nExit codes: 0 nothing is broken, and programs can be held · 3 otherwise",
        )
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let options = Options::from_arg_matches(matches).map_err(CliError::usage)?;
        let home = options.home.open()?;
        let place = Place { sandbox: Sandbox::new(home.sandboxes()), home };
        let found: Vec<Finding> = AREAS.iter().flat_map(|look| look(&place)).collect();
        say(&match options.format {
            Format::Json => format!("{:#}\n", json!({ "format": 1, "findings": found })),
            Format::Table => table(&found),
        });
        let fails = |f: &Finding| match f.state {
            State::Broken => true,
            State::Missing => f.area == sandbox::AREA,
            State::Probed | State::Attested | State::Unknown => false,
        };
        Ok(if found.iter().any(fails) { Exit::Undecided } else { Exit::Holds })
    }
}

fn table(found: &[Finding]) -> String {
    let mut table = Table::new();
    table.load_style(presets::NOTHING).set_content_arrangement(ContentArrangement::Dynamic);
    table.set_header(["area", "what", "state", "because"]);
    for finding in found {
        let because = text::clean(&finding.because);
        let because = match &finding.fix {
            Some(fix) => format!("{because}\n→ {}", text::clean(fix)),
            None => because.to_string(),
        };
        table.add_row([
            finding.area.to_owned(),
            text::clean(&finding.what).to_string(),
            finding.state.word().to_owned(),
            because,
        ]);
    }
    format!("{table}\n")
}

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_in_the_table() {
        let table = include_str!("mod.rs").split("const AREAS").nth(1).unwrap().split("];").next().unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cli/doctor");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert!(stem == "mod" || table.contains(&format!("{stem}::look")), "`{stem}` is no area");
        }
    }
}
