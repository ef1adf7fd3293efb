//! Macro averages: the mean over tools, so that a rare tool weighs as much as a common one.
//!
//! Over the tools that were expected at least once and have the rate at all: a tool that was never called
//! has no precision, and is not counted as 0. The interval is drawn over cases, all tools at once, because
//! one wrong call touches two tools.

use super::{book::Whose, kind, population::Population};
use crate::stats::{Resampling, percentile_interval, resample, wilson_share};
use serde::{Deserialize, Serialize};
use std::{collections::BTreeMap, sync::Arc};

/// A mean over tools.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct MacroAverage {
    /// Over how many tools.
    pub tools: u64,
    /// The mean.
    pub estimate: Option<f64>,
    /// Its low and high end.
    pub interval: Option<(f64, f64)>,
}

/// The metrics that are averaged over tools.
const AVERAGED: [&str; 3] = ["precision", "recall", "f1"];

/// What one case adds to a rate of each tool.
type Part = Vec<(usize, u64, u64)>;

/// Every macro average of a population.
pub(super) fn all(population: &Population<'_>, plan: &Resampling) -> BTreeMap<String, MacroAverage> {
    let tools = supported_tools(population);
    let average = |name: &str| (name.to_owned(), one(population, &tools, name, plan));
    AVERAGED.into_iter().map(average).collect()
}

/// The tools with support, each with its place in the order of names.
fn supported_tools(population: &Population<'_>) -> BTreeMap<u32, usize> {
    let recall = place("recall");
    let mut tools: Vec<(Arc<str>, u32)> = population
        .shapes()
        .flat_map(|(shape, _)| &shape.entries)
        .filter(|entry| entry.metric == recall)
        .filter_map(|entry| match entry.whose {
            Whose::Tool(tool) => Some((Arc::clone(population.names.tools.name(tool)), tool)),
            Whose::NotOffered | Whose::Trial => None,
        })
        .collect();
    tools.sort_unstable();
    tools.dedup();
    tools.into_iter().enumerate().map(|(place, (_, tool))| (tool, place)).collect()
}

fn place(name: &str) -> u8 {
    kind::position(name).expect("INVARIANT: averaged metrics are in the table") as u8
}

fn one(
    population: &Population<'_>,
    tools: &BTreeMap<u32, usize>,
    name: &str,
    plan: &Resampling,
) -> MacroAverage {
    let groups = parts(population, tools, place(name));
    let (parts, weights): (Vec<Part>, Vec<u64>) = groups.into_iter().unzip();
    let Some((estimate, averaged)) = mean(&parts, &weights, tools.len()) else {
        return MacroAverage { tools: 0, estimate: None, interval: None };
    };
    let cases = weights.iter().sum();
    let drawn = if parts.len() > 1 { interval(&parts, &weights, tools.len(), plan) } else { None };
    // As for a rate: resampling that has nothing to vary must not claim certainty.
    let interval = drawn.unwrap_or_else(|| wilson_share(estimate, cases, plan.confidence));
    MacroAverage { tools: averaged, estimate: Some(estimate), interval: Some(interval) }
}

/// What cases add, by content and in an order that arrival has no part in.
fn parts(population: &Population<'_>, tools: &BTreeMap<u32, usize>, metric: u8) -> BTreeMap<Part, u64> {
    let mut groups: BTreeMap<Part, u64> = BTreeMap::new();
    for (case, weight) in population.bundles() {
        let mut sums: BTreeMap<usize, (u64, u64)> = BTreeMap::new();
        for (_, shape, count) in case {
            for entry in shape.entries.iter().filter(|entry| entry.metric == metric) {
                let Whose::Tool(tool) = entry.whose else { continue };
                let Some(&place) = tools.get(&tool) else { continue };
                let sum = sums.entry(place).or_default();
                sum.0 += u64::from(entry.numerator) * count;
                sum.1 += u64::from(entry.denominator) * count;
            }
        }
        let part: Part = sums.into_iter().map(|(tool, (n, d))| (tool, n, d)).collect();
        if !part.is_empty() {
            *groups.entry(part).or_default() += weight;
        }
    }
    groups
}

/// The mean over tools that have the rate, and how many those are.
fn mean(parts: &[Part], counts: &[u64], tools: usize) -> Option<(f64, u64)> {
    let mut sums = vec![(0, 0); tools];
    for (part, count) in parts.iter().zip(counts).filter(|(_, count)| **count > 0) {
        for (tool, numerator, denominator) in part {
            sums[*tool].0 += numerator * count;
            sums[*tool].1 += denominator * count;
        }
    }
    let rates = sums.iter().filter(|(_, d)| *d > 0).map(|(n, d)| *n as f64 / *d as f64);
    let (sum, averaged) = rates.fold((0.0, 0), |(sum, count), rate| (sum + rate, count + 1));
    (averaged > 0).then(|| (sum / averaged as f64, averaged))
}

fn interval(parts: &[Part], weights: &[u64], tools: usize, plan: &Resampling) -> Option<(f64, f64)> {
    let means = resample(weights, plan, |counts| mean(parts, counts, tools).map(|(mean, _)| mean));
    percentile_interval(means.into_iter().flatten().collect(), plan.confidence)
        .filter(|(low, high)| low < high)
}
