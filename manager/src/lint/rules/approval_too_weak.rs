//! A tool with effects elsewhere that asks nobody.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{ApprovalPolicy, EffectLevel, RiskLevel},
};

pub(super) const LINT: Lint = Lint {
    code: "approval-too-weak",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "A tool of L4 or L5 has an approval policy under which a call may go through unasked.",
    why: "What is visible to others or cannot be undone needs somebody's word; a descriptor that waives it relies on every \
          policy set to ask all the same.",
    fix: "set `approvalPolicy: always`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let (level, policy) = (subject.tool.level(), subject.tool.permissions.approval_policy);
    let why = match (level, policy) {
        (EffectLevel::ExternalWrite | EffectLevel::DestructiveOrAdmin, ApprovalPolicy::Never) => {
            "asks nobody"
        }
        (EffectLevel::DestructiveOrAdmin, ApprovalPolicy::OnRequest) => "asks only when the intent says so",
        (EffectLevel::ExternalWrite | EffectLevel::DestructiveOrAdmin, ApprovalPolicy::OnRisk)
            if subject.tool.risk.level == RiskLevel::Low =>
        {
            "asks only above low risk, and its risk is low"
        }
        _ => return,
    };
    report.at(subject, "/permissions/approvalPolicy", format!("a tool of {level} {why}"));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::check,
        model::{ActionType, ToolDescriptor},
    };

    #[test]
    fn far_effects_ask_somebody() {
        let of = |action, policy, risk| {
            move |t: &mut ToolDescriptor| {
                t.intent.action_types = vec![action];
                t.permissions.approval_policy = policy;
                t.risk.level = risk;
            }
        };
        use {ActionType as A, ApprovalPolicy as P, RiskLevel as R};
        check(&LINT, of(A::Write, P::Never, R::Low), &[]);
        check(&LINT, of(A::ExternalSend, P::OnRisk, R::Medium), &[]);
        check(&LINT, of(A::Delete, P::Always, R::Low), &[]);
        for (action, policy, risk, told) in [
            (A::ExternalSend, P::Never, R::High, "L4 asks nobody"),
            (A::Delete, P::Never, R::High, "L5 asks nobody"),
            (A::Delete, P::OnRequest, R::High, "L5 asks only when the intent says so"),
            (A::Purchase, P::OnRisk, R::Low, "L5 asks only above low risk, and its risk is low"),
        ] {
            check(
                &LINT,
                of(action, policy, risk),
                &[&format!("/permissions/approvalPolicy: a tool of {told}")],
            );
        }
    }
}
