//! What answers cost: tokens and time.

use crate::{run::TrialRecord, stats::nearest_rank};
use serde::{Deserialize, Serialize};

/// Tokens, as providers count them.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Tokens {
    /// Tokens of all requests.
    pub input: u64,
    /// Tokens of all answers.
    pub output: u64,
    /// Trials for which the provider told its usage; the others add nothing above.
    pub trials: u64,
    /// Tokens of requests for each such trial.
    pub input_per_trial: Option<f64>,
    /// Tokens of answers for each such trial.
    pub output_per_trial: Option<f64>,
}

/// How long answers took, in microseconds; exact quantiles by nearest rank.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Latency {
    /// How many answers (turns).
    pub answers: u64,
    /// Half of them took no longer.
    pub p50_us: Option<u32>,
    /// 95 % of them took no longer.
    pub p95_us: Option<u32>,
    /// 99 % of them took no longer.
    pub p99_us: Option<u32>,
}

/// Tokens and times, gathered. Four bytes a turn: an answer of more than 71 minutes is kept as that.
#[derive(Debug, Clone, Default)]
pub(super) struct Costs {
    input: u64,
    output: u64,
    trials: u64,
    latencies: Vec<u32>,
}

impl Costs {
    pub(super) fn add(&mut self, trial: &TrialRecord) {
        self.latencies.extend(trial.turns.iter().map(|t| u32::try_from(t.latency_us).unwrap_or(u32::MAX)));
        for usage in trial.turns.iter().filter_map(|turn| turn.usage) {
            self.input = self.input.saturating_add(usage.input);
            self.output = self.output.saturating_add(usage.output);
        }
        self.trials += u64::from(trial.turns.iter().any(|turn| turn.usage.is_some()));
    }

    pub(super) fn join(&mut self, other: &Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.trials += other.trials;
        self.latencies.extend_from_slice(&other.latencies);
    }

    pub(super) fn tokens(&self) -> Tokens {
        let per_trial = |sum: u64| (self.trials > 0).then(|| sum as f64 / self.trials as f64);
        Tokens {
            input: self.input,
            output: self.output,
            trials: self.trials,
            input_per_trial: per_trial(self.input),
            output_per_trial: per_trial(self.output),
        }
    }

    pub(super) fn latency(mut self) -> Latency {
        self.latencies.sort_unstable();
        Latency {
            answers: self.latencies.len() as u64,
            p50_us: nearest_rank(&self.latencies, 500),
            p95_us: nearest_rank(&self.latencies, 950),
            p99_us: nearest_rank(&self.latencies, 990),
        }
    }
}
