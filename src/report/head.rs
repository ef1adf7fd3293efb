//! What every report states before any number: which run, of what, by whom, against which tools.
//!
//! Plain data, filled by whoever reads the run folder. Nothing here is measured; what is measured is in the
//! metrics.

use proofhouse_manager::model::{EffectLevel, ToolId};
use serde::{Deserialize, Serialize};

/// What a report says about a run, apart from its numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportHead {
    /// Id of the run.
    pub run_id: String,
    /// Name of the suite.
    pub suite: String,
    /// The file that the suite was read from, as the user wrote it.
    pub suite_path: String,
    /// When the run started, RFC 3339; from the manifest, never from a clock.
    pub started: String,
    /// Version of Proofhouse that made the run.
    pub version: String,
    /// Seed of everything that is drawn.
    pub seed: u64,
    /// Who acted.
    pub principal: String,
    /// How views were filled.
    pub view: ViewHead,
    /// The models, in the order of the suite.
    pub models: Vec<ModelHead>,
    /// Every tool that was known, sorted by id.
    pub tools: Vec<ToolHead>,
    /// Tools that were dropped while loading.
    pub rejected: Vec<RejectedTool>,
    /// Trials that the plan asks for.
    pub planned: u64,
    /// How the finished ones ended.
    pub ends: EndCounts,
}

/// A model, and what a report must say about answers of its kind.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelHead {
    /// Its name, as in the trials.
    pub name: String,
    /// What it is, honestly: `embedded lexical ranker, no LLM`, `scripted answers`, …
    pub label: String,
}

/// A tool that was known.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolHead {
    /// The tool.
    pub id: ToolId,
    /// How far it reaches.
    pub level: EffectLevel,
    /// What its compiled schema weighs in a prompt, in estimated tokens.
    pub tokens: u64,
    /// What it is for, in one line.
    pub summary: String,
}

/// A tool that could not be offered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedTool {
    /// Its name, as the source gives it.
    pub tool: String,
    /// Why, in words.
    pub reasons: Vec<String>,
}

/// How much a view shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewHead {
    /// At most this many tools.
    pub max_tools: usize,
    /// At most this many estimated tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// `ranked` or `all`.
    pub select: String,
}

/// How many trials ended how.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EndCounts {
    /// Every expectation held.
    pub pass: u64,
    /// The model or the resolver got it wrong.
    pub fail: u64,
    /// The surroundings failed.
    pub error: u64,
    /// The recording does not fit.
    pub stale: u64,
}

impl EndCounts {
    /// All finished trials.
    pub fn total(&self) -> u64 {
        self.pass + self.not_passed()
    }

    /// All that did not pass.
    pub fn not_passed(&self) -> u64 {
        self.fail + self.error + self.stale
    }
}
