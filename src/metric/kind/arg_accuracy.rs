//! Argument accuracy: whether the right call came with the right arguments.

use super::{Better, MetricKind, Scope};
use crate::metric::{
    book::Book,
    reading::{Reading, Role},
};

/// Pairs without a mismatch ÷ pairs.
pub(super) struct ArgAccuracy;

impl MetricKind for ArgAccuracy {
    fn name(&self) -> &'static str {
        "argAccuracy"
    }

    fn title(&self) -> &'static str {
        "Argument accuracy"
    }

    fn definition(&self) -> &'static str {
        "right calls whose arguments satisfy the expectation ÷ right calls"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (call, role) in trial.calls() {
            if let Role::Paired { accurate } = role {
                book.tool(&call.tool, u32::from(accurate), 1);
            }
        }
    }
}
