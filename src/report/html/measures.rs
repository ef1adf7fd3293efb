//! The metrics as the page's scripts read them: rates as arrays, tools as numbers.
//!
//! Nothing is computed here but places: `reports/assets/js/data.js` and its neighbours read these arrays.

use super::intern::Texts;
use crate::{
    metric::{
        self, Confusion, DistractorNumbers, Label, MetricKind, ModelMetrics, Numbers, Scope, Steal,
        ToolMetrics,
    },
    report::{RunView, figures},
    run::CaseKind,
    stats::Rate,
};
use serde::Serialize;
use std::{cmp::Reverse, collections::BTreeMap};

/// Every number that the page's tables and charts show.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Measures<'a> {
    models: Vec<Model<'a>>,
    /// Columns of the table of tools.
    tool_metrics: Vec<MetricRow>,
    /// Lines of the curve.
    curve_metrics: Vec<MetricRow>,
    worst: Option<Worst<'a>>,
}

/// Name, title, definition.
#[derive(Serialize)]
struct MetricRow(&'static str, &'static str, &'static str);

#[derive(Serialize)]
struct Worst<'a> {
    tool: usize,
    model: &'a str,
    suite: &'a str,
    case: &'a str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Model<'a> {
    name: &'a str,
    tools: Vec<ToolRow>,
    cells: Vec<CellRow>,
    steals: Vec<StealRow>,
    curve: Vec<(u32, Vec<Option<RateRow>>)>,
    latency: [Option<u32>; 3],
    tokens: [u64; 2],
    groups: Vec<GroupRow>,
}

/// `[numerator, denominator, low, high]`; nothing where nothing was counted.
#[derive(Serialize)]
struct RateRow(u64, u64, f64, f64);

/// Tool, support, rates in the order of the columns.
#[derive(Serialize)]
struct ToolRow(usize, u64, Vec<Option<RateRow>>);

/// Expected, proposed, how many, of how many.
#[derive(Serialize)]
struct CellRow(i64, i64, u64, u64);

/// Expected, proposed, share.
#[derive(Serialize)]
struct StealRow(i64, i64, Option<RateRow>);

/// Field of the filter, value, strict success.
#[derive(Serialize)]
struct GroupRow(&'static str, String, Option<RateRow>);

const NO_TOOL: i64 = -1;
const NOT_OFFERED: i64 = -2;

/// The numbers of a run; every tool in them gets a number.
pub(super) fn of<'a>(run: &RunView<'a>, tools: &mut Texts) -> Measures<'a> {
    let models = figures::models(run.head, run.metrics);
    let worst = figures::worst(run.head, run.metrics);
    Measures {
        models: models.into_iter().map(|model| model_row(model, tools)).collect(),
        tool_metrics: tool_metrics().map(metric_row).collect(),
        curve_metrics: metric::ALL.iter().copied().map(metric_row).collect(),
        worst: worst.and_then(|worst| {
            let case = worst.case?;
            Some(Worst {
                tool: tools.number(worst.tool),
                model: worst.model,
                suite: &case.suite,
                case: &case.case,
            })
        }),
    }
}

fn tool_metrics() -> impl Iterator<Item = &'static dyn MetricKind> {
    metric::ALL.iter().copied().filter(|kind| kind.scope() == Scope::Tools)
}

fn metric_row(kind: &'static dyn MetricKind) -> MetricRow {
    MetricRow(kind.name(), kind.title(), kind.definition())
}

fn model_row<'a>(model: &'a ModelMetrics, tools: &mut Texts) -> Model<'a> {
    let Numbers { latency, tokens, .. } = &model.overall;
    Model {
        name: &model.model,
        tools: worst_first(&model.tools).into_iter().map(|tool| tool_row(tool, tools)).collect(),
        cells: cells(&model.confusion, tools),
        steals: model.steals.iter().map(|steal| steal_row(steal, tools)).collect(),
        curve: model.distractors.iter().map(point).collect(),
        latency: [latency.p50_us, latency.p95_us, latency.p99_us],
        tokens: [tokens.input, tokens.output],
        groups: groups(model),
    }
}

/// Expected tools by what is certain of their F1, lowest first; then those that were only called.
fn worst_first(tools: &[ToolMetrics]) -> Vec<&ToolMetrics> {
    let low =
        |tool: &ToolMetrics| tool.rates.get("f1").and_then(|rate| rate.interval).map_or(0.0, |(low, _)| low);
    let mut tools: Vec<_> = tools.iter().collect();
    tools.sort_by(|a, b| {
        let order = (a.support == 0).cmp(&(b.support == 0)).then(low(a).total_cmp(&low(b)));
        order.then(Reverse(a.support).cmp(&Reverse(b.support)))
    });
    tools
}

fn tool_row(tool: &ToolMetrics, tools: &mut Texts) -> ToolRow {
    let rates = tool_metrics().map(|kind| tool.rates.get(kind.name()).and_then(rate_row)).collect();
    ToolRow(tools.number(&tool.tool), tool.support, rates)
}

fn cells(confusion: &Confusion, tools: &mut Texts) -> Vec<CellRow> {
    let mut of: BTreeMap<&Label, u64> = BTreeMap::new();
    for cell in &confusion.cells {
        *of.entry(&cell.expected).or_default() += cell.count;
    }
    let mut row = |expected, proposed, count| {
        CellRow(label(expected, tools), label(proposed, tools), count, of[expected])
    };
    confusion.cells.iter().map(|cell| row(&cell.expected, &cell.proposed, cell.count)).collect()
}

fn label(label: &Label, tools: &mut Texts) -> i64 {
    match label {
        Label::Tool(tool) => tools.number(tool) as i64,
        Label::NoTool => NO_TOOL,
        Label::NotOffered => NOT_OFFERED,
    }
}

fn steal_row(steal: &Steal, tools: &mut Texts) -> StealRow {
    let mut number = |tool| tools.number(tool) as i64;
    StealRow(number(&steal.expected), number(&steal.proposed), rate_row(&steal.rate))
}

fn point(point: &DistractorNumbers) -> (u32, Vec<Option<RateRow>>) {
    let rates = &point.numbers.rates;
    (point.distractors, metric::ALL.iter().map(|kind| rates.get(kind.name()).and_then(rate_row)).collect())
}

/// Strict success by kind and by tag.
fn groups(model: &ModelMetrics) -> Vec<GroupRow> {
    let kind = |kind| match kind {
        CaseKind::Golden => "golden",
        CaseKind::Negative => "negative",
        CaseKind::Ambiguous => "ambiguous",
    };
    let kinds = model
        .kinds
        .iter()
        .map(|own| GroupRow("kind", kind(own.kind).to_owned(), rate_row(&own.strict_success)));
    let tags = model.tags.iter().map(|own| GroupRow("tag", own.tag.clone(), rate_row(&own.strict_success)));
    kinds.chain(tags).collect()
}

fn rate_row(rate: &Rate) -> Option<RateRow> {
    let (low, high) = rate.interval?;
    (rate.denominator > 0).then_some(RateRow(rate.numerator, rate.denominator, low, high))
}
