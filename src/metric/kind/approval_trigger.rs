//! Approval triggers: how often the manager stops to ask.

use super::{Better, MetricKind, Scope};
use crate::metric::{book::Book, reading::Reading};
use proofhouse_manager::model::Decision;

/// Valid calls for which the manager asked ÷ valid calls that reached policy.
pub(super) struct ApprovalTriggerRate;

impl MetricKind for ApprovalTriggerRate {
    fn name(&self) -> &'static str {
        "approvalTriggerRate"
    }

    fn title(&self) -> &'static str {
        "Approval triggers"
    }

    fn definition(&self) -> &'static str {
        "valid calls for which the manager asked ÷ valid calls that reached policy"
    }

    fn better(&self) -> Better {
        Better::Neither
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for call in trial.decided_calls() {
            book.tool(&call.tool, u32::from(call.decision == Some(Decision::Ask)), 1);
        }
    }
}
