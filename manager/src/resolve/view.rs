//! The view: candidates that fit the token budget, as a short lease.

use super::chain::{Detail, Resolution};
use crate::{
    model::{Digest, Domain, Dropped, ExposedTool, ResolveFilter, ToolCandidate, ToolView, ViewId},
    registry::RegisteredTool,
};
use std::sync::Arc;

/// A view, with the tools that it names.
#[derive(Debug, Clone)]
pub struct CompiledView {
    /// What the journal and the model are told.
    pub view: ToolView,
    /// The tools, in the view's order.
    pub tools: Vec<Arc<RegisteredTool>>,
}

/// Compiles a view. The best candidate is taken first; one that does not fit into what is left of the token
/// budget is left out, and a smaller one after it may still fit.
pub fn compile_view(resolution: Resolution, view_id: ViewId) -> CompiledView {
    let Resolution { candidates, mut dropped, details, max_tokens } = resolution;
    let mut tools = Vec::with_capacity(details.len());
    let mut exposed = Vec::with_capacity(details.len());
    let mut tokens = 0;
    for (candidate, detail) in candidates.into_iter().zip(details) {
        let left = max_tokens.map(|max| max - tokens);
        if left.is_some_and(|left| detail.tool.tokens() > left) {
            dropped.push(too_heavy(&detail.tool, left.unwrap_or_default()));
            continue;
        }
        tokens += detail.tool.tokens();
        tools.push(Arc::clone(&detail.tool));
        exposed.push(expose(candidate, detail));
    }
    if mutant!(ShownAndDropped)
        && let Some(first) = tools.first()
    {
        dropped.push(too_heavy(first, 0));
    }
    let digest = digest(&exposed);
    CompiledView { view: ToolView { view_id, tools: exposed, dropped, tokens, digest }, tools }
}

fn too_heavy(tool: &RegisteredTool, left: u64) -> Dropped {
    let reason = format!("weighs {} tokens where {left} are left of the budget", tool.tokens());
    Dropped { tool_id: tool.id().clone(), filter: ResolveFilter::Budget, reason: reason.into() }
}

fn expose(candidate: ToolCandidate, detail: Detail) -> ExposedTool {
    ExposedTool {
        tool_id: candidate.tool_id,
        tool_version: candidate.tool_version,
        descriptor_digest: match mutant!(ServedShown) {
            true => Digest::zero(),
            false => detail.tool.digest().clone(),
        },
        reason: if mutant!(NoReasons) { String::new() } else { detail.reason },
        policy_decision: candidate.decision,
        policy_ids: detail.policy_ids,
        level: candidate.level,
        tokens: detail.tool.tokens(),
    }
}

/// Over what is exposed, in order; not over reasons, which change with the prompt.
fn digest(tools: &[ExposedTool]) -> Digest {
    let mut bytes = Vec::with_capacity(tools.len() * 112);
    for tool in tools {
        for part in [tool.tool_id.as_str(), tool.tool_version.as_str(), tool.descriptor_digest.as_str()] {
            bytes.extend_from_slice(part.as_bytes());
            bytes.push(0);
        }
    }
    Digest::of_bytes(Domain::View, &bytes)
}
