//! What an approval is bound to: put together in one place, when somebody is asked and again before the run.

use super::{Authority, Authorized, Validated};
use crate::{
    authority::{CallFacts, grant_mismatch},
    event::{
        Fact,
        fact::{ApprovalExpired, ApprovalInvalidated},
    },
    model::{
        ApprovalContract, ApprovalId, Digest, Domain, PermissionGrant, PrincipalId, RuntimeTerms, StopCode,
        StopReason, digest_value,
    },
    registry::RegisteredTool,
};
use chrono::{DateTime, Utc};

/// What is the case now, looked at anew.
#[derive(Debug, Clone, Copy)]
pub struct Present<'a> {
    /// The tool as it is registered; `None` where it no longer is.
    pub tool: Option<&'a RegisteredTool>,
    /// Who acts.
    pub principal: &'a PrincipalId,
    /// The policy set that decides.
    pub policy_set: &'a Digest,
    /// Where and with what the call would run.
    pub terms: &'a RuntimeTerms,
    /// Digest of exactly what it would change, where that was found out by trying.
    pub changes: Option<&'a Digest>,
    /// The time.
    pub now: DateTime<Utc>,
}

/// Why a call may not go on, and the facts that say so.
#[derive(Debug, Clone, PartialEq)]
pub struct Refused {
    /// What is recorded about its approval.
    pub facts: Vec<Fact>,
    /// Why it stops.
    pub reason: StopReason,
}

/// What only the question itself carries.
pub(super) struct Asking<'a> {
    pub(super) approval_id: &'a ApprovalId,
    pub(super) preview_digest: Digest,
    pub(super) expires_at: DateTime<Utc>,
}

/// The contract of a call, as it reads in the present.
pub(super) fn contract_of(
    valid: &Validated,
    registered: &RegisteredTool,
    asking: Asking<'_>,
    present: &Present<'_>,
) -> ApprovalContract {
    let tool = registered.descriptor();
    let RuntimeTerms { working_directory, executable, sandbox_digest, credentials } = present.terms.clone();
    ApprovalContract {
        approval_id: asking.approval_id.clone(),
        tool_call_id: valid.call.clone(),
        session_id: valid.scope.session_id.clone(),
        principal: present.principal.clone(),
        tool_id: tool.tool_id.clone(),
        tool_version: tool.version.clone(),
        descriptor_digest: registered.digest().clone(),
        // Of the very value that an adapter will get. What has no digest is equal to nothing approved.
        args_digest: digest_value(Domain::Plain, &valid.args).unwrap_or_else(|_| Digest::zero()),
        policy_set: present.policy_set.clone(),
        risk_level: tool.risk.level,
        effect_level: registered.level(),
        scopes: tool.permissions.required_scopes.clone(),
        credentials,
        sandbox_digest,
        working_directory,
        executable,
        changes_digest: present.changes.cloned(),
        preview_digest: asking.preview_digest,
        expires_at: asking.expires_at,
    }
}

/// Holds an approved contract against the present.
pub(super) fn hold(
    approved: &ApprovalContract,
    valid: &Validated,
    present: &Present<'_>,
) -> Result<(), Box<Refused>> {
    if approved.expires_at <= present.now && !mutant!(ExpiryForgotten) {
        return Err(expired(approved));
    }
    if mutant!(ArgumentsSwapped) {
        return Ok(());
    }
    let Some(registered) = present.tool else {
        let absent = "absent".to_owned();
        return Err(invalidated(approved, "toolId", approved.tool_id.to_string(), absent));
    };
    let asking = Asking {
        approval_id: &approved.approval_id,
        preview_digest: approved.preview_digest.clone(),
        expires_at: approved.expires_at,
    };
    match approved.difference(&contract_of(valid, registered, asking, present)) {
        None => Ok(()),
        Some(d) => Err(invalidated(approved, &d.field, d.approved, d.found)),
    }
}

pub(super) fn expired(approved: &ApprovalContract) -> Box<Refused> {
    let ApprovalContract { approval_id, expires_at, .. } = approved.clone();
    let message = format!(
        "the approval expired at {}\nhint: ask again, and answer before it is void",
        expires_at.format("%Y-%m-%d %H:%M:%S%.3fZ")
    );
    let facts = vec![ApprovalExpired { approval_id, expires_at }.into()];
    Box::new(Refused { facts, reason: StopReason::new(StopCode::ApprovalExpired, message) })
}

pub(super) fn invalidated(
    approved: &ApprovalContract,
    field: &str,
    was: String,
    found: String,
) -> Box<Refused> {
    let message = format!(
        "`{field}` was approved as {was}, and is {found}\nhint: ask again; an approval is for exactly what it showed"
    );
    let approval_id = approved.approval_id.clone();
    let fact = ApprovalInvalidated { approval_id, field: field.to_owned(), approved: was, found };
    Box::new(Refused {
        facts: vec![fact.into()],
        reason: StopReason::new(StopCode::ApprovalMismatch, message),
    })
}

impl Authorized {
    /// Holds what allows the call against the present: asked by the executor, just before the run.
    ///
    /// # Errors
    /// [`Refused`] with the part that differs: the approval is void then, and the call must not run.
    pub fn hold(&self, present: &Present<'_>) -> Result<(), Box<Refused>> {
        match &self.authority {
            Authority::Policy => self.hold_tool(present),
            Authority::Grant(grant) => self.hold_tool(present).and_then(|()| self.hold_grant(grant, present)),
            Authority::Approval(once) => hold(&once.contract, &self.valid, present),
        }
    }

    fn hold_tool(&self, present: &Present<'_>) -> Result<(), Box<Refused>> {
        let valid = &self.valid;
        match present.tool {
            Some(tool) if tool.digest() == valid.tool.digest() => Ok(()),
            found => {
                let found = found.map_or("is gone".to_owned(), |t| format!("is now {}", t.digest().short()));
                let was = valid.tool.digest().short();
                let message = format!("`{}` was decided about as {was}, and {found}", valid.tool.id());
                Err(plainly(StopCode::NotCallable, message))
            }
        }
    }

    fn hold_grant(&self, grant: &PermissionGrant, present: &Present<'_>) -> Result<(), Box<Refused>> {
        if grant.expires_at <= present.now {
            let at = grant.expires_at.format("%Y-%m-%d %H:%M:%S%.3fZ");
            return Err(plainly(
                StopCode::Revoked,
                format!("the grant `{}` expired at {at}", grant.grant_id),
            ));
        }
        let valid = &self.valid;
        let tool = valid.tool.descriptor();
        let call = CallFacts {
            principal: present.principal,
            session_id: &valid.scope.session_id,
            // The tenant of a session does not change.
            tenant: grant.tenant.as_deref(),
            tool_id: &tool.tool_id,
            tool_version: &tool.version,
            descriptor_digest: valid.tool.digest(),
            args_digest: &valid.digest,
            scopes: &tool.permissions.required_scopes,
            level: valid.tool.level(),
            terms: present.terms,
        };
        match grant_mismatch(grant, &call) {
            None => Ok(()),
            Some(misfit) => {
                let message = format!("the grant `{}` does not cover it: {misfit}", grant.grant_id);
                Err(plainly(StopCode::Revoked, message))
            }
        }
    }
}

fn plainly(code: StopCode, message: String) -> Box<Refused> {
    Box::new(Refused { facts: Vec::new(), reason: StopReason::new(code, message) })
}
