//! What stands around every fact.

use super::Fact;
use crate::model::{CallId, Digest, EventId, RunId, SessionId};
use chrono::{DateTime, Datelike as _, Timelike as _, Utc};
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
            ts: stamp(self.ts),
            session_id: &self.scope.session_id,
            run_id: &self.scope.run_id,
            tool_call_id: self.scope.call_id.as_ref(),
            parent_event_id: self.parent.as_ref(),
            prev_hash,
            fact: &self.fact,
        }
    }
}

/// RFC 3339 in UTC with microseconds. By hand: chrono's format machinery takes longer than all else of an event.
fn stamp(ts: DateTime<Utc>) -> String {
    let Ok(year) = u32::try_from(ts.year()) else { return ts.format(FORMAT).to_string() };
    if year > 9999 {
        return ts.format(FORMAT).to_string();
    }
    // A leap second is written as the 59th with a second and more behind the point: that point stays below 1.
    let (second, nanos) = (ts.second() + ts.nanosecond() / 1_000_000_000, ts.nanosecond() % 1_000_000_000);
    let mut out = String::with_capacity(27);
    let mut digits = |mut value: u32, count: usize, after: char| {
        let mut place = [b'0'; 6];
        for digit in place[..count].iter_mut().rev() {
            *digit = b'0' + (value % 10) as u8;
            value /= 10;
        }
        out.extend(place[..count].iter().map(|b| char::from(*b)));
        out.push(after);
    };
    digits(year, 4, '-');
    digits(ts.month(), 2, '-');
    digits(ts.day(), 2, 'T');
    digits(ts.hour(), 2, ':');
    digits(ts.minute(), 2, ':');
    digits(second, 2, '.');
    digits(nanos / 1_000, 6, 'Z');
    out
}

const FORMAT: &str = "%Y-%m-%dT%H:%M:%S%.6fZ";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_timestamp_is_what_chrono_writes() {
        let rows = [
            "1970-01-01T00:00:00Z",
            "2026-12-31T23:59:59.999999999Z",
            "0000-01-01T00:00:00.000001Z",
            "2016-12-31T23:59:60.5Z",
        ];
        let parsed = rows.map(|text| text.parse().unwrap());
        for ts in parsed.into_iter().chain([DateTime::<Utc>::MAX_UTC, DateTime::<Utc>::MIN_UTC]) {
            assert_eq!(stamp(ts), ts.format(FORMAT).to_string());
        }
        assert_eq!(stamp("2026-03-01T12:00:00.12Z".parse().unwrap()), "2026-03-01T12:00:00.120000Z");
    }
}
