//! A destructive verb without a word on destruction.

use super::destructive_hint_denied::destroys;
use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "destructive-hint-missing",
    stage: LintStage::Permission,
    severity: Severity::Note,
    finds: "The name speaks of deleting, and `destructiveHint` is not stated.",
    why: "MCP's default is then destructive, so nothing is hidden; but whoever reads the definition is left to guess.",
    fix: "state `destructiveHint: true`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(served) = subject.served() else { return };
    let silent = subject.hint("destructiveHint").is_none() && subject.hint("readOnlyHint") != Some(true);
    if silent && subject.tool.source.server_id.is_some() && destroys(subject) {
        let pointer = if served.contains_key("annotations") { "/annotations" } else { "" };
        let message = format!("`{}` sounds destructive, and `destructiveHint` is not stated", subject.name());
        report.served(subject, pointer, message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn destroying_is_said() {
        let of = |name, annotations| json!({ "name": name, "inputSchema": {}, "annotations": annotations });
        check_served(&LINT, of("delete_a", json!({ "destructiveHint": true })), &[]);
        check_served(&LINT, of("list_deleted", json!({})), &[]);
        check_served(
            &LINT,
            of("delete_a", json!({})),
            &["/annotations: `delete_a` sounds destructive, and `destructiveHint` is not stated"],
        );
    }
}
