//! A tool that says it only reads and sounds like writing.

use super::{catch_all_tool, mixed_read_and_write};
use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::EffectLevel,
};

pub(super) const LINT: Lint = Lint {
    code: "read-only-hint-on-writer",
    stage: LintStage::Permission,
    severity: Severity::Warning,
    finds: "`readOnlyHint` is true, and the tool's name, a choice of an argument or a raw query says otherwise.",
    why: "A host that believes the hint lets the tool change things unasked.",
    fix: "set `readOnlyHint: false`; for a tool that only returns a text, say so in the name, as `draft_` or `plan_`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.hint("readOnlyHint") != Some(true) {
        return;
    }
    let verb = subject.verb_level().is_some_and(|level| level >= EffectLevel::WorkspaceWrite);
    let mixed =
        subject.parameters().find_map(|p| mixed_read_and_write::mixes(subject, p)).map(|(_, writes)| writes);
    let message = if verb {
        format!("`{}` is said to only read", subject.name())
    } else if let Some(writes) = mixed {
        format!("the tool is said to only read, and can `{writes}`")
    } else if let Some(raw) = catch_all_tool::of(subject) {
        format!("the tool is said to only read, and takes {}", raw.what)
    } else {
        return;
    };
    report.served(subject, "/annotations/readOnlyHint", message);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn a_reader_does_not_write() {
        let of = |name, schema| json!({ "name": name, "inputSchema": schema, "annotations": { "readOnlyHint": true } });
        check_served(&LINT, of("get_a", json!({})), &[]);
        check_served(&LINT, of("run_report", json!({})), &[]);
        check_served(
            &LINT,
            of("create_a", json!({})),
            &["/annotations/readOnlyHint: `create_a` is said to only read"],
        );
        check_served(
            &LINT,
            of("context", json!({ "properties": { "operation": { "enum": ["get", "set"] } } })),
            &["/annotations/readOnlyHint: the tool is said to only read, and can `set`"],
        );
        check_served(
            &LINT,
            of("query_logs", json!({ "properties": { "sql": { "type": "string" } } })),
            &["/annotations/readOnlyHint: the tool is said to only read, and takes a whole query"],
        );
    }
}
