//! A tool that says nothing.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "description-missing",
    stage: LintStage::Description,
    severity: Severity::Warning,
    finds: "The tool has no description.",
    why: "A model chooses by it; without one it guesses by the name.",
    fix: "say in a sentence what the tool does; a model chooses by it",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.summary().trim().is_empty() {
        report.at(subject, "/description/summary", "the tool has no description");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_tool_says_something() {
        check_summary(&LINT, "Reads.", &[]);
        check_summary(&LINT, " \n", &["/description/summary: the tool has no description"]);
    }
}
