//! Whether a principal may call a contract now, and if not, what is missing.

use super::{Ledger, Permit, Step, Track, grants};
use crate::model::{
    Digest, EffectLevel, EnablementScope, EventId, PrincipalId, RegistrationState, SessionId, ToolId,
    ToolVersion,
};
use chrono::{DateTime, Utc};
use serde::Serialize;

/// Who wants to call, in which conversation, and when.
#[derive(Debug, Clone, Copy)]
pub struct Asker<'a> {
    /// Who.
    pub principal: &'a PrincipalId,
    /// In which conversation.
    pub session: &'a SessionId,
    /// When.
    pub now: DateTime<Utc>,
}

/// The answer yes, with what it rests on.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Callable {
    /// The tool.
    pub tool_id: ToolId,
    /// Its version.
    pub tool_version: ToolVersion,
    /// The contract's digest.
    pub descriptor_digest: Digest,
    /// How far it reaches.
    pub level: EffectLevel,
    /// The events that prove it, in the order of the steps.
    pub evidence: Vec<EventId>,
    /// The permit; absent where the default lets everybody use it for whom it is enabled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub permit: Option<Permit>,
    /// Why it should be replaced, if it should.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub deprecated: Option<String>,
}

/// The answer no: the first step that lacks proof.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, thiserror::Error)]
#[error("tool `{tool}` is not callable: {missing}: {reason}\nhint: {}", .missing.advice(.tool))]
#[serde(rename_all = "camelCase")]
pub struct NotCallable {
    /// The tool.
    pub tool: ToolId,
    /// The first step that lacks proof.
    pub missing: Step,
    /// Where the contract stands.
    pub state: RegistrationState,
    /// Why.
    pub reason: String,
}

impl Ledger {
    /// Whether somebody may call a contract now.
    ///
    /// # Errors
    /// [`NotCallable`] names the first step that lacks proof, and why.
    pub fn callable(
        &self,
        tool: &ToolId,
        version: &ToolVersion,
        digest: &Digest,
        asker: Asker<'_>,
    ) -> Result<Callable, NotCallable> {
        let no = |missing, state, reason: String| NotCallable { tool: tool.clone(), missing, state, reason };
        let Some(record) = self.get(tool) else {
            let reason = "no event of the registry names it".to_owned();
            return Err(no(Step::Discovered, RegistrationState::Discovered, reason));
        };
        let Some(track) = self.track(tool, digest).filter(|track| track.version() == version) else {
            let missing = if record.discovered.is_empty() {
                Step::Discovered
            } else if record.parsed.is_empty() {
                Step::Parsed
            } else {
                Step::Normalized
            };
            let (state, reason) = match record.failure() {
                Some(halt) => (halt.state, halt.reason.clone()),
                None => {
                    let reason = format!(
                        "version {version} was never registered with the contract {}",
                        digest.short()
                    );
                    (missing.waiting(), reason)
                }
            };
            return Err(no(missing, state, reason));
        };
        self.callable_track(track, asker)
    }

    /// The same for a contract at hand.
    ///
    /// # Errors
    /// [`NotCallable`] names the first step that lacks proof, and why.
    pub fn callable_track(&self, track: &Track, asker: Asker<'_>) -> Result<Callable, NotCallable> {
        let no = |missing, state, reason| NotCallable { tool: track.tool().clone(), missing, state, reason };
        // INVARIANT: proofs are in the order of the steps without a gap, so the next one is the first missing.
        if track.next() <= Step::Enabled || track.block.is_some() {
            return Err(no(track.next(), track.state(), track.why()));
        }
        let Some(scope) = track.enablings.iter().find(|e| covers(&e.scope, asker)) else {
            let reason = format!("it is not enabled for {}", asker.principal);
            return Err(no(Step::Enabled, RegistrationState::Verified, reason));
        };
        let permit = track.permits.iter().rev().find(|permit| {
            permit.covers(asker.principal, asker.session, asker.now) && !self.revoked.contains(&permit.grant)
        });
        let contract = track.contract();
        if permit.is_none() && !grants::granted_by_default(contract.trust, contract.level) {
            let reason = format!("{} holds no grant for it that is in force", asker.principal);
            return Err(no(Step::Granted, RegistrationState::Enabled, reason));
        }
        let mut evidence: Vec<EventId> = track.proofs.iter().map(|proof| proof.event.clone()).collect();
        if !evidence.contains(&scope.event) {
            evidence.push(scope.event.clone());
        }
        Ok(Callable {
            tool_id: track.tool().clone(),
            tool_version: track.version().clone(),
            descriptor_digest: track.digest().clone(),
            level: contract.level,
            evidence,
            permit: permit.cloned(),
            deprecated: track.deprecated.as_ref().map(|fact| match &fact.replacement {
                Some(other) => format!("{}; use `{other}`", fact.reason),
                None => fact.reason.clone(),
            }),
        })
    }
}

fn covers(scope: &EnablementScope, asker: Asker<'_>) -> bool {
    match scope {
        EnablementScope::Everyone => true,
        EnablementScope::Principal { principal } => principal == asker.principal,
        EnablementScope::Session { session_id } => session_id == asker.session,
        // Decided and recorded, never executed.
        EnablementScope::Evaluation => false,
    }
}

impl Track {
    /// Why it does not go on from where it stands.
    pub fn why(&self) -> String {
        let next = self.next();
        if let Some(halt) = self.halt() {
            return halt.reason.clone();
        }
        if let (Step::Review, Some(demand)) = (next, self.demand) {
            return format!("a person must review it: {demand}");
        }
        match self.strays.iter().find(|stray| stray.step == next) {
            Some(stray) => format!("{} claims it, but {}", stray.event, stray.why),
            None => format!("no event proves the {next}"),
        }
    }
}
