//! Judging metrics against thresholds.
//!
//! Says for each model and threshold whether it held, and on what it was judged. What cannot be judged is
//! undecided, never held. Turning this into an exit code is the gate's work, and so is a baseline.

use super::{Better, Metrics, ModelMetrics, find, kind};
use crate::{stats::Rate, suite::Thresholds};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The share of trials that may end as `error` or `stale` before a run decides nothing.
pub const DEFAULT_LOST_LIMIT: f64 = 0.05;

/// What a metric was judged on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub enum BoundUsed {
    /// The point estimate.
    Point,
    /// The bad end of the interval.
    Interval,
}

/// One model against one threshold.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Judgement {
    /// The model.
    pub model: String,
    /// The metric by its name.
    pub metric: String,
    /// What it must reach, or must not exceed.
    pub threshold: f64,
    /// What was held against the threshold: the estimate or the interval's bad end; `null` for `n/a`.
    pub value: Option<f64>,
    /// Which of the two.
    pub bound_used: BoundUsed,
    /// Whether it held; `null` is undecided.
    pub held: Option<bool>,
}

/// How many trials of a model say nothing about it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct LostTrials {
    /// The model.
    pub model: String,
    /// Trials that ended as `error` or `stale`.
    pub lost: u64,
    /// All trials.
    pub all: u64,
    /// The share that may be lost.
    pub limit: f64,
    /// Whether so many are lost that the run decides nothing about this model.
    pub undecidable: bool,
}

/// Holds every model against every threshold: models by name, thresholds in the order of the
/// table of metrics.
pub fn judge(metrics: &Metrics, thresholds: &Thresholds) -> Vec<Judgement> {
    let limits = limits(thresholds);
    let of_model =
        |model| limits.iter().map(move |(name, limit)| one(model, name, *limit, thresholds.confident));
    metrics.models.iter().flat_map(of_model).collect()
}

/// How many trials each model lost, and whether that is beyond the limit.
pub fn lost_trials(metrics: &Metrics, limit: f64) -> Vec<LostTrials> {
    let of_model = |model: &ModelMetrics| {
        let (lost, all) = (model.overall.trials.lost(), model.overall.trials.all());
        let undecidable = lost as f64 > limit * all as f64 || model.overall.trials.counted() == 0;
        LostTrials { model: model.model.clone(), lost, all, limit, undecidable }
    };
    metrics.models.iter().map(of_model).collect()
}

/// The thresholds that are set, by the metric's name.
///
/// Their serialized names are the metrics' names, so a new threshold needs no line here.
fn limits(thresholds: &Thresholds) -> Vec<(String, f64)> {
    let value = serde_json::to_value(thresholds).expect("INVARIANT: thresholds are plain numbers");
    let Value::Object(fields) = value else { return Vec::new() };
    let mut limits: Vec<(String, f64)> =
        fields.into_iter().filter_map(|(name, limit)| Some((name, limit.as_f64()?))).collect();
    limits.sort_by_key(|(name, _)| kind::position(name));
    limits
}

fn one(model: &ModelMetrics, metric: &str, threshold: f64, confident: bool) -> Judgement {
    let better = find(metric).map_or(Better::Higher, |kind| kind.better());
    let bound_used = bound_used(threshold, confident);
    let value = model.overall.rates.get(metric).and_then(|rate| judged_value(rate, better, bound_used));
    let held = value.map(|value| match better {
        Better::Lower => value <= threshold,
        Better::Higher | Better::Neither => value >= threshold,
    });
    Judgement { model: model.model.clone(), metric: metric.to_owned(), threshold, value, bound_used, held }
}

/// No finite number of trials brings an interval's end to 0 or 1, so a hard limit is judged on the point.
fn bound_used(threshold: f64, confident: bool) -> BoundUsed {
    if confident && threshold > 0.0 && threshold < 1.0 { BoundUsed::Interval } else { BoundUsed::Point }
}

fn judged_value(rate: &Rate, better: Better, bound: BoundUsed) -> Option<f64> {
    match (bound, better) {
        (BoundUsed::Point, _) => rate.estimate,
        (BoundUsed::Interval, Better::Lower) => rate.interval.map(|(_, high)| high),
        (BoundUsed::Interval, Better::Higher | Better::Neither) => rate.interval.map(|(low, _)| low),
    }
}
