//! The fifth stage: where and with what the call runs is settled, and is what was approved.

use super::{
    Authorized, Present, Refused,
    call::{Caused, Decided, Outcome, Step, Stop},
    hooked::before,
};
use crate::{
    event::{
        Fact,
        fact::{ToolCallBlocked, ToolSandboxPrepared},
    },
    model::{Digest, EventId, Moment, SandboxId, StopCode, StopReason},
    port::{Adapter, HookCall, Hooks, Rehearsal, Settled, Uninterrupted},
    registry::RegisteredTool,
};
use chrono::{DateTime, Utc};
use std::sync::Arc;

/// An authorized call whose sandbox is resolved.
pub struct Prepared {
    pub(super) authorized: Authorized,
    pub(super) adapter: Arc<dyn Adapter>,
    pub(super) settled: Settled,
}

impl std::fmt::Debug for Prepared {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { authorized, adapter, settled } = self;
        let mut shown = f.debug_struct("Prepared");
        shown
            .field("authorized", authorized)
            .field("adapter", &adapter.word())
            .field("settled", settled)
            .finish()
    }
}

impl Prepared {
    /// The call, and what allows it.
    pub fn authorized(&self) -> &Authorized {
        &self.authorized
    }

    /// Where and with what it runs.
    pub fn settled(&self) -> &Settled {
        &self.settled
    }
}

impl Caused for Prepared {
    fn caused_by(&mut self, event: EventId) {
        self.authorized.caused_by(event);
    }
}

/// Settles the run: `ToolSandboxPrepared`, or `ApprovalInvalidated` and `ToolCallBlocked` where what would
/// run is not what was approved.
pub struct Prepare<'a> {
    /// What runs the tool, or why nothing does.
    pub adapter: Result<Arc<dyn Adapter>, StopReason>,
    /// Identity of the new sandbox.
    pub sandbox_id: SandboxId,
    /// The policy set that decides now.
    pub policy_set: &'a Digest,
    /// Who answers to the names of hooks.
    pub hooks: &'a dyn Hooks,
    /// The tool as it is registered now.
    pub tool: Option<&'a RegisteredTool>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl std::fmt::Debug for Prepare<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Prepare").field("sandbox_id", &self.sandbox_id).finish_non_exhaustive()
    }
}

impl Step for Prepare<'_> {
    type From = Authorized;
    type To = Prepared;

    fn decide(&self, mut authorized: Authorized) -> Decided<Prepared> {
        let (scope, cause) = authorized.place();
        let (mut told, settled) = self.ask_hooks(&authorized, self.settle(&authorized));
        let (facts, outcome) = match settled {
            Ok((adapter, settled)) => {
                let fact = sandbox_prepared(&settled);
                (vec![fact.into()], Outcome::Next(Prepared { authorized, adapter, settled }))
            }
            Err(refused) => {
                let Refused { mut facts, reason } = *refused;
                let tool_id = authorized.valid().tool().id().clone();
                facts.push(ToolCallBlocked { tool_id, reason: reason.clone() }.into());
                (facts, Outcome::Stop(Stop { reason }))
            }
        };
        told.extend(facts);
        Decided { scope, cause, facts: told, outcome }
    }
}

type Place = (Arc<dyn Adapter>, Settled);

impl Prepare<'_> {
    /// What is settled, if the hooks before the call still agree.
    fn ask_hooks(
        &self,
        authorized: &Authorized,
        settled: Result<Place, Box<Refused>>,
    ) -> (Vec<Fact>, Result<Place, Box<Refused>>) {
        let Ok((_, place)) = &settled else { return (Vec::new(), settled) };
        let valid = authorized.valid();
        let (facts, no) = before(
            self.hooks,
            &HookCall {
                moment: Moment::PreCall,
                call: valid.call(),
                tool: valid.tool().descriptor(),
                args: valid.args(),
                principal: authorized.principal(),
                workspace: place.terms.working_directory.as_deref(),
                ran: None,
                verification: None,
            },
        );
        match no {
            None => (facts, settled),
            Some(reason) => (facts, Err(Box::new(Refused { facts: Vec::new(), reason }))),
        }
    }

    fn settle(&self, authorized: &Authorized) -> Result<Place, Box<Refused>> {
        let plainly = |reason| Box::new(Refused { facts: Vec::new(), reason });
        let adapter = self.adapter.clone().map_err(plainly)?;
        let mut settled = adapter.settle(&authorized.run_request()).map_err(plainly)?;
        settled.sandbox.sandbox_id = self.sandbox_id.clone();
        let changes = self.changes(authorized, &*adapter, &settled).map_err(plainly)?;
        authorized.hold(&Present {
            tool: self.tool,
            principal: authorized.principal(),
            policy_set: self.policy_set,
            terms: &settled.terms,
            changes: changes.as_ref(),
            now: self.now,
        })?;
        Ok((adapter, settled))
    }

    /// What the call would change now, where exactly that was approved.
    fn changes(
        &self,
        authorized: &Authorized,
        adapter: &dyn Adapter,
        settled: &Settled,
    ) -> Result<Option<Digest>, StopReason> {
        if authorized.approved_changes().is_none() {
            return Ok(None);
        }
        let cannot = || {
            let message = format!("the adapter `{}` cannot make exactly what was approved", adapter.word());
            StopReason::new(StopCode::ApprovalMismatch, message)
        };
        let rehearsal = Rehearsal {
            call: authorized.valid().call(),
            run: authorized.run_request(),
            settled,
            interrupt: &Uninterrupted,
        };
        adapter.rehearsals().ok_or_else(cannot)?.present(&rehearsal).map(Some)
    }
}

/// The fact of a sandbox, as it was settled.
pub(super) fn sandbox_prepared(settled: &Settled) -> ToolSandboxPrepared {
    ToolSandboxPrepared {
        sandbox_id: settled.sandbox.sandbox_id.clone(),
        policy: settled.sandbox.clone(),
        policy_digest: settled.terms.sandbox_digest.clone(),
        enforced: settled.enforced.clone(),
        executable: settled.terms.executable.clone(),
    }
}
