//! A description that leaves the model guessing.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "description-too-short",
    stage: LintStage::Description,
    severity: Severity::Warning,
    finds: "The description has fewer than 20 characters.",
    why: "It can hardly say more than the name, and not when another tool is the right one.",
    fix: "say what the tool does, to what, and what comes back",
    check: Check::Tool(check),
};

const MIN: usize = 20;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let length = subject.summary().trim().chars().count();
    if (1..MIN).contains(&length) {
        report.at(subject, "/description/summary", format!("{length} characters say little"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_description_has_some_length() {
        check_summary(&LINT, "Reads a file as text", &[]);
        check_summary(&LINT, "", &[]);
        check_summary(&LINT, " Reads a file. ", &["/description/summary: 13 characters say little"]);
    }
}
