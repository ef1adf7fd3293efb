//! Reading a line of a journal back.

use super::{Event, Fact, Fault, Fresh, Scope};
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

/// Reads one line, and refuses what this version does not know: a type, or a field that its type does not have.
///
/// # Errors
/// [`Fault`] that names it.
pub fn decode_strictly(line: &[u8]) -> Result<Event, Fault> {
    let no_event = |e: &dyn std::fmt::Display| Fault::NotJson(e.to_string());
    let event = decode(line).map_err(|e| no_event(&e))?;
    if let Fact::Unknown(_) = event.fresh.fact {
        return Err(Fault::Unknown(format!("the type `{}`", event.fresh.fact.kind())));
    }
    let theirs: Value = serde_json::from_slice(line).map_err(|e| no_event(&e))?;
    let mut ours =
        serde_json::to_value(event.fresh.line(event.seq, &event.prev_hash)).map_err(|e| no_event(&e))?;
    ours["hash"] = Value::Null;
    lost(&theirs, &ours, "").map_or(Ok(event), |field| Err(Fault::Unknown(format!("the field `{field}`"))))
}

/// The first member that was lost on the way through our types.
fn lost(theirs: &Value, ours: &Value, at: &str) -> Option<String> {
    match (theirs, ours) {
        (Value::Object(theirs), Value::Object(ours)) => theirs.iter().find_map(|(key, value)| {
            let path = if at.is_empty() { key.clone() } else { format!("{at}.{key}") };
            match ours.get(key) {
                Some(own) => lost(value, own, &path),
                None => (!value.is_null()).then_some(path),
            }
        }),
        (Value::Array(theirs), Value::Array(ours)) => theirs
            .iter()
            .zip(ours)
            .enumerate()
            .find_map(|(n, (value, own))| lost(value, own, &format!("{at}.{n}"))),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{
        Chain,
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
    fn what_is_not_known_is_found_where_that_is_asked() {
        let line = |rest: &str| {
            let head = r#"{"hash":"h","prevHash":"p","seq":7,"eventId":"e","ts":"2026-03-01T12:00:00Z","sessionId":"s","runId":"r""#;
            format!("{head},{rest}}}")
        };
        let rows = [
            (r#""type":"UserPromptSubmitted","prompt":"p""#, None),
            (r#""type":"UserPromptSubmitted","prompt":"p","toolCallId":null"#, None),
            (r#""type":"UserPromptSubmitted","prompt":"p","alg":"none""#, Some("the field `alg`")),
            (
                r#""type":"LogOpened","format":1,"writer":"w","continues":{"file":"f","seq":1,"hash":"h","x":1}"#,
                Some("the field `continues.x`"),
            ),
            (r#""type":"ToolTeleported""#, Some("the type `ToolTeleported`")),
        ];
        for (rest, expected) in rows {
            let line = line(rest);
            let found = decode_strictly(line.as_bytes()).err().map(|fault| match fault {
                Fault::Unknown(what) => what,
                other => other.to_string(),
            });
            assert_eq!(found.as_deref(), expected, "{line}");
        }
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
