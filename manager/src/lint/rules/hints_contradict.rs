//! A tool that only reads and destroys.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "hints-contradict",
    stage: LintStage::Permission,
    severity: Severity::Warning,
    finds: "`readOnlyHint` and `destructiveHint` are both true.",
    why: "One of them is wrong; the manager takes the worse.",
    fix: "state what the tool does: `readOnlyHint` or `destructiveHint`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.hint("readOnlyHint") == Some(true) && subject.hint("destructiveHint") == Some(true) {
        report.served(
            subject,
            "/annotations/destructiveHint",
            "the tool is said to only read and to destroy",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn hints_agree() {
        let of = |destroys| {
            let annotations = json!({ "readOnlyHint": true, "destructiveHint": destroys });
            json!({ "name": "a", "inputSchema": {}, "annotations": annotations })
        };
        check_served(&LINT, of(false), &[]);
        check_served(
            &LINT,
            of(true),
            &["/annotations/destructiveHint: the tool is said to only read and to destroy"],
        );
    }
}
