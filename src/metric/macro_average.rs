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

/// What one case adds: the averaged metric's place, the tool's place, numerator, denominator.
type Part = Vec<(usize, usize, u64, u64)>;

/// Sums for each averaged metric and tool.
type Sums = Vec<(u64, u64)>;

/// Every macro average of a population, all drawn from the same resamples.
pub(super) fn all(population: &Population<'_>, plan: &Resampling) -> BTreeMap<String, MacroAverage> {
    let tools = supported_tools(population);
    let (parts, weights): (Vec<Part>, Vec<u64>) = parts(population, &tools).into_iter().unzip();
    let means = |counts: &[u64]| means(&sums(&parts, counts, tools.len()), tools.len());
    let drawn = if parts.len() > 1 { resample(&weights, plan, means) } else { Vec::new() };
    let averages = AVERAGED.iter().zip(means(&weights)).enumerate().map(|(place, (name, mean))| {
        let drawn = drawn.iter().filter_map(|means| means[place]).map(|(mean, _)| mean).collect();
        ((*name).to_owned(), average(mean, drawn, weights.iter().sum(), plan))
    });
    averages.collect()
}

fn average(mean: Option<(f64, u64)>, drawn: Vec<f64>, cases: u64, plan: &Resampling) -> MacroAverage {
    let Some((estimate, tools)) = mean else {
        return MacroAverage { tools: 0, estimate: None, interval: None };
    };
    // As for a rate: resampling that has nothing to vary must not claim certainty.
    let interval = percentile_interval(drawn, plan.confidence)
        .filter(|(low, high)| low < high)
        .unwrap_or_else(|| wilson_share(estimate, cases, plan.confidence));
    MacroAverage { tools, estimate: Some(estimate), interval: Some(interval) }
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

/// What cases add, by content and in an order that arrival has no part in.
fn parts(population: &Population<'_>, tools: &BTreeMap<u32, usize>) -> BTreeMap<Part, u64> {
    let metrics = AVERAGED.map(place);
    let mut groups: BTreeMap<Part, u64> = BTreeMap::new();
    for (case, weight) in population.bundles() {
        let mut sums: BTreeMap<(usize, usize), (u64, u64)> = BTreeMap::new();
        for (entry, count) in case.flat_map(|(_, shape, count)| shape.entries.iter().map(move |e| (e, count)))
        {
            let Some(metric) = metrics.iter().position(|metric| *metric == entry.metric) else { continue };
            let Whose::Tool(tool) = entry.whose else { continue };
            let Some(&tool) = tools.get(&tool) else { continue };
            let sum = sums.entry((metric, tool)).or_default();
            sum.0 += u64::from(entry.numerator) * count;
            sum.1 += u64::from(entry.denominator) * count;
        }
        let part: Part = sums.into_iter().map(|((metric, tool), (n, d))| (metric, tool, n, d)).collect();
        if !part.is_empty() {
            *groups.entry(part).or_default() += weight;
        }
    }
    groups
}

fn sums(parts: &[Part], counts: &[u64], tools: usize) -> Sums {
    let mut sums = vec![(0, 0); AVERAGED.len() * tools];
    for (part, count) in parts.iter().zip(counts).filter(|(_, count)| **count > 0) {
        for (metric, tool, numerator, denominator) in part {
            let sum = &mut sums[metric * tools + tool];
            sum.0 += numerator * count;
            sum.1 += denominator * count;
        }
    }
    sums
}

/// For each averaged metric the mean over the tools that have it, and how many those are.
fn means(sums: &Sums, tools: usize) -> Vec<Option<(f64, u64)>> {
    (0..AVERAGED.len()).map(|metric| mean(&sums[metric * tools..(metric + 1) * tools])).collect()
}

fn mean(sums: &[(u64, u64)]) -> Option<(f64, u64)> {
    let rates = sums.iter().filter(|(_, d)| *d > 0).map(|(n, d)| *n as f64 / *d as f64);
    let (sum, averaged) = rates.fold((0.0, 0_u64), |(sum, count), rate| (sum + rate, count + 1));
    (averaged > 0).then(|| (sum / averaged as f64, averaged))
}
