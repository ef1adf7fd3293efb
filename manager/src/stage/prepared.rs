//! The fifth stage: where and with what the call runs is settled, and is what was approved.

use super::{
    Authorized,
    call::{Caused, Decided, Outcome, Step, Stop},
};
use crate::{
    event::{
        Fact,
        fact::{ApprovalInvalidated, ToolCallBlocked, ToolSandboxPrepared},
    },
    model::{
        ApprovalContract, ContractDifference, Digest, EventId, RuntimeTerms, SandboxId, StopCode, StopReason,
    },
    port::{Adapter, Settled},
};
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
        let (facts, outcome) = match self.settle(&authorized) {
            Ok((adapter, settled)) => {
                let fact = ToolSandboxPrepared {
                    sandbox_id: settled.sandbox.sandbox_id.clone(),
                    policy: settled.sandbox.clone(),
                    policy_digest: settled.terms.sandbox_digest.clone(),
                    enforced: settled.enforced.clone(),
                };
                (vec![fact.into()], Outcome::Next(Prepared { authorized, adapter, settled }))
            }
            Err(Refusal { invalidated, reason }) => {
                let tool_id = authorized.valid().tool().id().clone();
                let mut facts: Vec<Fact> = invalidated.into_iter().map(Fact::from).collect();
                facts.push(ToolCallBlocked { tool_id, reason: reason.clone() }.into());
                (facts, Outcome::Stop(Stop { reason }))
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

struct Refusal {
    invalidated: Option<ApprovalInvalidated>,
    reason: StopReason,
}

impl Prepare<'_> {
    fn settle(&self, authorized: &Authorized) -> Result<(Arc<dyn Adapter>, Settled), Refusal> {
        let valid = authorized.valid();
        let plainly = |reason| Refusal { invalidated: None, reason };
        let adapter = self.adapter.clone().map_err(plainly)?;
        let mut settled = adapter.settle(valid.tool().descriptor(), valid.args()).map_err(plainly)?;
        settled.sandbox.sandbox_id = self.sandbox_id.clone();
        let Some(contract) = authorized.contract() else { return Ok((adapter, settled)) };
        match contract.difference(&self.present(contract, authorized, &settled)) {
            None => Ok((adapter, settled)),
            Some(difference) => Err(mismatch(contract, difference)),
        }
    }

    /// The contract as it would have to read now.
    fn present(&self, approved: &ApprovalContract, call: &Authorized, settled: &Settled) -> ApprovalContract {
        let valid = call.valid();
        let tool = valid.tool().descriptor();
        let RuntimeTerms { working_directory, executable, sandbox_digest, credentials } =
            settled.terms.clone();
        ApprovalContract {
            // What only the answer itself carries.
            approval_id: approved.approval_id.clone(),
            preview_digest: approved.preview_digest.clone(),
            expires_at: approved.expires_at,
            // Everything else is looked at anew.
            tool_call_id: valid.call().clone(),
            session_id: valid.scope.session_id.clone(),
            principal: call.principal().clone(),
            tool_id: tool.tool_id.clone(),
            tool_version: tool.version.clone(),
            descriptor_digest: valid.tool().digest().clone(),
            args_digest: valid.args_digest().clone(),
            policy_set: self.policy_set.clone(),
            risk_level: tool.risk.level,
            effect_level: valid.tool().level(),
            scopes: tool.permissions.required_scopes.clone(),
            credentials,
            sandbox_digest,
            working_directory,
            executable,
        }
    }
}

fn mismatch(contract: &ApprovalContract, difference: ContractDifference) -> Refusal {
    let reason = StopReason::new(StopCode::ApprovalMismatch, difference.to_string());
    let ContractDifference { field, approved, found } = difference;
    let approval_id = contract.approval_id.clone();
    Refusal { reason, invalidated: Some(ApprovalInvalidated { approval_id, field, approved, found }) }
}
