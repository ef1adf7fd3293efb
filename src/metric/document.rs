//! `metrics.json`: what a fold comes to.
//!
//! ```text
//! { format: 1, confidence, resamples, seed,
//!   models: [ { model,
//!     overall:     { trials, answers, repeated, rates: { precision: { numerator, denominator, estimate, interval, method }, … },
//!                    macroAverages, repeats, tokens, latency },
//!     distractors: [ { distractors: 0, …as overall }, … ],
//!     tools:       [ { tool, support, rates }, … ],
//!     kinds:       [ { kind, strictSuccess }, … ],   tags: [ { tag, strictSuccess }, … ],
//!     confusion:   { labels, cells },   steals: [ … ],   worst: { … } | null } ] }
//! ```
//!
//! What is `n/a` is `null`. Models, tools, tags and labels are sorted by name, rates by metric name,
//! distractor counts ascending. `overall` pools every distractor count; a case is then one cluster.

use super::{Confusion, Latency, MacroAverage, Repeats, Steal, Tokens, ToolMetrics, Worst};
use crate::{run::CaseKind, stats::Rate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The version of the format.
pub const FORMAT: u32 = 1;

/// Every number of a run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Metrics {
    /// Version of the format.
    pub format: u32,
    /// How sure every interval is.
    pub confidence: f64,
    /// How many resamples a bootstrap drew.
    pub resamples: u32,
    /// Where its random numbers started.
    pub seed: u64,
    /// A model each, by name.
    pub models: Vec<ModelMetrics>,
}

/// Every number of one model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelMetrics {
    /// The model.
    pub model: String,
    /// Over all of its trials.
    pub overall: Numbers,
    /// The distractor curve: the same numbers at each count of added tools.
    pub distractors: Vec<DistractorNumbers>,
    /// A tool each: those that were expected, or called though offered.
    pub tools: Vec<ToolMetrics>,
    /// Strict success by kind of case.
    pub kinds: Vec<KindNumbers>,
    /// Strict success by tag.
    pub tags: Vec<TagNumbers>,
    /// What was expected against what was called.
    pub confusion: Confusion,
    /// The pairs of tools that steal calls from each other, worst first.
    pub steals: Vec<Steal>,
    /// Where to look first; absent where no tool was ever expected.
    pub worst: Option<Worst>,
}

/// The numbers of a group of trials.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Numbers {
    /// How the trials ended.
    pub trials: TrialCounts,
    /// What the model did, in turns of counted trials.
    pub answers: Answers,
    /// Whether a case was counted more than once, so that intervals are drawn over cases.
    pub repeated: bool,
    /// Every metric by its name.
    pub rates: BTreeMap<String, Rate>,
    /// Means over tools with support, by the metric's name.
    pub macro_averages: BTreeMap<String, MacroAverage>,
    /// What repeats say.
    pub repeats: Repeats,
    /// Tokens of counted trials.
    pub tokens: Tokens,
    /// Latency of the turns of counted trials.
    pub latency: Latency,
}

/// The numbers at one count of added tools.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct DistractorNumbers {
    /// How many tools were added.
    pub distractors: u32,
    /// The numbers.
    #[serde(flatten)]
    pub numbers: Numbers,
}

/// How trials ended.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TrialCounts {
    /// Every expectation held.
    pub pass: u64,
    /// Some did not.
    pub fail: u64,
    /// The surroundings failed.
    pub error: u64,
    /// The recording did not fit.
    pub stale: u64,
    /// Trials that ended as `error` or `stale`, by code.
    pub codes: BTreeMap<String, u64>,
}

impl TrialCounts {
    /// Trials that count: passed or failed.
    pub fn counted(&self) -> u64 {
        self.pass + self.fail
    }

    /// Trials that say nothing about the model.
    pub fn lost(&self) -> u64 {
        self.error + self.stale
    }

    /// All trials.
    pub fn all(&self) -> u64 {
        self.counted() + self.lost()
    }
}

/// What the model did, in turns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(missing_docs, reason = "the outcomes' own names")]
pub struct Answers {
    pub called: u64,
    pub abstained: u64,
    pub refused: u64,
    pub unparsable: u64,
    pub truncated: u64,
}

/// Strict success of one kind of case.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct KindNumbers {
    /// The kind.
    pub kind: CaseKind,
    /// Its strict success.
    pub strict_success: Rate,
}

/// Strict success of the cases with one tag.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct TagNumbers {
    /// The tag.
    pub tag: String,
    /// Its strict success.
    pub strict_success: Rate,
}
