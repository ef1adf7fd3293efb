//! The seventh stage: the result was held against its contract.

use super::{
    Executed,
    call::{Caused, Decided, Outcome, Step},
    check,
};
use crate::{
    event::fact::ToolResultValidated,
    model::{CheckResult, EventId, Verification, VerificationStatus},
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

/// Verifies a result: `ToolResultValidated`. A result that fails goes on, marked as failed.
#[derive(Debug, Clone, Copy)]
pub struct Verify;

impl Step for Verify {
    type From = Executed;
    type To = Verified;

    fn decide(&self, mut executed: Executed) -> Decided<Verified> {
        let (scope, cause) = executed.prepared.authorized.place();
        let tool = executed.prepared.authorized.valid().tool().descriptor();
        let checks = check::run(tool, &executed.ran);
        let failed = checks.iter().any(|c| c.result == CheckResult::Fail);
        let status = if failed { VerificationStatus::Failed } else { VerificationStatus::Passed };
        let verification = Verification { status, checks };
        let fact = ToolResultValidated { verification: verification.clone() };
        let next = Verified { executed, verification };
        Decided { scope, cause, facts: vec![fact.into()], outcome: Outcome::Next(next) }
    }
}
