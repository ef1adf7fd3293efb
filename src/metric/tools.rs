//! The table of tools: each tool's own rates.

use super::{
    book::Whose,
    kind::{self, Scope},
    numbers::rate,
    population::{Population, RateKey},
};
use crate::stats::{Clusters, Rate, Resampling};
use proofhouse_manager::model::ToolId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// One tool's numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolMetrics {
    /// The tool.
    pub tool: ToolId,
    /// How many calls of it were expected.
    pub support: u64,
    /// Calls that answer an expected one.
    pub true_positives: u64,
    /// Calls that are neither expected nor allowed.
    pub false_positives: u64,
    /// Expected calls that did not come.
    pub false_negatives: u64,
    /// Every metric that a tool can have, by its name.
    pub rates: BTreeMap<String, Rate>,
}

/// Every tool that was expected, or called though offered, by name.
pub(super) fn all(population: &Population<'_>, repeated: bool, plan: &Resampling) -> Vec<ToolMetrics> {
    let clusters = &population.clusters;
    let numbers: BTreeSet<u32> = clusters.keys().filter_map(|(_, whose)| tool_number(*whose)).collect();
    let mut tools: Vec<ToolMetrics> = numbers
        .into_iter()
        .map(|number| {
            let tool = population.names.tools.name(number).as_ref().into();
            one(tool, Whose::Tool(number), clusters, repeated, plan)
        })
        .collect();
    tools.sort_unstable_by(|a, b| a.tool.cmp(&b.tool));
    tools
}

fn tool_number(whose: Option<Whose>) -> Option<u32> {
    match whose {
        Some(Whose::Tool(number)) => Some(number),
        Some(Whose::NotOffered | Whose::Trial) | None => None,
    }
}

fn one(
    tool: ToolId,
    whose: Whose,
    clusters: &BTreeMap<RateKey, Clusters>,
    repeated: bool,
    plan: &Resampling,
) -> ToolMetrics {
    let rates: BTreeMap<String, Rate> = (0_u8..)
        .zip(kind::ALL)
        .filter(|(_, metric)| metric.scope() == Scope::Tools)
        .map(|(place, metric)| {
            let own = clusters.get(&(place, Some(whose)));
            (metric.name().to_owned(), rate(own, place.into(), repeated, plan))
        })
        .collect();
    let (precision, recall) = (rates["precision"], rates["recall"]);
    ToolMetrics {
        tool,
        support: recall.denominator,
        true_positives: precision.numerator,
        false_positives: precision.denominator - precision.numerator,
        false_negatives: recall.denominator - recall.numerator,
        rates,
    }
}
