//! The question: everything that an approver is shown, and the contract that a yes is bound to.

use super::{
    Authorize, PolicyChecked, Validated,
    contract::{Asking, Present, contract_of},
};
use crate::{
    authority::{Question, preview},
    model::{
        ApprovalOptions, ApprovalRequest, ApprovalRisk, ApprovalTool, CanonicalError, CredentialPreview,
        Digest, Domain, EffectLevel, EffectsPreview, ResourcePattern, ResourceRef, RuntimeTerms, StopCode,
        StopReason,
    },
};

impl Authorize<'_> {
    pub(super) fn request(
        &self,
        checked: &PolicyChecked,
        terms: &RuntimeTerms,
        question: &Question<'_>,
    ) -> Result<Box<ApprovalRequest>, StopReason> {
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
        let present = Present {
            tool: Some(&valid.tool),
            principal: &self.principal.id,
            policy_set: self.policy_set,
            terms,
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
            effects_preview: effects(valid),
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
                allow_for_session: !destructive,
                always_allow_this_tool: Some(!destructive),
                deny: true,
            },
            expires_at: self.expires_at,
            contract: contract_of(valid, &valid.tool, asking, &present),
            contract_digest: Digest::zero(),
            denied_before: self.approvals.denials_near(question),
            asked_before: self.approvals.asked_in(&valid.scope.session_id),
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

fn effects(valid: &Validated) -> EffectsPreview {
    let tool = valid.tool.descriptor();
    let refs = |patterns: &[ResourcePattern]| -> Vec<ResourceRef> {
        patterns.iter().map(|p| ResourceRef(p.0.clone())).collect()
    };
    let mut writes = refs(&tool.effects.writes);
    writes.extend(refs(&tool.effects.deletes));
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
