//! `proofhouse journal what-if`: which recorded decisions would other policies change?

use super::{
    super::{
        CliError, Exit,
        evidence::{self, Again},
        exit::say,
    },
    Format,
};
use proofhouse_manager::{
    adapters::calls::each_event,
    explain::{Inquiry, MissingCount, Ruling, WhatIf, WhatIfReport},
    text,
};
use serde_json::json;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub(super) struct Options {
    #[command(flatten)]
    again: Again,
    /// The other policies: a file alone, or a folder, which extends the standard ones
    #[arg(long, value_name = "PATH")]
    policies: PathBuf,
    /// How to print
    #[arg(long, value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// 0: nothing changes. 1: something does. 3: nothing is known to change, and something could not be decided.
pub(super) fn run(options: &Options) -> Result<Exit, CliError> {
    let tools = options.again.tools()?;
    let engine = evidence::policies(&options.policies, &tools)?;
    let mut what_if = WhatIf::new(Inquiry::new(&engine, &tools));
    for journal in options.again.journals()? {
        each_event(&journal, |event| what_if.take(event)).map_err(CliError::usage)?;
    }
    let report = what_if.finish();
    say(&match options.format {
        Format::Json => format!("{:#}\n", json!({ "format": 1, "whatIf": report })),
        Format::Text => page(&report),
    });
    Ok(if !report.is_unchanged() {
        Exit::Fails
    } else if report.is_complete() {
        Exit::Holds
    } else {
        Exit::Undecided
    })
}

fn page(report: &WhatIfReport) -> String {
    let undecided: u64 = report.undecided.iter().map(|m| m.count).sum();
    let mut out = format!(
        "{} decisions under policy set {}: {} change, {} the same, {} the same by other policies, \
         {undecided} cannot be decided again\n",
        report.decisions,
        report.policy_set.short(),
        report.changes.len(),
        report.same,
        report.other_policies,
    );
    if report.never_decided > 0 {
        out.push_str(&format!("{} more calls never came to policy\n", report.never_decided));
    }
    for ((before, after), changes) in report.groups() {
        out.push_str(&format!("\n{before} → {after}: {}\n", changes.len()));
        for change in changes {
            let call = format!("{} {} {}", change.tool_call_id, change.tool_id, change.args);
            out.push_str(&format!(
                "  #{} {}\n    before  {}\n    after   {}\n",
                change.seq,
                text::clean(&call),
                ruling(&change.before),
                ruling(&change.after)
            ));
        }
    }
    if !report.exposure_changes.is_empty() {
        out.push_str(&format!("\nshown in views ({} views):\n", report.views));
        for change in &report.exposure_changes {
            let ids = list(&change.policy_ids);
            let line = format!(
                "{}: {} → {} in {} views from #{} on, by {ids}: {}",
                change.tool_id, change.before, change.after, change.views, change.first_seq, change.reason
            );
            out.push_str(&format!("  {}\n", text::line(&line, 400)));
        }
    }
    missing(&mut out, "calls that cannot be decided again", &report.undecided);
    missing(&mut out, "tools in views that cannot be decided again", &report.exposures_undecided);
    out
}

fn ruling(ruling: &Ruling) -> String {
    let line = format!("{} by {}: {}", ruling.decision, list(&ruling.policy_ids), ruling.reason);
    text::line(&line, 400)
}

fn list(ids: &[proofhouse_manager::model::PolicyId]) -> String {
    let ids: Vec<&str> = ids.iter().map(|id| id.as_str()).collect();
    if ids.is_empty() { "no policy".to_owned() } else { ids.join(", ") }
}

fn missing(out: &mut String, what: &str, missing: &[MissingCount]) {
    if missing.is_empty() {
        return;
    }
    out.push_str(&format!("\n{what}:\n"));
    for missing in missing {
        out.push_str(&format!("  {} × {}\n", missing.count, text::clean(&missing.reason)));
    }
}
