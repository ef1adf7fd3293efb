//! Argument validity: whether arguments satisfy the tool's input schema.
//!
//! Arguments that are no JSON at all satisfy nothing, so they count as invalid.

use super::{Better, MetricKind, Scope};
use crate::metric::{book::Book, reading::Reading};

/// Calls of known tools with valid arguments ÷ calls of known tools.
pub(super) struct ArgValidity;

impl MetricKind for ArgValidity {
    fn name(&self) -> &'static str {
        "argValidity"
    }

    fn title(&self) -> &'static str {
        "Argument validity"
    }

    fn definition(&self) -> &'static str {
        "calls of known tools whose arguments satisfy the input schema ÷ calls of known tools"
    }

    fn better(&self) -> Better {
        Better::Higher
    }

    fn scope(&self) -> Scope {
        Scope::Tools
    }

    fn count(&self, trial: &Reading<'_>, book: &mut Book<'_>) {
        for (call, _) in trial.calls().filter(|(call, _)| call.in_view) {
            book.tool(&call.tool, u32::from(call.args_valid == Some(true)), 1);
        }
    }
}
