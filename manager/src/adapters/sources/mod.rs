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

pub use anthropic::AnthropicTools;
pub use descriptors::Descriptors;
pub use file::MAX_BYTES;
pub use mcp_capture::McpCapture;
pub use openai::OpenAiTools;

use crate::{model::TrustLevel, port::ToolSourcePort};
use std::path::PathBuf;

/// A file format that holds tools.
#[derive(Debug, Clone, Copy)]
pub struct FileFormat {
    /// The word by which it is chosen.
    pub word: &'static str,
    /// What it holds, for people.
    pub about: &'static str,
    open: fn(PathBuf, TrustLevel) -> Box<dyn ToolSourcePort>,
}

impl FileFormat {
    /// The format of that word.
    pub fn named(word: &str) -> Option<&'static Self> {
        FORMATS.iter().copied().find(|format| format.word == word)
    }

    /// A file as a source. Trust is how far its claims count; a descriptor states its own.
    pub fn open(&self, path: impl Into<PathBuf>, trust: TrustLevel) -> Box<dyn ToolSourcePort> {
        (self.open)(path.into(), trust)
    }
}

/// Every format.
pub const FORMATS: &[&FileFormat] =
    &[&descriptors::FORMAT, &mcp_capture::FORMAT, &openai::FORMAT, &anthropic::FORMAT];

#[cfg(test)]
mod tests;
