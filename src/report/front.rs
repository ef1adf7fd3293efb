//! The front page: what a run says before any table, as texts that a template only has to place.

use super::{
    RunView,
    figures::{self, Figure, WorstTool},
    head::{EndCounts, RejectedTool, ReportHead},
    link,
    verdict::{self, State},
    words,
};
use crate::{
    metric::{Judgement, ModelMetrics},
    stats::Rate,
};
use serde::Serialize;

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
    figures: Vec<FigureLine<'a>>,
}

#[derive(Serialize)]
struct Part {
    word: &'static str,
    x: String,
    width: String,
}

#[derive(Serialize)]
struct FigureLine<'a> {
    name: &'a str,
    hint: &'a str,
    value: String,
    fraction: String,
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
    pub(super) fn of(run: &'a RunView<'_>) -> Self {
        let head = run.head;
        Self {
            suite: &head.suite,
            run_id: &head.run_id,
            version: &head.version,
            headline: verdict::headline(run.judgements, &head.ends),
            state: State::of(run.judgements, &head.ends).as_str(),
            ends: ends(&head.ends).map(|(word, count)| End { word, count: words::count(count) }).collect(),
            worst: figures::worst(run.metrics).map(worst),
            judgements: run.judgements.iter().map(line).collect(),
            models: run.metrics.models.iter().map(|model| card(head, model)).collect(),
            facts: facts(head),
            rejected: &head.rejected,
            rejected_headline: format!("{} could not be offered", words::counted(head.rejected.len() as u64, "tool")),
            tools_known: words::count(head.tools.len() as u64),
        }
    }
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
        figure: format!("{} {}", worst.name, words::rate(worst.rate)),
        case: worst.case.map(|key| key.case.as_str()),
        case_link: worst.case.map(link::to_trial).unwrap_or_default(),
    }
}

fn line(judgement: &Judgement) -> Line<'_> {
    Line {
        verdict: verdict::word(judgement.verdict),
        metric: &judgement.metric,
        model: &judgement.model,
        bound: words::share(judgement.bound),
        value: words::percent(&judgement.rate),
        fraction: words::fraction(&judgement.rate),
        interval: words::interval(&judgement.rate),
        judged_on: if judgement.confident { "the interval's bad end" } else { "the estimate" },
    }
}

fn card<'a>(head: &'a ReportHead, model: &'a ModelMetrics) -> Card<'a> {
    let label = head.models.iter().find(|known| known.name == model.model).map_or("", |known| &known.label);
    let counts = figures::ends(model);
    Card {
        name: &model.model,
        label,
        ends_text: ends_text(&counts),
        stack: stack(&counts),
        figures: figures::of_model(model).into_iter().map(figure_line).collect(),
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

fn figure_line(figure: Figure<'_>) -> FigureLine<'_> {
    let counted = figure.rate.estimate.is_some();
    let alarm = figure.zero_is_good && figure.rate.estimate.is_some_and(|value| value > 0.0);
    FigureLine {
        name: figure.name,
        hint: figure.hint,
        value: words::percent(figure.rate),
        fraction: words::fraction(figure.rate),
        interval: words::interval(figure.rate),
        tone: if alarm { "alarm" } else if counted { "" } else { "none" },
        bar: bar(figure.rate),
    }
}

/// The interval on a scale from 2 to 102, as the page's scripts draw it.
fn bar(rate: &Rate) -> Option<Bar> {
    let (estimate, (low, high)) = (rate.estimate?, rate.interval?);
    Some(Bar {
        x: places(low * 100.0 + 2.0),
        width: places(((high - low) * 100.0).max(0.5)),
        point: places(estimate * 100.0 + 0.75),
    })
}

/// Two decimals: enough for a picture, the same everywhere.
fn places(value: f64) -> String {
    format!("{value:.2}")
}

fn facts(head: &ReportHead) -> Vec<Fact> {
    let view = match head.view.max_tokens {
        Some(tokens) => format!("{}, at most {} and {}", head.view.select, words::counted(head.view.max_tools as u64, "tool"), words::counted(tokens, "token")),
        None => format!("{}, at most {}", head.view.select, words::counted(head.view.max_tools as u64, "tool")),
    };
    let finished = match head.planned > head.ends.total() {
        true => format!("{} of {} planned: the run is not complete", words::count(head.ends.total()), words::count(head.planned)),
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
