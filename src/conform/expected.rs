//! Failures that are known: a list that is strict in both directions.
//!
//! An invariant that is broken and not in the list fails, and so does one that is in the list and is not broken:
//! a list that is out of date hides what it should tell. Each entry says why.
//!
//! ```text
//! # a comment
//! R5.1  external writes are not asked about yet: planned for the next release
//! ```

use super::{Report, Requirement};
use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

/// The list.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Expected(BTreeMap<String, String>);

/// A list that cannot be used, or that a report contradicts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ExpectedError {
    /// It cannot be read.
    #[error("cannot read the list of expected failures `{file}`: {reason}\nhint: check the path")]
    Io {
        /// The file.
        file: PathBuf,
        /// What the system says.
        reason: String,
    },
    /// A line is no entry.
    #[error(
        "line {line} of the list of expected failures: {what}\nhint: write `R5.1 why it fails`, an entry a line"
    )]
    Line {
        /// The line, counted from 1.
        line: usize,
        /// What is wrong with it.
        what: String,
    },
}

impl Expected {
    /// Reads a list.
    ///
    /// # Errors
    /// [`ExpectedError`] for a file that cannot be read, an id that no requirement has, an entry without a
    /// reason, and a second one of the same requirement.
    pub fn read(file: &Path) -> Result<Self, ExpectedError> {
        let io = |e: std::io::Error| ExpectedError::Io { file: file.to_owned(), reason: e.to_string() };
        Self::parse(&std::fs::read_to_string(file).map_err(io)?)
    }

    fn parse(text: &str) -> Result<Self, ExpectedError> {
        let mut entries = BTreeMap::new();
        for (line, entry) in (1..).zip(text.lines()) {
            let entry = entry.trim();
            if entry.is_empty() || entry.starts_with('#') {
                continue;
            }
            let bad = |what: String| Err(ExpectedError::Line { line, what });
            let (id, reason) = entry.split_once(char::is_whitespace).unwrap_or((entry, ""));
            if !Requirement::all().any(|r| r.id == id) {
                return bad(format!(
                    "`{id}` is no requirement; `proofhouse conform --requirements` lists them"
                ));
            }
            if reason.trim().is_empty() {
                return bad(format!("`{id}` has no reason"));
            }
            if entries.insert(id.to_owned(), reason.trim().to_owned()).is_some() {
                return bad(format!("`{id}` stands twice"));
            }
        }
        Ok(Self(entries))
    }

    /// Takes the expected failures out of a report, and says where it and the list disagree.
    pub fn hold_against(&self, report: &Report) -> Disagreement {
        let broken: BTreeSet<&str> = report.broken().collect();
        let listed: BTreeSet<&str> = self.0.keys().map(String::as_str).collect();
        let own = |ids: BTreeSet<&str>| ids.into_iter().map(ToOwned::to_owned).collect();
        Disagreement {
            unexpected: own(broken.difference(&listed).copied().collect()),
            kept: own(listed.difference(&broken).copied().collect()),
            expected: self
                .0
                .iter()
                .filter(|(id, _)| broken.contains(id.as_str()))
                .map(|(i, r)| (i.clone(), r.clone()))
                .collect(),
        }
    }
}

/// Where a report and a list of expected failures stand to each other.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Disagreement {
    /// Broken, and not in the list.
    pub unexpected: Vec<String>,
    /// In the list, and not broken.
    pub kept: Vec<String>,
    /// Broken as expected, and why.
    pub expected: Vec<(String, String)>,
}

impl Disagreement {
    /// Whether list and report say the same.
    pub fn is_none(&self) -> bool {
        self.unexpected.is_empty() && self.kept.is_empty()
    }

    /// What to tell people.
    pub fn words(&self) -> String {
        let mut out = String::new();
        for (id, why) in &self.expected {
            out += &format!("expected      {id}: {why}\n");
        }
        for id in &self.unexpected {
            out += &format!("UNEXPECTED    {id} is not met, and no entry expects that\n");
        }
        for id in &self.kept {
            out += &format!("UNEXPECTED    {id} is expected to fail, and was not broken: remove its entry\n");
        }
        out
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conform::{Event, Judge, Options};

    /// Breaks R2.1.
    fn report() -> Report {
        let mut judge = Judge::new(&Options::default());
        let event = serde_json::json!({ "type": "ToolCallFinished", "toolCallId": "c" });
        judge.see(&Event::new(0, 1, event.as_object().cloned().unwrap()));
        judge.rule(&[])
    }

    #[test]
    fn a_list_is_strict_in_both_directions() {
        let rows = [
            ("R2.1 known", vec![], vec![]),
            ("# nothing", vec!["R2.1"], vec![]),
            ("R2.1 known\nR5.1 known", vec![], vec!["R5.1"]),
        ];
        for (list, unexpected, kept) in rows {
            let found = Expected::parse(list).unwrap().hold_against(&report());
            assert_eq!((found.unexpected, found.kept), (own(&unexpected), own(&kept)), "{list}");
        }
    }

    fn own(ids: &[&str]) -> Vec<String> {
        ids.iter().map(|id| (*id).to_owned()).collect()
    }

    #[test]
    fn an_entry_needs_a_known_id_and_a_reason() {
        for (list, what) in [
            ("\nR99.1 why", "is no requirement"),
            ("\nR5.1", "has no reason"),
            ("\nR5.1 why", ""),
            ("R5.1 why\nR5.1 why", "stands twice"),
        ] {
            match Expected::parse(list) {
                Ok(_) => assert_eq!(what, "", "{list}"),
                Err(error) => {
                    let told = error.to_string();
                    assert!(!what.is_empty() && told.contains(what) && told.starts_with("line 2"), "{told}");
                }
            }
        }
    }
}
