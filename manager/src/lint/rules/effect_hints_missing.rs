//! Annotations that leave out what matters.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "effect-hints-missing",
    stage: LintStage::Permission,
    severity: Severity::Note,
    finds: "The tool has annotations, and neither `readOnlyHint` nor `destructiveHint` is among them.",
    why: "The worst case is taken for what is not stated, so even a harmless tool is treated as destructive.",
    fix: "state `readOnlyHint`, and `destructiveHint` where it is false",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(annotations) = subject.annotations() else { return };
    if !["readOnlyHint", "destructiveHint"].iter().any(|hint| annotations.contains_key(*hint)) {
        report.served(subject, "/annotations", "neither `readOnlyHint` nor `destructiveHint` is stated");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn annotations_say_what_matters() {
        let of = |annotations| json!({ "name": "a", "inputSchema": {}, "annotations": annotations });
        check_served(&LINT, of(json!({ "readOnlyHint": false })), &[]);
        check_served(&LINT, of(json!({})), &[]);
        check_served(
            &LINT,
            of(json!({ "title": "A" })),
            &["/annotations: neither `readOnlyHint` nor `destructiveHint` is stated"],
        );
    }
}
