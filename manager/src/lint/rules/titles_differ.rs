//! Two titles that say different things.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use serde_json::Value;

pub(super) const LINT: Lint = Lint {
    code: "titles-differ",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "`title` and `annotations.title` are different.",
    why: "One host shows this, another that: two people who approve the same call read different things.",
    fix: "write one title, in `title`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(served) = subject.served() else { return };
    let own = served.get("title").and_then(Value::as_str);
    let annotated = served.get("annotations").and_then(|a| a.get("title")).and_then(Value::as_str);
    if let (Some(own), Some(annotated)) = (own, annotated)
        && own != annotated
    {
        report.served(
            subject,
            "/annotations/title",
            format!("one title is `{own}`, the other `{annotated}`"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn there_is_one_title() {
        let of = |title| json!({ "name": "a", "inputSchema": {}, "title": "A", "annotations": { "title": title } });
        check_served(&LINT, of("A"), &[]);
        check_served(&LINT, of("B"), &["/annotations/title: one title is `A`, the other `B`"]);
    }
}
