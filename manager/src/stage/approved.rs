//! The way from a question to an authorized call: an answer, held against what was asked and what is the case.

use super::{
    Authority, Authorized, OneTimeGrant, Pending, PolicyChecked,
    call::{Decided, Outcome, Step, Stop},
    contract::{Present, Refused, expired, hold, invalidated},
};
use crate::{
    event::{
        Fact, GrantReach,
        fact::{ApprovalConfirmation, ApprovalDenied, ApprovalGranted, GrantIssued, ToolCallBlocked},
    },
    model::{
        ApprovalContract, ApprovalRequest, GrantArguments, GrantBinding, GrantId, PermissionGrant,
        PrincipalId, RuntimeTerms, StopCode, StopReason,
    },
    port::{
        Answer, AnswerDecision, ApproverRights, Confirmation, Interrupt, Reply, RunRequest, RuntimeResolver,
        Silence, SingleUse, SpendError,
    },
    registry::RegisteredTool,
};
use chrono::{DateTime, TimeDelta, Utc};

/// How long grants live that follow from an answer with a wider reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GrantLifetimes {
    /// Of one for a session.
    pub session: TimeDelta,
    /// Of one that stands.
    pub standing: TimeDelta,
}

impl Default for GrantLifetimes {
    /// Half a day, and thirty days: what is not used for so long should be asked about again.
    fn default() -> Self {
        Self { session: TimeDelta::hours(12), standing: TimeDelta::days(30) }
    }
}

/// Turns an answer into an authorized call: `ApprovalGranted` and `GrantIssued`; or `ApprovalDenied`,
/// `ApprovalExpired` or `ApprovalInvalidated`, and `ToolCallBlocked`.
pub struct Approve<'a> {
    /// The time at which the answer is used.
    pub now: DateTime<Utc>,
    /// Identity of the grant that would follow.
    pub grant_id: GrantId,
    /// Who acts.
    pub principal: &'a PrincipalId,
    /// The tenant that a wider grant would not reach beyond.
    pub tenant: Option<&'a str>,
    /// The tool as it is registered now.
    pub tool: Option<&'a RegisteredTool>,
    /// The policy set that decides now.
    pub policy_set: &'a crate::model::Digest,
    /// Where and with what the call would run now.
    pub runtime: &'a dyn RuntimeResolver,
    /// Who may approve now.
    pub rights: &'a dyn ApproverRights,
    /// What makes the approval good for one use.
    pub uses: &'a dyn SingleUse,
    /// What may have called the call off while it waited.
    pub interrupt: &'a dyn Interrupt,
    /// How long wider grants live.
    pub lifetimes: GrantLifetimes,
}

impl std::fmt::Debug for Approve<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Approve").field("grant_id", &self.grant_id).finish_non_exhaustive()
    }
}

impl Step for Approve<'_> {
    type From = (Pending, Reply);
    type To = Authorized;

    fn decide(&self, (pending, reply): (Pending, Reply)) -> Decided<Authorized> {
        let Pending { mut checked, request } = pending;
        let scope = checked.valid.scope.clone();
        let cause = checked.valid.cause.take();
        let (facts, outcome) = match self.judge(&checked, &request, reply) {
            Ok(Yes { grant, granted }) => {
                let facts = vec![granted.into(), GrantIssued { grant: Box::new(grant.clone()) }.into()];
                let PolicyChecked { mut valid, answer } = checked;
                if mutant!(ArgumentsSwapped) {
                    (valid.args, valid.digest) = (serde_json::Value::Null, crate::model::Digest::zero());
                }
                let once = OneTimeGrant { grant, contract: request.contract };
                let authority = Authority::Approval(Box::new(once));
                let principal = self.principal.clone();
                (facts, Outcome::Next(Authorized { valid, answer, principal, authority }))
            }
            Err(refused) => {
                let Refused { mut facts, reason } = *refused;
                let tool_id = checked.valid.tool.id().clone();
                facts.push(ToolCallBlocked { tool_id, reason: reason.clone() }.into());
                (facts, Outcome::Stop(Stop { reason }))
            }
        };
        Decided { scope, cause, facts, outcome }
    }
}

struct Yes {
    granted: ApprovalGranted,
    grant: PermissionGrant,
}

impl Approve<'_> {
    /// The order matters: what costs nothing first, and the one use last, for it cannot be taken back.
    fn judge(
        &self,
        checked: &PolicyChecked,
        request: &ApprovalRequest,
        reply: Reply,
    ) -> Result<Yes, Box<Refused>> {
        let answer = match reply {
            Reply::Answer(answer) => answer,
            Reply::Silence(silence) => return Err(silent(request, silence)),
        };
        let contract = &request.contract;
        if answer.approval_id != request.approval_id {
            let found = answer.approval_id.to_string();
            return Err(invalidated(contract, "approvalId", request.approval_id.to_string(), found));
        }
        let reach = match answer.decision {
            AnswerDecision::Allow { reach } => reach,
            AnswerDecision::Deny { ref reason } => return Err(denied(request, &answer.by, reason)),
        };
        if answer.at >= request.expires_at || self.now >= request.expires_at {
            return Err(expired(contract));
        }
        if answer.contract_digest != request.contract_digest {
            let (was, found) = (request.contract_digest.to_string(), answer.contract_digest.to_string());
            return Err(invalidated(contract, "contractDigest", was, found));
        }
        if let Some(reason) = self.interrupt.reason() {
            return Err(refused(request, reason));
        }
        self.may_answer(request, &answer, reach)?;
        self.hold(checked, request)?;
        self.uses.spend(&request.approval_id).map_err(|e| unspendable(&e))?;
        Ok(self.yes(request, &answer, reach))
    }

    fn may_answer(
        &self,
        request: &ApprovalRequest,
        answer: &Answer,
        reach: GrantReach,
    ) -> Result<(), Box<Refused>> {
        let no = |why: String| {
            let reason = StopReason::new(StopCode::ApprovalDenied, why);
            Err(refused(request, reason))
        };
        if is_agent(&answer.by) {
            return no(format!("{} is no person: what proposes calls cannot consent to them", answer.by));
        }
        if let Err(why) = self.rights.may_approve(&answer.by, &request.contract) {
            return no(format!("{} may not approve this: {why}", answer.by));
        }
        let offered = match reach {
            GrantReach::Once => request.options.allow_once,
            GrantReach::Session => request.options.allow_for_session,
            GrantReach::Always => request.options.always_allow_this_tool == Some(true),
        };
        if !offered {
            return no(format!("an answer with the reach `{}` was not offered", reach_word(reach)));
        }
        match (&request.typed_confirmation, &answer.confirmation) {
            (None, _) => Ok(()),
            (Some(_), _) if mutant!(ClickIsEnough) => Ok(()),
            (Some(demanded), Confirmation::Typed { phrase }) if demanded == phrase => Ok(()),
            (Some(demanded), Confirmation::Chosen | Confirmation::Typed { .. }) => {
                no(format!("it needs a typed confirmation, and choosing is none\nhint: type `{demanded}`"))
            }
        }
    }

    fn hold(&self, checked: &PolicyChecked, request: &ApprovalRequest) -> Result<(), Box<Refused>> {
        let valid = &checked.valid;
        let tool = self.tool.unwrap_or(&valid.tool).descriptor();
        let run = RunRequest { tool, args: &valid.args, principal: self.principal };
        let terms = match self.runtime.settle(&run) {
            Ok(terms) => terms,
            Err(reason) => return Err(refused(request, reason)),
        };
        let Self { tool, principal, policy_set, now, .. } = *self;
        // What it would change is held against the workspace when it is about to run.
        let changes = request.contract.changes_digest.as_ref();
        hold(&request.contract, valid, &Present { tool, principal, policy_set, terms: &terms, changes, now })
    }

    fn yes(&self, request: &ApprovalRequest, answer: &Answer, reach: GrantReach) -> Yes {
        let contract = &request.contract;
        let grant = self.grant(contract, &request.contract_digest, answer, reach);
        let confirmation = match answer.confirmation {
            Confirmation::Typed { .. } if mutant!(ConfirmationForgotten) => ApprovalConfirmation::Chosen,
            Confirmation::Chosen => ApprovalConfirmation::Chosen,
            Confirmation::Typed { .. } => ApprovalConfirmation::Typed,
        };
        let granted = ApprovalGranted {
            approval_id: request.approval_id.clone(),
            args_digest: request.args_digest.clone(),
            contract_digest: request.contract_digest.clone(),
            scopes: contract.scopes.clone(),
            risk_level: contract.risk_level,
            approved_by: answer.by.clone(),
            reach,
            confirmation,
            grant_id: self.grant_id.clone(),
            expires_at: request.expires_at,
        };
        Yes { granted, grant }
    }

    /// Whatever its reach, a grant covers exactly what the preview showed: these arguments, in this place.
    fn grant(
        &self,
        contract: &ApprovalContract,
        contract_digest: &crate::model::Digest,
        answer: &Answer,
        reach: GrantReach,
    ) -> PermissionGrant {
        let (binding, expires_at) = match reach {
            GrantReach::Once => (
                GrantBinding::Call {
                    tool_call_id: contract.tool_call_id.clone(),
                    contract_digest: contract_digest.clone(),
                },
                contract.expires_at,
            ),
            GrantReach::Session => (
                GrantBinding::Session { session_id: contract.session_id.clone() },
                self.now + self.lifetimes.session,
            ),
            GrantReach::Always => (GrantBinding::Standing, self.now + self.lifetimes.standing),
        };
        PermissionGrant {
            grant_id: self.grant_id.clone(),
            principal: contract.principal.clone(),
            tool_id: contract.tool_id.clone(),
            tool_version: contract.tool_version.clone(),
            descriptor_digest: contract.descriptor_digest.clone(),
            scopes: contract.scopes.clone(),
            arguments: GrantArguments::Exactly { args_digest: contract.args_digest.clone() },
            binding,
            tenant: self.tenant.map(ToOwned::to_owned),
            terms: Some(RuntimeTerms {
                working_directory: contract.working_directory.clone(),
                executable: contract.executable.clone(),
                sandbox_digest: contract.sandbox_digest.clone(),
                credentials: contract.credentials.clone(),
            }),
            derived_from: None,
            approval_id: Some(contract.approval_id.clone()),
            granted_by: answer.by.clone(),
            granted_at: self.now,
            expires_at,
        }
    }
}

/// Whether a principal is of a kind that proposes calls. No list of approvers makes one of these an approver.
fn is_agent(by: &PrincipalId) -> bool {
    let kind = by.split(':').next().unwrap_or_default();
    matches!(kind, "agent" | "subagent" | "model" | "tool" | "")
}

const fn reach_word(reach: GrantReach) -> &'static str {
    match reach {
        GrantReach::Once => "once",
        GrantReach::Session => "session",
        GrantReach::Always => "always",
    }
}

fn silent(request: &ApprovalRequest, silence: Silence) -> Box<Refused> {
    let unavailable = |why: String| refused(request, StopReason::new(StopCode::ApprovalUnavailable, why));
    match silence {
        Silence::TimedOut => expired(&request.contract),
        Silence::Nobody(why) => unavailable(why),
        Silence::Failed(why) => unavailable(format!("nobody could be asked: {why}")),
        Silence::Interrupted(reason) => refused(request, reason),
    }
}

/// A no that nobody in particular said.
fn refused(request: &ApprovalRequest, reason: StopReason) -> Box<Refused> {
    let approval_id = request.approval_id.clone();
    let fact = ApprovalDenied { approval_id, denied_by: None, reason: reason.message.clone() };
    Box::new(Refused { facts: vec![fact.into()], reason })
}

fn denied(request: &ApprovalRequest, by: &PrincipalId, why: &str) -> Box<Refused> {
    let approval_id = request.approval_id.clone();
    let fact = ApprovalDenied { approval_id, denied_by: Some(by.clone()), reason: why.to_owned() };
    let why = if why.is_empty() { String::new() } else { format!(": {why}") };
    let reason = StopReason::new(StopCode::ApprovalDenied, format!("{by} has denied it{why}"));
    Box::new(Refused { facts: vec![fact.into()], reason })
}

/// The approval itself stands as it stood: it was used, and this use is what is refused.
fn unspendable(error: &SpendError) -> Box<Refused> {
    let code = match error {
        SpendError::Spent(_) => StopCode::ApprovalSpent,
        SpendError::Unknown(_) => StopCode::ApprovalUnavailable,
    };
    Box::new(Refused { facts: Vec::<Fact>::new(), reason: StopReason::new(code, error.to_string()) })
}
