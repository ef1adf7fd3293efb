//! A written tool that no intent finds.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "action-types-missing",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "A written descriptor names no action type.",
    why: "The action type decides the lowest level of a tool and which intents it serves.",
    fix: "name at least one, such as `read`; without one no intent finds the tool",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.tool.intent.action_types.is_empty() && subject.stated("/intent/actionTypes") {
        report.at(subject, "/intent/actionTypes", "the tool serves no action type");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check, check_served};
    use serde_json::json;

    #[test]
    fn a_written_tool_serves_an_action_type() {
        check(&LINT, |_| {}, &[]);
        check(
            &LINT,
            |t| t.intent.action_types.clear(),
            &["/intent/actionTypes: the tool serves no action type"],
        );
        check_served(&LINT, json!({ "name": "thing", "inputSchema": {} }), &[]);
    }
}
