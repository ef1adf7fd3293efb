//! An annotation that MCP does not know.

use crate::{
    document::did_you_mean,
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
};

pub(super) const LINT: Lint = Lint {
    code: "unknown-annotation",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "An annotation is none that MCP defines.",
    why: "Hosts ignore it: a misspelt `readOnlyHint` leaves the worst case standing.",
    fix: "take `title`, `readOnlyHint`, `destructiveHint`, `idempotentHint` or `openWorldHint`, or put it under `_meta`",
    check: Check::Tool(check),
};

const KNOWN: [&str; 5] = ["title", "readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for name in subject.annotations().into_iter().flat_map(|annotations| annotations.keys()) {
        if !KNOWN.contains(&name.as_str()) {
            let meant =
                did_you_mean(name, KNOWN).map_or_else(String::new, |known| format!("; is `{known}` meant?"));
            let pointer = format!("/annotations/{}", crate::document::escape_segment(name));
            report.served(subject, pointer, format!("`{name}` is no annotation{meant}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn annotations_are_those_of_the_protocol() {
        let of = |annotations| json!({ "name": "a", "inputSchema": {}, "annotations": annotations });
        check_served(&LINT, of(json!({ "title": "A", "readOnlyHint": true })), &[]);
        check_served(
            &LINT,
            of(json!({ "readonlyHint": true })),
            &["/annotations/readonlyHint: `readonlyHint` is no annotation; is `readOnlyHint` meant?"],
        );
    }
}
