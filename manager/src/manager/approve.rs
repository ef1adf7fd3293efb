//! From a question to an authorized call, or to a no.

use super::{Manager, Session, Verdict};
use crate::{
    adapters::remember::Remembering,
    event::fact::GrantRevoked,
    model::{GrantBinding, GrantId, PermissionGrant},
    port::{Approver, ApproverRights, EventSink, Interrupt, JournalError, Reply, SingleUse},
    stage::{Approve, Authorized, GrantLifetimes, Outcome, Pending, advance},
};

/// Who is asked, and what makes the answer count.
pub struct Approving<'a> {
    /// Who is asked.
    pub approver: &'a dyn Approver,
    /// Who may say yes, when the answer is used.
    pub rights: &'a dyn ApproverRights,
    /// What makes a yes good for one use.
    pub uses: &'a dyn SingleUse,
    /// What may call the call off while it waits.
    pub interrupt: &'a dyn Interrupt,
    /// How long wider grants live.
    pub lifetimes: GrantLifetimes,
}

impl std::fmt::Debug for Approving<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Approving").field("lifetimes", &self.lifetimes).finish_non_exhaustive()
    }
}

impl Manager {
    /// Asks somebody about a pending call, and takes the answer as far as the call's authorization.
    ///
    /// A yes with a wider reach gives a grant that later calls stand on; where it cannot be kept, it is taken
    /// back, and the yes counts for this call alone.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; nothing is allowed then.
    pub fn approve(
        &self,
        session: &Session,
        pending: Pending,
        with: &Approving<'_>,
        log: &mut dyn EventSink,
    ) -> Result<Verdict, JournalError> {
        // INVARIANT: the question is on the disk before anybody sees it.
        log.commit()?;
        let request = pending.request();
        let reply = with.approver.ask(request, request.expires_at, with.interrupt);
        self.answered(session, pending, reply, with, log)
    }

    /// Takes an answer as far as the call's authorization.
    ///
    /// # Errors
    /// [`JournalError`] if the journal cannot be written; nothing is allowed then.
    pub fn answered(
        &self,
        session: &Session,
        pending: Pending,
        reply: Reply,
        with: &Approving<'_>,
        log: &mut dyn EventSink,
    ) -> Result<Verdict, JournalError> {
        let tool = self.registry.get(pending.checked().valid().tool().id()).cloned();
        let policy = self.policy();
        let step = Approve {
            now: self.clock.now(),
            grant_id: GrantId::from_uuid(self.clock.uuid()),
            principal: &session.actor.principal().id,
            tenant: session.tenant.as_deref(),
            tool: tool.as_deref(),
            policy_set: policy.digest(),
            runtime: &*self.runtime,
            rights: with.rights,
            uses: with.uses,
            interrupt: with.interrupt,
            lifetimes: with.lifetimes,
        };
        let mut log = Remembering::new(log, &session.memory, &*self.clock);
        let valid = pending.checked().valid();
        let (of, call) = (valid.shared_tool(), valid.call().clone());
        match advance(&step, (pending, reply), &mut log)? {
            Outcome::Next(authorized) => {
                self.keep_grant(&authorized, &mut log)?;
                Ok(Verdict::Allowed(authorized))
            }
            Outcome::Stop(stop) => {
                self.executors.forget(of.descriptor(), &call);
                Ok(Verdict::Stopped(stop.reason))
            }
        }
    }

    fn keep_grant(&self, authorized: &Authorized, log: &mut dyn EventSink) -> Result<(), JournalError> {
        let Some(grant) = authorized.grant().filter(|grant| is_wider(grant)) else { return Ok(()) };
        // INVARIANT: what other processes rely on is in this journal first.
        log.commit()?;
        if let Err(error) = self.grants.keep(grant) {
            let reason = format!("it could not be kept: {error}");
            let fact = GrantRevoked { grant_id: grant.grant_id.clone(), by: "system:manager".into(), reason };
            log.append(authorized.valid().scope(), None, fact.into())?;
        }
        Ok(())
    }
}

fn is_wider(grant: &PermissionGrant) -> bool {
    match grant.binding {
        GrantBinding::Call { .. } => false,
        GrantBinding::Session { .. } | GrantBinding::Standing => true,
    }
}
