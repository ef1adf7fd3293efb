//! The fourth stage: the call may happen, or somebody must say so first.

use super::{
    PolicyChecked, Unasked, Validated,
    call::{Caused, Decided, Outcome, Step, Stop},
};
use crate::{
    authority::{Approvals, CallFacts, Question},
    event::{Fact, Scope, fact::ToolCallBlocked},
    model::{
        ApprovalContract, ApprovalId, ApprovalRequest, Decision, Digest, EventId, GrantId, PermissionGrant,
        Principal, PrincipalId, RuntimeTerms, StopCode, StopReason, ToolIntent,
    },
    policy::PolicyAnswer,
    port::{GrantStore, RunRequest, RuntimeResolver},
};
use chrono::{DateTime, Utc};

/// A call that may be prepared for execution.
///
/// Not `Clone`: one authorization, one call.
///
/// ```
/// use proofhouse_manager::stage::Authorized;
/// fn run(_: Authorized) {}
/// fn once(call: Authorized) {
///     run(call);
/// }
/// ```
///
/// ```compile_fail
/// use proofhouse_manager::stage::Authorized;
/// fn run(_: Authorized) {}
/// fn once(call: Authorized) {
///     run(call.clone());
///     run(call);
/// }
/// ```
#[derive(Debug)]
pub struct Authorized {
    pub(super) valid: Validated,
    pub(super) answer: PolicyAnswer,
    pub(super) principal: PrincipalId,
    pub(super) authority: Authority,
}

/// On what an authorized call stands.
#[derive(Debug)]
pub enum Authority {
    /// Policy allows it as it is.
    Policy,
    /// A grant that was given before covers it.
    Grant(Box<PermissionGrant>),
    /// Somebody has approved exactly this call.
    Approval(Box<OneTimeGrant>),
}

/// An approved grant. Not `Clone`: it is spent by being moved into the call that it names.
///
/// ```
/// use proofhouse_manager::stage::OneTimeGrant;
/// fn spend(_: OneTimeGrant) {}
/// fn once(grant: OneTimeGrant) {
///     spend(grant);
/// }
/// ```
///
/// ```compile_fail
/// use proofhouse_manager::stage::OneTimeGrant;
/// fn spend(_: OneTimeGrant) {}
/// fn twice(grant: OneTimeGrant) {
///     spend(grant);
///     spend(grant);
/// }
/// ```
#[derive(Debug)]
pub struct OneTimeGrant {
    pub(super) grant: PermissionGrant,
    pub(super) contract: ApprovalContract,
}

impl Authorized {
    /// The call with its arguments.
    pub fn valid(&self) -> &Validated {
        &self.valid
    }

    /// What policy said: as it is, or as approved.
    pub fn policy_answer(&self) -> &PolicyAnswer {
        &self.answer
    }

    /// Under whose identity it runs.
    pub fn principal(&self) -> &PrincipalId {
        &self.principal
    }

    /// The run that it asks for.
    pub fn run_request(&self) -> RunRequest<'_> {
        self.valid.run_request(&self.principal)
    }

    /// On what it stands.
    pub fn authority(&self) -> &Authority {
        &self.authority
    }

    /// The grant that it stands on.
    pub fn grant(&self) -> Option<&PermissionGrant> {
        match &self.authority {
            Authority::Policy => None,
            Authority::Grant(grant) => Some(grant),
            Authority::Approval(once) => Some(&once.grant),
        }
    }

    /// What was approved, where an approval is what it stands on.
    pub fn contract(&self) -> Option<&ApprovalContract> {
        match &self.authority {
            Authority::Policy | Authority::Grant(_) => None,
            Authority::Approval(once) => Some(&once.contract),
        }
    }

    /// Digest of exactly what it may change, where that was approved.
    pub fn approved_changes(&self) -> Option<&Digest> {
        self.contract().and_then(|contract| contract.changes_digest.as_ref())
    }

    /// The grant's id.
    pub fn grant_id(&self) -> Option<&GrantId> {
        self.grant().map(|grant| &grant.grant_id)
    }

    /// The approval's id.
    pub fn approval_id(&self) -> Option<&ApprovalId> {
        self.contract().map(|contract| &contract.approval_id)
    }

    /// When what allows it becomes void: the approval, whatever the grant that followed from it.
    pub fn expires_at(&self) -> Option<DateTime<Utc>> {
        self.contract().map(|contract| contract.expires_at).or(self.grant().map(|grant| grant.expires_at))
    }

    /// The scope of its events, and the last one.
    pub(super) fn place(&mut self) -> (Scope, Option<EventId>) {
        (self.valid.scope.clone(), self.valid.cause.take())
    }
}

impl Caused for Authorized {
    fn caused_by(&mut self, event: EventId) {
        self.valid.caused_by(event);
    }
}

/// What authorization comes to; a denial has stopped the call before.
#[derive(Debug)]
pub enum Authorization {
    /// It may happen.
    Granted(Authorized),
    /// Somebody must say so first.
    Unasked(Unasked),
}

/// A call that waits for somebody's approval.
#[derive(Debug)]
pub struct Pending {
    pub(super) checked: PolicyChecked,
    pub(super) request: Box<ApprovalRequest>,
}

impl Pending {
    /// The call, and what policy said about it.
    pub fn checked(&self) -> &PolicyChecked {
        &self.checked
    }

    /// What somebody is asked to allow.
    pub fn request(&self) -> &ApprovalRequest {
        &self.request
    }
}

impl Caused for Authorization {
    fn caused_by(&mut self, event: EventId) {
        match self {
            Self::Granted(authorized) => authorized.caused_by(event),
            Self::Unasked(unasked) => unasked.caused_by(event),
        }
    }
}

impl Caused for Pending {
    fn caused_by(&mut self, event: EventId) {
        self.checked.caused_by(event);
    }
}

/// Authorizes a call: nothing more to record where policy allows it or a grant covers it, nor where somebody must
/// be asked; `ToolCallBlocked` where nobody can be.
pub struct Authorize<'a> {
    /// Who acts.
    pub principal: &'a Principal,
    /// Why.
    pub intent: &'a ToolIntent,
    /// Where and with what the call would run; an approval is bound to that too.
    pub runtime: &'a dyn RuntimeResolver,
    /// For which tenant, such as `workspace:/srv/shop`.
    pub tenant: Option<&'a str>,
    /// What was granted before.
    pub grants: &'a dyn GrantStore,
    /// What was asked before.
    pub approvals: &'a Approvals,
    /// The time.
    pub now: DateTime<Utc>,
}

impl std::fmt::Debug for Authorize<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authorize").field("principal", &self.principal.id).finish_non_exhaustive()
    }
}

impl Step for Authorize<'_> {
    type From = PolicyChecked;
    type To = Authorization;

    fn decide(&self, mut checked: PolicyChecked) -> Decided<Authorization> {
        let scope = checked.valid.scope.clone();
        let cause = checked.valid.cause.take();
        let (facts, outcome) = match checked.answer.decision {
            Decision::Allow => self.granted(checked, Authority::Policy),
            Decision::Ask if mutant!(NobodyAsked) => self.granted(checked, Authority::Policy),
            Decision::Ask => match self.authority(&checked) {
                Ok(Found::Grant(grant)) => self.granted(checked, Authority::Grant(grant)),
                Ok(Found::Nothing(terms)) => {
                    let unasked = Unasked { checked, terms: *terms, tried: None };
                    (Vec::new(), Outcome::Next(Authorization::Unasked(unasked)))
                }
                Err(reason) => blocked(&checked, reason),
            },
            // INVARIANT: the stage before stops a denied call; were one to come here, no grant and no approver
            // would be looked for.
            Decision::Deny => {
                let reason = StopReason::new(StopCode::PolicyDenied, checked.answer.reason());
                blocked(&checked, reason)
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

type Reached = (Vec<Fact>, Outcome<Authorization>);

enum Found {
    Grant(Box<PermissionGrant>),
    /// None: somebody is to be asked about a call on these terms.
    Nothing(Box<RuntimeTerms>),
}

fn blocked(checked: &PolicyChecked, reason: StopReason) -> Reached {
    let fact = ToolCallBlocked { tool_id: checked.valid.tool.id().clone(), reason: reason.clone() };
    (vec![fact.into()], Outcome::Stop(Stop { reason }))
}

impl Authorize<'_> {
    fn granted(&self, checked: PolicyChecked, authority: Authority) -> Reached {
        let PolicyChecked { valid, answer } = checked;
        let principal = self.principal.id.clone();
        (
            Vec::new(),
            Outcome::Next(Authorization::Granted(Authorized { valid, answer, principal, authority })),
        )
    }

    /// A grant that covers the call, or else that there is none and nobody is being asked yet.
    fn authority(&self, checked: &PolicyChecked) -> Result<Found, StopReason> {
        let valid = &checked.valid;
        let terms = self.runtime.settle(&valid.run_request(&self.principal.id))?;
        // Who wants to be asked is asked, whatever was granted before.
        if !self.intent.constraints.require_confirmation
            && let Some(grant) = self.covering(valid, &terms)?
        {
            return Ok(Found::Grant(Box::new(grant)));
        }
        let question = question(&self.principal.id, valid);
        if let Some(waiting) = self.approvals.pending_equal(&question, self.now) {
            let message = format!(
                "the very same call waits for the approval `{waiting}` already\nhint: answer that one"
            );
            return Err(StopReason::new(StopCode::ApprovalUnavailable, message));
        }
        Ok(Found::Nothing(Box::new(terms)))
    }

    fn covering(
        &self,
        valid: &Validated,
        terms: &RuntimeTerms,
    ) -> Result<Option<PermissionGrant>, StopReason> {
        let tool = valid.tool.descriptor();
        let call = CallFacts {
            principal: &self.principal.id,
            session_id: &valid.scope.session_id,
            tenant: self.tenant,
            tool_id: &tool.tool_id,
            tool_version: &tool.version,
            descriptor_digest: valid.tool.digest(),
            args_digest: &valid.digest,
            scopes: &tool.permissions.required_scopes,
            level: valid.tool.level(),
            terms,
        };
        let found = self.grants.covering(&call, self.now);
        found.map_err(|error| StopReason::new(StopCode::Revoked, error.to_string()))
    }
}

/// What a question about a call is compared with.
pub(super) fn question<'a>(principal: &'a PrincipalId, valid: &'a Validated) -> Question<'a> {
    Question {
        principal,
        session_id: &valid.scope.session_id,
        tool_id: valid.tool.id(),
        descriptor_digest: valid.tool.digest(),
        args: &valid.args,
        args_digest: &valid.digest,
    }
}
