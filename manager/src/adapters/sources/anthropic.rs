//! Tools in Anthropic's format: a list, or an object with `tools` such as a saved request.

use super::{
    FileFormat,
    file::SourceFile,
    first_tool,
    harvest::{Listed, harvest},
};
use crate::{
    model::TrustLevel,
    normalize::{Origin, anthropic},
    port::{Discovery, SourceError, ToolSourcePort},
};
use std::path::PathBuf;

pub(super) const FORMAT: FileFormat = FileFormat {
    word: "anthropic",
    about: "tools as Anthropic's messages take them",
    claims: |value| first_tool(value).is_some_and(|tool| tool.get("input_schema").is_some()),
    open: |path, trust| Box::new(AnthropicTools { path, trust }),
};

/// A file of Anthropic tools; a tool keeps its plain name.
#[derive(Debug, Clone)]
pub struct AnthropicTools {
    /// The file.
    pub path: PathBuf,
    /// How far whoever wrote it is trusted.
    pub trust: TrustLevel,
}

impl ToolSourcePort for AnthropicTools {
    fn discover(&self) -> Result<Discovery, SourceError> {
        let file = SourceFile::read(&self.path)?;
        let mut value = file.value()?;
        let Some(listed) = Listed::take(&mut value, &["/tools", ""]) else {
            let hint = "expected a list of `{\"name\": …, \"input_schema\": …}`, alone or under `tools`";
            return Err(file.problem("", "no list of Anthropic tools is in here").with_hint(hint).into());
        };
        let origin = Origin::functions(SourceFile::stem(&self.path), self.trust);
        Ok(harvest(&file, listed, anthropic::definition, &origin))
    }
}
