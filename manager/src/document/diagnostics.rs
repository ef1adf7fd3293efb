//! Many mistakes, shown together.

use super::DocumentError;
use std::fmt;

/// Every mistake that was found, in the order in which it was found.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Diagnostics(Vec<DocumentError>);

impl Diagnostics {
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds one.
    pub fn push(&mut self, error: DocumentError) {
        self.0.push(error);
    }

    /// Keeps what went well; notes what did not.
    pub fn take<T>(&mut self, result: Result<T, DocumentError>) -> Option<T> {
        result.map_err(|error| self.push(error)).ok()
    }

    /// Whether nothing is wrong.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// How many.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// One by one.
    pub fn iter(&self) -> std::slice::Iter<'_, DocumentError> {
        self.0.iter()
    }

    /// The value if nothing is wrong, else everything that is.
    ///
    /// # Errors
    /// Itself, unless empty.
    pub fn into_result<T>(self, value: T) -> Result<T, Self> {
        if self.is_empty() { Ok(value) } else { Err(self) }
    }
}

impl fmt::Display for Diagnostics {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, error) in self.0.iter().enumerate() {
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{error}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}

impl From<DocumentError> for Diagnostics {
    fn from(error: DocumentError) -> Self {
        Self(vec![error])
    }
}

impl Extend<DocumentError> for Diagnostics {
    fn extend<I: IntoIterator<Item = DocumentError>>(&mut self, errors: I) {
        self.0.extend(errors);
    }
}

impl IntoIterator for Diagnostics {
    type Item = DocumentError;
    type IntoIter = std::vec::IntoIter<DocumentError>;
    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a DocumentError;
    type IntoIter = std::slice::Iter<'a, DocumentError>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}
