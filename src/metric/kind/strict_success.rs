//! Strict success: everything expected came, nothing else, and the arguments matched.
//!
//! It is about the model's answer alone. A trial can be strict and still fail, where the manager did not ask
//! as the case demands.

use super::{Better, MetricKind};
use crate::metric::{book::Book, reading::Reading};

/// Trials whose every turn is strict ÷ trials.
pub(super) struct StrictSuccess;

impl MetricKind for StrictSuccess {
    fn name(&self) -> &'static str {
        "strictSuccess"
    }

    fn title(&self) -> &'static str {
        "Strict success"
    }

    fn definition(&self) -> &'static str {
        "trials where everything expected came, nothing else, and arguments matched ÷ trials"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        let strict = trial.turns().len() > 0 && trial.turns().all(|turn| turn.record.strict);
        book.trial(u32::from(strict), 1);
    }
}
