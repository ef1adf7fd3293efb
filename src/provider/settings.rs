//! What every provider is opened with.
//!
//! The environment and the clock come in as functions: nothing below this module reads either by itself.

use chrono::{DateTime, Utc};
use proofhouse_manager::model::ToolId;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::{path::PathBuf, sync::Arc, time::Duration};

/// Looks up a variable of the environment.
pub type Environment = Arc<dyn Fn(&str) -> Option<String> + Send + Sync>;

/// The right calls of a case's turn (from 0): what a flawless model would answer.
pub type PerfectAnswers = Arc<dyn Fn(&str, usize) -> Option<Vec<(ToolId, Map<String, Value>)>> + Send + Sync>;

/// Tells the time.
pub type Clock = fn() -> DateTime<Utc>;

/// How a model samples. What is absent is not sent, so that the provider's own default holds.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    /// How freely it samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// What it samples from, where the provider takes one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    /// How long an answer may get.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
}

/// When a model behind a recording is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordMode {
    /// Only for what is not recorded yet.
    Missing,
    /// Always; what was recorded is superseded.
    All,
}

/// Where answers are recorded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecordTo {
    /// When the model is asked.
    pub mode: RecordMode,
    /// The folder: one file a model.
    pub folder: PathBuf,
}

/// What every provider is opened with.
#[derive(Clone)]
pub struct ProviderSettings {
    /// How long one attempt may take.
    pub timeout: Duration,
    /// How the model samples.
    pub params: Params,
    /// The only source of keys.
    pub env: Environment,
    /// The right answers, for `script:perfect`.
    pub perfect: Option<PerfectAnswers>,
    /// Where answers are recorded, if they are.
    pub record: Option<RecordTo>,
    /// Folder of the response cache, if there is one.
    pub cache: Option<PathBuf>,
    /// The clock, for the date of a recording.
    pub now: Clock,
}

impl ProviderSettings {
    /// Sixty seconds an attempt, the providers' own sampling, no recording, no cache.
    pub fn new(env: Environment, now: Clock) -> Self {
        Self {
            timeout: Duration::from_secs(60),
            params: Params::default(),
            env,
            perfect: None,
            record: None,
            cache: None,
            now,
        }
    }
}

// By hand: the environment must not be looked into, and functions have nothing to show.
impl std::fmt::Debug for ProviderSettings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ProviderSettings")
            .field("timeout", &self.timeout)
            .field("params", &self.params)
            .field("record", &self.record)
            .field("cache", &self.cache)
            .finish_non_exhaustive()
    }
}
