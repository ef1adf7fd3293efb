//! Tools of MCP servers that are known from a saved list: they can be shown, and nothing here runs them.

use proofhouse_manager::{
    event::fact::FinishStatus,
    model::{ArtifactKind, EffectsObserved, StopCode, StopReason, ToolError},
    port::{Adapter, Ran, RunRequest, Settled},
    stage::Ticket,
};

/// Knows the word `mcp`, and refuses every run.
pub(super) struct Unserved;

const WHY: &str = "the server is known from a saved list only: nothing runs that could be called";

impl Adapter for Unserved {
    fn word(&self) -> &'static str {
        "mcp"
    }

    fn settle(&self, _: &RunRequest<'_>) -> Result<Settled, StopReason> {
        Err(StopReason::new(StopCode::AdapterUnavailable, WHY))
    }

    /// Never comes to it: what is not settled has no ticket.
    fn invoke(&self, _: Ticket<'_>) -> Ran {
        Ran {
            status: FinishStatus::Error,
            output: Vec::new(),
            kind: ArtifactKind::ToolOutput,
            structured: None,
            effects: EffectsObserved::default(),
            error: Some(ToolError {
                code: "adapter_unavailable".to_owned(),
                message: WHY.to_owned(),
                retryable: false,
                safe_to_show_user: true,
            }),
            latency_ms: 0,
        }
    }
}
