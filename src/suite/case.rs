//! A suite as the harness runs it: read, checked, with every matcher compiled.

use crate::{
    matcher::{ArgsPattern, bfcl},
    run::{ApprovalExpectation, CaseKind},
};
use globset::GlobSet;
use proofhouse_manager::{
    document::{Field, Node, Place},
    model::{ActionType, Digest, EffectLevel, Target, ToolId, TrustLevel},
};
use serde_json::{Map, Value};
use std::{path::PathBuf, sync::Arc};

/// A suite, ready to run.
#[derive(Debug, Clone)]
pub struct Suite {
    /// Its name.
    pub name: String,
    /// The file it was read from.
    pub path: PathBuf,
    /// Where its tools come from, in order.
    pub tools: Vec<ToolSpec>,
    /// Tools added to make the choice harder.
    pub distractors: Option<Distractors>,
    /// Models, as written, with `replay:` and `script:` paths made relative to the working directory.
    pub models: Vec<String>,
    /// Who acts.
    pub principal: PrincipalSpec,
    /// How much a view shows.
    pub view: ViewSpec,
    /// Repeats of every case.
    pub trials: u32,
    /// The cases, in file order.
    pub cases: Vec<Case>,
    /// What a run must reach.
    pub thresholds: Thresholds,
    /// Digest over the suite and all of its cases.
    pub digest: Digest,
}

/// One source of tools. Paths are resolved against the suite's folder; globs are already expanded, sorted.
#[derive(Debug, Clone)]
pub enum ToolSpec {
    /// Canonical descriptors.
    Descriptors {
        /// The files.
        files: Vec<PathBuf>,
    },
    /// Saved `tools/list` answers.
    McpCapture {
        /// The files.
        files: Vec<PathBuf>,
        /// How far they are trusted; `third_party` unless the suite says otherwise.
        trust: TrustLevel,
    },
    /// A live server.
    McpCommand {
        /// The program.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// How far it is trusted.
        trust: TrustLevel,
    },
    /// OpenAI tool files.
    OpenAi {
        /// The files.
        files: Vec<PathBuf>,
        /// How far they are trusted.
        trust: TrustLevel,
    },
    /// Anthropic tool files.
    Anthropic {
        /// The files.
        files: Vec<PathBuf>,
        /// How far they are trusted.
        trust: TrustLevel,
    },
}

/// Tools added to make the choice harder.
#[derive(Debug, Clone)]
pub struct Distractors {
    /// MCP captures to draw from.
    pub files: Vec<PathBuf>,
    /// How many to add: one pass over the cases for each.
    pub counts: Vec<u32>,
    /// Which to draw.
    pub pick: Pick,
}

/// Which distractors are drawn.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Pick {
    /// Those whose words are nearest to the expected tools'.
    Adjacent,
    /// Those whose words are farthest.
    Orthogonal,
    /// Any, seeded.
    Random,
}

/// Who acts.
#[derive(Debug, Clone, PartialEq)]
pub struct PrincipalSpec {
    /// `kind:name`.
    pub id: String,
    /// Scopes held; `None` holds every scope that the suite's tools ask for.
    pub scopes: Option<Vec<String>>,
}

/// How much a view shows.
#[derive(Debug, Clone, PartialEq)]
pub struct ViewSpec {
    /// At most this many tools.
    pub max_tools: usize,
    /// At most this many estimated tokens.
    pub max_tokens: Option<u64>,
    /// Ranked and cut, or everything that policy allows.
    pub select: Select,
}

/// How a view is filled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Select {
    /// The best-ranked tools, up to the budget.
    Ranked,
    /// Every tool that policy allows, in ranked order; more than the budget holds is an error.
    All,
}

/// What a run must reach; absent is not judged.
#[derive(Debug, Clone, PartialEq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
#[expect(missing_docs, reason = "the metrics' own names")]
pub struct Thresholds {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub f1: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstention_precision: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub abstention_recall: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arg_validity: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arg_accuracy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub strict_success: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub view_recall: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hallucinated_tool_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unsafe_call_rate: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escaped_unsafe_rate: Option<f64>,
    /// Judge on the interval's bad end instead of the point estimate.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub confident: bool,
}

/// A case, checked.
#[derive(Debug, Clone)]
pub struct Case {
    /// Its id, unique in the suite.
    pub id: String,
    /// What kind of prompt.
    pub kind: CaseKind,
    /// Free tags.
    pub tags: Vec<String>,
    /// A note for people.
    pub why: Option<String>,
    /// Kept out of anything that tunes descriptions.
    pub held_out: bool,
    /// Globs over tool ids: the suite's tools that this case is offered.
    pub offer: Option<GlobSet>,
    /// What the planner made of the prompt, where the case states it.
    pub intent: Option<IntentSpec>,
    /// Whether the manager must ask.
    pub approval: Option<ApprovalExpectation>,
    /// The highest level that the user's intent covers.
    pub max_level: Option<EffectLevel>,
    /// The turns; a case without `turns:` has one.
    pub turns: Vec<Turn>,
    /// Where it stands.
    pub place: Place,
    /// The case as it was written, so that what is found later can still be pointed at.
    pub source: Arc<Node>,
    /// The path of `source` in its file.
    pub field: Field,
}

/// What the planner made of the prompt.
#[derive(Debug, Clone, PartialEq)]
pub struct IntentSpec {
    /// Kinds of action; empty leaves them open.
    pub action_types: Vec<ActionType>,
    /// What is acted upon.
    pub target: Option<Target>,
}

/// One prompt and what must come back.
#[derive(Debug, Clone)]
pub struct Turn {
    /// What the user says.
    pub prompt: String,
    /// Alternatives; each is a list of calls. An empty list means that calling nothing is right.
    pub expect: Vec<Vec<ExpectedCall>>,
    /// How proposed and expected calls are compared.
    pub calls: CallsMode,
    /// Calls that may happen beside them.
    pub allow: Vec<ExpectedCall>,
    /// Calls that are unsafe here.
    pub forbid: Vec<Selector>,
    /// What the tools are made to answer before the next turn.
    pub tool_result: Option<Value>,
    /// A full set of arguments for the first expected call of the first alternative that has one.
    pub example: Option<Map<String, Value>>,
    /// Another scorer's rules, where they say whether an answer is right.
    pub profile: Option<bfcl::Profile>,
}

/// How the proposed calls are compared with the expected ones.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CallsMode {
    /// All of them, in any order, nothing else.
    #[default]
    Unordered,
    /// All of them, in this order, nothing else.
    Strict,
    /// All of them; more is allowed.
    Superset,
    /// Only from these; not all need come.
    Subset,
}

/// A call that is expected or allowed.
#[derive(Debug, Clone)]
pub struct ExpectedCall {
    /// The tool; for `allow` it may be a glob.
    pub tool: ToolId,
    /// What its arguments must match.
    pub args: ArgsPattern,
}

/// Which calls are forbidden: every stated property must hold.
#[derive(Debug, Clone)]
pub struct Selector {
    /// A tool id or a glob.
    pub tool: Option<globset::GlobMatcher>,
    /// At or above this level.
    pub at_least: Option<EffectLevel>,
    /// At or below this level.
    pub at_most: Option<EffectLevel>,
    /// The arguments, where only some calls of the tool are forbidden.
    pub args: Option<ArgsPattern>,
    /// The selector as it was written, for explanations.
    pub text: String,
}
