//! `proofhouse conform`: does a tool manager keep the sixteen invariants?

mod suite;

use super::{CliError, Command, Exit, exit::say};
use crate::conform::{Options, Report, Ruling, Standing, invariants, judge_files, scenario};
use clap::{ArgMatches, FromArgMatches as _, ValueEnum};
use std::path::PathBuf;

/// The subcommand.
#[derive(Debug)]
pub(super) struct Conform;

#[derive(Debug, clap::Parser)]
struct Arguments {
    /// Journals to judge, in place of scenarios; those of registrations before those of calls
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
    #[command(flatten)]
    played: suite::Played,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

#[derive(Debug, Clone, Copy, PartialEq, ValueEnum)]
enum Format {
    Text,
    Json,
}

/// Shorter, a secret is found in texts that have nothing to do with it.
const MIN_CANARY: usize = 8;

impl Command for Conform {
    fn clap(&self) -> clap::Command {
        <Arguments as clap::CommandFactory>::command()
            .name("conform")
            .about("Judge a tool manager by its journal: the sixteen invariants")
            .after_help(
                "Exit codes: 0 all hold · 1 one is violated · 3 one was not exercised, which is never a pass",
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
            say(&match arguments.format {
                Format::Text => suite::text(&report),
                Format::Json => {
                    format!("{}\n", serde_json::json!({ "report": report, "conforms": report.conforms() }))
                }
            });
            return Ok(suite::exit(&report));
        }
        let options = Options { canaries: arguments.canary, artifacts: arguments.artifacts };
        let mut report = judge_files(&arguments.journal, &options).map_err(CliError::usage)?;
        if !arguments.only.is_empty() {
            report.rulings.retain(|r| arguments.only.contains(&r.invariant));
        }
        say(&match arguments.format {
            Format::Text => text(&report),
            Format::Json => {
                format!("{}\n", serde_json::json!({ "report": report, "conforms": report.conforms() }))
            }
        });
        Ok(exit(&report))
    }
}

fn exit(report: &Report) -> Exit {
    match (report.violated().is_empty(), report.conforms()) {
        (false, _) => Exit::Fails,
        (true, true) => Exit::Holds,
        (true, false) => Exit::Undecided,
    }
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
    out
}

fn text(report: &Report) -> String {
    let mut out: String = report.rulings.iter().map(ruling).collect();
    let count = |standing| report.rulings.iter().filter(|r| r.standing == standing).count();
    let (holds, violated) = (count(Standing::Holds), count(Standing::Violated));
    let open = count(Standing::NotExercised);
    out.push_str(&format!(
        "\n{} events: {holds} hold, {violated} violated, {open} not exercised\n",
        report.events
    ));
    out
}

fn ruling(ruling: &Ruling) -> String {
    let Ruling { invariant, title, exercised, violations, findings, missing, .. } = ruling;
    let mut out = match ruling.standing {
        Standing::Holds => format!("holds         {invariant:>2}  {title} ({exercised} times)\n"),
        Standing::Violated => {
            format!("VIOLATED      {invariant:>2}  {title} ({violations} of {exercised} times)\n")
        }
        Standing::NotExercised => format!("not exercised {invariant:>2}  {title}\n"),
    };
    if let Some(missing) = missing {
        out.push_str(&format!("                  missing: {missing}\n"));
    }
    for finding in findings {
        out.push_str(&format!("                  {}\n", finding.sentence.escape_debug()));
        for event in &finding.events {
            out.push_str(&format!(
                "                    {}:{} {} {}\n",
                event.file,
                event.line,
                event.kind.escape_debug(),
                event.event_id.escape_debug()
            ));
        }
    }
    let hidden = violations.saturating_sub(findings.len() as u64);
    if hidden > 0 {
        out.push_str(&format!("                  … and {hidden} more\n"));
    }
    out
}
