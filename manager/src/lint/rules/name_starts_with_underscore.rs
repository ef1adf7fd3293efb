//! A name that looks private.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "name-starts-with-underscore",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "The name of the tool starts with `_`.",
    why: "It looks like something internal that was served by mistake, and some hosts keep such names for themselves.",
    fix: "do not serve the tool, or give it a name without the `_`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.name().starts_with('_') {
        report.at(subject, "/canonicalName", format!("`{}` looks like something internal", subject.name()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn a_name_starts_with_a_word() {
        check_served(&LINT, json!({ "name": "node_version", "inputSchema": {} }), &[]);
        check_served(
            &LINT,
            json!({ "name": "__node_version", "inputSchema": {} }),
            &["/canonicalName: `__node_version` looks like something internal"],
        );
    }
}
