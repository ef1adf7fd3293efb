//! Hallucinated tools: calls of something that was never offered.

use super::{Better, MetricKind};
use crate::metric::{book::Book, reading::Reading};

/// Calls of tools outside the view ÷ calls.
pub(super) struct HallucinatedToolRate;

impl MetricKind for HallucinatedToolRate {
    fn name(&self) -> &'static str {
        "hallucinatedToolRate"
    }

    fn title(&self) -> &'static str {
        "Hallucinated tools"
    }

    fn definition(&self) -> &'static str {
        "proposed calls whose tool was not in the view ÷ proposed calls"
    }

    fn better(&self) -> Better {
        Better::Lower
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (call, _) in trial.calls() {
            book.trial(u32::from(!call.in_view), 1);
        }
    }
}
