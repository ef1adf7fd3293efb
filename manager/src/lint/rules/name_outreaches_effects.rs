//! A name that promises more than the effects admit.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "name-outreaches-effects",
    stage: LintStage::Permission,
    severity: Severity::Warning,
    finds: "The verb of the name speaks of a higher level than the written effects and action types give the tool.",
    why: "A tool called `delete` that claims only to read is misnamed or, worse, misdescribed.",
    fix: "correct `effects` and `intent.actionTypes`, or rename the tool",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let level = subject.tool.level();
    if let Some(spoken) = subject.verb_level().filter(|spoken| *spoken > level && subject.is_written()) {
        let message = format!("`{}` sounds like {spoken}, and the tool is {level}", subject.name());
        report.at(subject, "/canonicalName", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn a_name_promises_no_more_than_the_effects() {
        for name in ["file.read", "deploy.status", "thing"] {
            check(&LINT, |t| t.canonical_name = name.into(), &[]);
        }
        check(
            &LINT,
            |t| t.canonical_name = "file.delete_all".into(),
            &["/canonicalName: `delete_all` sounds like L5, and the tool is L0"],
        );
    }
}
