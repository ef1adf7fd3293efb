//! Recall: of what was expected, how much came.

use super::{Better, MetricKind, Scope};
use crate::metric::{book::Book, reading::Reading};

/// TP ÷ (TP + FN).
pub(super) struct Recall;

impl MetricKind for Recall {
    fn name(&self) -> &'static str {
        "recall"
    }

    fn title(&self) -> &'static str {
        "Recall"
    }

    fn definition(&self) -> &'static str {
        "expected calls that came ÷ expected calls"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (expected, met) in trial.expected() {
            book.tool(&expected.tool, u32::from(met), 1);
        }
    }
}
