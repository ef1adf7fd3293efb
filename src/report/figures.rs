//! The numbers of a model in the order in which reports show them, each with its words.
//!
//! Which metrics there are, what they mean and which way is better comes from the table of metrics; a new
//! metric is in every report without a line here.

use super::{
    head::{EndCounts, ReportHead},
    words,
};
use crate::{
    metric::{self, Better, MacroAverage, MetricKind, Metrics, ModelMetrics, WorstCase},
    stats::Rate,
};

/// A number of a model, ready to be shown.
pub(super) struct Figure {
    /// What it is called.
    pub(super) name: String,
    /// What is divided by what.
    pub(super) hint: String,
    /// The estimate; `None` is `n/a`.
    pub(super) estimate: Option<f64>,
    /// Its 95 % interval.
    pub(super) interval: Option<(f64, f64)>,
    /// What it was counted from.
    pub(super) counted: String,
    /// Whether anything above zero is bad news.
    pub(super) zero_is_good: bool,
}

impl Figure {
    fn of_rate(kind: &dyn MetricKind, rate: &Rate) -> Self {
        Self {
            name: kind.title().to_owned(),
            hint: kind.definition().to_owned(),
            estimate: rate.estimate,
            interval: rate.interval,
            counted: words::fraction(rate),
            zero_is_good: kind.better() == Better::Lower,
        }
    }

    fn of_macro(kind: &dyn MetricKind, average: &MacroAverage) -> Self {
        Self {
            name: format!("Macro {}", small(kind.title())),
            hint: format!("the mean over tools with support of: {}", kind.definition()),
            estimate: average.estimate,
            interval: average.interval,
            counted: words::counted(average.tools, "tool"),
            zero_is_good: false,
        }
    }
}

/// The title inside a name: `precision`, but `F1`.
fn small(title: &str) -> String {
    match title.chars().nth(1) {
        Some(second) if second.is_lowercase() => title.to_lowercase(),
        Some(_) | None => title.to_owned(),
    }
}

/// Every number of a model: each metric, followed by its mean over tools where it has one.
pub(super) fn of_model(model: &ModelMetrics) -> Vec<Figure> {
    let overall = &model.overall;
    let mut figures = Vec::new();
    for kind in metric::ALL {
        figures.extend(overall.rates.get(kind.name()).map(|rate| Figure::of_rate(*kind, rate)));
        figures
            .extend(overall.macro_averages.get(kind.name()).map(|average| Figure::of_macro(*kind, average)));
    }
    figures.extend(flakiness(&overall.repeats.flake_rate));
    figures
}

/// How many cases pass on some repeats only; nothing where no case was repeated.
fn flakiness(rate: &Rate) -> Option<Figure> {
    rate.estimate.map(|estimate| Figure {
        name: "Flaky cases".to_owned(),
        hint: "cases that passed on some repeats and failed on others ÷ repeated cases".to_owned(),
        estimate: Some(estimate),
        interval: rate.interval,
        counted: words::fraction(rate),
        zero_is_good: true,
    })
}

/// The few metrics that short reports have room for.
const KEYS: [&str; 4] = ["precision", "recall", "argValidity", "unsafeCallRate"];

/// The titles of the key metrics, in the order of [`key_rates`].
pub(super) fn key_titles() -> [&'static str; 4] {
    KEYS.map(title)
}

/// The key metrics of a model; what is missing there is `None`.
pub(super) fn key_rates(model: &ModelMetrics) -> [Option<&Rate>; 4] {
    KEYS.map(|name| model.overall.rates.get(name))
}

/// A metric's name for people; a metric that this version does not know keeps its own.
pub(super) fn title(name: &str) -> &str {
    metric::find(name).map_or(name, |kind| kind.title())
}

/// The models in the order of the suite; one that the head does not name comes last.
pub(super) fn models<'a>(head: &ReportHead, metrics: &'a Metrics) -> Vec<&'a ModelMetrics> {
    let place = |model: &&ModelMetrics| head.models.iter().position(|known| known.name == model.model);
    let mut models: Vec<_> = metrics.models.iter().collect();
    models.sort_by_key(|model| place(model).unwrap_or(usize::MAX));
    models
}

/// What a report must say about the answers of a model.
pub(super) fn label<'a>(head: &'a ReportHead, model: &str) -> &'a str {
    head.models.iter().find(|known| known.name == model).map_or("", |known| &known.label)
}

/// How a model's trials ended.
pub(super) fn ends(model: &ModelMetrics) -> EndCounts {
    let trials = &model.overall.trials;
    EndCounts { pass: trials.pass, fail: trials.fail, error: trials.error, stale: trials.stale }
}

/// The tool that does worst with some model.
#[derive(Clone, Copy)]
pub(super) struct WorstTool<'a> {
    /// The tool.
    pub(super) tool: &'a str,
    /// The model.
    pub(super) model: &'a str,
    /// How well it does.
    pub(super) f1: &'a Rate,
    /// The case to look at first.
    pub(super) case: Option<&'a WorstCase>,
}

/// Where one model does worst.
pub(super) fn worst_of(model: &ModelMetrics) -> Option<WorstTool<'_>> {
    let worst = model.worst.as_ref()?;
    Some(WorstTool { tool: &worst.tool, model: &model.model, f1: &worst.f1, case: worst.case.as_ref() })
}

/// Where the run does worst: the least certain F1 of all models; of equals, the suite's first model.
pub(super) fn worst<'a>(head: &ReportHead, metrics: &'a Metrics) -> Option<WorstTool<'a>> {
    let low = |worst: &WorstTool<'_>| worst.f1.interval.map_or(0.0, |(low, _)| low);
    let all = models(head, metrics).into_iter().filter_map(worst_of);
    all.filter(|worst| worst.case.is_some()).min_by(|a, b| low(a).total_cmp(&low(b)))
}
