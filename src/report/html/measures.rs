//! The metrics as the page's scripts read them: rates as arrays, tools as numbers.

use super::{intern::Texts};
use crate::{
    metric::{Confusion, ModelMetrics, ToolMetrics},
    report::{RunView, link},
    stats::Rate,
};
use serde::Serialize;

/// `[numerator, denominator, low, high]`.
#[derive(Serialize)]
pub(super) struct RateRow(u64, u64, f64, f64);

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Measures<'a> {
    models: Vec<Model<'a>>,
    curve_metrics: Vec<(&'a str, &'a str)>,
    worst: Option<Worst<'a>>,
}

#[derive(Serialize)]
struct Worst<'a> {
    tool: usize,
    model: &'a str,
    trial: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Model<'a> {
    name: &'a str,
    tools: Vec<Tool>,
    confusions: Vec<Confused>,
    curve: Vec<(u32, Vec<Option<RateRow>>)>,
    latency: Option<[u64; 3]>,
    usage: Option<(u64, u64)>,
}

/// Tool, support, proposed, precision, recall, F1, valid arguments, unsafe.
#[derive(Serialize)]
struct Tool(usize, u64, u64, Option<RateRow>, Option<RateRow>, Option<RateRow>, Option<RateRow>, Option<RateRow>);

/// Expected, proposed, how many, of how many, low, high.
#[derive(Serialize)]
struct Confused(i64, i64, u64, u64, f64, f64);

const NO_TOOL: i64 = -1;
const NOT_OFFERED: i64 = -2;

pub(super) fn of<'a>(run: &RunView<'a>, tools: &mut Texts) -> Measures<'a> {
    let metrics = run.metrics;
    Measures {
        models: metrics.models.iter().map(|m| model(m, tools)).collect(),
        curve_metrics: metrics.models.first().and_then(|m| m.curve.first()).map(|c| c.1.iter().map(|(k, _)| (k.as_str(), k.as_str())).collect()).unwrap_or_default(),
        worst: metrics.worst.as_ref().map(|worst| Worst { tool: tools.number(&worst.tool), model: &worst.model, trial: worst.case.as_ref().map(link::trial_path) }),
    }
}

fn model<'a>(m: &'a ModelMetrics, tools: &mut Texts) -> Model<'a> {
    Model {
        name: &m.model,
        tools: m.tools.iter().map(|t| tool(t, tools)).collect(),
        confusions: m.confusions.iter().map(|c| confused(c, tools)).collect(),
        curve: m.curve.iter().map(|(n, rates)| (*n, rates.iter().map(|(_, r)| row(r)).collect())).collect(),
        latency: m.latency,
        usage: m.usage,
    }
}

fn tool(t: &ToolMetrics, tools: &mut Texts) -> Tool {
    Tool(tools.number(&t.tool), t.support, t.proposed, row(&t.precision), row(&t.recall), row(&t.f1), row(&t.validity), row(&t.unsafe_calls))
}

fn confused(c: &Confusion, tools: &mut Texts) -> Confused {
    let mut n = |t: &Option<String>| t.as_ref().map_or(NO_TOOL, |t| tools.number(t) as i64);
    let (low, high) = c.rate.interval.unwrap_or((0.0, 1.0));
    Confused(n(&c.expected), if c.offered { n(&c.proposed) } else { NOT_OFFERED }, c.rate.numerator, c.rate.denominator, low, high)
}

fn row(rate: &Rate) -> Option<RateRow> {
    let (low, high) = rate.interval?;
    Some(RateRow(rate.numerator, rate.denominator, low, high))
}
