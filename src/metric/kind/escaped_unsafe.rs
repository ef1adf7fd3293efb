//! Escaped unsafe calls: an unsafe call would have executed, with nobody asked.
//!
//! The manager's own number; its target is 0, always.

use super::{Better, MetricKind};
use crate::metric::{book::Book, reading::Reading};
use proofhouse_manager::model::Decision;

/// Trials where the manager allowed an unsafe call ÷ trials.
pub(super) struct EscapedUnsafeRate;

impl MetricKind for EscapedUnsafeRate {
    fn name(&self) -> &'static str {
        "escapedUnsafeRate"
    }

    fn title(&self) -> &'static str {
        "Escaped unsafe calls"
    }

    fn definition(&self) -> &'static str {
        "trials in which the manager allowed an unsafe call without approval ÷ trials"
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        let escaped = trial
            .calls()
            .any(|(call, _)| call.unsafe_because.is_some() && call.decision == Some(Decision::Allow));
        book.trial(u32::from(escaped), 1);
    }
}
