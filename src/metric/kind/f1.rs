//! F1: the harmonic mean of precision and recall.
//!
//! 2PR ÷ (P + R) = 2TP ÷ (2TP + FP + FN), which is a share of counts, so it adds up like every other rate.
//! Where something was expected and nothing was called, precision is `n/a` and F1 is 0.
//! A wrong call is a false positive and a false negative at once: its units are never independent, and its
//! interval is always drawn over cases.

use super::{Better, MetricKind, Scope};
use crate::metric::{
    book::Book,
    reading::{Reading, Role},
};

/// 2TP ÷ (2TP + FP + FN).
pub(super) struct F1;

impl MetricKind for F1 {
    fn name(&self) -> &'static str {
        "f1"
    }

    fn title(&self) -> &'static str {
        "F1"
    }

    fn definition(&self) -> &'static str {
        "harmonic mean of precision and recall: 2·TP ÷ (2·TP + FP + FN)"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn always_clustered(&self) -> bool {
        true
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (call, role) in trial.calls() {
            match role {
                Role::Paired { .. } => book.tool(&call.tool, 2, 2),
                Role::Stray if call.in_view => book.tool(&call.tool, 0, 1),
                Role::Stray => book.not_offered(0, 1),
                Role::Allowed => {}
            }
        }
        for (missed, _) in trial.expected().filter(|(_, met)| !met) {
            book.tool(&missed.tool, 0, 1);
        }
    }
}
