//! The seventh stage: the result was held against its contract.

use super::{
    Executed,
    call::{Caused, Decided, Outcome, Step},
    check,
    hooked::tell,
};
use crate::{
    event::{
        Fact,
        fact::{FinishStatus, ToolResultValidated},
    },
    model::{CheckResult, EventId, Moment, Verification, VerificationCheck, VerificationStatus},
    port::{HookCall, Hooks},
};

/// A result, and what the verifiers said about it.
#[derive(Debug)]
pub struct Verified {
    pub(super) executed: Executed,
    pub(super) verification: Verification,
}

impl Verified {
    /// The call that has run.
    pub fn executed(&self) -> &Executed {
        &self.executed
    }

    /// What the verifiers said.
    pub fn verification(&self) -> &Verification {
        &self.verification
    }
}

impl Caused for Verified {
    fn caused_by(&mut self, event: EventId) {
        self.executed.prepared.caused_by(event);
    }
}

/// Verifies a result: `ToolResultValidated`, then `HookAnswered` for each hook that is told of it. A result that
/// fails goes on, marked as failed.
pub struct Verify<'a> {
    /// Who answers to the names of hooks.
    pub hooks: &'a dyn Hooks,
}

impl std::fmt::Debug for Verify<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Verify").finish_non_exhaustive()
    }
}

impl Step for Verify<'_> {
    type From = Executed;
    type To = Verified;

    fn decide(&self, mut executed: Executed) -> Decided<Verified> {
        let (scope, cause) = executed.prepared.authorized.place();
        let (verification, facts) = self.verify(&executed);
        Decided { scope, cause, facts, outcome: Outcome::Next(Verified { executed, verification }) }
    }
}

impl Verify<'_> {
    fn verify(&self, executed: &Executed) -> (Verification, Vec<Fact>) {
        let Executed { prepared, ran, .. } = executed;
        let valid = prepared.authorized.valid();
        let tool = valid.tool().descriptor();
        let mut call = HookCall {
            moment: Moment::Verifier,
            call: valid.call(),
            tool,
            args: valid.args(),
            principal: prepared.authorized.principal(),
            workspace: prepared.settled.terms.working_directory.as_deref(),
            ran: Some(ran),
            verification: None,
        };
        let mut checks = check::run(tool, ran);
        checks.extend(Moment::Verifier.hooks(tool).iter().map(|name| self.verifier(name, &call)));
        let failed = checks.iter().any(|c| c.result == CheckResult::Fail);
        let status = if failed { VerificationStatus::Failed } else { VerificationStatus::Passed };
        let verification = Verification { status, checks };
        let mut facts = vec![ToolResultValidated { verification: verification.clone() }.into()];
        call.verification = Some(&verification);
        facts.extend(tell(self.hooks, &HookCall { moment: Moment::PostCall, ..call }));
        if failed || ran.status != FinishStatus::Success {
            facts.extend(tell(self.hooks, &HookCall { moment: Moment::OnError, ..call }));
        }
        (verification, facts)
    }

    fn verifier(&self, name: &str, call: &HookCall<'_>) -> VerificationCheck {
        let (result, message) = match self.hooks.ask(name, call) {
            Ok(()) => (CheckResult::Pass, None),
            Err(why) => (CheckResult::Fail, Some(why)),
        };
        VerificationCheck { name: name.to_owned(), result, message }
    }
}
