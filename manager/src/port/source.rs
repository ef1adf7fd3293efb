//! Where tools are found.

use crate::{
    document::{Diagnostics, DocumentError, Place},
    model::{Digest, ToolDescriptor},
    normalize::Note,
};
use serde_json::{Map, Value};
use std::sync::Arc;

/// Something that knows tools: files of descriptors, a server, a saved list.
pub trait ToolSourcePort {
    /// Finds every tool. One that cannot be used is rejected with a reason, and the others stay.
    ///
    /// # Errors
    /// [`SourceError`] if the source as a whole cannot be read.
    fn discover(&self) -> Result<Discovery, SourceError>;
}

/// What a source holds.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Discovery {
    /// The tools, in the source's order.
    pub tools: Vec<Discovered>,
    /// What was meant to be a tool and is not used.
    pub rejected: Vec<Rejected>,
    /// Mistakes in what is used, or in the source itself.
    pub problems: Diagnostics,
}

/// A tool that was found.
#[derive(Debug, Clone, PartialEq)]
pub struct Discovered {
    /// Its contract, not yet registered: its input schema is not compiled.
    pub descriptor: ToolDescriptor,
    /// The digest of the definition as it was found.
    pub definition_digest: Digest,
    /// What was noticed.
    pub notes: Vec<Note>,
    /// The fields of its definition that the descriptor does not hold as they are, such as annotations;
    /// nothing if the source holds descriptors.
    pub served: Option<Map<String, Value>>,
    /// Where it stands, if the source is a file.
    pub spot: Option<Spot>,
}

/// Where a tool stands in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Spot {
    /// The file.
    pub file: Arc<str>,
    /// JSON pointer to the tool.
    pub pointer: String,
}

/// A tool that is not used.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    /// Its name, or its place in the list where it has none.
    pub name: String,
    /// Why, and where.
    pub problem: DocumentError,
}

impl Rejected {
    /// Why.
    pub fn reason(&self) -> &str {
        &self.problem.message
    }

    /// Where.
    pub fn place(&self) -> &Place {
        &self.problem.place
    }
}

/// Why a source cannot be read at all.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The file cannot be read.
    #[error("cannot read `{file}`: {reason}\nhint: check the path and its permissions")]
    Unreadable {
        /// The file.
        file: String,
        /// What the system says.
        reason: String,
    },
    /// The file is larger than anything that holds tools.
    #[error(
        "`{file}` is larger than {} MB, the most that is read\nhint: give the list of tools alone", max / 1_000_000
    )]
    TooLarge {
        /// The file.
        file: String,
        /// The most bytes that are read.
        max: u64,
    },
    /// The file is no document, or not of this kind.
    #[error(transparent)]
    Document(#[from] DocumentError),
}

impl Discovery {
    /// Adds what another source holds.
    pub fn extend(&mut self, other: Self) {
        self.tools.extend(other.tools);
        self.rejected.extend(other.rejected);
        self.problems.extend(other.problems);
    }
}
