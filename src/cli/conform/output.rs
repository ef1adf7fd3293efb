//! Where a report goes, and what it is worth as an exit code.

use super::{
    super::{CliError, Exit, exit::say},
    suite,
};
use crate::conform::{
    Expected, Report, Verdict,
    format::{self, Format},
    scenario::SuiteReport,
};
use serde_json::json;
use std::path::PathBuf;

/// How a report is told, shared by every way to make one.
#[derive(Debug, clap::Args)]
pub(super) struct Output {
    /// How to print: text, line, json, junit, html, badge
    #[arg(long, value_name = "FORMAT", default_value = "text", value_parser = known)]
    format: String,
    /// Also write it to a file, in the format that goes with its extension (repeatable)
    #[arg(short, long = "output", value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Requirements that are known not to be met, an id and a reason a line: `R5.1 why`
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
}

fn known(name: &str) -> Result<String, String> {
    let names: Vec<&str> = format::ALL.iter().map(|f| f.name()).collect();
    if names.contains(&name) {
        Ok(name.to_owned())
    } else {
        Err(format!("the formats are {}", names.join(", ")))
    }
}

impl Output {
    /// Tells a report in every way that was asked for.
    ///
    /// # Errors
    /// [`CliError`] for a file that cannot be written or has no format, and a list that cannot be used.
    pub(super) fn deliver(&self, report: &Report) -> Result<Exit, CliError> {
        // Everything that can be wrong with the arguments, before anything is written.
        let expected = self.expected.as_deref().map(Expected::read).transpose().map_err(CliError::usage)?;
        let files: Vec<(&PathBuf, &dyn Format)> = self
            .output
            .iter()
            .map(|path| Ok((path, format::for_path(path)?)))
            .collect::<Result<_, format::FormatError>>()
            .map_err(CliError::usage)?;
        for (path, format) in files {
            let told = format.tell(report).map_err(CliError::usage)?;
            std::fs::write(path, told).map_err(|e| {
                CliError::usage(format!("cannot write `{}`: {e}\nhint: check the path", path.display()))
            })?;
        }
        if let Some(format) = format::ALL.iter().find(|f| f.name() == self.format) {
            say(&format.tell(report).map_err(CliError::usage)?);
        }
        let Some(expected) = expected else { return Ok(exit(report.verdict())) };
        let found = expected.hold_against(report);
        if self.format == "text" {
            say(&found.words());
        }
        Ok(match (found.is_none() && !report.evidence_is_broken(), report.is_complete()) {
            (false, _) => Exit::Fails,
            (true, true) => Exit::Holds,
            (true, false) => Exit::Undecided,
        })
    }
}

impl Output {
    /// Tells what the scenarios have shown, in every way that was asked for.
    ///
    /// # Errors
    /// As [`deliver`](Self::deliver). A list of what is expected is for journals.
    pub(super) fn deliver_suite(&self, report: &SuiteReport) -> Result<Exit, CliError> {
        if self.expected.is_some() {
            let message =
                "`--expected` is for `--journal`\nhint: leave it out: a scenario that fails is a fault";
            return Err(CliError::usage(message));
        }
        let judged = report.judged();
        for path in &self.output {
            let format = format::for_path(path).map_err(CliError::usage)?;
            let told = told(format, report, &judged)?;
            std::fs::write(path, told).map_err(|e| {
                CliError::usage(format!("cannot write `{}`: {e}\nhint: check the path", path.display()))
            })?;
        }
        if let Some(format) = format::ALL.iter().find(|f| f.name() == self.format) {
            say(&told(*format, report, &judged)?);
        }
        Ok(suite::exit(report))
    }
}

/// Text and JSON have the scenarios; the others have what they mean for the invariants.
fn told(format: &dyn Format, report: &SuiteReport, judged: &Report) -> Result<String, CliError> {
    match format.name() {
        "text" => Ok(suite::told_to_people(report)),
        "json" => Ok(format!("{}\n", json!({ "report": report, "conforms": report.conforms() }))),
        _ => format.tell(judged).map_err(CliError::usage),
    }
}

const fn exit(verdict: Verdict) -> Exit {
    match verdict {
        Verdict::Conforms => Exit::Holds,
        Verdict::Fails => Exit::Fails,
        Verdict::Undecided => Exit::Undecided,
    }
}
