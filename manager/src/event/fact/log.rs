//! Facts about the log itself.

use super::Summary;
use crate::event::Event;
use crate::model::{CallId, Digest, EventId, RunId, SessionId};
use serde::{Deserialize, Serialize};

/// A journal file begins.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogOpened {
    /// Version of the format.
    pub format: u32,
    /// Who writes it.
    pub writer: String,
    /// The file that this one continues, after a rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continues: Option<PreviousFile>,
}

/// Where the chain of an earlier file ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PreviousFile {
    /// Its name, in the same folder.
    pub file: String,
    /// Its last number.
    pub seq: u64,
    /// Its last hash.
    pub hash: Digest,
    /// Calls that had started in it and not finished, so that this file alone says which a crash interrupts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub open_calls: Vec<OpenCall>,
}

impl PreviousFile {
    /// The link to a file that ends with that event.
    pub fn ended_by(file: String, last: &Event) -> Self {
        Self { file, seq: last.seq, hash: last.hash.clone(), open_calls: Vec::new() }
    }

    /// Whether both name the same place.
    pub fn is(&self, other: &Self) -> bool {
        (&self.file, self.seq, &self.hash) == (&other.file, other.seq, &other.hash)
    }
}

/// A call that has started and not finished.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct OpenCall {
    /// The call.
    pub tool_call_id: CallId,
    /// Its conversation.
    pub session_id: SessionId,
    /// Its run.
    pub run_id: RunId,
    /// The event that started it.
    pub started: EventId,
}

/// What a crash left was repaired.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogRecovered {
    /// Bytes of an incomplete last line, set aside in a `.torn` file.
    pub torn_bytes: u64,
    /// Calls that had started and not finished; each gets a `ToolCallFinished` with `interrupted`.
    #[serde(default)]
    pub interrupted_calls: u64,
}

/// A journal file ends in good order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LogClosed {
    /// How many events precede this one.
    pub events: u64,
    /// The file that continues it, after a rotation.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub continued_in: Option<String>,
}

impl Summary for LogOpened {
    fn summary(&self) -> String {
        match &self.continues {
            None => format!("opened by {}", self.writer),
            Some(before) => format!("opened by {}, continues `{}`", self.writer, before.file),
        }
    }
}

impl Summary for LogRecovered {
    fn summary(&self) -> String {
        let Self { torn_bytes, interrupted_calls } = self;
        format!("{torn_bytes} bytes of a broken last line set aside, {interrupted_calls} calls interrupted")
    }
}

impl Summary for LogClosed {
    fn summary(&self) -> String {
        match &self.continued_in {
            None => format!("closed after {} events", self.events),
            Some(next) => format!("closed after {} events, goes on in `{next}`", self.events),
        }
    }
}
