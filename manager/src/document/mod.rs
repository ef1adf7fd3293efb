//! Located documents: YAML and JSON that remember where every value and key stands.
//!
//! Text goes in, a tree of [`Node`]s comes out, and [`Node::decode`] makes a typed value of it. Whatever is
//! wrong, from a stray tab to an unknown field, becomes a [`DocumentError`] that names file, line, column and
//! field and says what to do; a file with many mistakes gives them all at once as [`Diagnostics`].
//!
//! Both readers are strict: a repeated key is an error, comments in JSON are an error, a number that would be
//! rounded is an error, and size and depth have bounds, so that no input can exhaust memory or stack.
//!
//! It does no IO: whoever calls has read the bytes. It knows nothing of what a document means.

mod decode;
mod diagnostics;
mod error;
mod field;
mod json;
mod lines;
mod node;
mod place;
mod suggest;
mod text;
mod yaml;

pub use diagnostics::Diagnostics;
pub use error::DocumentError;
pub use field::{Field, escape_segment, split_pointer};
pub use lines::parse_lines;
pub use node::{Content, Member, Node};
pub use place::Place;
pub use suggest::did_you_mean;

use std::sync::Arc;

/// How deeply values may be nested in a JSON document; YAML has a lower bound of its own.
pub const MAX_DEPTH: usize = 64;

/// How a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// YAML 1.2, one document.
    Yaml,
    /// JSON as RFC 8259 has it: no comments, no trailing commas.
    Json,
}

impl Format {
    /// The format that a file's extension names.
    pub fn of_extension(extension: &str) -> Option<Self> {
        match extension.to_ascii_lowercase().as_str() {
            "yaml" | "yml" => Some(Self::Yaml),
            "json" => Some(Self::Json),
            _ => None,
        }
    }
}

/// Reads one document.
///
/// `file` is the name that places show.
///
/// # Errors
/// The first place where the text is not UTF-8, not well-formed, empty, or beyond a bound.
pub fn parse(file: impl Into<Arc<str>>, bytes: &[u8], format: Format) -> Result<Node, DocumentError> {
    let start = Place::start(file.into());
    let text = text::decode(&start, bytes)?;
    match format {
        Format::Yaml => yaml::parse(&start, text),
        Format::Json => json::parse(&start, text),
    }
}

#[cfg(test)]
mod tests;
