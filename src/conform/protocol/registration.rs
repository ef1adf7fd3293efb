//! From a tool that is found to one that may be used.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Looks what a source holds; what is found is not yet registered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Discover {
    /// The source.
    pub source: Source,
    /// What it holds; empty for an MCP server, whose own answer says it.
    #[serde(default)]
    pub tools: Vec<Fixture>,
}

/// Where tools come from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Source {
    /// In which form.
    #[serde(rename = "type")]
    pub kind: SourceKind,
    /// Its name.
    pub id: String,
    /// For `mcp` a file with the server's answer to `tools/list`, for `skill` its folder; below the workspace.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
}

/// In which form a tool arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum SourceKind {
    /// A function of the manager.
    Builtin,
    /// A program on this machine.
    Cli,
    /// A service behind an interface.
    Http,
    /// What an MCP server serves. Its tools are called `ID.NAME`.
    Mcp,
    /// A script of a skill.
    Skill,
}

/// A tool of the suite, with everything that a manager has to know to run it.
///
/// The builtin ones are functions that any manager has or writes in a line: `file.read` returns the text of `path`,
/// `file.write` puts `content` there, `file.delete` removes it; paths are relative to the workspace. `http` stands
/// for a service that takes every message and answers `sent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Fixture {
    /// Its id.
    pub tool_id: String,
    /// The version of its contract.
    pub version: String,
    /// What a model is told of it.
    pub summary: String,
    /// JSON Schema of its arguments.
    pub input_schema: Value,
    /// What it does to the world; a contract without says nothing, and no manager should take it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effects: Option<FixtureEffects>,
    /// `L0` pure read, `L1` local compute, `L2` workspace write, `L3` external read, `L4` external write, `L5`
    /// destructive.
    pub level: String,
    /// How bad it can get.
    pub risk: Risk,
    /// Whether it destroys.
    #[serde(default)]
    pub destructive: bool,
    /// When a person is asked.
    pub approval: WhenAsked,
    /// Scopes that the principal must hold.
    pub scopes: Vec<String>,
    /// Tokens of its output that a model may see, counted as four bytes each.
    pub max_preview_tokens: u64,
    /// For a program or a script: its path below the workspace, and arguments; `{NAME}` is the argument NAME.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub command: Vec<String>,
    /// Names of the secrets that it needs.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub secrets: Vec<String>,
}

/// What a tool does to the world, as patterns `scheme:glob`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct FixtureEffects {
    /// What it reads.
    #[serde(default)]
    pub reads: Vec<String>,
    /// What it writes.
    #[serde(default)]
    pub writes: Vec<String>,
    /// What it deletes.
    #[serde(default)]
    pub deletes: Vec<String>,
    /// Whether it calls out.
    #[serde(default)]
    pub external_calls: bool,
}

/// How bad it can get.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum Risk {
    Low,
    Medium,
    High,
}

/// When a person is asked before a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum WhenAsked {
    Never,
    OnRisk,
    Always,
}

/// What was found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Discovered {
    /// What can be registered.
    pub tools: Vec<ToolRef>,
    /// What cannot, and why.
    #[serde(default)]
    pub rejected: Vec<Rejected>,
}

/// A tool by its identity.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolRef {
    /// Its id.
    pub tool_id: String,
    /// Its version.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<String>,
}

/// A definition that is not taken.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Rejected {
    /// Its name.
    pub name: String,
    /// Why.
    pub reason: String,
}

/// Walks a tool that was discovered as far towards use as it gets.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Register {
    /// The tool, as it was discovered last.
    pub tool_id: String,
    /// Who has reviewed it; nobody where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reviewed_by: Option<String>,
    /// How well a model selects it, as it was measured; not at all where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluation>,
}

/// How well a tool is selected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Evaluation {
    /// Golden prompts, which should lead to it.
    pub golden: u64,
    /// Negative prompts, which should not.
    pub negative: u64,
    /// Whether every threshold was met.
    pub passed: bool,
}

/// How far a registration got.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Registered {
    /// The manager's word for it.
    pub state: String,
    /// What holds it back.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// Lets a registered tool be used by the session's principal.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Enable {
    /// The tool.
    pub tool_id: String,
}
