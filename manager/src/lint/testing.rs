//! What the tests of lints share: a tool in, and out comes what one lint says of it.

use super::{Check, Finding, Lint, Report, Subject};
use crate::{
    model::{ToolDescriptor, TrustLevel, testing::descriptor},
    normalize::{Normalized, Origin, mcp, normalize},
};
use serde_json::{Map, Value, json};

/// What a lint says of a written descriptor; pointers within the input schema are told from there.
#[track_caller]
pub(crate) fn check(lint: &'static Lint, change: impl FnOnce(&mut ToolDescriptor), expected: &[&str]) {
    let mut tool = descriptor("file.read");
    change(&mut tool);
    assert_eq!(told(&on_tool(lint, &tool, None)), expected, "{}", lint.code);
}

/// What a lint says of an input schema.
#[track_caller]
pub(crate) fn check_schema(lint: &'static Lint, schema: Value, expected: &[&str]) {
    check(lint, |tool| tool.schemas.input_schema.0 = object(schema), expected);
}

/// What a lint says of a command template, for a tool that takes a `path`.
#[track_caller]
pub(crate) fn check_command(lint: &'static Lint, command: Value, expected: &[&str]) {
    let change = |tool: &mut ToolDescriptor| {
        tool.schemas.input_schema.0 =
            object(json!({ "type": "object", "properties": { "path": { "type": "string" } } }));
        tool.execution.command = Some(serde_json::from_value(command).unwrap());
    };
    check(lint, change, expected);
}

/// What a lint says of a summary.
#[track_caller]
pub(crate) fn check_summary(lint: &'static Lint, summary: &str, expected: &[&str]) {
    check(lint, |tool| tool.description.summary = summary.to_owned(), expected);
}

/// What a lint says of a definition that an MCP server serves.
#[track_caller]
pub(crate) fn check_served(lint: &'static Lint, definition: Value, expected: &[&str]) {
    let Normalized { descriptor, served, .. } =
        normalize(mcp::definition(definition).unwrap(), &Origin::mcp("srv", TrustLevel::Workspace));
    assert_eq!(told(&on_tool(lint, &descriptor, Some(&served))), expected, "{}", lint.code);
}

/// What a lint says of neighbours.
#[track_caller]
pub(crate) fn check_registry(lint: &'static Lint, tools: &[ToolDescriptor], expected: &[&str]) {
    let Check::Registry(look) = lint.check else { panic!("`{}` looks at one tool", lint.code) };
    let subjects: Vec<_> = tools.iter().map(|tool| Subject::new(tool, None)).collect();
    let mut findings = Vec::new();
    look(&subjects, &mut Report::new(lint, &mut findings));
    assert_eq!(told(&findings), expected, "{}", lint.code);
}

/// A neighbour of that id and summary.
pub(crate) fn neighbour(id: &str, summary: &str) -> ToolDescriptor {
    let mut tool = descriptor(id);
    tool.description.summary = summary.to_owned();
    tool
}

pub(crate) fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("`{other}` is no object"),
    }
}

fn on_tool(lint: &'static Lint, tool: &ToolDescriptor, served: Option<&Map<String, Value>>) -> Vec<Finding> {
    let Check::Tool(look) = lint.check else { panic!("`{}` looks at neighbours", lint.code) };
    let mut findings = Vec::new();
    look(&Subject::new(tool, served), &mut Report::new(lint, &mut findings));
    findings
}

fn told(findings: &[Finding]) -> Vec<String> {
    let pointer =
        |f: &Finding| f.pointer.strip_prefix(super::subject::INPUT).unwrap_or(&f.pointer).to_owned();
    findings.iter().map(|f| format!("{}: {}", pointer(f), f.message)).collect()
}
