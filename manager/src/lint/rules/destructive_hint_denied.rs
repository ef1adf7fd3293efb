//! A destructive verb that is said to destroy nothing.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::ActionType,
};

pub(super) const LINT: Lint = Lint {
    code: "destructive-hint-denied",
    stage: LintStage::Permission,
    severity: Severity::Warning,
    finds: "The name speaks of deleting, and `destructiveHint` is false.",
    why: "A host that believes the hint does not ask before it deletes.",
    fix: "state `destructiveHint: true`, or rename the tool",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.hint("destructiveHint") == Some(false)
        && subject.hint("readOnlyHint") != Some(true)
        && destroys(subject)
    {
        let message = format!("`{}` sounds destructive, and `destructiveHint` is false", subject.name());
        report.served(subject, "/annotations/destructiveHint", message);
    }
}

/// Whether the name says that something is gone afterwards.
pub(super) fn destroys(subject: &Subject<'_>) -> bool {
    subject.verbs().contains(&ActionType::Delete)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn destroying_is_not_denied() {
        let of = |name, hint| json!({ "name": name, "inputSchema": {}, "annotations": { "destructiveHint": hint } });
        check_served(&LINT, of("delete_a", true), &[]);
        check_served(&LINT, of("update_a", false), &[]);
        check_served(
            &LINT,
            of("terminate_app", false),
            &[
                "/annotations/destructiveHint: `terminate_app` sounds destructive, and `destructiveHint` is false",
            ],
        );
    }
}
