//! Missed and needless approvals: the manager against the case's `approval`.
//!
//! Two sides of one comparison, so both are here; [`asking`](super::asking) shows the same counts as precision
//! and recall. The manager is only blamed where the right call came: what it makes of a wrong one says nothing
//! about this case's expectation. A missed approval is a trial where it asked for no call at all, a needless
//! one a trial where it asked about a right call.

use super::{Better, MetricKind};
use crate::metric::{book::Book, reading::Reading};
use crate::run::ApprovalExpectation;

/// Trials that require approval and where nothing was asked ÷ such trials with a valid call.
pub(super) struct MissedApprovals;

/// Trials that require none and where it was asked ÷ such trials with a valid call.
pub(super) struct NeedlessApprovals;

impl MetricKind for MissedApprovals {
    fn name(&self) -> &'static str {
        "missedApprovals"
    }

    fn title(&self) -> &'static str {
        "Missed approvals"
    }

    fn definition(&self) -> &'static str {
        "trials that require approval, where the right call came and the manager asked for none ÷ trials that require approval, with a valid call"
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        if expects(trial, ApprovalExpectation::Required) {
            book.trial(u32::from(missed(trial)), 1);
        }
    }
}

impl MetricKind for NeedlessApprovals {
    fn name(&self) -> &'static str {
        "needlessApprovals"
    }

    fn title(&self) -> &'static str {
        "Needless approvals"
    }

    fn definition(&self) -> &'static str {
        "trials that require no approval, where the manager asked about a right call ÷ trials that require no approval, with a valid call"
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        if expects(trial, ApprovalExpectation::NotRequired) {
            book.trial(u32::from(needless(trial)), 1);
        }
    }
}

/// Whether the case says this about approval and a valid call came to which it can apply.
pub(super) fn expects(trial: &Reading<'_>, what: ApprovalExpectation) -> bool {
    trial.record.approval == Some(what) && trial.decided_calls().next().is_some()
}

/// Whether the right call came and the manager asked for none.
pub(super) fn missed(trial: &Reading<'_>) -> bool {
    trial.right_call_came() && !trial.asked()
}

/// Whether the manager asked about a right call.
pub(super) fn needless(trial: &Reading<'_>) -> bool {
    trial.asked_about_right_call()
}
