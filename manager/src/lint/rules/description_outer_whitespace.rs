//! Blanks around a description.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "description-outer-whitespace",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "The description begins or ends with white space.",
    why: "It is a trace of a generator that copies doc comments as they are, often with their indentation: tokens for \
          nothing in every prompt.",
    fix: "trim the description, and the indentation of its lines",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let summary = subject.summary();
    if summary.trim() != summary {
        report.at(subject, "/description/summary", "the description begins or ends with white space");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_description_is_trimmed() {
        check_summary(&LINT, "Reads.", &[]);
        check_summary(
            &LINT,
            "\n    Reads.",
            &["/description/summary: the description begins or ends with white space"],
        );
    }
}
