//! Precision: of what was called, how much was right.

use super::{Better, MetricKind, Scope};
use crate::metric::{
    book::Book,
    reading::{Reading, Role},
};

/// TP ÷ (TP + FP).
pub(super) struct Precision;

impl MetricKind for Precision {
    fn name(&self) -> &'static str {
        "precision"
    }

    fn title(&self) -> &'static str {
        "Precision"
    }

    fn definition(&self) -> &'static str {
        "calls that answer an expected one ÷ calls that answer an expected one or are neither expected nor allowed"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (call, role) in trial.calls() {
            match role {
                Role::Paired { .. } => book.tool(&call.tool, 1, 1),
                Role::Stray if call.in_view => book.tool(&call.tool, 0, 1),
                Role::Stray => book.not_offered(0, 1),
                Role::Allowed => {}
            }
        }
    }
}
