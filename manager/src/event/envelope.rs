//! What stands around every fact.

use super::Fact;
use crate::model::{CallId, Digest, EventId, RunId, SessionId};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// Whose event it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scope {
    /// The conversation.
    pub session_id: SessionId,
    /// The run; one journal file each.
    pub run_id: RunId,
    /// The call, on every event of one.
    pub call_id: Option<CallId>,
}

impl Scope {
    /// The same scope, for one call.
    pub fn of_call(&self, call: &CallId) -> Self {
        Self { call_id: Some(call.clone()), ..self.clone() }
    }
}

/// A fact with identity and time, before it has a place in a journal.
#[derive(Debug, Clone, PartialEq)]
pub struct Fresh {
    /// Identity.
    pub event_id: EventId,
    /// When it was stated.
    pub ts: DateTime<Utc>,
    /// Whose it is.
    pub scope: Scope,
    /// The event that caused it.
    pub parent: Option<EventId>,
    /// What it says.
    pub fact: Fact,
}

/// An event in its place.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// 1, 2, 3 … in its file.
    pub seq: u64,
    /// Hash of the event before it; 64 zeros for the first.
    pub prev_hash: Digest,
    /// SHA-256 over the RFC 8785 form of this event without this field.
    pub hash: Digest,
    /// The event itself.
    pub fresh: Fresh,
}

/// The envelope as it is written, without the hash; payload fields stand flat beside it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Line<'a> {
    seq: u64,
    event_id: &'a EventId,
    ts: String,
    session_id: &'a SessionId,
    run_id: &'a RunId,
    #[serde(skip_serializing_if = "Option::is_none")]
    tool_call_id: Option<&'a CallId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    parent_event_id: Option<&'a EventId>,
    prev_hash: &'a Digest,
    #[serde(flatten)]
    fact: &'a Fact,
}

impl Fresh {
    pub(super) fn line<'a>(&'a self, seq: u64, prev_hash: &'a Digest) -> Line<'a> {
        Line {
            seq,
            event_id: &self.event_id,
            ts: self.ts.format("%Y-%m-%dT%H:%M:%S%.6fZ").to_string(),
            session_id: &self.scope.session_id,
            run_id: &self.scope.run_id,
            tool_call_id: self.scope.call_id.as_ref(),
            parent_event_id: self.parent.as_ref(),
            prev_hash,
            fact: &self.fact,
        }
    }
}
