//! A suite's file.

use super::{MatchFile, NormalizeFile, OneOrMany, PrincipalFile};
use crate::{
    matcher::ArgsMode,
    suite::{Pick, Select, Thresholds},
};
use proofhouse_manager::model::TrustLevel;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;

/// A suite: which tools are offered, which models are asked, which cases are put to them.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Suite")]
pub(in crate::suite) struct SuiteFile {
    /// For editors; not read.
    #[serde(default, rename = "$schema")]
    pub(in crate::suite) _schema: Option<String>,
    /// The suite's name.
    pub(in crate::suite) suite: String,
    /// Where the tools come from, in order.
    pub(in crate::suite) tools: Vec<ToolFile>,
    /// Tools added to make the choice harder.
    #[serde(default)]
    pub(in crate::suite) distractors: Option<DistractorsFile>,
    /// Which models are asked: `NAME` or `PROVIDER:MODEL[@BASE_URL]`.
    #[serde(default)]
    pub(in crate::suite) models: Vec<String>,
    /// Who acts; `user:dev` if left out.
    #[serde(default)]
    pub(in crate::suite) principal: Option<PrincipalFile>,
    /// How much a view shows.
    #[serde(default)]
    pub(in crate::suite) view: Option<ViewFile>,
    /// Repeats of every case; 1 if left out.
    #[serde(default)]
    pub(in crate::suite) trials: Option<u32>,
    /// Differences of text that do not count, unless a case says otherwise.
    #[serde(default)]
    pub(in crate::suite) normalize: Option<NormalizeFile>,
    /// How strictly arguments are compared, unless a case says otherwise.
    #[serde(default)]
    pub(in crate::suite) args_mode: Option<ArgsMode>,
    /// Whose rules say whether an answer is right.
    #[serde(default, rename = "match")]
    pub(in crate::suite) matching: Option<MatchFile>,
    /// A case file, several, globs of them, or the cases themselves: read from the tree, each on its own.
    #[serde(rename = "cases")]
    #[schemars(with = "CasesFile")]
    pub(in crate::suite) _cases: Value,
    /// What a run must reach.
    #[serde(default)]
    pub(in crate::suite) thresholds: Option<Thresholds>,
}

/// One source of tools: one of `descriptors`, `mcp`, `openai`, `anthropic`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "ToolSource")]
pub(in crate::suite) struct ToolFile {
    /// Canonical descriptors: files or globs.
    #[serde(default)]
    pub(in crate::suite) descriptors: Option<OneOrMany<String>>,
    /// An MCP server, live or captured.
    #[serde(default)]
    pub(in crate::suite) mcp: Option<McpFile>,
    /// Tools in the format of OpenAI: files or globs.
    #[serde(default)]
    pub(in crate::suite) openai: Option<OneOrMany<String>>,
    /// Tools in the format of Anthropic: files or globs.
    #[serde(default)]
    pub(in crate::suite) anthropic: Option<OneOrMany<String>>,
    /// How far the source is trusted; `third_party` if left out. Descriptors state their own trust.
    #[serde(default)]
    pub(in crate::suite) trust: Option<TrustLevel>,
}

/// An MCP server: `capture`, or `command` and `args`.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "McpSource")]
pub(in crate::suite) struct McpFile {
    /// Saved `tools/list` answers: files or globs.
    #[serde(default)]
    pub(in crate::suite) capture: Option<OneOrMany<String>>,
    /// The program of a live server.
    #[serde(default)]
    pub(in crate::suite) command: Option<String>,
    /// Its arguments.
    #[serde(default)]
    pub(in crate::suite) args: Vec<String>,
}

/// Tools added to make the choice harder.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "Distractors")]
pub(in crate::suite) struct DistractorsFile {
    /// MCP captures to draw from: files or globs.
    pub(in crate::suite) from: OneOrMany<String>,
    /// How many: one pass over the cases for each number.
    pub(in crate::suite) count: OneOrMany<u32>,
    /// Which; `random` if left out.
    #[serde(default)]
    pub(in crate::suite) pick: Option<Pick>,
}

/// How much a view shows.
#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
#[schemars(rename = "View")]
pub(in crate::suite) struct ViewFile {
    /// At most this many tools; 16 if left out, without bound where `select` is `all`.
    #[serde(default)]
    pub(in crate::suite) max_tools: Option<u32>,
    /// At most this many estimated tokens.
    #[serde(default)]
    pub(in crate::suite) max_tokens: Option<u64>,
    /// Ranked and cut, or everything that policy allows; `ranked` if left out.
    #[serde(default)]
    pub(in crate::suite) select: Option<Select>,
}

/// Stands for the shapes of `cases` in the schema; they are read from the tree, one by one.
struct CasesFile;

impl JsonSchema for CasesFile {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Cases".into()
    }

    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let case = generator.subschema_for::<super::CaseFile>();
        schemars::json_schema!({
            "description": "A case file (YAML, JSON, JSONL, CSV), several, globs of them, or the cases themselves.",
            "anyOf": [
                { "type": "string" },
                { "type": "array", "items": { "anyOf": [{ "type": "string" }, case] } },
            ],
        })
    }
}
