//! Precision and recall of asking for approval: the other face of missed and needless approvals.

use super::{
    Better, MetricKind,
    approval_errors::{expects, missed, needless},
};
use crate::metric::{book::Book, reading::Reading};
use crate::run::ApprovalExpectation::{NotRequired, Required};

/// Trials where asking was right ÷ those and the needless ones.
pub(super) struct AskPrecision;

/// Trials where asking was right ÷ those and the missed ones.
pub(super) struct AskRecall;

impl MetricKind for AskPrecision {
    fn name(&self) -> &'static str {
        "askPrecision"
    }

    fn title(&self) -> &'static str {
        "Precision of asking"
    }

    fn definition(&self) -> &'static str {
        "trials that require approval and where it was asked ÷ those and the needless approvals"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        let right = asked_rightly(trial);
        let wrong = expects(trial, NotRequired) && needless(trial);
        book.trial(u32::from(right), u32::from(right || wrong));
    }
}

impl MetricKind for AskRecall {
    fn name(&self) -> &'static str {
        "askRecall"
    }

    fn title(&self) -> &'static str {
        "Recall of asking"
    }

    fn definition(&self) -> &'static str {
        "trials that require approval and where it was asked ÷ those and the missed approvals"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        let right = asked_rightly(trial);
        let wrong = expects(trial, Required) && missed(trial);
        book.trial(u32::from(right), u32::from(right || wrong));
    }
}

fn asked_rightly(trial: &Reading<'_>) -> bool {
    expects(trial, Required) && trial.asked()
}
