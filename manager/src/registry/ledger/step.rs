//! The steps of admission, in the only order in which they count.

use crate::model::{LintStage, RegistrationState};
use serde::Serialize;
use std::fmt;

/// One step on the way from seen to callable (§10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// A source names it.
    Discovered,
    /// Its definition can be read.
    Parsed,
    /// It has a canonical contract whose schemas compile.
    Normalized,
    /// Lints on its schemas.
    SchemaLint,
    /// Lints on effects, scopes and approval.
    PermissionLint,
    /// Lints on its isolation.
    SandboxLint,
    /// Lints on what could harm whoever offers it.
    SecurityLint,
    /// Lints on its words.
    DescriptionLint,
    /// A person's eyes, where trust and reach demand them.
    Review,
    /// A try without effects.
    Health,
    /// Golden and negative prompts.
    Eval,
    /// All of the above, drawn together.
    Verified,
    /// Somebody lets it be used.
    Enabled,
    /// The principal may use it.
    Granted,
}

impl Step {
    /// Every step, in order.
    pub const ALL: [Self; 14] = [
        Self::Discovered,
        Self::Parsed,
        Self::Normalized,
        Self::SchemaLint,
        Self::PermissionLint,
        Self::SandboxLint,
        Self::SecurityLint,
        Self::DescriptionLint,
        Self::Review,
        Self::Health,
        Self::Eval,
        Self::Verified,
        Self::Enabled,
        Self::Granted,
    ];

    /// Its place in the order, from 0.
    pub(super) const fn place(self) -> usize {
        self as usize
    }

    /// The step of the lints of one stage.
    pub const fn of_lints(stage: LintStage) -> Self {
        match stage {
            LintStage::Schema => Self::SchemaLint,
            LintStage::Permission => Self::PermissionLint,
            LintStage::Sandbox => Self::SandboxLint,
            LintStage::Security => Self::SecurityLint,
            LintStage::Description => Self::DescriptionLint,
        }
    }

    /// The step that a failure state belongs to; nothing for a state that is no failure of a step.
    pub(super) const fn of_failure(state: RegistrationState) -> Option<Self> {
        use RegistrationState as S;
        Some(match state {
            S::InvalidSchema => Self::SchemaLint,
            S::PermissionLintFailed => Self::PermissionLint,
            S::SandboxLintFailed => Self::SandboxLint,
            S::SecurityReviewRequired => Self::Review,
            S::HealthCheckFailed => Self::Health,
            S::EvalFailed => Self::Eval,
            S::Discovered
            | S::Parsed
            | S::Normalized
            | S::Verified
            | S::Enabled
            | S::Granted
            | S::Callable
            | S::Blocked
            | S::Deprecated => return None,
        })
    }

    /// The state of a tool for which this step is the next one, as long as nothing has failed.
    pub const fn waiting(self) -> RegistrationState {
        use RegistrationState as S;
        match self {
            Self::Discovered | Self::Parsed => S::Discovered,
            Self::Normalized => S::Parsed,
            Self::SchemaLint
            | Self::PermissionLint
            | Self::SandboxLint
            | Self::SecurityLint
            | Self::DescriptionLint
            | Self::Review
            | Self::Health
            | Self::Eval
            | Self::Verified => S::Normalized,
            Self::Enabled => S::Verified,
            Self::Granted => S::Enabled,
        }
    }

    /// Its name for people.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Discovered => "discovery",
            Self::Parsed => "parsing",
            Self::Normalized => "normalization",
            Self::SchemaLint => "schema lints",
            Self::PermissionLint => "permission lints",
            Self::SandboxLint => "sandbox lints",
            Self::SecurityLint => "security lints",
            Self::DescriptionLint => "description lints",
            Self::Review => "security review",
            Self::Health => "health check",
            Self::Eval => "evaluation",
            Self::Verified => "verification",
            Self::Enabled => "enabling",
            Self::Granted => "grant",
        }
    }

    /// What to do where this step is missing.
    pub fn advice(self, tool: &str) -> String {
        match self {
            Self::Discovered
            | Self::Parsed
            | Self::Normalized
            | Self::SchemaLint
            | Self::PermissionLint
            | Self::SandboxLint
            | Self::SecurityLint
            | Self::DescriptionLint
            | Self::Health
            | Self::Verified => format!("proofhouse tools register SOURCE --only {tool}"),
            Self::Review => format!("proofhouse tools review {tool} --accept --reason WHY"),
            Self::Eval => format!("proofhouse tools eval {tool} --suite SUITE --model MODEL"),
            Self::Enabled => format!("proofhouse tools enable {tool}"),
            Self::Granted => format!("proofhouse tools enable {tool} --for PRINCIPAL"),
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_order() {
        assert!(Step::ALL.is_sorted());
        for (place, step) in Step::ALL.into_iter().enumerate() {
            assert_eq!(step.place(), place);
        }
    }
}
