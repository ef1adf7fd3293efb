//! One tool that reads, writes and deletes, as an argument says.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject, Subschema},
    model::EffectLevel,
    normalize::verbs,
};

pub(super) const LINT: Lint = Lint {
    code: "mixed-read-and-write",
    stage: LintStage::Permission,
    severity: Severity::Warning,
    finds: "A parameter chooses between reading and changing, as in `action: list | create | delete`.",
    why: "Permission, approval and risk are a tool's, not an argument's: either every list is approved like a deletion, or \
          every deletion slips through like a list.",
    fix: "make a tool of each action, or at least one that reads and one that writes",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for parameter in subject.parameters() {
        if let Some((reads, writes)) = mixes(subject, parameter) {
            let name = parameter.property.unwrap_or_default();
            let message = format!("`{name}` chooses between `{reads}` and `{writes}`");
            report.at(subject, parameter.pointer.clone(), message);
        }
    }
}

/// Names of parameters that say what is done.
const CHOOSERS: [&str; 10] = [
    "action",
    "actions",
    "operation",
    "op",
    "mode",
    "command",
    "subcommand",
    "method",
    "verb",
    "action_type",
];

/// A choice that reads and one that changes something, if the parameter offers both.
pub(super) fn mixes<'a>(subject: &Subject<'_>, parameter: &'a Subschema<'_>) -> Option<(&'a str, &'a str)> {
    let name = verbs::words(parameter.property?).join("_");
    if !CHOOSERS.contains(&name.as_str()) {
        return None;
    }
    // A tool that stores a request for later takes its method as data.
    if name == "method" && !sends(subject) {
        return None;
    }
    let choice = |wanted: fn(EffectLevel) -> bool| {
        parameter.choices().find(|choice| level(choice).is_some_and(wanted))
    };
    let reads = choice(|level| level == EffectLevel::PureRead)?;
    Some((reads, choice(|level| level >= EffectLevel::WorkspaceWrite)?))
}

/// Whether a `method` of HTTP is carried out: there is an address beside it, and the name is no verb of storing.
fn sends(subject: &Subject<'_>) -> bool {
    let addressed = |p: &Subschema<'_>| {
        p.property
            .is_some_and(|name| ["path", "url", "endpoint", "uri"].contains(&name.to_lowercase().as_str()))
    };
    subject.verb_level() < Some(EffectLevel::WorkspaceWrite) && subject.parameters().any(addressed)
}

/// How far one choice reaches, by its first word: `list_schedules` reads, `merge_train_removed` says nothing.
fn level(choice: &str) -> Option<EffectLevel> {
    match verbs::words(choice).first()?.as_str() {
        "current" | "status" | "info" | "health" => Some(EffectLevel::PureRead),
        "cancel" | "activate" | "deactivate" | "restore" | "pop" | "prune" | "rename" => {
            Some(EffectLevel::WorkspaceWrite)
        }
        first => verbs::action_of(first).map(|action| action.floor()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn reading_and_writing_are_two_tools() {
        let of = |name: &str, values: &[&str]| json!({ "properties": { name: { "enum": values } } });
        check_schema(&LINT, of("action", &["list", "get", "search"]), &[]);
        check_schema(&LINT, of("action", &["assigned", "merge_train_removed"]), &[]);
        check_schema(&LINT, of("status", &["list", "delete"]), &[]);
        check_schema(&LINT, of("method", &["GET", "DELETE"]), &[]);
        check_schema(
            &LINT,
            of("action", &["list", "create", "delete"]),
            &["/properties/action: `action` chooses between `list` and `create`"],
        );
        let request = json!({ "properties": { "method": { "enum": ["GET", "DELETE"] }, "path": {} } });
        check_schema(&LINT, request, &["/properties/method: `method` chooses between `GET` and `DELETE`"]);
    }
}
