//! What repeats of a case say: pass@k, pass^k, and how many cases are flaky.
//!
//! A repeat is a trial of the same case with the same number of distractors: a case that passes with none
//! and fails with a hundred is not flaky. Intervals are drawn over cases.

use super::population::Population;
use crate::stats::{
    Rate, Resampling, is_flaky, pass_at_k, pass_hat_k, percentile_interval, resample, wilson_share,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What repeats say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Repeats {
    /// Cases with mixed outcomes ÷ cases with at least two counted repeats.
    pub flake_rate: Rate,
    /// For k = 1, 2, …, the most counted repeats of any case.
    pub pass: Vec<PassAt>,
}

/// pass@k and pass^k: the mean over the cases that were repeated at least k times.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct PassAt {
    /// How many repeats.
    pub k: u64,
    /// Over how many cases (each at each number of distractors).
    pub cases: u64,
    /// The chance that at least one of k repeats passes.
    pub pass_at_k: f64,
    /// Its low and high end.
    pub pass_at_k_interval: (f64, f64),
    /// The chance that all of k repeats pass.
    pub pass_hat_k: f64,
    /// Its low and high end.
    pub pass_hat_k_interval: (f64, f64),
}

/// Repeats and passes of one case, at each number of distractors.
type Units = Vec<(u64, u64)>;

/// An unbiased estimator from repeats, passes and k.
type Estimator = fn(u64, u64, u64) -> Option<f64>;

/// What the repeats of a population say.
pub(super) fn of(population: &Population<'_>, plan: &Resampling) -> Repeats {
    let cases = cases(population);
    let most = cases.keys().flatten().map(|(n, _)| *n).max().unwrap_or(0);
    let (units, weights): (Vec<Units>, Vec<u64>) = cases.into_iter().unzip();
    let at = curve(&units, &weights, most, pass_at_k, plan);
    let hat = curve(&units, &weights, most, pass_hat_k, plan);
    let pass = (1..).zip(at.into_iter().zip(hat)).map(|(k, (at, hat))| PassAt {
        k,
        cases: at.cases,
        pass_at_k: at.estimate,
        pass_at_k_interval: at.interval,
        pass_hat_k: hat.estimate,
        pass_hat_k_interval: hat.interval,
    });
    Repeats { flake_rate: flake_rate(&units, &weights, plan), pass: pass.collect() }
}

/// Cases by what their repeats came to, in an order that arrival has no part in.
fn cases(population: &Population<'_>) -> BTreeMap<Units, u64> {
    let mut cases: BTreeMap<Units, u64> = BTreeMap::new();
    for (case, weight) in population.bundles() {
        let mut repeats: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
        for (distractors, shape, count) in case {
            let sum = repeats.entry(distractors).or_default();
            sum.0 += count;
            sum.1 += if shape.passed { count } else { 0 };
        }
        let mut units: Units = repeats.into_values().collect();
        units.sort_unstable();
        *cases.entry(units).or_default() += weight;
    }
    cases
}

fn flake_rate(units: &[Units], weights: &[u64], plan: &Resampling) -> Rate {
    let (mut flaky, mut repeated) = (0, 0);
    for (units, weight) in units.iter().zip(weights) {
        for mixed in units.iter().filter_map(|(n, c)| is_flaky(*n, *c)) {
            flaky += if mixed { *weight } else { 0 };
            repeated += weight;
        }
    }
    Rate::independent(flaky, repeated, plan)
}

/// One point of a curve over k.
struct Point {
    cases: u64,
    estimate: f64,
    interval: (f64, f64),
}

/// The mean of an estimator over cases, for each k up to `most`. Every k sees the same resamples.
fn curve(units: &[Units], weights: &[u64], most: u64, estimator: Estimator, plan: &Resampling) -> Vec<Point> {
    // What each group of cases adds: the sum of its units' estimates, and how many units have one.
    let by_k: Vec<Vec<(f64, u64)>> =
        (1..=most).map(|k| units.iter().map(|units| part(units, k, estimator)).collect()).collect();
    let drawn = resample(weights, plan, |counts| {
        by_k.iter().map(|parts| mean(parts, counts).map(|(mean, _)| mean)).collect::<Vec<_>>()
    });
    let point = |(place, parts): (usize, &Vec<(f64, u64)>)| {
        let (estimate, cases) = mean(parts, weights)?;
        let interval =
            percentile_interval(drawn.iter().filter_map(|means| means[place]).collect(), plan.confidence)
                .filter(|(low, high)| low < high)
                .unwrap_or_else(|| wilson_share(estimate, cases, plan.confidence));
        Some(Point { cases, estimate, interval })
    };
    by_k.iter().enumerate().map_while(point).collect()
}

fn part(units: &Units, k: u64, estimator: Estimator) -> (f64, u64) {
    units
        .iter()
        .filter_map(|(n, c)| estimator(*n, *c, k))
        .fold((0.0, 0), |(sum, count), estimate| (sum + estimate, count + 1))
}

fn mean(parts: &[(f64, u64)], counts: &[u64]) -> Option<(f64, u64)> {
    let (mut sum, mut units) = (0.0, 0);
    for ((estimates, cases), count) in parts.iter().zip(counts) {
        sum += estimates * *count as f64;
        units += cases * count;
    }
    (units > 0).then(|| (sum / units as f64, units))
}
