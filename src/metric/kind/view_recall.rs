//! View recall: whether the model was offered what it should call.
//!
//! A miss here is the resolver's, not the model's.

use super::{Better, MetricKind, Scope};
use crate::metric::{book::Book, reading::Reading};

/// Expected calls whose tool the view held ÷ expected calls.
pub(super) struct ViewRecall;

impl MetricKind for ViewRecall {
    fn name(&self) -> &'static str {
        "viewRecall"
    }

    fn title(&self) -> &'static str {
        "View recall"
    }

    fn definition(&self) -> &'static str {
        "expected calls whose tool was in the view ÷ expected calls"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (expected, _) in trial.expected() {
            book.tool(&expected.tool, u32::from(expected.in_view), 1);
        }
    }
}
