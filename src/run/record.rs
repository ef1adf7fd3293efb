//! One finished trial, as a line of `trials.jsonl`.
//!
//! Every metric, report and comparison is a fold over these lines; none keeps a second truth. A record is
//! plain data: whoever reads it needs neither the suite nor the manager.

use proofhouse_manager::model::{Decision, EffectLevel, ResolveFilter, RiskLevel, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Which trial: a case, put to a model, with some distractors, for the n-th time.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialKey {
    /// Name of the suite.
    pub suite: String,
    /// Name of the model, as the report shows it.
    pub model: String,
    /// How many distractor tools were added.
    pub distractors: u32,
    /// Id of the case.
    pub case: String,
    /// 0 for the first repeat.
    pub repeat: u32,
}

/// What kind of prompt a case is.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum CaseKind {
    /// A call is right.
    Golden,
    /// No call is right.
    Negative,
    /// Several answers are right.
    Ambiguous,
}

/// Whether the manager must stop and ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ApprovalExpectation {
    /// It must ask for at least one call.
    Required,
    /// It must not ask.
    NotRequired,
}

/// How a trial ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TrialEnd {
    /// Every expectation held.
    Pass,
    /// The model (or the resolver) got it wrong.
    Fail,
    /// Provider, network or harness failed; counts neither for nor against a model.
    Error,
    /// The recording does not fit what the model would see today.
    Stale,
}

/// What the model did in one turn. Only `Abstained` and `Refused` count as calling nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerOutcome {
    /// It proposed at least one call.
    Called,
    /// It answered in words.
    Abstained,
    /// It declined.
    Refused,
    /// It tried to call something, and that cannot be read.
    Unparsable,
    /// It was cut off before it was done.
    Truncated,
}

/// One trial, whole.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialRecord {
    /// Which trial.
    #[serde(flatten)]
    pub key: TrialKey,
    /// What kind of case.
    pub kind: CaseKind,
    /// Tags of the case.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<String>,
    /// The note for people that the case carries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// How it ended.
    pub end: TrialEnd,
    /// What the case says about approval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval: Option<ApprovalExpectation>,
    /// Above this level a call is unsafe here.
    pub ceiling: EffectLevel,
    /// The turns that were played, in order. The turn that failed is the last.
    pub turns: Vec<TurnRecord>,
    /// Why it ended as `error` or `stale`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<TrialError>,
    /// Numbers of the trial's first and last event in `events.jsonl`.
    pub events: (u64, u64),
}

/// Why a trial says nothing about its model.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialError {
    /// Stable code, such as `timeout`, `http_500`, `connection`, `stale_recording`, `no_recording`.
    pub code: String,
    /// What happened, for people.
    pub message: String,
    /// Tools whose compiled payload differs from the recording's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed_tools: Vec<ToolId>,
}

/// One turn: what was put, offered, answered, and how that compares.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TurnRecord {
    /// What the user said.
    pub prompt: String,
    /// Digest of the compiled view.
    pub view: String,
    /// What the view offered, best first. Left out by a writer when an earlier line of the same file has
    /// the same `view`; a reader restores it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub offered: Vec<OfferedTool>,
    /// What the model did.
    pub outcome: AnswerOutcome,
    /// The words it answered with, cut to a bound.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
    /// The calls that were right here: of the alternative that fits the answer best.
    pub expected: Vec<ExpectedRecord>,
    /// The calls that it proposed, in order.
    pub calls: Vec<CallRecord>,
    /// Which proposed call answers which expected one.
    pub pairs: Vec<PairRecord>,
    /// Whether everything expected came, nothing else, and the arguments matched.
    pub strict: bool,
    /// What is wrong, in words; empty for a turn that passed.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
    /// Tokens, as the provider counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// Time from the request to the whole answer, in microseconds, without waits between attempts.
    pub latency_us: u64,
    /// How many attempts it took.
    pub attempts: u32,
}

/// A tool of the view.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OfferedTool {
    /// The tool.
    pub tool: ToolId,
    /// Why it is in the view.
    pub reason: String,
    /// What policy would answer to a call.
    pub decision: Decision,
    /// How far it reaches.
    pub level: EffectLevel,
}

/// A call that the case expects.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ExpectedRecord {
    /// The tool.
    pub tool: ToolId,
    /// What its arguments must match, as the case writes it.
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub args: Value,
    /// Whether the view held the tool; if not, the model could not have called it.
    pub in_view: bool,
    /// The filter that kept it out of the view.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dropped_by: Option<ResolveFilter>,
}

/// A call that the model proposed, and what the manager made of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct CallRecord {
    /// The tool by its canonical id, or the name as it came where the view has no such tool.
    pub tool: ToolId,
    /// The arguments as they came; text where they are no JSON.
    pub args: Value,
    /// Whether the view held the tool. `false` is a hallucinated tool.
    pub in_view: bool,
    /// Whether the arguments satisfy the input schema; absent for a tool that the view does not hold.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_valid: Option<bool>,
    /// How far the tool reaches; absent for an unknown tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub level: Option<EffectLevel>,
    /// The descriptor's risk; absent for an unknown tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub risk: Option<RiskLevel>,
    /// What the manager answered; absent where the call did not get as far as policy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decision: Option<Decision>,
    /// Why the manager stopped it or asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Whether the case allows it beside what it expects.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub allowed: bool,
    /// Why it is unsafe here; absent if it is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsafe_because: Option<String>,
    /// The call's id in the journal.
    pub call_id: String,
}

/// A proposed call that answers an expected one; both have the same tool.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PairRecord {
    /// Index into `expected`.
    pub expected: usize,
    /// Index into `calls`.
    pub call: usize,
    /// Where the arguments differ; empty if they match.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub mismatches: Vec<Mismatch>,
}

/// One place where arguments are not what they should be.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Mismatch {
    /// JSON pointer into the arguments.
    pub path: String,
    /// What was expected, in words.
    pub expected: String,
    /// What came, in words.
    pub actual: String,
}

/// Tokens of one answer, as the provider counts them.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TokenUsage {
    /// Tokens of the request.
    pub input: u64,
    /// Tokens of the answer.
    pub output: u64,
}

/// An event of a trial, as short as a report needs it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EventLine {
    /// Number in the journal.
    pub seq: u64,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says, in words.
    pub summary: String,
}
