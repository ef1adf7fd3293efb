//! Functions in OpenAI's formats: a list, or an object with `tools` such as a saved request.

use super::{
    FileFormat,
    file::SourceFile,
    first_tool,
    harvest::{Listed, harvest},
};
use crate::{
    model::TrustLevel,
    normalize::{Origin, openai},
    port::{Discovery, SourceError, ToolSourcePort},
};
use std::path::PathBuf;

pub(super) const FORMAT: FileFormat = FileFormat {
    word: "openai",
    about: "functions as OpenAI's chat completions or responses take them",
    claims: |value| {
        first_tool(value)
            .is_some_and(|tool| tool.get("function").is_some() || tool.get("parameters").is_some())
    },
    open: |path, trust| Box::new(OpenAiTools { path, trust }),
};

/// A file of OpenAI functions; a tool keeps its plain name.
#[derive(Debug, Clone)]
pub struct OpenAiTools {
    /// The file.
    pub path: PathBuf,
    /// How far whoever wrote it is trusted.
    pub trust: TrustLevel,
}

impl ToolSourcePort for OpenAiTools {
    fn discover(&self) -> Result<Discovery, SourceError> {
        let file = SourceFile::read(&self.path)?;
        let mut value = file.value()?;
        let Some(listed) = Listed::take(&mut value, &["/tools", "/functions", ""]) else {
            let hint = "expected a list of `{\"type\": \"function\", …}`, alone or under `tools`";
            return Err(file.problem("", "no list of OpenAI functions is in here").with_hint(hint).into());
        };
        let origin = Origin::functions(SourceFile::stem(&self.path), self.trust);
        Ok(harvest(&file, listed, openai::definition, &origin))
    }
}
