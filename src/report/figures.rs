//! The metrics of a model in the order in which reports show them.

use super::head::EndCounts;
use crate::{
    metric::{Metrics, ModelMetrics},
    run::TrialKey,
    stats::Rate,
};

/// A metric of a model, ready to be shown.
pub(super) struct Figure<'a> {
    /// What it is called.
    pub(super) name: &'a str,
    /// What it says, in a sentence.
    pub(super) hint: &'a str,
    /// What was measured.
    pub(super) rate: &'a Rate,
    /// Whether any count above zero is bad news.
    pub(super) zero_is_good: bool,
}

/// Every metric of a model.
pub(super) fn of_model(model: &ModelMetrics) -> Vec<Figure<'_>> {
    model.rates.iter().map(|(name, rate)| Figure { name, hint: "", rate, zero_is_good: name.contains("nsafe") }).collect()
}

/// The few metrics that short reports have room for.
pub(super) fn key_figures(model: &ModelMetrics) -> Vec<Figure<'_>> {
    const KEYS: [&str; 4] = ["Precision", "Recall", "Argument validity", "Unsafe calls"];
    of_model(model).into_iter().filter(|figure| KEYS.contains(&figure.name)).collect()
}

/// How a model's trials ended.
pub(super) fn ends(model: &ModelMetrics) -> EndCounts {
    EndCounts { pass: model.ends.0, fail: model.ends.1, error: model.ends.2, stale: model.ends.3 }
}

/// The tool that did worst, and where.
pub(super) struct WorstTool<'a> {
    /// The tool.
    pub(super) tool: &'a str,
    /// The model that did badly with it.
    pub(super) model: &'a str,
    /// The metric that says so.
    pub(super) name: &'a str,
    /// Its value.
    pub(super) rate: &'a Rate,
    /// The trial to look at first.
    pub(super) case: Option<&'a TrialKey>,
}

/// The tool that did worst in a run.
pub(super) fn worst(metrics: &Metrics) -> Option<WorstTool<'_>> {
    let worst = metrics.worst.as_ref()?;
    Some(WorstTool { tool: &worst.tool, model: &worst.model, name: "F1", rate: &worst.rate, case: worst.case.as_ref() })
}
