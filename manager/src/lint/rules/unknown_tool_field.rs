//! A field of a definition that MCP does not know.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::SourceType,
};

pub(super) const LINT: Lint = Lint {
    code: "unknown-tool-field",
    stage: LintStage::Schema,
    severity: Severity::Note,
    finds: "An MCP server serves a tool with a field that the protocol does not define.",
    why: "Hosts ignore it or refuse the list; what it was meant to say reaches nobody.",
    fix: "put data of your own under `_meta`",
    check: Check::Tool(check),
};

const KNOWN: [&str; 9] = [
    "name",
    "title",
    "description",
    "inputSchema",
    "outputSchema",
    "annotations",
    "execution",
    "icons",
    "_meta",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if subject.tool.source.kind != SourceType::Mcp {
        return;
    }
    for field in subject.served().into_iter().flat_map(|served| served.keys()) {
        if !KNOWN.contains(&field.as_str()) {
            let pointer = format!("/{}", crate::document::escape_segment(field));
            report.served(subject, pointer, format!("`{field}` is no field of a tool"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_served;
    use serde_json::json;

    #[test]
    fn fields_are_those_of_the_protocol() {
        check_served(
            &LINT,
            json!({ "name": "a", "inputSchema": {}, "_meta": { "id": 1 }, "icons": [] }),
            &[],
        );
        check_served(
            &LINT,
            json!({ "name": "a", "inputSchema": {}, "id": 1 }),
            &["/id: `id` is no field of a tool"],
        );
    }
}
