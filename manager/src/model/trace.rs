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
    /// Its events in order.
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
    /// When.
    pub ts: DateTime<Utc>,
    /// Which kind.
    #[serde(rename = "type")]
    pub kind: String,
    /// What it says.
    pub summary: String,
}
