//! Collecting mismatches while walking through arguments.

use super::words;
use crate::run::Mismatch;
use proofhouse_manager::document::escape_segment;
use serde_json::Value;

/// At most this many mismatches are told of one call.
const MAX_MISMATCHES: usize = 20;

/// The mismatches of one call, and where the walk stands.
#[derive(Debug, Default)]
pub struct Report {
    path: String,
    found: Vec<Mismatch>,
}

impl Report {
    /// Does something one level deeper.
    pub fn within(&mut self, segment: &str, inner: impl FnOnce(&mut Self)) {
        let length = self.path.len();
        self.path.push('/');
        self.path.push_str(&escape_segment(segment));
        inner(self);
        self.path.truncate(length);
    }

    /// Does something at a JSON pointer from the root.
    pub(super) fn pointed(&mut self, pointer: &str, inner: impl FnOnce(&mut Self)) {
        let outer = std::mem::replace(&mut self.path, pointer.to_owned());
        inner(self);
        self.path = outer;
    }

    /// Notes that what came is not what was expected here.
    pub fn mismatch(&mut self, expected: String, actual: Option<&Value>) {
        self.noted(expected, words::actual(actual));
    }

    /// The same, with words of its own for what came.
    pub fn noted(&mut self, expected: String, actual: String) {
        if self.found.len() < MAX_MISMATCHES {
            self.found.push(Mismatch { path: self.path.clone(), expected, actual });
        }
    }

    /// What was found.
    pub(super) fn into_mismatches(self) -> Vec<Mismatch> {
        self.found
    }
}
