//! The fourth stage: the call may happen, or somebody must say so first.

use super::{
    PolicyChecked, Validated,
    call::{Caused, Decided, Outcome, Step},
};
use crate::{
    event::Fact,
    model::{
        ApprovalId, ApprovalOptions, ApprovalRequest, ApprovalRisk, ApprovalTool, CredentialPreview,
        Decision, EffectLevel, EffectsPreview, EventId, Principal, ResourcePattern, ResourceRef, ToolIntent,
    },
    policy::PolicyAnswer,
};
use chrono::{DateTime, Utc};

/// A call that may be prepared for execution.
///
/// Its authority is the recorded policy decision that allowed it. Not `Clone`: one authorization, one call.
#[derive(Debug)]
pub struct Authorized {
    valid: Validated,
    answer: PolicyAnswer,
}

impl Authorized {
    /// The call with its arguments.
    pub fn valid(&self) -> &Validated {
        &self.valid
    }

    /// The policy decision that allows it.
    pub fn authority(&self) -> &PolicyAnswer {
        &self.answer
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
            Self::Granted(authorized) => authorized.valid.caused_by(event),
            Self::Pending(pending) => pending.checked.caused_by(event),
        }
    }
}

/// Authorizes a call: nothing more to record where policy allows it, `ApprovalRequested` where it asks.
#[derive(Debug)]
pub struct Authorize<'a> {
    /// Who acts.
    pub principal: &'a Principal,
    /// Why.
    pub intent: &'a ToolIntent,
    /// Identity of an approval, should one be needed.
    pub approval_id: ApprovalId,
    /// When such an approval becomes void.
    pub expires_at: DateTime<Utc>,
}

impl Step for Authorize<'_> {
    type From = PolicyChecked;
    type To = Authorization;

    fn decide(&self, mut checked: PolicyChecked) -> Decided<Authorization> {
        let scope = checked.valid.scope.clone();
        let cause = checked.valid.cause.take();
        let (facts, to) = match checked.answer.decision {
            // INVARIANT: the stage before stops a denied call; were one to come here, it would be asked
            // about, never allowed.
            Decision::Ask | Decision::Deny => {
                let request = Box::new(self.request(&checked));
                let fact = Fact::ApprovalRequested {
                    approval_id: request.approval_id.clone(),
                    args_digest: request.args_digest.clone(),
                    scopes: request.credential_preview.scopes.clone(),
                    risk_level: request.risk.level,
                    request: request.clone(),
                };
                (vec![fact], Authorization::Pending(Pending { checked, request }))
            }
            Decision::Allow => {
                let PolicyChecked { valid, answer } = checked;
                let cause = cause.clone();
                let valid = Validated { cause, ..valid };
                (Vec::new(), Authorization::Granted(Authorized { valid, answer }))
            }
        };
        Decided { scope, cause, facts, outcome: Outcome::Next(to) }
    }
}

impl Authorize<'_> {
    fn request(&self, checked: &PolicyChecked) -> ApprovalRequest {
        let PolicyChecked { valid, answer } = checked;
        let tool = valid.tool.descriptor();
        let level = valid.tool.level();
        let logged = tool.observability.log_args;
        ApprovalRequest {
            approval_id: self.approval_id.clone(),
            tool_call_id: valid.call.clone(),
            summary: format!("{} ({level}): {}", tool.display_name, tool.description.summary),
            rationale_summary: self.intent.rationale_summary.clone(),
            tool: ApprovalTool { name: tool.canonical_name.clone(), version: tool.version.clone() },
            args_preview: if logged { valid.args.clone() } else { "[redacted]".into() },
            args_digest: valid.digest.clone(),
            effects_preview: EffectsPreview {
                reads: refs(&tool.effects.reads),
                writes: refs(tool.effects.writes.iter().chain(&tool.effects.deletes)),
                external_calls: external_calls(valid),
                user_visible_side_effect: level >= EffectLevel::ExternalWrite,
            },
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
