//! `manifest.json`: what a run was, in full, before its first trial.

use super::Shard;
use crate::suite::Thresholds;
use chrono::{DateTime, Utc};
use proofhouse_manager::model::{Digest, EffectLevel, RunId, ToolId, ToolVersion};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a run is about: enough to resume it and to rebuild every report.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Manifest {
    /// Version of this format.
    pub format: u32,
    /// The run.
    pub run_id: RunId,
    /// Version of Proofhouse that made it.
    pub proofhouse: String,
    /// When it began.
    pub started_at: DateTime<Utc>,
    /// The suite.
    pub suite: SuiteHead,
    /// The models, in the order of the plan.
    pub models: Vec<ModelHead>,
    /// What was asked for on the command line.
    pub options: RunOptions,
    /// Cases that had not passed in the run before, where the filter asks for them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failed_before: Vec<String>,
    /// How many trials were planned.
    pub planned: usize,
    /// Who acted.
    pub principal: String,
    /// How much a view showed.
    pub view: ViewHead,
    /// What the run must reach.
    pub thresholds: Thresholds,
    /// Digest of the policy set that decided.
    pub policy_set: Digest,
    /// Every tool that was known.
    pub tools: Vec<ToolHead>,
    /// Every tool that could not be used, and why.
    pub rejected: Vec<RejectedTool>,
}

impl Manifest {
    /// What has changed since `begun`, if trials of both could not stand in one run.
    pub fn differs_from(&self, begun: &Self) -> Option<&'static str> {
        let tools = |m: &Self| m.tools.iter().map(|t| (t.id.clone(), t.digest.clone())).collect::<Vec<_>>();
        if self.suite.digest != begun.suite.digest {
            return Some("the suite or its cases have changed");
        }
        if tools(self) != tools(begun) {
            return Some("a tool has changed");
        }
        if self.models != begun.models {
            return Some("the models have changed");
        }
        (self.policy_set != begun.policy_set).then_some("the policies have changed")
    }
}

/// Which suite was run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SuiteHead {
    /// Its name.
    pub name: String,
    /// Its file, as it was given.
    pub path: String,
    /// Digest of the suite with all of its cases.
    pub digest: Digest,
    /// How many cases it has.
    pub cases: usize,
    /// Repeats of every case.
    pub trials: u32,
}

/// Which model was asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ModelHead {
    /// As the suite or the command line names it.
    pub spec: String,
    /// As reports name it.
    pub name: String,
    /// What a report must say about its answers.
    pub label: String,
    /// How many tools its provider's form says less about, by kind of downgrade.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub downgrades: BTreeMap<String, usize>,
}

/// How a view was filled.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ViewHead {
    /// At most this many tools.
    pub max_tools: usize,
    /// At most this many estimated tokens.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u64>,
    /// `ranked` or `all`.
    pub select: crate::suite::Select,
}

/// What was asked for on the command line, as far as it changes what is asked of a model.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RunOptions {
    /// Models instead of the suite's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<String>,
    /// Repeats instead of the suite's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trials: Option<u32>,
    /// Which cases.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub filter: String,
    /// Which part of the run.
    pub shard: Shard,
    /// Seed of everything that is drawn.
    pub seed: u64,
}

/// A tool that was known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolHead {
    /// The tool.
    pub id: ToolId,
    /// Its version.
    pub version: ToolVersion,
    /// Its contract's digest.
    pub digest: Digest,
    /// How far it reaches.
    pub level: EffectLevel,
    /// What it weighs in a prompt, in estimated tokens.
    pub tokens: u64,
    /// What it does.
    pub summary: String,
    /// Whether its effects were inferred from metadata that says nothing about them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub inferred: bool,
    /// Whether it is a distractor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub distractor: bool,
}

/// A tool that could not be used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RejectedTool {
    /// The name it was found under.
    pub name: String,
    /// Why it cannot be used.
    pub reason: String,
}
