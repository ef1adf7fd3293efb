//! `proofhouse journal replay`: are the recorded decisions reproducible?

use super::{
    super::{CliError, Exit, evidence::Again, exit::say},
    Format,
};
use proofhouse_manager::{
    adapters::calls::each_event,
    explain::{Replay, ReplayReport},
    text,
};
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    again: Again,
    /// A policy set that the journal names by its digest, beside the standard ones and the home's (repeatable)
    #[arg(long, value_name = "PATH")]
    policies: Vec<PathBuf>,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// 0: all of it comes out again. 1: something differs. 3: something could not be made again.
pub(super) fn run(options: &Options) -> Result<Exit, CliError> {
    let tools = options.again.tools()?;
    let policies = options.again.policy_sets(&options.policies, &tools)?;
    let mut replay = Replay::new(&tools, &policies);
    for journal in options.again.journals()? {
        each_event(&journal, |event| replay.take(event)).map_err(CliError::usage)?;
    }
    let report = replay.finish();
    say(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "replay": report })),
        Format::Text => page(&report),
    });
    Ok(if !report.differences.is_empty() {
        Exit::Fails
    } else if report.unchecked.is_empty() {
        Exit::Holds
    } else {
        Exit::Undecided
    })
}

fn page(report: &ReplayReport) -> String {
    let mut out = format!("{} made again, {} differ\n", report.checked, report.differences.len());
    for difference in &report.differences {
        let call = difference.tool_call_id.as_ref().map_or(String::new(), |call| format!("{call} "));
        let line = format!("{call}{} {}", difference.tool_id, difference.what);
        out.push_str(&format!(
            "  #{} {}\n    recorded  {}\n    found     {}\n",
            difference.seq,
            text::clean(&line),
            text::line(&difference.recorded, 400),
            text::line(&difference.found, 400),
        ));
    }
    if !report.unchecked.is_empty() {
        out.push_str("not made again:\n");
        for missing in &report.unchecked {
            out.push_str(&format!("  {} × {}\n", missing.count, text::clean(&missing.reason)));
        }
    }
    out
}
