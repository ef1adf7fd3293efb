//! An auditable account of one call: a fold of its events.

use super::{CallId, EventId, ToolId};
use chrono::{DateTime, Utc};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What happened to one call, step by step.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ToolTrace {
    /// The call.
    pub tool_call_id: CallId,
    /// The tool, as it was proposed.
    pub tool_id: ToolId,
    /// What led to it and its own events, in order.
    pub steps: Vec<TraceStep>,
}

/// One event, in words for people.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TraceStep {
    /// Number in the journal.
    pub seq: u64,
    /// The event.
    pub event_id: EventId,
    /// The event that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent_event_id: Option<EventId>,
    /// The call that it belongs to; absent, or another's, on what led to this one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool_call_id: Option<CallId>,
    /// When.
    pub ts: DateTime<Utc>,
    /// Which kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub summary: String,
}
