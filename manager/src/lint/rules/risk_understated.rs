//! A risk that does not fit the level.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{EffectLevel, RiskLevel},
};

pub(super) const LINT: Lint = Lint {
    code: "risk-understated",
    stage: LintStage::Permission,
    severity: Severity::Warning,
    finds: "A tool of L5 claims a risk below high, or one of L4 a low risk.",
    why: "Policies and approvers go by the risk; whoever reads `low` beside a deletion looks away.",
    fix: "raise `risk.level`, or correct the effects that give the tool its level",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let (level, risk) = (subject.tool.level(), subject.tool.risk.level);
    let least = match level {
        EffectLevel::DestructiveOrAdmin => RiskLevel::High,
        EffectLevel::ExternalWrite => RiskLevel::Medium,
        EffectLevel::PureRead
        | EffectLevel::LocalCompute
        | EffectLevel::WorkspaceWrite
        | EffectLevel::ExternalRead => RiskLevel::Low,
    };
    if risk < least {
        let message = format!(
            "the risk of a tool of {level} is at least {}, and this says {}",
            least.as_str(),
            risk.as_str()
        );
        report.at(subject, "/risk/level", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing::check, model::ActionType};

    #[test]
    fn risk_fits_the_level() {
        check(&LINT, |t| t.intent.action_types = vec![ActionType::Write], &[]);
        check(
            &LINT,
            |t| t.intent.action_types = vec![ActionType::Admin],
            &["/risk/level: the risk of a tool of L5 is at least high, and this says low"],
        );
        check(
            &LINT,
            |t| t.intent.action_types = vec![ActionType::ExternalSend],
            &["/risk/level: the risk of a tool of L4 is at least medium, and this says low"],
        );
    }
}
