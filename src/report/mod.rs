//! Reports: what a run says, for people and for machines.
//!
//! A report is a fold over a finished run: its head, its metrics, its verdicts on thresholds, its trials in
//! the order of the log. It reads no clock, no environment and no file, so a report rebuilt from the log is
//! the live one byte for byte. It knows neither suites nor providers nor the manager's machinery.
//!
//! One format is one file and one line in [`ALL`]. The terminal's table is not a format: it is what `run`
//! prints, and lives in [`terminal`].

mod csv;
mod failure;
mod failures;
mod figures;
mod front;
mod head;
mod html;
mod json;
mod junit;
mod link;
mod markdown;
mod outcome;
pub mod terminal;
mod verdict;
mod words;

pub use failure::Failure;
pub use head::{EndCounts, ModelHead, RejectedTool, ReportHead, ToolHead, ViewHead};
pub use outcome::{Outcome, OutcomeError, Verdict, write_all};

use crate::{
    metric::{Judgement, Metrics},
    run::{EventLine, TrialRecord},
};
use std::{
    io::{self, Write},
    path::Path,
};

/// Every report format.
pub const ALL: &[&dyn ReportFormat] =
    &[&csv::Csv, &html::Html, &json::Json, &junit::Junit, &markdown::Markdown];

/// A way to write a run down.
pub trait ReportFormat: Sync {
    /// Its name, for `--format`.
    fn name(&self) -> &'static str;

    /// The file extensions that choose it, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// Writes the report. The trials are walked once.
    fn write(&self, run: RunView<'_>, out: &mut dyn Write) -> Result<(), ReportError>;
}

/// A finished run, as reports see it.
pub struct RunView<'a> {
    /// Which run.
    pub head: &'a ReportHead,
    /// What was measured.
    pub metrics: &'a Metrics,
    /// What the thresholds say.
    pub judgements: &'a [Judgement],
    /// The trials, in the order of the log; walked once.
    pub trials: &'a mut dyn Iterator<Item = TrialRecord>,
    /// The events of a trial, by the numbers of its first and last.
    pub events: &'a mut dyn FnMut(u64, u64) -> Vec<EventLine>,
}

/// Why a report could not be written.
#[derive(Debug, thiserror::Error)]
pub enum ReportError {
    /// The file or pipe that it goes to failed.
    #[error("the report could not be written: {0}")]
    Io(#[from] io::Error),
    /// A value that JSON cannot hold.
    #[error("the report could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// The CSV writer failed.
    #[error("the report could not be written as CSV: {0}")]
    Csv(#[from] ::csv::Error),
    /// The JUnit writer failed.
    #[error("the report could not be written as JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
    /// The page's template failed.
    #[error("the report's template failed: {0}")]
    Template(#[from] tera::Error),
    /// A file name that no format claims.
    #[error("no report format goes with `{path}`\nhint: end the name with {known}")]
    UnknownExtension {
        /// The file name.
        path: String,
        /// The extensions that are known.
        known: String,
    },
}

/// The format that a file name asks for by its extension.
pub fn for_path(path: &Path) -> Result<&'static dyn ReportFormat, ReportError> {
    let extension = path.extension().and_then(|text| text.to_str()).unwrap_or_default().to_ascii_lowercase();
    ALL.iter().copied().find(|format| format.extensions().contains(&extension.as_str())).ok_or_else(|| {
        let known = ALL.iter().flat_map(|format| format.extensions()).map(|known| format!("`.{known}`"));
        ReportError::UnknownExtension {
            path: path.display().to_string(),
            known: known.collect::<Vec<_>>().join(", "),
        }
    })
}

#[cfg(test)]
mod testing;

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn the_extension_chooses_the_format() {
        let rows = [
            ("a/report.html", "html"),
            ("junit.xml", "junit"),
            ("x.JSON", "json"),
            ("out.md", "markdown"),
            ("t.csv", "csv"),
        ];
        for (path, name) in rows {
            assert_eq!(for_path(Path::new(path)).map(|format| format.name()).ok(), Some(name), "{path}");
        }
        let error =
            for_path(Path::new("report.pdf")).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("`report.pdf`") && error.contains("hint: "), "{error}");
    }

    #[test]
    fn every_format_of_the_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/report");
        let mut files: BTreeSet<String> = BTreeSet::new();
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let source = if path.is_dir() { path.join("mod.rs") } else { path.clone() };
            let name = path.file_stem().unwrap().to_string_lossy().into_owned();
            if name != "mod" && std::fs::read_to_string(&source).unwrap().contains("\nimpl ReportFormat for")
            {
                files.insert(name);
            }
        }
        let names: BTreeSet<String> = ALL.iter().map(|format| format.name().to_owned()).collect();
        assert_eq!(files, names);
    }
}
