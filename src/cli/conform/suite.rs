//! The scenarios from the command line: on our own manager, or on somebody else's behind a driver.

use crate::{
    cli::{CliError, Exit, exit::say},
    conform::{
        SUITE,
        driver::{ChildDriver, Driver, DriverError, Drivers},
        protocol,
        scenario::{self, Remark, Ruling, Scenario, Standing, SuiteReport, Violation},
    },
    drive::OurManager,
};
use proofhouse_manager::text;
use std::time::Duration;

/// What is played, and on whom.
#[derive(Debug, clap::Args)]
pub(super) struct Played {
    /// The command of a driver for another manager; see `--describe-driver`
    #[arg(long, value_name = "COMMAND", conflicts_with = "journal")]
    pub(super) driver: Option<String>,
    /// How many seconds a driver has for one answer
    #[arg(long, value_name = "SECONDS", default_value_t = 60, requires = "driver", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) driver_timeout: u64,
    /// Play these scenarios only (repeatable); `--list` names them all
    #[arg(long, value_name = "ID", conflicts_with = "journal")]
    pub(super) scenario: Vec<String>,
    /// Print the driver protocol: methods, examples, JSON Schemas
    #[arg(long)]
    pub(super) describe_driver: bool,
}

/// Starts a command for each scenario.
struct Children {
    command: String,
    patience: Duration,
}

impl Drivers for Children {
    fn start(&self) -> Result<Box<dyn Driver>, DriverError> {
        Ok(Box::new(ChildDriver::start(&self.command, self.patience)?))
    }
}

impl Played {
    /// Plays what was asked for.
    ///
    /// # Errors
    /// If there is no such scenario, or a driver fails.
    pub(super) fn play(&self, only: &[u8]) -> Result<SuiteReport, CliError> {
        let scenarios = self.chosen(only)?;
        let run = match &self.driver {
            None => scenario::run(&scenarios, &OurManager),
            Some(command) => {
                let patience = Duration::from_secs(self.driver_timeout);
                scenario::run(&scenarios, &Children { command: command.clone(), patience })
            }
        };
        run.map_err(CliError::surroundings)
    }

    fn chosen(&self, only: &[u8]) -> Result<Vec<Scenario>, CliError> {
        let mut scenarios = scenario::all();
        if let Some(unknown) = self.scenario.iter().find(|id| scenarios.iter().all(|s| s.id != **id)) {
            let message =
                format!("there is no scenario `{unknown}`\nhint: `proofhouse conform --list` names them all");
            return Err(CliError::usage(message));
        }
        scenarios.retain(|s| only.is_empty() || only.contains(&s.invariant));
        scenarios.retain(|s| self.scenario.is_empty() || self.scenario.contains(&s.id));
        if scenarios.is_empty() {
            let message = "no scenario is left\nhint: `--only` and `--scenario` exclude each other's";
            return Err(CliError::usage(message));
        }
        Ok(scenarios)
    }
}

/// Prints the driver protocol.
pub(super) fn describe() -> Exit {
    say(&format!("{:#}\n", protocol::describe()));
    Exit::Holds
}

/// The scenarios of an invariant, a line each.
pub(super) fn list(number: u8, scenarios: &[Scenario]) -> String {
    let own = scenarios.iter().filter(|s| s.invariant == number);
    let line = |s: &Scenario| {
        let faults = if s.faults.is_empty() { String::new() } else { format!(" [{}]", s.faults.join(", ")) };
        format!("    {:<30} {} by {}: {}{faults}\n", s.id, s.level.word(), s.spec(), s.says)
    };
    own.map(line).collect()
}

/// Exit code of a report: a violation weighs most, and what was not shown is no pass.
pub(super) fn exit(report: &SuiteReport) -> Exit {
    match (report.of(Standing::Violated).is_empty(), report.conforms()) {
        (false, _) => Exit::Fails,
        (true, true) => Exit::Holds,
        (true, false) => Exit::Undecided,
    }
}

/// The report for people.
pub(super) fn told_to_people(report: &SuiteReport) -> String {
    let mut out = format!(
        "{} {}, suite {SUITE}, {} scenarios\n\n",
        text::clean(&report.manager),
        text::clean(&report.version),
        report.scenarios.len()
    );
    out.extend(report.rulings.iter().map(ruling));
    let count = |standing| report.of(standing).len();
    out.push_str(&format!(
        "\n{} hold, {} violated, {} not exercised, {} cannot be tested\n",
        count(Standing::Holds),
        count(Standing::Violated),
        count(Standing::NotExercised),
        count(Standing::CannotTest)
    ));
    out
}

/// So many violations of an invariant are told to people; the JSON has them all.
const TOLD: usize = 5;

fn ruling(ruling: &Ruling) -> String {
    let Ruling { invariant, title, why, standing, held, scenarios, findings, remarks, warnings } = ruling;
    let word = match standing {
        Standing::Holds => "holds         ",
        Standing::Violated => "VIOLATED      ",
        Standing::NotExercised => "not exercised ",
        Standing::CannotTest => "cannot test   ",
    };
    let mut out = format!("{word}{invariant:>2}  {title} ({held} of {scenarios} scenarios)\n");
    if *standing == Standing::Violated {
        out.push_str(&format!("                  {why}\n"));
    }
    out.extend(findings.iter().take(TOLD).map(|violation| told("", violation)));
    if findings.len() > TOLD {
        out.push_str(&format!("                  … and {} more\n", findings.len() - TOLD));
    }
    out.extend(remarks.iter().map(remark));
    out.extend(warnings.iter().map(|violation| told("should not: ", violation)));
    out
}

fn told(before: &str, violation: &Violation) -> String {
    let Violation { scenario, requirement, sentence, events } = violation;
    let requirement = requirement.map_or_else(String::new, |id| format!(" {id}"));
    let mut out = format!("                  {before}{}  ({scenario}{requirement})\n", text::clean(sentence));
    for event in events {
        out.push_str(&format!(
            "                    line {} of the journal, {} {}\n",
            event.line,
            text::clean(&event.kind),
            text::clean(&event.event_id)
        ));
    }
    out
}

fn remark(remark: &Remark) -> String {
    let Remark { scenario, why, .. } = remark;
    format!("                  {scenario}: {}\n", text::clean(why))
}
