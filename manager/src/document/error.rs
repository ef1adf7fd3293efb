//! What is wrong in a file that a user wrote, and where.

use super::{Field, Place};
use std::fmt;

/// A mistake in a document: where, in which field, what, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// Where it stands.
    pub place: Place,
    /// The field, as a dotted path such as `[3].expect[0].tool`; empty for the document as a whole.
    pub field: String,
    /// What is wrong: lower-case, no full stop.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl DocumentError {
    /// A mistake without a hint.
    pub fn new(place: Place, field: &Field, message: impl Into<String>) -> Self {
        Self { place, field: field.to_string(), message: message.into(), hint: None }
    }

    /// The same, with a hint.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    /// The same, with `did you mean …` if a suggestion is given.
    #[must_use]
    pub fn with_suggestion(self, suggestion: Option<&str>) -> Self {
        match suggestion {
            Some(name) => self.with_hint(format!("did you mean `{name}`?")),
            None => self,
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: ", self.place)?;
        if !self.field.is_empty() {
            write!(f, "`{}`: ", self.field)?;
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DocumentError {}
