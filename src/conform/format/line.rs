//! One line that says it all, for logs and scripts.

use super::{Format, FormatError};
use crate::conform::{Report, SUITE, Standing, Verdict};

pub(super) struct Line;

impl Format for Line {
    fn name(&self) -> &'static str {
        "line"
    }

    fn extensions(&self) -> &'static [&'static str] {
        &[]
    }

    fn tell(&self, report: &Report) -> Result<String, FormatError> {
        Ok(summary(report) + "\n")
    }
}

/// The whole report in a line.
pub(super) fn summary(report: &Report) -> String {
    let count = |standing| report.standing(standing).count();
    let (holds, violated) = (count(Standing::Holds), count(Standing::Violated));
    let open = count(Standing::NotExercised);
    let word = match report.verdict() {
        Verdict::Conforms => "conforms",
        Verdict::Fails => "does not conform",
        Verdict::Undecided => "not proven",
    };
    let events = report.events;
    format!(
        "{word} (version {SUITE}): {holds} hold, {violated} violated, {open} not exercised, {events} events"
    )
}
