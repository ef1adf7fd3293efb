//! What an event claims about a step, before anybody asks whether it counts.

use super::{Demand, Step};
use crate::{
    event::fact::{
        EvalCompleted, HealthStatus, ReviewStatus, ToolHealthChecked, ToolLinted, ToolRegistrationFailed,
        ToolSecurityReviewed,
    },
    model::{LintStage, PrincipalId, RegistrationState, Severity},
};

/// What an event says about one step of one contract.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Claim {
    pub(super) step: Step,
    pub(super) says: Says,
    pub(super) by: Option<PrincipalId>,
}

/// The answer that it carries.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Says {
    /// The step is passed.
    Yes,
    /// The step is passed, and a person must look.
    YesBut(Demand),
    /// A person has looked at exactly this and accepts it.
    Accepted,
    /// The step is not passed.
    No(RegistrationState, String),
    /// It is no proof of anything, for this reason.
    Nothing(&'static str),
}

impl Claim {
    fn new(step: Step, says: Says, by: Option<&PrincipalId>) -> Self {
        Self { step, says, by: by.cloned() }
    }
}

impl From<&ToolLinted> for Claim {
    fn from(fact: &ToolLinted) -> Self {
        let errors: Vec<&str> =
            fact.findings.iter().filter(|f| f.severity == Severity::Error).map(|f| f.code.as_str()).collect();
        let failed = !fact.passed || !errors.is_empty();
        let no = |state| {
            let codes = if errors.is_empty() { "no code named".to_owned() } else { errors.join(", ") };
            if failed { Says::No(state, format!("the lints fail: {codes}")) } else { Says::Yes }
        };
        let says = match fact.stage {
            LintStage::Schema => no(RegistrationState::InvalidSchema),
            LintStage::Permission => no(RegistrationState::PermissionLintFailed),
            LintStage::Sandbox => no(RegistrationState::SandboxLintFailed),
            LintStage::Security if failed => Says::YesBut(Demand::Findings),
            LintStage::Security | LintStage::Description => Says::Yes,
        };
        Self::new(Step::of_lints(fact.stage), says, fact.by.as_ref())
    }
}

impl From<&ToolSecurityReviewed> for Claim {
    fn from(fact: &ToolSecurityReviewed) -> Self {
        let says = match fact.status {
            ReviewStatus::NotRequired => Says::Yes,
            ReviewStatus::Accepted if is_person(&fact.reviewer) => Says::Accepted,
            ReviewStatus::Accepted => Says::Nothing("only a person, `user:…`, can accept a tool"),
            ReviewStatus::Rejected => {
                let reason = format!("rejected by {}: {}", fact.reviewer, fact.reason);
                Says::No(RegistrationState::SecurityReviewRequired, reason)
            }
        };
        Self::new(Step::Review, says, Some(&fact.reviewer))
    }
}

/// Whether a principal is a person; agents and services cannot stand in for one.
pub(in crate::registry) fn is_person(principal: &str) -> bool {
    principal.strip_prefix("user:").is_some_and(|name| !name.is_empty())
}

impl From<&ToolHealthChecked> for Claim {
    fn from(fact: &ToolHealthChecked) -> Self {
        let says = match fact.status {
            HealthStatus::Passed | HealthStatus::Skipped => Says::Yes,
            HealthStatus::Failed => Says::No(RegistrationState::HealthCheckFailed, fact.reason.clone()),
        };
        Self::new(Step::Health, says, fact.by.as_ref())
    }
}

impl From<&EvalCompleted> for Claim {
    fn from(fact: &EvalCompleted) -> Self {
        let says = if !fact.passed && !mutant!(ThresholdsForgotten) {
            let reason =
                format!("the thresholds are missed with {}: {}", fact.model, fact.thresholds.join("; "));
            Says::No(RegistrationState::EvalFailed, reason)
        } else if fact.eval.golden == 0 || fact.eval.negative == 0 && !mutant!(NegativesForgotten) {
            Says::Nothing("an evaluation needs golden and negative prompts")
        } else if fact.thresholds.is_empty() {
            Says::Nothing("an evaluation without thresholds decides nothing")
        } else {
            Says::Yes
        };
        Self::new(Step::Eval, says, fact.by.as_ref())
    }
}

impl Claim {
    /// What a failure says about the contract it is bound to; nothing where its state is no failure.
    pub(super) fn of_failure(fact: &ToolRegistrationFailed) -> Option<Self> {
        let step = Step::of_failure(fact.state)?;
        Some(Self::new(step, Says::No(fact.state, fact.reason.clone()), None))
    }
}
