//! Tools from files: canonical descriptors, saved MCP lists, and providers' formats.
//!
//! A format is one file here and one line in [`FORMATS`]. Reading is all that happens here: what a definition
//! means is `normalize`'s, whether its schema compiles is the registry's.

mod anthropic;
mod descriptors;
mod file;
mod harvest;
mod mcp_capture;
mod openai;
pub mod standard;

pub use anthropic::AnthropicTools;
pub use descriptors::Descriptors;
pub use file::MAX_BYTES;
pub use mcp_capture::McpCapture;
pub use openai::OpenAiTools;

use crate::{
    document::Node,
    model::TrustLevel,
    port::{SourceError, ToolSourcePort},
};
use file::SourceFile;
use serde_json::Value;
use std::path::{Path, PathBuf};

/// A file format that holds tools.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// The word by which it is chosen.
    pub word: &'static str,
    /// What it holds, for people.
    pub about: &'static str,
    /// Whether a document looks like this format, by its keys.
    claims: fn(&Value) -> bool,
    open: fn(PathBuf, TrustLevel) -> Box<dyn ToolSourcePort + Send + Sync>,
}

impl FileFormat {
    /// The format of that word.
    pub fn named(word: &str) -> Option<&'static Self> {
        FORMATS.iter().copied().find(|format| format.word == word)
    }

    /// The format that a file's content looks like.
    ///
    /// # Errors
    /// [`SourceError`] if the file cannot be read or looks like none.
    pub fn of_file(path: &Path) -> Result<&'static Self, SourceError> {
        let file = SourceFile::read(path)?;
        let value = file.value()?;
        FORMATS.iter().copied().find(|format| (format.claims)(&value)).ok_or_else(|| {
            let known: Vec<&str> = FORMATS.iter().map(|format| format.about).collect();
            let problem = file.problem("", "the file holds no tools in a format that is known");
            problem.with_hint(format!("known are {}", known.join("; "))).into()
        })
    }

    /// A file as a source. Trust is how far its claims count; a descriptor states its own.
    pub fn open(&self, path: impl Into<PathBuf>, trust: TrustLevel) -> Box<dyn ToolSourcePort + Send + Sync> {
        (self.open)(path.into(), trust)
    }
}

/// A file of tools as a document that knows its places, to show where in it something stands.
///
/// # Errors
/// [`SourceError`] if the file cannot be read or is no document.
pub fn read_document(path: &Path) -> Result<Node, SourceError> {
    Ok(SourceFile::read(path)?.into_document()?)
}

/// Every format.
pub const FORMATS: &[&FileFormat] =
    &[&descriptors::FORMAT, &mcp_capture::FORMAT, &openai::FORMAT, &anthropic::FORMAT];

/// The first tool of a list, wherever formats keep theirs.
fn first_tool(value: &Value) -> Option<&Value> {
    ["/result/tools/0", "/tools/0", "/0"].iter().find_map(|pointer| value.pointer(pointer))
}

#[cfg(test)]
mod tests;
