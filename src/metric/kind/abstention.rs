//! Abstention: precision and recall of calling nothing.
//!
//! Both look at a turn the same way, so both are here. Calling nothing is right where the case says so (a
//! negative one, or an ambiguous one with `[]` as the fitting alternative). Two kinds of turn say nothing and
//! are left out: a golden turn from which nothing *had* to come, and a turn where only allowed calls came,
//! which carry no penalty.

use super::{Better, MetricKind};
use crate::metric::{
    book::Book,
    reading::{Reading, TurnReading},
};
use crate::run::CaseKind;

/// Right abstentions ÷ abstentions.
pub(super) struct AbstentionPrecision;

/// Right abstentions ÷ turns where abstaining was right.
pub(super) struct AbstentionRecall;

impl MetricKind for AbstentionPrecision {
    fn name(&self) -> &'static str {
        "abstentionPrecision"
    }

    fn title(&self) -> &'static str {
        "Abstention precision"
    }

    fn definition(&self) -> &'static str {
        "turns that rightly called nothing ÷ turns that called nothing"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (right, called_nothing) in turns(trial) {
            book.trial(u32::from(right && called_nothing), u32::from(called_nothing));
        }
    }
}

impl MetricKind for AbstentionRecall {
    fn name(&self) -> &'static str {
        "abstentionRecall"
    }

    fn title(&self) -> &'static str {
        "Abstention recall"
    }

    fn definition(&self) -> &'static str {
        "turns that rightly called nothing ÷ turns where calling nothing was right"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (right, called_nothing) in turns(trial) {
            book.trial(u32::from(right && called_nothing), u32::from(right));
        }
    }
}

/// Of each turn that says something: whether abstaining was right, and whether the model abstained.
fn turns<'a>(trial: &'a Reading<'_>) -> impl Iterator<Item = (bool, bool)> + 'a {
    let golden = trial.record.kind == CaseKind::Golden;
    trial
        .turns()
        .filter(move |turn| !(golden && turn.expects_nothing() || only_allowed(turn)))
        .map(|turn| (turn.expects_nothing(), turn.called_nothing()))
}

/// Whether calls came, every one of them allowed, and none expected is missing.
fn only_allowed(turn: &TurnReading<'_>) -> bool {
    turn.expects_nothing() && !turn.calls.is_empty() && turn.only_allowed_calls()
}
