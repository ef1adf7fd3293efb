//! A saved answer to MCP's `tools/list`.
//!
//! Read are the whole JSON-RPC answer, its `result` alone, a bare list, and captures that say beside `tools`
//! which package was started. A tool is called `SERVER.TOOL`, where SERVER is the file's stem.

use super::{
    FileFormat,
    file::SourceFile,
    first_tool,
    harvest::{Listed, harvest},
};
use crate::{
    model::{ToolVersion, TrustLevel},
    normalize::{Origin, mcp},
    port::{Discovery, SourceError, ToolSourcePort},
};
use serde_json::Value;
use std::path::PathBuf;

pub(super) const FORMAT: FileFormat = FileFormat {
    word: "mcp",
    about: "a saved answer to MCP's tools/list",
    claims: |value| {
        let empty = value.pointer("/tools").or(value.pointer("/result/tools"));
        let listed = first_tool(value).map(|tool| tool.get("inputSchema").is_some());
        listed.unwrap_or(empty.is_some_and(Value::is_array))
    },
    open: |path, trust| Box::new(McpCapture { path, trust }),
};

/// A saved list of one server's tools.
#[derive(Debug, Clone)]
pub struct McpCapture {
    /// The file.
    pub path: PathBuf,
    /// How far the server's hints count.
    pub trust: TrustLevel,
}

impl ToolSourcePort for McpCapture {
    fn discover(&self) -> Result<Discovery, SourceError> {
        let file = SourceFile::read(&self.path)?;
        let mut value = file.value()?;
        let Some(listed) = Listed::take(&mut value, &["/result/tools", "/tools", ""]) else {
            return Err(not_a_list(&file, &value).into());
        };
        let origin = self.origin(&value);
        let list = listed.pointer;
        let mut discovery = harvest(&file, listed, mcp::definition, &origin);
        let cursor = list.replace("/tools", "/nextCursor");
        if !list.is_empty() && value.pointer(&cursor).and_then(Value::as_str).is_some_and(|c| !c.is_empty()) {
            let problem = file.problem(&cursor, "the list goes on: this is one page of it");
            discovery.problems.push(problem.with_hint("save every page, with the tools in one list"));
        }
        Ok(discovery)
    }
}

impl McpCapture {
    fn origin(&self, capture: &Value) -> Origin {
        let text = |pointer: &str| {
            capture.pointer(pointer).and_then(Value::as_str).filter(|t| !t.is_empty()).map(str::to_owned)
        };
        let command = capture.get("command").and_then(Value::as_array);
        let command =
            command.map(|words| words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" "));
        Origin {
            package_name: text("/package"),
            command: command.filter(|command| !command.is_empty()),
            version: text("/version").or_else(|| text("/serverInfo/version")).map(ToolVersion::from),
            ..Origin::mcp(SourceFile::stem(&self.path), self.trust)
        }
    }
}

fn not_a_list(file: &SourceFile, value: &Value) -> crate::document::DocumentError {
    if let Some(message) = value.pointer("/error/message").and_then(Value::as_str) {
        let problem = file.problem("/error", format!("the server answered with an error: {message}"));
        return problem.with_hint("save the answer of a server that is running");
    }
    let hint = "expected an answer to tools/list: `{\"tools\": […]}`, or that under `result`, or a list";
    file.problem("", "no list of MCP tools is in here").with_hint(hint)
}
