//! The question: everything that an approver is shown, and the contract that a yes is bound to.

use super::{
    Pending, PolicyChecked, Unasked, Validated,
    authorized::question,
    call::{Decided, Outcome, Step, Stop},
    contract::{Asking, Present, contract_of},
};
use crate::{
    authority::{Approvals, preview},
    event::{
        Fact,
        fact::{ApprovalRequested, ToolCallBlocked},
    },
    model::{
        ApprovalId, ApprovalOptions, ApprovalRequest, ApprovalRisk, ApprovalTool, CanonicalError,
        CredentialPreview, Digest, Domain, EffectLevel, EffectsObserved, EffectsPreview, PrincipalId,
        ResourcePattern, ResourceRef, StopCode, StopReason, ToolIntent,
    },
    redact::Redactor,
};
use chrono::{DateTime, Utc};

/// Asks: `ApprovalRequested`, and `ToolCallBlocked` where the question has no form in which it could be approved.
pub struct Ask<'a> {
    /// Who acts.
    pub principal: &'a PrincipalId,
    /// Why.
    pub intent: &'a ToolIntent,
    /// Identity of the approval.
    pub approval_id: ApprovalId,
    /// When it becomes void.
    pub expires_at: DateTime<Utc>,
    /// The policy set that was asked.
    pub policy_set: &'a Digest,
    /// What was asked before.
    pub approvals: &'a Approvals,
    /// The time.
    pub now: DateTime<Utc>,
    /// What keeps secrets out of what an approver is shown.
    pub secrets: &'a Redactor,
}

impl std::fmt::Debug for Ask<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Ask").field("approval_id", &self.approval_id).finish_non_exhaustive()
    }
}

impl Step for Ask<'_> {
    type From = Unasked;
    type To = Pending;

    fn decide(&self, unasked: Unasked) -> Decided<Pending> {
        let asked = self.request(&unasked);
        let Unasked { mut checked, .. } = unasked;
        let (scope, cause) = (checked.valid.scope.clone(), checked.valid.cause.take());
        let (fact, outcome): (Fact, _) = match asked {
            Ok(request) => {
                let logged = checked.valid.tool.descriptor().observability.log_args;
                let fact = ApprovalRequested {
                    approval_id: request.approval_id.clone(),
                    args_digest: request.args_digest.clone(),
                    scopes: request.contract.scopes.clone(),
                    risk_level: request.risk.level,
                    request: if logged { request.clone() } else { Box::new(request.redacted()) },
                };
                (fact.into(), Outcome::Next(Pending { checked, request }))
            }
            Err(reason) => {
                let tool_id = checked.valid.tool.id().clone();
                let blocked = ToolCallBlocked { tool_id, reason: reason.clone() };
                (blocked.into(), Outcome::Stop(Stop { reason }))
            }
        };
        Decided { scope, cause, facts: vec![fact], outcome }
    }
}

impl Ask<'_> {
    fn request(&self, unasked: &Unasked) -> Result<Box<ApprovalRequest>, StopReason> {
        let Unasked { checked, terms, tried } = unasked;
        let question = question(self.principal, &checked.valid);
        let PolicyChecked { valid, answer } = checked;
        let tool = valid.tool.descriptor();
        let level = valid.tool.level();
        // What can destroy is allowed one call at a time, and not by a habit of the hand.
        let destructive = level >= EffectLevel::DestructiveOrAdmin;
        let asking = Asking {
            approval_id: &self.approval_id,
            preview_digest: Digest::zero(),
            expires_at: self.expires_at,
        };
        let changes = tried.as_ref().map(|tried| &tried.changes);
        let present = Present {
            tool: Some(&valid.tool),
            principal: self.principal,
            policy_set: self.policy_set,
            terms,
            changes,
            now: self.now,
        };
        let mut request = Box::new(ApprovalRequest {
            approval_id: self.approval_id.clone(),
            tool_call_id: valid.call.clone(),
            summary: format!("{} ({level}): {}", tool.display_name, tool.description.summary),
            rationale_summary: self.secrets.redact_text(&self.intent.rationale_summary),
            tool: ApprovalTool { name: tool.canonical_name.clone(), version: tool.version.clone() },
            args_preview: valid.args.clone(),
            args_digest: valid.digest.clone(),
            effects_preview: effects(valid, tried.as_ref().map(|tried| &tried.effects)),
            credential_preview: CredentialPreview {
                principal: self.principal.clone(),
                scopes: tool.permissions.required_scopes.clone(),
            },
            risk: ApprovalRisk {
                level: tool.risk.level,
                effect_level: level,
                reasons: answer.reasons.clone(),
            },
            options: ApprovalOptions {
                allow_once: true,
                allow_for_session: !destructive,
                always_allow_this_tool: Some(!destructive),
                deny: true,
            },
            expires_at: self.expires_at,
            contract: contract_of(valid, &valid.tool, asking, &present),
            contract_digest: Digest::zero(),
            denied_before: self.approvals.denials_near(&question),
            asked_before: self.approvals.asked_in(&valid.scope.session_id),
            diff: tried.as_ref().map(|tried| tried.diff.clone()),
            preview: String::new(),
            typed_confirmation: destructive.then(|| tool.tool_id.to_string()),
        });
        request.preview = preview(&request);
        request.contract.preview_digest = Digest::of_bytes(Domain::Approval, request.preview.as_bytes());
        request.contract_digest = request.contract.digest().map_err(|e| unsound(&e))?;
        Ok(request)
    }
}

fn unsound(error: &CanonicalError) -> StopReason {
    StopReason::new(StopCode::ApprovalUnavailable, format!("it cannot be approved: {error}"))
}

/// So many files are named by themselves; of more, the patterns of the contract are.
const NAMED: usize = 20;

/// What will be touched: what a rehearsal touched, or else everything that the contract declares.
fn effects(valid: &Validated, tried: Option<&EffectsObserved>) -> EffectsPreview {
    let tool = valid.tool.descriptor();
    let refs = |patterns: &[ResourcePattern]| -> Vec<ResourceRef> {
        patterns.iter().map(|p| ResourceRef(p.0.clone())).collect()
    };
    let mut writes = refs(&tool.effects.writes);
    writes.extend(refs(&tool.effects.deletes));
    if let Some(tried) = tried.filter(|tried| tried.writes.len() + tried.deletes.len() <= NAMED) {
        writes = tried.writes.iter().chain(&tried.deletes).cloned().collect();
    }
    let external_calls = match tool.effects.external_calls {
        true => vec![tool.source.source_id.clone()],
        false => Vec::new(),
    };
    EffectsPreview {
        reads: refs(&tool.effects.reads),
        writes,
        external_calls,
        user_visible_side_effect: valid.tool.level() >= EffectLevel::ExternalWrite,
    }
}
