//! A tool that changes things and asks for no right to.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::EffectLevel,
};

pub(super) const LINT: Lint = Lint {
    code: "scopes-missing",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "A tool of L2 or more requires no scope.",
    why: "The default policies deny such a tool to everybody, and other policies may not.",
    fix: "name a scope, such as `workspace:write`; policy denies the tool to everybody otherwise",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let level = subject.tool.level();
    if level >= EffectLevel::WorkspaceWrite && subject.tool.permissions.required_scopes.is_empty() {
        let message = format!("a tool of {level} needs at least one scope");
        report.at(subject, "/permissions/requiredScopes", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing::check, model::ActionType};

    #[test]
    fn changing_things_takes_a_scope() {
        check(&LINT, |_| {}, &[]);
        check(
            &LINT,
            |t| t.intent.action_types = vec![ActionType::Write],
            &["/permissions/requiredScopes: a tool of L2 needs at least one scope"],
        );
    }
}
