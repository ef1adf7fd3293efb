//! Whether a call has cost no more than its contract allows.

use super::Check;
use crate::{model::ToolDescriptor, port::Ran};

/// The check.
pub(super) struct Cost;

impl Check for Cost {
    fn name(&self) -> &'static str {
        "cost"
    }

    fn check(&self, tool: &ToolDescriptor, ran: &Ran) -> Option<Result<(), String>> {
        let most = tool.sandbox.limits.as_ref()?.max_cost_usd?;
        let cost = ran.effects.cost_usd?;
        // Written so that a cost that is no number is too much.
        let within = cost <= most;
        Some(if within { Ok(()) } else { Err(format!("it cost ${cost}, and its contract allows ${most}")) })
    }
}
