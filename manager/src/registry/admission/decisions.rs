//! What somebody decides about a tool: review, enable, block, deprecate.

use super::{Admission, AdmissionError, Standing};
use crate::{
    event::fact::{
        BlockCause, ReviewStatus, ToolBlocked, ToolDeprecated, ToolEnabled, ToolGranted, ToolSecurityReviewed,
    },
    model::{Digest, EnablementScope, GrantId, PrincipalId, ToolId, ToolVersion},
    registry::ledger::{Step, Track, is_person},
};

/// What a person thinks of a contract.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Review {
    /// It may go on.
    Accept,
    /// It may not.
    Reject,
}

impl Admission<'_> {
    /// Records a person's review of exactly this contract, and walks on after an acceptance.
    ///
    /// # Errors
    /// [`AdmissionError`] if nobody waits for an acceptance, who decides is no person, or the journal cannot be
    /// written.
    pub fn review(
        &mut self,
        tool: &ToolId,
        digest: &Digest,
        review: Review,
        reason: &str,
    ) -> Result<Standing, AdmissionError> {
        if !is_person(&self.by) {
            return Err(AdmissionError::NotAPerson(self.by.clone()));
        }
        let track = self.track(tool, digest)?;
        if review == Review::Accept && track.next() != Step::Review {
            return Err(not_there(track, "accepted"));
        }
        let fact = ToolSecurityReviewed {
            tool_id: tool.clone(),
            tool_version: track.version().clone(),
            descriptor_digest: digest.clone(),
            status: match review {
                Review::Accept => ReviewStatus::Accepted,
                Review::Reject => ReviewStatus::Rejected,
            },
            reviewer: self.by.clone(),
            reason: reason.to_owned(),
        };
        self.append(&fact.into())?;
        self.log.commit()?;
        match review {
            Review::Accept => self.resume(tool, digest),
            Review::Reject => self.standing(tool, digest),
        }
    }

    /// Measures a contract, also one that was measured before, and walks on where the thresholds hold. Where
    /// they are missed, what rested on an earlier measurement is taken back.
    ///
    /// # Errors
    /// [`AdmissionError`] if it is not so far, nothing could be measured, or the journal cannot be written.
    pub fn evaluate(&mut self, tool: &ToolId, digest: &Digest) -> Result<Standing, AdmissionError> {
        let track = self.track(tool, digest)?;
        if track.next() < Step::Eval {
            return Err(not_there(track, "evaluated"));
        }
        if track.next() > Step::Eval {
            let prepared = self.prepared(tool, digest)?;
            self.take_step(&prepared, Step::Eval)?;
        }
        self.resume(tool, digest)
    }

    /// Lets a verified contract be used. Where the scope names a principal, that is also what authorizes it to
    /// use the tool; what a single call needs is for policy to say.
    ///
    /// # Errors
    /// [`AdmissionError::NotThere`] names the step that is missing.
    pub fn enable(
        &mut self,
        tool: &ToolId,
        digest: &Digest,
        scope: EnablementScope,
    ) -> Result<Standing, AdmissionError> {
        let track = self.track(tool, digest)?;
        if track.next() < Step::Enabled {
            return Err(not_there(track, "enabled"));
        }
        // INVARIANT: enabling is next or done, so the verification is proven.
        let verified = track.proofs().iter().find(|proof| proof.step == Step::Verified);
        let evidence = verified.map(|proof| proof.event.clone()).into_iter().collect();
        let version = track.version().clone();
        let known = track.enablings().iter().any(|enabling| enabling.scope == scope);
        let permitted = |who: &PrincipalId| self.ledger.permits(track, who);
        let grantee = match &scope {
            EnablementScope::Principal { principal } if !permitted(principal) => Some(principal.clone()),
            _ => None,
        };
        if !known {
            let fact = ToolEnabled {
                tool_id: tool.clone(),
                tool_version: version.clone(),
                descriptor_digest: digest.clone(),
                scope,
                by: self.by.clone(),
                evidence,
            };
            self.append(&fact.into())?;
        }
        if let Some(principal) = grantee {
            let fact = ToolGranted {
                tool_id: tool.clone(),
                tool_version: version,
                descriptor_digest: digest.clone(),
                grant_id: GrantId::from_uuid(self.ports.clock.uuid()),
                principal,
            };
            self.append(&fact.into())?;
        }
        self.log.commit()?;
        self.standing(tool, digest)
    }

    /// Stops a tool, in one version or in every one. Only a person's review of a contract lets it go on.
    ///
    /// # Errors
    /// [`AdmissionError`] if the tool is unknown or the journal cannot be written.
    pub fn block(
        &mut self,
        tool: &ToolId,
        version: Option<&ToolVersion>,
        reason: &str,
    ) -> Result<(), AdmissionError> {
        self.known(tool, version)?;
        let fact = ToolBlocked {
            tool_id: tool.clone(),
            tool_version: version.cloned(),
            cause: BlockCause::Person,
            by: self.by.clone(),
            reason: reason.to_owned(),
            definition_digest: None,
        };
        self.append(&fact.into())?;
        Ok(self.log.commit()?)
    }

    /// Marks a version as to be replaced; it goes on working and says so.
    ///
    /// # Errors
    /// [`AdmissionError`] if the version is unknown or the journal cannot be written.
    pub fn deprecate(
        &mut self,
        tool: &ToolId,
        version: &ToolVersion,
        reason: &str,
        replacement: Option<ToolId>,
    ) -> Result<(), AdmissionError> {
        self.known(tool, Some(version))?;
        let fact = ToolDeprecated {
            tool_id: tool.clone(),
            tool_version: version.clone(),
            by: self.by.clone(),
            reason: reason.to_owned(),
            replacement,
        };
        self.append(&fact.into())?;
        Ok(self.log.commit()?)
    }

    fn known(&self, tool: &ToolId, version: Option<&ToolVersion>) -> Result<(), AdmissionError> {
        let record = self.ledger.get(tool);
        let known = record.is_some_and(|r| version.is_none_or(|version| r.version(version).is_some()));
        if known { Ok(()) } else { Err(AdmissionError::Unknown(tool.clone())) }
    }
}

fn not_there(track: &Track, what: &'static str) -> AdmissionError {
    AdmissionError::NotThere { tool: track.tool().clone(), what, missing: track.next(), reason: track.why() }
}
