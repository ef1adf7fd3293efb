//! A description longer than providers take.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "description-too-long",
    stage: LintStage::Description,
    severity: Severity::Warning,
    finds: "What a model is told has more than 1,024 characters.",
    why: "Some model APIs refuse or cut a longer description, and every prompt that offers the tool pays for it.",
    fix: "keep what decides whether the tool is right; move the rest to the parameters or to where it is read on demand",
    check: Check::Tool(check),
};

const MAX: usize = 1024;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let all = subject.tool.description.for_model().chars().count();
    let length = all.max(subject.summary().chars().count());
    if length > MAX {
        report.at(subject, "/description/summary", format!("{length} characters are more than {MAX}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check, check_summary};

    #[test]
    fn a_description_fits() {
        check_summary(&LINT, &"é".repeat(MAX), &[]);
        check_summary(
            &LINT,
            &"é".repeat(MAX + 1),
            &["/description/summary: 1025 characters are more than 1024"],
        );
        check(
            &LINT,
            |t| t.description.use_when = vec!["x".repeat(MAX)],
            &["/description/summary: 1043 characters are more than 1024"],
        );
    }
}
