//! `proofhouse conform`: does a tool manager keep the sixteen invariants?

mod output;
mod suite;

use super::{CliError, Command, Exit, exit::say};
use crate::conform::{
    self, Options, foreign::Foreign, invariants, judge_files, mutate, read_events, scenario,
};
use clap::{ArgMatches, FromArgMatches as _};
use output::Output;
use std::path::{Path, PathBuf};

/// The subcommand.
#[derive(Debug)]
pub(super) struct Conform;

#[derive(Debug, clap::Parser)]
struct Arguments {
    /// Journals to judge, in place of scenarios, together: those of registrations and those of calls
    #[arg(long, value_name = "FILE", num_args = 1..)]
    journal: Vec<PathBuf>,
    /// A planted secret that must be found nowhere (repeatable)
    #[arg(long, value_name = "TEXT")]
    canary: Vec<String>,
    /// Where the manager keeps its artifacts, so that their bytes are checked
    #[arg(long, value_name = "DIR")]
    artifacts: Option<PathBuf>,
    /// Judge these invariants only
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=16))]
    only: Vec<u8>,
    /// Say what each invariant demands, why, and what puts it to the test
    #[arg(long)]
    list: bool,
    /// Show a log that keeps an invariant, and logs that break it
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=16))]
    explain: Option<u8>,
    /// The format of the logs, where it is not ours: otel
    #[arg(long, value_name = "FORMAT", value_parser = foreign, requires = "journal")]
    from: Option<Foreign>,
    /// Print the requirements, as a frozen list
    #[arg(long)]
    requirements: bool,
    /// Write the log into this folder again and again, with one fault each, to try a judge with
    #[arg(long, value_name = "DIR", requires = "journal")]
    mutate: Option<PathBuf>,
    #[command(flatten)]
    played: suite::Played,
    #[command(flatten)]
    output: Output,
}

fn foreign(name: &str) -> Result<Foreign, String> {
    Foreign::named(name).ok_or_else(|| {
        let known: Vec<&str> = Foreign::all().map(|(name, _)| name).collect();
        format!("the formats are {}", known.join(", "))
    })
}

/// Shorter, a secret is found in texts that have nothing to do with it.
const MIN_CANARY: usize = 8;

impl Command for Conform {
    fn clap(&self) -> clap::Command {
        <Arguments as clap::CommandFactory>::command()
            .name("conform")
            .about("Put a tool manager to the test of the sixteen invariants: ours, another behind a driver, or a journal")
            .after_help(
                "Exit codes: 0 all hold · 1 one is violated, or a journal was changed · 3 one was not exercised or cannot be tested, a driver failed, or a journal has no hash chain: never a pass",
            )
    }

    fn run(&self, matches: &ArgMatches) -> Result<Exit, CliError> {
        let arguments = Arguments::from_arg_matches(matches).map_err(CliError::usage)?;
        if arguments.list {
            say(&list());
            return Ok(Exit::Holds);
        }
        if arguments.played.describe_driver {
            return Ok(suite::describe());
        }
        if arguments.requirements {
            say(&conform::page());
            return Ok(Exit::Holds);
        }
        if let Some(number) = arguments.explain {
            say(&explain(number));
            return Ok(Exit::Holds);
        }
        if let Some(short) = arguments.canary.iter().find(|c| c.len() < MIN_CANARY) {
            let hint = "plant a longer one";
            let message = format!("the canary `{short}` is shorter than {MIN_CANARY} bytes\nhint: {hint}");
            return Err(CliError::usage(message));
        }
        if arguments.journal.is_empty() {
            let report = arguments.played.play(&arguments.only)?;
            return arguments.output.deliver_suite(&report);
        }
        if let Some(folder) = &arguments.mutate {
            let log = read_events(&arguments.journal).map_err(CliError::usage)?;
            say(&mutants(folder, &log, arguments.canary.first().map(String::as_str))?);
            return Ok(Exit::Holds);
        }
        let options =
            Options { canaries: arguments.canary, artifacts: arguments.artifacts, from: arguments.from };
        let mut report = judge_files(&arguments.journal, &options).map_err(CliError::usage)?;
        if !arguments.only.is_empty() {
            report.rulings.retain(|r| arguments.only.contains(&r.invariant));
        }
        arguments.output.deliver(&report)
    }
}

/// Writes the mutants of a log, and says which requirement each does not meet.
fn mutants(
    folder: &Path,
    log: &[serde_json::Map<String, serde_json::Value>],
    canary: Option<&str>,
) -> Result<String, CliError> {
    let cannot = |e: std::io::Error| {
        CliError::usage(format!("cannot write into `{}`: {e}\nhint: check the folder", folder.display()))
    };
    std::fs::create_dir_all(folder).map_err(cannot)?;
    let mut out = String::new();
    for mutation in mutate::ALL {
        let Some(journal) = mutation.apply(log, canary) else {
            out += &format!("no material    {:<6} {}\n", mutation.requirement, mutation.name);
            continue;
        };
        std::fs::write(folder.join(mutation.file_name()), journal).map_err(cannot)?;
        out += &format!("written        {:<6} {}\n", mutation.requirement, mutation.file_name());
    }
    Ok(out)
}

fn list() -> String {
    let scenarios = scenario::all();
    invariants::ALL
        .iter()
        .map(|i| {
            format!(
                "{:>2}  {}\n    because {}\n    put to the test by {}\n{}",
                i.number(),
                i.title(),
                i.why(),
                i.needs(),
                suite::list(i.number(), &scenarios)
            )
        })
        .collect()
}

/// The logs stand without their envelope.
fn explain(number: u8) -> String {
    let invariant = invariants::ALL[usize::from(number) - 1];
    let keeps = invariant.keeps().trim_end();
    let mut out = format!("{number}  {}\n\nkept:\n{keeps}\n", invariant.title());
    for (what, log) in invariant.breaks() {
        out.push_str(&format!("\nbroken, {what}:\n{}\n", log.trim_end()));
    }
    out.push_str("\nwhat exactly is checked:\n");
    for requirement in invariant.requirements() {
        let conform::Requirement { id, level, section, text } = requirement;
        out.push_str(&format!("{id:<6} {:<6} {text} ({section})\n", level.word()));
    }
    out
}
