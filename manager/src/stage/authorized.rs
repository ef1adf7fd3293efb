//! The fourth stage: the call may happen, or somebody must say so first.

use super::{
    PolicyChecked, Validated,
    call::{Caused, Decided, Outcome, Step, Stop},
};
use crate::{
    event::{
        Fact, Scope,
        fact::{ApprovalRequested, ToolCallBlocked},
    },
    model::{
        ApprovalContract, ApprovalId, ApprovalOptions, ApprovalRequest, ApprovalRisk, ApprovalTool,
        CredentialPreview, Decision, Digest, Domain, EffectLevel, EffectsPreview, EventId, PermissionGrant,
        Principal, PrincipalId, ResourcePattern, ResourceRef, RuntimeTerms, StopCode, StopReason, ToolIntent,
        digest_of,
    },
    policy::PolicyAnswer,
    port::RuntimeResolver,
};
use chrono::{DateTime, Utc};

/// A call that may be prepared for execution.
///
/// Not `Clone`: one authorization, one call.
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

/// A grant for one call. Not `Clone`: it is spent by being moved into the call that it names.
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

/// A call that waits for somebody's approval.
#[derive(Debug)]
pub struct Pending {
    checked: PolicyChecked,
    request: Box<ApprovalRequest>,
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

/// What authorization comes to; a denial has stopped the call before.
#[derive(Debug)]
pub enum Authorization {
    /// It may happen.
    Granted(Authorized),
    /// Somebody must say so first.
    Pending(Pending),
}

impl Caused for Authorization {
    fn caused_by(&mut self, event: EventId) {
        match self {
            Self::Granted(authorized) => authorized.caused_by(event),
            Self::Pending(pending) => pending.checked.caused_by(event),
        }
    }
}

/// Authorizes a call: nothing more to record where policy allows it, `ApprovalRequested` where it asks.
pub struct Authorize<'a> {
    /// Who acts.
    pub principal: &'a Principal,
    /// Why.
    pub intent: &'a ToolIntent,
    /// Identity of an approval, should one be needed.
    pub approval_id: ApprovalId,
    /// When such an approval becomes void.
    pub expires_at: DateTime<Utc>,
    /// The policy set that was asked.
    pub policy_set: &'a Digest,
    /// Where and with what the call would run; an approval is bound to that too.
    pub runtime: &'a dyn RuntimeResolver,
}

impl std::fmt::Debug for Authorize<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Authorize").field("approval_id", &self.approval_id).finish_non_exhaustive()
    }
}

impl Step for Authorize<'_> {
    type From = PolicyChecked;
    type To = Authorization;

    fn decide(&self, mut checked: PolicyChecked) -> Decided<Authorization> {
        let scope = checked.valid.scope.clone();
        let cause = checked.valid.cause.take();
        let (facts, outcome) = match checked.answer.decision {
            // INVARIANT: the stage before stops a denied call; were one to come here, it would be asked
            // about, never allowed.
            Decision::Ask | Decision::Deny => match self.request(&checked) {
                Ok(request) => asked(checked, request),
                Err(reason) => blocked(&checked, reason),
            },
            Decision::Allow => {
                let PolicyChecked { valid, answer } = checked;
                let (principal, authority) = (self.principal.id.clone(), Authority::Policy);
                (
                    Vec::new(),
                    Outcome::Next(Authorization::Granted(Authorized { valid, answer, principal, authority })),
                )
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

type Reached = (Vec<Fact>, Outcome<Authorization>);

fn asked(checked: PolicyChecked, request: Box<ApprovalRequest>) -> Reached {
    let fact = ApprovalRequested {
        approval_id: request.approval_id.clone(),
        args_digest: request.args_digest.clone(),
        scopes: request.credential_preview.scopes.clone(),
        risk_level: request.risk.level,
        request: request.clone(),
    };
    (vec![fact.into()], Outcome::Next(Authorization::Pending(Pending { checked, request })))
}

fn blocked(checked: &PolicyChecked, reason: StopReason) -> Reached {
    let fact = ToolCallBlocked { tool_id: checked.valid.tool.id().clone(), reason: reason.clone() };
    (vec![fact.into()], Outcome::Stop(Stop { reason }))
}

impl Authorize<'_> {
    fn request(&self, checked: &PolicyChecked) -> Result<Box<ApprovalRequest>, StopReason> {
        let PolicyChecked { valid, answer } = checked;
        let terms = self.runtime.settle(valid.tool.descriptor(), &valid.args)?;
        let tool = valid.tool.descriptor();
        let level = valid.tool.level();
        let logged = tool.observability.log_args;
        let effects_preview = EffectsPreview {
            reads: refs(&tool.effects.reads),
            writes: refs(tool.effects.writes.iter().chain(&tool.effects.deletes)),
            external_calls: external_calls(valid),
            user_visible_side_effect: level >= EffectLevel::ExternalWrite,
        };
        let unsound =
            |e| StopReason::new(StopCode::ApprovalUnavailable, format!("it cannot be approved: {e}"));
        let preview = digest_of(Domain::Approval, &(&valid.args, &effects_preview)).map_err(unsound)?;
        let contract = self.contract(valid, terms, preview);
        let contract_digest = contract.digest().map_err(unsound)?;
        Ok(Box::new(ApprovalRequest {
            approval_id: self.approval_id.clone(),
            tool_call_id: valid.call.clone(),
            summary: format!("{} ({level}): {}", tool.display_name, tool.description.summary),
            rationale_summary: self.intent.rationale_summary.clone(),
            tool: ApprovalTool { name: tool.canonical_name.clone(), version: tool.version.clone() },
            args_preview: if logged { valid.args.clone() } else { "[redacted]".into() },
            args_digest: valid.digest.clone(),
            effects_preview,
            credential_preview: CredentialPreview {
                principal: self.principal.id.clone(),
                scopes: tool.permissions.required_scopes.clone(),
            },
            risk: ApprovalRisk {
                level: tool.risk.level,
                effect_level: level,
                reasons: answer.reasons.clone(),
            },
            options: ApprovalOptions {
                allow_once: true,
                // What can destroy is allowed one call at a time.
                allow_for_session: level < EffectLevel::DestructiveOrAdmin,
                always_allow_this_tool: None,
                deny: true,
            },
            expires_at: self.expires_at,
            contract,
            contract_digest,
            denied_before: Vec::new(),
        }))
    }

    fn contract(&self, valid: &Validated, terms: RuntimeTerms, preview_digest: Digest) -> ApprovalContract {
        let tool = valid.tool.descriptor();
        ApprovalContract {
            approval_id: self.approval_id.clone(),
            tool_call_id: valid.call.clone(),
            session_id: valid.scope.session_id.clone(),
            principal: self.principal.id.clone(),
            tool_id: tool.tool_id.clone(),
            tool_version: tool.version.clone(),
            descriptor_digest: valid.tool.digest().clone(),
            args_digest: valid.digest.clone(),
            policy_set: self.policy_set.clone(),
            risk_level: tool.risk.level,
            effect_level: valid.tool.level(),
            scopes: tool.permissions.required_scopes.clone(),
            credentials: terms.credentials,
            sandbox_digest: terms.sandbox_digest,
            working_directory: terms.working_directory,
            executable: terms.executable,
            preview_digest,
            expires_at: self.expires_at,
        }
    }
}

fn refs<'a>(patterns: impl IntoIterator<Item = &'a ResourcePattern>) -> Vec<ResourceRef> {
    patterns.into_iter().map(|p| ResourceRef(p.0.clone())).collect()
}

fn external_calls(valid: &Validated) -> Vec<String> {
    let tool = valid.tool.descriptor();
    if tool.effects.external_calls { vec![tool.source.source_id.clone()] } else { Vec::new() }
}
