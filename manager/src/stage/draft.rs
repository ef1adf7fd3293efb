//! The first stage: somebody proposes a call, and it is recorded as proposed.

use super::call::{Caused, Decided, Outcome, Step, Stop};
use crate::{
    event::{
        Fact, Scope,
        fact::{REDACTED, ToolCallBlocked, ToolCallRequested},
    },
    model::{
        CallId, Digest, Domain, EventId, ProposedCall, StopCode, StopReason, ToolId, ToolView, digest_value,
    },
    registry::RegisteredTool,
};
use serde_json::Value;
use std::sync::Arc;

/// A recorded proposal of a call to a tool that the view holds.
#[derive(Debug)]
pub struct Draft {
    pub(super) call: CallId,
    pub(super) scope: Scope,
    pub(super) cause: Option<EventId>,
    pub(super) tool: Arc<RegisteredTool>,
    pub(super) proposed: ProposedCall,
    pub(super) digest: Option<Digest>,
}

impl Draft {
    /// The call.
    pub fn call(&self) -> &CallId {
        &self.call
    }
}

impl Caused for Draft {
    fn caused_by(&mut self, event: EventId) {
        self.cause = Some(event);
    }
}

/// Takes a proposal in: `ToolCallRequested`, and `ToolCallBlocked` for a tool that the view does not hold.
///
/// A tool that exists and is hidden gets the same answer as one that does not exist.
#[derive(Debug)]
pub struct Propose<'a> {
    /// The conversation and run.
    pub scope: &'a Scope,
    /// The event that the proposal follows from.
    pub cause: Option<&'a EventId>,
    /// What the turn may see.
    pub view: &'a ToolView,
    /// The view's tools, in its order.
    pub tools: &'a [Arc<RegisteredTool>],
    /// Identity of the new call.
    pub call: CallId,
}

impl Step for Propose<'_> {
    type From = ProposedCall;
    type To = Draft;

    fn decide(&self, proposed: ProposedCall) -> Decided<Draft> {
        let tool = self.tools.iter().find(|t| *t.id() == proposed.tool);
        let args = proposed.args.to_value();
        let digest = digest_value(Domain::Plain, &args).ok();
        let requested = ToolCallRequested {
            tool_id: proposed.tool.clone(),
            tool_version: tool.map(|t| t.version().clone()),
            descriptor_digest: tool.filter(|_| !mutant!(ContractUnnamed)).map(|t| t.digest().clone()),
            view_id: self.view.view_id.clone(),
            proposed_by: proposed.proposed_by,
            args: loggable(tool, args),
            args_digest: digest.clone(),
        };
        let mut facts: Vec<Fact> = vec![requested.into()];
        let scope = self.scope.of_call(&self.call);
        let outcome = match tool {
            Some(tool) => Outcome::Next(Draft {
                call: self.call.clone(),
                scope: scope.clone(),
                cause: None,
                tool: Arc::clone(tool),
                proposed,
                digest,
            }),
            None => {
                let reason = unknown_tool(&proposed.tool, self.view);
                facts.push(ToolCallBlocked { tool_id: proposed.tool, reason: reason.clone() }.into());
                Outcome::Stop(Stop { reason })
            }
        };
        Decided { scope, cause: self.cause.cloned(), facts, outcome }
    }
}

fn loggable(tool: Option<&Arc<RegisteredTool>>, args: Value) -> Value {
    let logged = mutant!(SecretsLogged) || tool.is_none_or(|t| t.descriptor().observability.log_args);
    if logged { args } else { REDACTED.into() }
}

fn unknown_tool(tool: &ToolId, view: &ToolView) -> StopReason {
    let offered = view.tools.len();
    StopReason::new(StopCode::UnknownTool, format!("no tool `{tool}` among the {offered} of this turn"))
}
