//! Where to look first: the worst tool, and its worst case.
//!
//! Worked out here so that the terminal, the HTML report and the JSON name the same one.

use super::{population::Population, tools::ToolMetrics};
use crate::stats::Rate;
use proofhouse_manager::model::ToolId;
use serde::{Deserialize, Serialize};
use std::{cmp::Reverse, collections::BTreeMap};

/// The tool that needs attention most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Worst {
    /// The tool.
    pub tool: ToolId,
    /// How many calls of it were expected.
    pub support: u64,
    /// Its F1; the low end of the interval is what ranks it.
    pub f1: Rate,
    /// The case in which it goes wrong most; absent where it never does.
    pub case: Option<WorstCase>,
}

/// The case in which a tool goes wrong most often.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WorstCase {
    /// The suite.
    pub suite: String,
    /// The case.
    pub case: String,
    /// Failed trials in which the tool was missed, called wrongly, or had wrong arguments.
    pub failed: u64,
    /// Counted trials of the case.
    pub trials: u64,
}

/// A tool expected only once says little: it is named only where no tool was expected more often.
const ENOUGH: u64 = 2;

/// The tool with the lowest F1 that is certain; of equals, the one expected most often.
pub(super) fn of(tools: &[ToolMetrics], population: &Population<'_>) -> Option<Worst> {
    let lowest = |least: u64| {
        tools.iter().filter(|tool| tool.support >= least).min_by(|a, b| {
            let low = |tool: &ToolMetrics| tool.rates["f1"].interval.map_or(0.0, |(low, _)| low);
            low(a).total_cmp(&low(b)).then_with(|| Reverse(a.support).cmp(&Reverse(b.support)))
        })
    };
    let tool = lowest(ENOUGH).or_else(|| lowest(1))?;
    Some(Worst {
        tool: tool.tool.clone(),
        support: tool.support,
        f1: tool.rates["f1"],
        case: worst_case(&tool.tool, population),
    })
}

/// The case with the most failed trials in which the tool went wrong; of equals, the first by name.
fn worst_case(tool: &ToolId, population: &Population<'_>) -> Option<WorstCase> {
    let tool = population.names.tools.find(tool)?;
    let mut cases: BTreeMap<u32, (u64, u64)> = BTreeMap::new();
    for (case, shape, count) in population.cases() {
        let sum = cases.entry(case).or_default();
        sum.0 += if !shape.passed && shape.went_wrong(tool) { count } else { 0 };
        sum.1 += count;
    }
    let named = cases.into_iter().filter(|(_, (failed, _))| *failed > 0).map(|(case, (failed, trials))| {
        let (suite, case) = population.names.cases.name(case);
        (Reverse(failed), suite, case, trials)
    });
    let (Reverse(failed), suite, case, trials) = named.min()?;
    Some(WorstCase { suite: suite.to_string(), case: case.to_string(), failed, trials })
}
