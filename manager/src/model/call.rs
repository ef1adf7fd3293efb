//! §9: a tool call as a record. The *life* of a call is in [`stage`](crate::stage).

use super::{
    CallId, CredentialBindingId, EventId, GrantId, IntentId, PrincipalId, ResourceRef, RunId, SandboxId,
    SessionId, ToolId, ToolVersion, parse_strict,
};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Who proposed a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum ProposedBy {
    Model,
    Planner,
    User,
    System,
    Subagent,
}

/// Arguments as they were proposed.
#[derive(Debug, Clone, PartialEq)]
pub enum ProposedArgs {
    /// A JSON object.
    Object(Map<String, Value>),
    /// JSON, but no object.
    NotAnObject(Value),
    /// Text that is no JSON, and what the parser said.
    Malformed {
        /// The text.
        text: String,
        /// What is wrong with it.
        error: String,
    },
}

impl ProposedArgs {
    /// Sorts a JSON value into the right kind.
    pub fn from_value(value: Value) -> Self {
        match value {
            Value::Object(map) => Self::Object(map),
            other => Self::NotAnObject(other),
        }
    }

    /// Parses the text that a provider sent as arguments; empty text is no arguments at all.
    pub fn from_text(text: &str) -> Self {
        if text.trim().is_empty() {
            return Self::Object(Map::new());
        }
        match parse_strict(text) {
            Ok(value) => Self::from_value(value),
            Err(error) => Self::Malformed { text: text.to_owned(), error },
        }
    }

    /// The arguments as a value for people and logs; malformed text stays text.
    pub fn to_value(&self) -> Value {
        match self {
            Self::Object(map) => Value::Object(map.clone()),
            Self::NotAnObject(value) => value.clone(),
            Self::Malformed { text, .. } => Value::String(text.clone()),
        }
    }
}

/// What a model, a planner or a person proposes: a tool by its canonical id or by any name at all.
#[derive(Debug, Clone, PartialEq)]
pub struct ProposedCall {
    /// The tool. A name that is in no view is kept as it came.
    pub tool: ToolId,
    /// The arguments.
    pub args: ProposedArgs,
    /// Who proposes it.
    pub proposed_by: ProposedBy,
}

/// What is expected to happen, said before it does.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Prediction {
    pub expected_reads: Vec<ResourceRef>,
    pub expected_writes: Vec<ResourceRef>,
    pub expected_external_calls: Vec<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_cost_usd: Option<f64>,
}

/// Where authorization stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum AuthorizationStatus {
    NotRequired,
    Pending,
    Granted,
    Denied,
    Expired,
}

/// Who allowed it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Authorization {
    pub status: AuthorizationStatus,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub grant_id: Option<GrantId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approval_prompt: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<PrincipalId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub approved_at: Option<DateTime<Utc>>,
}

/// Where and how it runs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct Runtime {
    pub adapter: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox_id: Option<SandboxId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub credential_binding_id: Option<CredentialBindingId>,
    pub timeout_ms: u64,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency_key: Option<String>,
}

/// Where a call stands, as a word for records.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the specification's own words")]
pub enum CallStatus {
    Draft,
    Validated,
    Blocked,
    Approved,
    Running,
    Success,
    Failed,
    Cancelled,
}

/// One call, whole: a projection of its events. What they do not say is absent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the specification's own words")]
pub struct ToolCall {
    pub tool_call_id: CallId,
    pub session_id: SessionId,
    pub run_id: RunId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_event_id: Option<EventId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub intent_id: Option<IntentId>,
    pub tool_id: ToolId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_version: Option<ToolVersion>,
    pub proposed_by: ProposedBy,
    pub args: Value,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resolved_args: Option<Value>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub prediction: Option<Prediction>,
    pub authorization: Authorization,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub runtime: Option<Runtime>,
    pub status: CallStatus,
    pub created_at: DateTime<Utc>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<DateTime<Utc>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<DateTime<Utc>>,
}
