//! One line of a recording.

use crate::{provider::settings::Params, run::TokenUsage};
use chrono::{DateTime, Utc};
use proofhouse_manager::model::{Digest, ToolId};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The format that is written. A reader sets aside lines of a later one.
pub(super) const FORMAT: u32 = 1;

/// One request and the raw answer to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Recording {
    /// Version of the format.
    pub format: u32,
    /// Digest of everything that the model saw.
    pub key: Digest,
    /// The provider's prefix.
    pub provider: String,
    /// The model, as the provider knows it.
    pub model: String,
    /// How it sampled.
    pub params: Params,
    /// Which suite asked first; for information, like the other fields up to `repeat`.
    pub suite: String,
    /// Which case.
    pub case: String,
    /// How many distractors were offered.
    pub distractors: u32,
    /// From 0.
    pub turn: usize,
    /// From 0. This one is part of the key, so that repeats keep their variance.
    pub repeat: u32,
    /// The conversation, in the shape of chat completions.
    pub messages: Value,
    /// Its digest.
    pub messages_digest: Digest,
    /// The tools that were offered, in order.
    pub tools: Vec<RecordedTool>,
    /// The provider's raw answer, without keys.
    pub response: Value,
    /// Tokens, as the provider counts them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<TokenUsage>,
    /// How long the answer took, in milliseconds.
    pub latency_ms: u64,
    /// When it came.
    pub recorded_at: DateTime<Utc>,
}

/// A tool as it was offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RecordedTool {
    /// The tool.
    pub tool: ToolId,
    /// Digest of what the model was shown.
    pub payload: Digest,
}

/// What a model was shown of a tool: a line of the file beside.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct RecordedPayload {
    pub(super) format: u32,
    pub(super) digest: Digest,
    pub(super) tool: ToolId,
    pub(super) payload: Value,
}
