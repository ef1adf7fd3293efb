//! Other managers' logs, turned into events that the judge reads.
//!
//! Most logs say less than a journal of the specification. An importer says which invariants its logs can prove
//! anything about; all others stay *not exercised*, whatever is in the log: what cannot be shown is neither kept
//! nor broken. A format is one file and one line in `ALL`.

mod otel;

use serde_json::{Map, Value};
use std::io::BufRead;

/// Every format.
const ALL: &[&dyn Importer] = &[&otel::Otel];

/// A format of logs.
trait Importer: Sync {
    /// Its word for `--from`.
    fn name(&self) -> &'static str;

    /// What it is, in a line.
    fn about(&self) -> &'static str;

    /// The invariants that such a log can prove something about.
    fn shows(&self) -> &'static [u8];

    /// Whether a file that begins so is of this format and cannot be anything else.
    fn recognizes(&self, head: &[u8]) -> bool;

    /// The events of a log, in the order of time.
    ///
    /// # Errors
    /// What is wrong with it.
    fn events(&self, log: &mut dyn BufRead) -> Result<Vec<Map<String, Value>>, String>;
}

/// A format that is not ours.
#[derive(Clone, Copy)]
pub struct Foreign(&'static dyn Importer);

impl std::fmt::Debug for Foreign {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("Foreign").field(&self.name()).finish()
    }
}

impl Foreign {
    /// The format of that name.
    pub fn named(name: &str) -> Option<Self> {
        ALL.iter().find(|importer| importer.name() == name).map(|importer| Self(*importer))
    }

    /// Names and descriptions of every format.
    pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
        ALL.iter().map(|importer| (importer.name(), importer.about()))
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    /// The format that a file unmistakably has.
    pub(super) fn recognize(head: &[u8]) -> Option<Self> {
        ALL.iter().find(|importer| importer.recognizes(head)).map(|importer| Self(*importer))
    }

    pub(super) fn shows(self) -> Shows {
        Shows::Only(self.0.shows())
    }

    pub(super) fn events(self, mut log: impl BufRead) -> Result<Vec<Map<String, Value>>, String> {
        self.0.events(&mut log)
    }
}

/// What a log can prove something about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Every invariant.
    Everything,
    /// These invariants.
    Only(&'static [u8]),
}

impl Shows {
    pub(super) fn covers(self, invariant: u8) -> bool {
        match self {
            Self::Everything => true,
            Self::Only(some) => some.contains(&invariant),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_in_the_table() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/conform/foreign");
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), ALL.len() + 1);
        for (name, _) in Foreign::all() {
            assert_eq!(Foreign::named(name).map(Foreign::name), Some(name));
        }
    }

    #[test]
    fn a_journal_of_ours_is_nothing_foreign() {
        for head in ["", "{", r#"{"hash":"00","type":"LogOpened","resourceSpans":1}"#, "[1]", "no json"] {
            assert!(Foreign::recognize(head.as_bytes()).is_none(), "{head}");
        }
    }
}
