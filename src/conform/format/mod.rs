//! How a report is told: for people at a terminal and in a browser, for CI, for programs, for a front page.
//!
//! A format is a fold over a finished report: it reads no clock and no file. One is one file and one line in
//! [`ALL`].

mod badge;
mod html;
mod json;
mod junit;
mod line;
mod text;

use super::Report;
use std::path::Path;

/// Every format.
pub const ALL: &[&dyn Format] =
    &[&text::Text, &line::Line, &json::Json, &junit::Junit, &html::Html, &badge::Badge];

/// A way to tell a report.
pub trait Format: Sync {
    /// Its name, for `--format`.
    fn name(&self) -> &'static str;

    /// The file extensions that choose it, without the dot.
    fn extensions(&self) -> &'static [&'static str];

    /// The report, told so.
    ///
    /// # Errors
    /// What the writer of the format says.
    fn tell(&self, report: &Report) -> Result<String, FormatError>;
}

/// Why a report could not be told.
#[derive(Debug, thiserror::Error)]
pub enum FormatError {
    /// As JSON.
    #[error("the report could not be written as JSON: {0}")]
    Json(#[from] serde_json::Error),
    /// As JUnit XML.
    #[error("the report could not be written as JUnit XML: {0}")]
    Junit(#[from] quick_junit::SerializeError),
    /// As a page.
    #[error("the page's template failed: {0}")]
    Template(#[from] tera::Error),
    /// A file name that no format claims.
    #[error("no format goes with `{path}`\nhint: end the name with {known}")]
    UnknownExtension {
        /// The file name.
        path: String,
        /// The extensions that are known.
        known: String,
    },
}

/// The format that a file name asks for by its extension.
///
/// # Errors
/// [`FormatError::UnknownExtension`] if there is none.
pub fn for_path(path: &Path) -> Result<&'static dyn Format, FormatError> {
    let extension = path.extension().and_then(|text| text.to_str()).unwrap_or_default().to_ascii_lowercase();
    ALL.iter().copied().find(|format| format.extensions().contains(&extension.as_str())).ok_or_else(|| {
        let known = ALL.iter().flat_map(|format| format.extensions()).map(|known| format!("`.{known}`"));
        FormatError::UnknownExtension {
            path: path.display().to_string(),
            known: known.collect::<Vec<_>>().join(", "),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::{Chain, Event, Evidence, Judge, Options};

    /// Breaks invariant 2, with markup in an id; gives advice about 9; on evidence that is broken.
    fn report() -> Report {
        let events = [
            serde_json::json!({ "type": "ToolCallFinished", "toolCallId": "<b>&\u{1b}[1m", "eventId": "f" }),
            serde_json::json!({ "type": "ArtifactPersisted", "toolCallId": "<b>&\u{1b}[1m", "artifactId": "a", "contentHash": "h", "sourceEventId": "f" }),
        ];
        let mut judge = Judge::new(&Options::default());
        for (line, event) in (1..).zip(events) {
            judge.see(&Event::new(0, line, event.as_object().cloned().unwrap()));
        }
        let chain = Chain::Broken { line: 2, what: "it was changed".to_owned() };
        judge.weigh(Evidence { file: "run.jsonl".to_owned(), events: 2, chain });
        judge.rule(&["run.jsonl".to_owned()])
    }

    #[test]
    fn every_format_tells_what_is_broken_and_lets_nothing_out() {
        for format in ALL {
            let told = format.tell(&report()).unwrap();
            assert_eq!(told, format.tell(&report()).unwrap(), "{}", format.name());
            assert!(!told.contains('\u{1b}'), "{}: {told}", format.name());
            let markup = matches!(format.name(), "html" | "junit" | "badge");
            assert!(!markup || !told.contains("<b>&"), "{}: {told}", format.name());
            if !matches!(format.name(), "badge" | "line") {
                for part in ["R2.1", "run.jsonl", "R9.5"] {
                    assert!(told.contains(part), "{}: no {part} in {told}", format.name());
                }
            }
        }
    }

    #[test]
    fn the_extension_chooses_the_format() {
        let rows = [
            ("a/b.html", "html"),
            ("j.xml", "junit"),
            ("x.JSON", "json"),
            ("badge.svg", "badge"),
            ("t.txt", "text"),
        ];
        for (path, name) in rows {
            assert_eq!(for_path(Path::new(path)).map(|format| format.name()).ok(), Some(name), "{path}");
        }
        let error = for_path(Path::new("r.pdf")).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains("`r.pdf`") && error.contains("hint: "), "{error}");
    }

    #[test]
    fn every_file_of_the_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conform/format");
        let files = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path());
        let mut files: Vec<String> = files
            .map(|p| p.file_stem().unwrap().to_string_lossy().into_owned())
            .filter(|n| n != "mod")
            .collect();
        let mut names: Vec<String> = ALL.iter().map(|format| format.name().to_owned()).collect();
        files.sort();
        names.sort();
        assert_eq!(files, names);
    }
}
