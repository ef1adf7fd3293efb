//! A title that only repeats the name.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "title-equals-name",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "The title that people see is the technical name.",
    why: "Somebody who is asked for approval reads the title first.",
    fix: "write a title for people, such as `List issues`, or leave it out",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(served) = subject.served() else { return };
    for pointer in ["/title", "/annotations/title"] {
        let title = match pointer {
            "/title" => served.get("title"),
            _ => served.get("annotations").and_then(|a| a.get("title")),
        };
        if title.and_then(|title| title.as_str()) == Some(subject.name()) {
            report.served(subject, pointer, "the title repeats the name");
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn a_title_is_for_people() {
        check_served(&LINT, json!({ "name": "list_a", "inputSchema": {}, "title": "List a" }), &[]);
        check_served(&LINT, json!({ "name": "a.b", "inputSchema": {} }), &[]);
        check_served(
            &LINT,
            json!({ "name": "a.b", "inputSchema": {}, "title": "a.b" }),
            &["/title: the title repeats the name"],
        );
    }
}
