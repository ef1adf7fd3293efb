//! The front page: what a run says before any table, as texts that a template only has to place.

use super::{
    RunView,
    figures::{self, Figure, WorstTool},
    head::{EndCounts, RejectedTool, ReportHead},
    link,
    verdict::{self, State},
    words,
};
use crate::metric::{BoundUsed, Judgement, Metrics, ModelMetrics};
use serde::Serialize;
use std::collections::BTreeSet;

/// Everything that the front page shows.
#[derive(Serialize)]
pub(super) struct Front<'a> {
    suite: &'a str,
    run_id: &'a str,
    version: &'a str,
    headline: String,
    state: &'static str,
    ends: Vec<End>,
    worst: Option<Worst<'a>>,
    judgements: Vec<Line<'a>>,
    models: Vec<Card<'a>>,
    uncounted: String,
    facts: Vec<Fact>,
    rejected: &'a [RejectedTool],
    rejected_headline: String,
    tools_known: String,
}

#[derive(Serialize)]
struct End {
    word: &'static str,
    count: String,
}

#[derive(Serialize)]
struct Fact {
    name: &'static str,
    text: String,
}

#[derive(Serialize)]
struct Worst<'a> {
    tool: &'a str,
    tool_link: String,
    model: &'a str,
    figure: String,
    case: Option<&'a str>,
    case_link: String,
}

#[derive(Serialize)]
struct Line<'a> {
    verdict: &'static str,
    metric: &'a str,
    model: &'a str,
    bound: String,
    value: String,
    fraction: String,
    interval: String,
    judged_on: &'static str,
}

#[derive(Serialize)]
struct Card<'a> {
    name: &'a str,
    label: &'a str,
    ends_text: String,
    stack: Vec<Part>,
    figures: Vec<FigureLine>,
    worst: Option<Worst<'a>>,
}

#[derive(Serialize)]
struct Part {
    word: &'static str,
    x: String,
    width: String,
}

#[derive(Serialize)]
struct FigureLine {
    name: String,
    hint: String,
    value: String,
    counted: String,
    interval: String,
    tone: &'static str,
    bar: Option<Bar>,
}

#[derive(Serialize)]
struct Bar {
    x: String,
    width: String,
    point: String,
}

impl<'a> Front<'a> {
    /// The front page of a run.
    pub(super) fn of(run: &RunView<'a>) -> Self {
        let (head, metrics) = (run.head, run.metrics);
        let models = figures::models(head, metrics);
        let shown = counted_somewhere(&models);
        Self {
            suite: &head.suite,
            run_id: &head.run_id,
            version: &head.version,
            headline: capital(&verdict::headline(run.judgements, &head.ends)),
            state: State::of(run.judgements, &head.ends).as_str(),
            ends: ends(&head.ends).map(|(word, count)| End { word, count: words::count(count) }).collect(),
            worst: figures::worst(head, metrics).map(worst),
            judgements: lines(run.judgements, metrics),
            models: models.iter().map(|model| card(head, model, &shown)).collect(),
            uncounted: uncounted(&models, &shown),
            facts: facts(head),
            rejected: &head.rejected,
            rejected_headline: format!(
                "{} could not be offered",
                words::counted(head.rejected.len() as u64, "tool")
            ),
            tools_known: words::count(head.tools.len() as u64),
        }
    }
}

/// The names of figures that some model has; the others would be a column of `n/a`.
fn counted_somewhere(models: &[&ModelMetrics]) -> BTreeSet<String> {
    let figures = models.iter().flat_map(|model| figures::of_model(model));
    figures.filter(|figure| figure.estimate.is_some()).map(|figure| figure.name).collect()
}

/// The names of the others, in a sentence.
fn uncounted(models: &[&ModelMetrics], shown: &BTreeSet<String>) -> String {
    let Some(model) = models.first() else { return String::new() };
    let names: Vec<_> = figures::of_model(model)
        .into_iter()
        .map(|figure| figure.name)
        .filter(|name| !shown.contains(name))
        .collect();
    match names.is_empty() {
        true => String::new(),
        false => format!("Nothing was counted for: {}.", names.join(", ")),
    }
}

fn capital(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_uppercase().chain(chars).collect()).unwrap_or_default()
}

/// The ends that occurred, by their words.
fn ends(ends: &EndCounts) -> impl Iterator<Item = (&'static str, u64)> {
    [("pass", ends.pass), ("fail", ends.fail), ("error", ends.error), ("stale", ends.stale)]
        .into_iter()
        .filter(|(_, count)| *count > 0)
}

fn worst(worst: WorstTool<'_>) -> Worst<'_> {
    Worst {
        tool: worst.tool,
        tool_link: link::to_tool(worst.tool),
        model: worst.model,
        figure: format!("F1 {}", words::rate(worst.f1)),
        case: worst.case.map(|case| case.case.as_str()),
        case_link: worst.case.map(|case| link::to_case(worst.model, case, worst.tool)).unwrap_or_default(),
    }
}

/// The thresholds, what was missed first, then what is undecided.
fn lines<'a>(judgements: &'a [Judgement], metrics: &'a Metrics) -> Vec<Line<'a>> {
    let mut judgements: Vec<_> = judgements.iter().collect();
    judgements.sort_by_key(|judgement| match judgement.held {
        Some(false) => 0,
        None => 1,
        Some(true) => 2,
    });
    judgements.into_iter().map(|judgement| line(judgement, metrics)).collect()
}

fn line<'a>(judgement: &'a Judgement, metrics: &'a Metrics) -> Line<'a> {
    let rate = verdict::measured(judgement, metrics);
    Line {
        verdict: verdict::word(judgement),
        metric: figures::title(&judgement.metric),
        model: &judgement.model,
        bound: verdict::bound(judgement),
        value: rate.map_or_else(|| "n/a".to_owned(), words::percent),
        fraction: rate.map_or_else(String::new, words::fraction),
        interval: rate.map_or_else(String::new, words::interval),
        judged_on: match judgement.bound_used {
            BoundUsed::Point => "the estimate",
            BoundUsed::Interval => "the interval's bad end",
        },
    }
}

fn card<'a>(head: &'a ReportHead, model: &'a ModelMetrics, shown: &BTreeSet<String>) -> Card<'a> {
    let counts = figures::ends(model);
    let figures = figures::of_model(model).into_iter().filter(|figure| shown.contains(&figure.name));
    Card {
        name: &model.model,
        label: figures::label(head, &model.model),
        ends_text: ends_text(&counts),
        stack: stack(&counts),
        figures: figures.map(figure_line).collect(),
        worst: figures::worst_of(model).filter(|worst| worst.case.is_some()).map(worst),
    }
}

/// `134 pass, 57 fail of 191 trials`.
fn ends_text(counts: &EndCounts) -> String {
    let parts: Vec<_> = ends(counts).map(|(word, count)| format!("{} {word}", words::count(count))).collect();
    format!("{} of {}", parts.join(", "), words::counted(counts.total(), "trial"))
}

/// The ends as parts of one bar.
fn stack(counts: &EndCounts) -> Vec<Part> {
    let total = counts.total().max(1) as f64;
    let mut x = 0.0;
    let part = |(word, count): (&'static str, u64)| {
        let width = count as f64 / total * 100.0;
        let part = Part { word, x: places(x), width: places(width) };
        x += width;
        part
    };
    ends(counts).map(part).collect()
}

fn figure_line(figure: Figure) -> FigureLine {
    let alarm = figure.zero_is_good && figure.estimate.is_some_and(|value| value > 0.0);
    FigureLine {
        value: figure.estimate.map_or_else(|| "n/a".to_owned(), words::share),
        tone: if alarm {
            "alarm"
        } else if figure.estimate.is_none() {
            "none"
        } else {
            ""
        },
        bar: figure.estimate.zip(figure.interval).map(bar),
        interval: figure.interval.map_or_else(String::new, words::range),
        name: figure.name,
        hint: figure.hint,
        counted: figure.counted,
    }
}

/// The interval on a scale from 2 to 102, as the page's scripts draw it.
fn bar((estimate, (low, high)): (f64, (f64, f64))) -> Bar {
    Bar {
        x: places(low * 100.0 + 2.0),
        width: places(((high - low) * 100.0).max(0.5)),
        point: places(estimate * 100.0 + 0.75),
    }
}

/// Two decimals: enough for a picture, the same everywhere.
fn places(value: f64) -> String {
    format!("{value:.2}")
}

fn facts(head: &ReportHead) -> Vec<Fact> {
    let view = match head.view.max_tokens {
        Some(tokens) => format!(
            "{}, at most {} and {}",
            head.view.select,
            words::counted(head.view.max_tools as u64, "tool"),
            words::counted(tokens, "token")
        ),
        None => {
            format!("{}, at most {}", head.view.select, words::counted(head.view.max_tools as u64, "tool"))
        }
    };
    let finished = match head.planned > head.ends.total() {
        true => format!(
            "{} of {} planned: the run is not complete",
            words::count(head.ends.total()),
            words::count(head.planned)
        ),
        false => words::count(head.ends.total()),
    };
    let facts = [
        ("Suite", head.suite_path.clone()),
        ("Started", head.started.clone()),
        ("Trials", finished),
        ("Tools known", words::count(head.tools.len() as u64)),
        ("View", view),
        ("Principal", head.principal.clone()),
        ("Seed", head.seed.to_string()),
        ("Proofhouse", head.version.clone()),
    ];
    facts.into_iter().map(|(name, text)| Fact { name, text }).collect()
}
