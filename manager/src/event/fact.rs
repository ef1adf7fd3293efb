//! What an event says. One variant a type of event; names and fields are a published format.

use crate::model::{
    ApprovalId, ApprovalRequest, Decision, Digest, Dropped, EffectLevel, ExposedTool, IntentId, PolicyId,
    ProposedBy, RegistrationState, RiskLevel, SourceType, StopReason, ToolId, ToolIntent, ToolVersion,
    ViewId,
};
use crate::registry::ArgumentFault;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What happened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all_fields = "camelCase")]
pub enum Fact {
    /// A journal file begins.
    LogOpened {
        /// Version of the format.
        format: u32,
        /// Who writes it.
        writer: String,
    },
    /// What a crash left was repaired.
    LogRecovered {
        /// Bytes of an incomplete last line, set aside in a `.torn` file.
        torn_bytes: u64,
    },
    /// A journal file ends in good order.
    LogClosed {
        /// How many events precede this one.
        events: u64,
    },

    /// A source names a tool.
    ToolDiscovered {
        /// The tool.
        tool_id: ToolId,
        /// Where it was found.
        source: String,
        /// Form of the source.
        source_type: SourceType,
        /// What it looked like there.
        definition_digest: Digest,
    },
    /// A tool has a canonical descriptor.
    ToolNormalized {
        /// The tool.
        tool_id: ToolId,
        /// Its version.
        tool_version: ToolVersion,
        /// The contract's digest.
        descriptor_digest: Digest,
        /// What it looked like where it was found.
        definition_digest: Digest,
        /// How far it reaches.
        level: EffectLevel,
        /// Fields that nobody stated and the worst case filled.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        inferred: Vec<String>,
    },
    /// A tool did not make it.
    ToolRegistrationFailed {
        /// The tool, by the name it was found under.
        tool_id: ToolId,
        /// The state it failed into.
        state: RegistrationState,
        /// Why.
        reason: String,
    },

    /// A user said something.
    UserPromptSubmitted {
        /// The words.
        prompt: String,
    },
    /// The planner's reading of it.
    IntentRecorded {
        /// The intent.
        intent: ToolIntent,
    },
    /// Candidates were found.
    ToolsResolved {
        /// For which intent.
        intent_id: IntentId,
        /// Tools that were looked at.
        known: usize,
        /// Tools that passed every filter.
        candidates: usize,
        /// Digest of the policy set that was asked.
        policy_set: Digest,
    },
    /// A view was compiled.
    ToolViewCompiled {
        /// The view.
        view_id: ViewId,
        /// For which intent.
        intent_id: IntentId,
        /// Digest of the view.
        view_digest: Digest,
        /// Every exposed tool, with reason and policy decision.
        tools: Vec<ExposedTool>,
        /// Every other tool, with the filter that dropped it.
        dropped: Vec<Dropped>,
        /// Estimated tokens of the exposed tools.
        tokens: u64,
    },
    /// A model answered.
    ModelOutputReceived {
        /// Who answered.
        model: String,
        /// What it did.
        outcome: ProposedOutcome,
        /// How many calls it proposes.
        calls: usize,
        /// Its words, cut to a bound.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        text: Option<String>,
    },

    /// A call was proposed.
    ToolCallRequested {
        /// The tool; for a name that the view does not hold, the name as it came.
        tool_id: ToolId,
        /// Its version; absent where the view has no such tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        tool_version: Option<ToolVersion>,
        /// The contract's digest; absent where the view has no such tool.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        descriptor_digest: Option<Digest>,
        /// The view it was proposed in.
        view_id: ViewId,
        /// Who proposes it.
        proposed_by: ProposedBy,
        /// The arguments; `[redacted]` where the tool does not log them.
        args: Value,
        /// JCS + SHA-256 of the exact arguments; absent where they have no canonical form.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        args_digest: Option<Digest>,
    },
    /// The arguments were held against the input schema.
    ToolArgsValidated {
        /// How it ended.
        status: ArgsStatus,
        /// Why not, where it did not.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        faults: Vec<ArgumentFault>,
    },
    /// Policy was asked.
    ToolPolicyChecked {
        /// The answer.
        decision: Decision,
        /// The policies that made it so.
        policy_ids: Vec<PolicyId>,
        /// Digest of the policy set.
        policy_set: Digest,
        /// Why, for people.
        reason: String,
    },
    /// Somebody is asked.
    ApprovalRequested {
        /// The approval.
        approval_id: ApprovalId,
        /// Digest of the exact arguments.
        args_digest: Digest,
        /// Scopes it would use.
        scopes: Vec<String>,
        /// The tool's risk.
        risk_level: RiskLevel,
        /// The whole contract.
        request: Box<ApprovalRequest>,
    },
    /// A call ended before it ran.
    ToolCallBlocked {
        /// The tool, as it was proposed.
        tool_id: ToolId,
        /// Why.
        #[serde(flatten)]
        reason: StopReason,
    },

    /// A type that this version does not know; kept as it came.
    #[serde(untagged)]
    Unknown(Map<String, Value>),
}

/// How validation ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArgsStatus {
    /// The arguments are valid.
    Passed,
    /// They are not.
    Failed,
}

/// What a model did, as the journal says it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProposedOutcome {
    /// It proposed at least one call.
    Called,
    /// It answered in words.
    Abstained,
    /// It declined.
    Refused,
    /// It tried to call something, and that cannot be read.
    Unparsable,
    /// It was cut off.
    Truncated,
}

impl Fact {
    /// The event's type, such as `ToolCallRequested`.
    pub fn kind(&self) -> &str {
        match self {
            Self::LogOpened { .. } => "LogOpened",
            Self::LogRecovered { .. } => "LogRecovered",
            Self::LogClosed { .. } => "LogClosed",
            Self::ToolDiscovered { .. } => "ToolDiscovered",
            Self::ToolNormalized { .. } => "ToolNormalized",
            Self::ToolRegistrationFailed { .. } => "ToolRegistrationFailed",
            Self::UserPromptSubmitted { .. } => "UserPromptSubmitted",
            Self::IntentRecorded { .. } => "IntentRecorded",
            Self::ToolsResolved { .. } => "ToolsResolved",
            Self::ToolViewCompiled { .. } => "ToolViewCompiled",
            Self::ModelOutputReceived { .. } => "ModelOutputReceived",
            Self::ToolCallRequested { .. } => "ToolCallRequested",
            Self::ToolArgsValidated { .. } => "ToolArgsValidated",
            Self::ToolPolicyChecked { .. } => "ToolPolicyChecked",
            Self::ApprovalRequested { .. } => "ApprovalRequested",
            Self::ToolCallBlocked { .. } => "ToolCallBlocked",
            Self::Unknown(fields) => fields.get("type").and_then(Value::as_str).unwrap_or("?"),
        }
    }
}
