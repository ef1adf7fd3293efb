//! The run in one sentence, and what each threshold says in another.

use super::{figures, head::EndCounts, words};
use crate::{
    metric::{self, Better, BoundUsed, Judgement, Metrics},
    stats::Rate,
};

/// What a run amounts to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// Every threshold held; or, without thresholds, every trial passed.
    Holds,
    /// A threshold was missed; or, without thresholds, a trial failed.
    Fails,
    /// Too little is known: the surroundings failed, recordings are stale, or nothing ran.
    Undecided,
}

impl State {
    /// The state of a run.
    pub(super) fn of(judgements: &[Judgement], ends: &EndCounts) -> Self {
        let any = |held| judgements.iter().any(|judgement| judgement.held == held);
        if any(Some(false)) || (judgements.is_empty() && ends.fail > 0) {
            return Self::Fails;
        }
        let unknown = ends.error + ends.stale;
        if any(None) || ends.total() == 0 || (judgements.is_empty() && unknown > 0) {
            return Self::Undecided;
        }
        Self::Holds
    }

    /// A word for style sheets.
    pub(super) fn as_str(self) -> &'static str {
        match self {
            Self::Holds => "pass",
            Self::Fails => "fail",
            Self::Undecided => "undecided",
        }
    }
}

/// `2 of 5 thresholds missed; 57 of 191 trials failed`.
pub(super) fn headline(judgements: &[Judgement], ends: &EndCounts) -> String {
    if ends.total() == 0 {
        return "no trial has finished".to_owned();
    }
    let parts = [thresholds(judgements), Some(failures(ends)), unanswered(ends)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn thresholds(judgements: &[Judgement]) -> Option<String> {
    let with = |held| judgements.iter().filter(|judgement| judgement.held == held).count();
    let (missed, undecided) = (with(Some(false)), with(None));
    let asked = words::counted(judgements.len() as u64, "threshold");
    match (judgements.len(), missed, undecided) {
        (0, ..) => None,
        (1, 0, 0) => Some("the threshold held".to_owned()),
        (_, 0, 0) => Some(format!("all {asked} held")),
        (_, 0, _) => Some(format!("{undecided} of {asked} undecided")),
        _ => Some(format!("{missed} of {asked} missed")),
    }
}

fn failures(ends: &EndCounts) -> String {
    let total = words::counted(ends.total(), "trial");
    match ends.fail {
        0 if ends.pass == ends.total() => format!("all {total} passed"),
        0 => format!("none of {total} failed"),
        fail => format!("{} of {total} failed", words::count(fail)),
    }
}

fn unanswered(ends: &EndCounts) -> Option<String> {
    let parts = [(ends.error, "without an answer"), (ends.stale, "with a stale recording")];
    let parts = parts.iter().filter(|(count, _)| *count > 0);
    let text =
        parts.map(|(count, what)| format!("{} {what}", words::count(*count))).collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}

/// `Precision with lexical: 84.2 % (48/57, 73–91 %), asked for at least 95.0 %: missed`.
pub(super) fn sentence(judgement: &Judgement, metrics: &Metrics) -> String {
    format!(
        "{} with {}: {}, asked for {}{}: {}",
        figures::title(&judgement.metric),
        judgement.model,
        measured(judgement, metrics).map_or_else(|| "n/a".to_owned(), words::rate),
        bound(judgement),
        match judgement.bound_used {
            BoundUsed::Point => "",
            BoundUsed::Interval => " at the interval's bad end",
        },
        word(judgement)
    )
}

/// The rate that a judgement is about.
pub(super) fn measured<'a>(judgement: &Judgement, metrics: &'a Metrics) -> Option<&'a Rate> {
    let model = metrics.models.iter().find(|model| model.model == judgement.model)?;
    model.overall.rates.get(&judgement.metric)
}

/// `at least 95.0 %`.
pub(super) fn bound(judgement: &Judgement) -> String {
    let side = match metric::find(&judgement.metric).map_or(Better::Higher, |kind| kind.better()) {
        Better::Lower => "at most",
        Better::Higher | Better::Neither => "at least",
    };
    format!("{side} {}", words::share(judgement.threshold))
}

/// The verdict as a word.
pub(super) fn word(judgement: &Judgement) -> &'static str {
    match judgement.held {
        Some(true) => "held",
        Some(false) => "missed",
        None => "undecided",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judgement(held: Option<bool>) -> Judgement {
        Judgement {
            model: "m".into(),
            metric: "precision".into(),
            threshold: 0.9,
            value: None,
            bound_used: BoundUsed::Point,
            held,
        }
    }

    /// Verdicts; how many passed, failed, erred, were stale; the headline; the state.
    type Row<'a> = (&'a [Option<bool>], [u64; 4], &'a str, State);

    #[test]
    fn the_headline_says_what_failed_first() {
        let rows: [Row<'_>; 8] = [
            (&[], [0, 0, 0, 0], "no trial has finished", State::Undecided),
            (&[], [3, 0, 0, 0], "all 3 trials passed", State::Holds),
            (&[], [3, 1, 0, 0], "1 of 4 trials failed", State::Fails),
            (
                &[],
                [3, 0, 1, 2],
                "none of 6 trials failed; 1 without an answer, 2 with a stale recording",
                State::Undecided,
            ),
            (&[Some(true)], [3, 1, 0, 0], "the threshold held; 1 of 4 trials failed", State::Holds),
            (
                &[Some(true), Some(true)],
                [1, 0, 0, 0],
                "all 2 thresholds held; all 1 trial passed",
                State::Holds,
            ),
            (
                &[Some(true), None],
                [1, 1, 0, 0],
                "1 of 2 thresholds undecided; 1 of 2 trials failed",
                State::Undecided,
            ),
            (
                &[Some(false), None],
                [1, 1, 0, 0],
                "1 of 2 thresholds missed; 1 of 2 trials failed",
                State::Fails,
            ),
        ];
        for (held, [pass, fail, error, stale], text, state) in rows {
            let judgements: Vec<_> = held.iter().copied().map(judgement).collect();
            let ends = EndCounts { pass, fail, error, stale };
            assert_eq!((headline(&judgements, &ends).as_str(), State::of(&judgements, &ends)), (text, state));
        }
    }
}
