//! How much of a large run goes into one page.

use crate::{report::head::EndCounts, run::TrialEnd};
use serde::Serialize;

/// More trials than this do not go into one page.
const TRIALS: u64 = 100_000;

/// Beyond this many trials, the events of those that passed stay in the journal.
const TRIALS_WITH_EVENTS: u64 = 20_000;

/// Which trials are kept, decided one by one in a single walk.
///
/// What did not pass comes first: passing trials get the room that the others leave.
#[derive(Debug)]
pub(super) struct Budget {
    room_for_passed: u64,
    room_for_others: u64,
    events_of_passed: bool,
    left_out: LeftOut,
}

/// What the page does not hold; the page says so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct LeftOut {
    /// Trials that passed.
    passed: u64,
    /// Trials that did not.
    others: u64,
    /// Whether the events of passing trials are missing.
    events_of_passed: bool,
}

impl Budget {
    /// The room for a run whose trials ended like this.
    pub(super) fn for_run(ends: &EndCounts) -> Self {
        let room_for_others = ends.not_passed().min(TRIALS);
        let events_of_passed = ends.total() <= TRIALS_WITH_EVENTS;
        Self {
            room_for_passed: TRIALS - room_for_others,
            room_for_others: TRIALS,
            events_of_passed,
            left_out: LeftOut { events_of_passed: !events_of_passed, ..LeftOut::default() },
        }
    }

    /// Whether the next trial is kept.
    pub(super) fn keeps(&mut self, end: TrialEnd) -> bool {
        let (room, left_out) = match end {
            TrialEnd::Pass => (&mut self.room_for_passed, &mut self.left_out.passed),
            TrialEnd::Fail | TrialEnd::Error | TrialEnd::Stale => {
                (&mut self.room_for_others, &mut self.left_out.others)
            }
        };
        match room.checked_sub(1) {
            Some(rest) => *room = rest,
            None => *left_out += 1,
        }
        *left_out == 0
    }

    /// Whether the events of a trial are kept.
    pub(super) fn keeps_events(&self, end: TrialEnd) -> bool {
        self.events_of_passed || end != TrialEnd::Pass
    }

    /// What was left out so far.
    pub(super) fn left_out(&self) -> LeftOut {
        self.left_out
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk(pass: u64, fail: u64) -> (u64, u64, LeftOut) {
        let mut budget = Budget::for_run(&EndCounts { pass, fail, ..EndCounts::default() });
        let passed = (0..pass).filter(|_| budget.keeps(TrialEnd::Pass)).count() as u64;
        let failed = (0..fail).filter(|_| budget.keeps(TrialEnd::Fail)).count() as u64;
        (passed, failed, budget.left_out())
    }

    #[test]
    fn what_did_not_pass_is_kept_first() {
        let rows = [
            ((10, 10), (10, 10, 0, 0, false)),
            ((TRIALS, 0), (TRIALS, 0, 0, 0, true)),
            ((TRIALS, 1), (TRIALS - 1, 1, 1, 0, true)),
            ((5, TRIALS), (0, TRIALS, 5, 0, true)),
            ((5, TRIALS + 7), (0, TRIALS, 5, 7, true)),
        ];
        for ((pass, fail), (passed, failed, passed_out, others_out, events_of_passed)) in rows {
            let left_out = LeftOut { passed: passed_out, others: others_out, events_of_passed };
            assert_eq!(walk(pass, fail), (passed, failed, left_out), "{pass} passed, {fail} failed");
        }
    }
}
