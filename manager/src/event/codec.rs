//! Reading a line of a journal back.

use super::{Event, Fresh, Scope};
use crate::model::{CallId, Digest, EventId, RunId, SessionId};
use chrono::{DateTime, Utc};
use serde::Deserialize;
use serde_json::{Map, Value};

/// A line that is no event.
#[derive(Debug, thiserror::Error)]
#[error("not an event: {0}")]
pub struct DecodeError(#[from] serde_json::Error);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Read {
    seq: u64,
    event_id: EventId,
    ts: DateTime<Utc>,
    session_id: SessionId,
    run_id: RunId,
    tool_call_id: Option<CallId>,
    parent_event_id: Option<EventId>,
    prev_hash: Digest,
    hash: Digest,
    #[serde(flatten)]
    rest: Map<String, Value>,
}

/// Reads one line. A type that this version does not know is kept as [`Fact::Unknown`](super::Fact::Unknown).
///
/// # Errors
/// [`DecodeError`] if it is no JSON object with an event's envelope.
pub fn decode(line: &[u8]) -> Result<Event, DecodeError> {
    let read: Read = serde_json::from_slice(line)?;
    let fact = serde_json::from_value(Value::Object(read.rest))?;
    Ok(Event {
        seq: read.seq,
        prev_hash: read.prev_hash,
        hash: read.hash,
        fresh: Fresh {
            event_id: read.event_id,
            ts: read.ts,
            scope: Scope { session_id: read.session_id, run_id: read.run_id, call_id: read.tool_call_id },
            parent: read.parent_event_id,
            fact,
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        Chain, Fact,
        fact::{LogOpened, ToolCallBlocked},
    };
    use crate::model::{StopCode, StopReason};

    fn round(fact: Fact) {
        let fresh = Fresh {
            event_id: "ev_1".into(),
            ts: "2026-03-01T12:00:00.123456Z".parse().unwrap(),
            scope: Scope { session_id: "s".into(), run_id: "r".into(), call_id: Some("tc_1".into()) },
            parent: Some("ev_0".into()),
            fact,
        };
        let mut line = Vec::new();
        Chain::default().seal(&fresh, &mut line).unwrap();
        assert_eq!(decode(&line).unwrap().fresh, fresh);
    }

    #[test]
    fn what_is_written_is_read_back() {
        round(LogOpened { format: 1, writer: "test".into(), continues: None }.into());
        round(
            ToolCallBlocked {
                tool_id: "x".into(),
                reason: StopReason::new(StopCode::UnknownTool, "no such tool"),
            }
            .into(),
        );
    }

    #[test]
    fn a_type_from_the_future_is_kept() {
        let line = br#"{"hash":"h","prevHash":"p","seq":7,"eventId":"e","ts":"2026-03-01T12:00:00Z",
            "sessionId":"s","runId":"r","type":"ToolTeleported","to":"mars"}"#;
        let event = decode(line).unwrap();
        assert_eq!(event.fresh.fact.kind(), "ToolTeleported");
        let Fact::Unknown(fields) = event.fresh.fact else { panic!("known") };
        assert_eq!(fields["to"], "mars");
    }
}
