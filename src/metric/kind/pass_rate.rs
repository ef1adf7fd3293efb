//! Pass rate: every expectation of the case held, those about the manager included.

use super::{Better, MetricKind};
use crate::metric::{book::Book, reading::Reading};
use crate::run::TrialEnd;

/// Trials that passed ÷ trials.
pub(super) struct PassRate;

impl MetricKind for PassRate {
    fn name(&self) -> &'static str {
        "passRate"
    }

    fn title(&self) -> &'static str {
        "Passed"
    }

    fn definition(&self) -> &'static str {
        "trials that passed ÷ trials that passed or failed"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        book.trial(u32::from(trial.record.end == TrialEnd::Pass), 1);
    }
}
