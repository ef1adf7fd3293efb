//! The run in one sentence, and whether that is good news.

use super::{head::EndCounts, words};
use crate::metric::{Judgement, Verdict};

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
        let any = |verdict| judgements.iter().any(|judgement| judgement.verdict == verdict);
        if any(Verdict::Missed) || (judgements.is_empty() && ends.fail > 0) {
            return Self::Fails;
        }
        let unknown = ends.error + ends.stale;
        if any(Verdict::Undecided) || ends.total() == 0 || (judgements.is_empty() && unknown > 0) {
            return Self::Undecided;
        }
        Self::Holds
    }

    /// A word for style sheets and tables.
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
        return "No trial has finished".to_owned();
    }
    let parts = [thresholds(judgements), Some(failures(ends)), unanswered(ends)];
    parts.into_iter().flatten().collect::<Vec<_>>().join("; ")
}

fn thresholds(judgements: &[Judgement]) -> Option<String> {
    let with = |verdict| judgements.iter().filter(|judgement| judgement.verdict == verdict).count();
    let (missed, undecided) = (with(Verdict::Missed), with(Verdict::Undecided));
    let asked = words::counted(judgements.len() as u64, "threshold");
    match (judgements.len(), missed, undecided) {
        (0, ..) => None,
        (_, 0, 0) => Some(format!("{asked} held")),
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
    let parts = parts.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{} {what}", words::count(*count)));
    let text = parts.collect::<Vec<_>>().join(", ");
    (!text.is_empty()).then_some(text)
}

/// `precision with lexical: 84.2 % (48/57, 73–91 %), asked for 95 %: missed`.
pub(super) fn sentence(judgement: &Judgement) -> String {
    let basis = if judgement.confident { " at the interval's bad end" } else { "" };
    format!(
        "{} with {}: {}, asked for {}{basis}: {}",
        judgement.metric,
        judgement.model,
        words::rate(&judgement.rate),
        words::share(judgement.bound),
        word(judgement.verdict)
    )
}

/// The verdict as a word.
pub(super) fn word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Held => "held",
        Verdict::Missed => "missed",
        Verdict::Undecided => "undecided",
    }
}
