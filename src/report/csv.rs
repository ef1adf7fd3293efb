//! A table with a line a trial, for spreadsheets and data frames.

use super::{
    Failure, ReportError, ReportFormat, RunView,
    failure::{end_word, outcome_word},
};
use crate::run::{TrialRecord, TurnRecord};
use std::io::Write;

const COLUMNS: [&str; 19] = [
    "suite",
    "model",
    "distractors",
    "case",
    "repeat",
    "kind",
    "tags",
    "end",
    "outcome",
    "expected",
    "called",
    "path",
    "problem",
    "turns",
    "attempts",
    "latency_us",
    "tokens_in",
    "tokens_out",
    "error",
];

/// Comma-separated values.
pub(super) struct Csv;

impl ReportFormat for Csv {
    fn name(&self) -> &'static str {
        "csv"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &["csv"]
    }

    fn write(&self, run: RunView<'_>, out: &mut dyn Write) -> Result<(), ReportError> {
        let mut table = ::csv::Writer::from_writer(out);
        table.write_record(COLUMNS)?;
        for trial in run.trials {
            table.write_record(line(&trial))?;
        }
        table.flush()?;
        Ok(())
    }
}

fn line(trial: &TrialRecord) -> [String; 19] {
    let failure = Failure::of(trial);
    let sum = |of: fn(&TurnRecord) -> u64| trial.turns.iter().map(of).sum::<u64>().to_string();
    let names =
        |of: fn(&TurnRecord) -> Vec<&str>| trial.turns.iter().flat_map(of).collect::<Vec<_>>().join(" ");
    [
        safe(&trial.key.suite),
        safe(&trial.key.model),
        trial.key.distractors.to_string(),
        safe(&trial.key.case),
        trial.key.repeat.to_string(),
        word(&trial.kind),
        safe(&trial.tags.join(" ")),
        end_word(trial.end).to_owned(),
        trial.turns.last().map_or_else(String::new, |turn| outcome_word(turn.outcome).to_owned()),
        safe(&names(|turn| turn.expected.iter().map(|call| call.tool.as_str()).collect())),
        safe(&names(|turn| turn.calls.iter().map(|call| call.tool.as_str()).collect())),
        safe(failure.as_ref().and_then(|failure| failure.path.as_deref()).unwrap_or_default()),
        safe(&failure.as_ref().map(ToString::to_string).unwrap_or_default()),
        trial.turns.len().to_string(),
        sum(|turn| u64::from(turn.attempts)),
        sum(|turn| turn.latency_us),
        sum(|turn| turn.usage.map_or(0, |usage| usage.input)),
        sum(|turn| turn.usage.map_or(0, |usage| usage.output)),
        trial.error.as_ref().map_or_else(String::new, |error| error.code.clone()),
    ]
}

/// The word that a unit variant has in JSON.
fn word(value: &impl serde::Serialize) -> String {
    match serde_json::to_value(value) {
        Ok(serde_json::Value::String(word)) => word,
        Ok(_) | Err(_) => String::new(),
    }
}

/// A text that no spreadsheet takes for a formula: models and tool servers write into these cells.
fn safe(text: &str) -> String {
    match text.starts_with(['=', '+', '-', '@', '\t', '\r']) {
        true => format!("'{text}"),
        false => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::testing::SmallRun;

    #[test]
    fn a_line_a_trial_under_the_columns() {
        let text = SmallRun::new().written(&Csv);
        let mut table = ::csv::Reader::from_reader(text.as_bytes());
        assert_eq!(table.headers().unwrap(), &::csv::StringRecord::from(COLUMNS.to_vec()));
        let lines: Vec<_> = table.records().map(Result::unwrap).collect();
        let column = |name: &str| COLUMNS.iter().position(|known| *known == name).unwrap();
        let ends: Vec<_> = lines.iter().map(|line| &line[column("end")]).collect();
        assert_eq!(ends, ["pass", "fail", "fail", "error"]);
        assert_eq!(&lines[1][column("path")], "/limit");
        assert_eq!(&lines[3][column("error")], "timeout");
    }

    #[test]
    fn no_cell_is_a_formula() {
        for (text, cell) in [("=1+1", "'=1+1"), ("@x", "'@x"), ("-1", "'-1"), ("a=1", "a=1"), ("", "")] {
            assert_eq!(safe(text), cell);
        }
    }
}
