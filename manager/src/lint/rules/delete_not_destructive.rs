//! A tool that deletes and is said to destroy nothing.

use super::mutation_contradicts_effects::lasting;
use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::ActionType,
};

pub(super) const LINT: Lint = Lint {
    code: "delete-not-destructive",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "The tool deletes, and `risk.destructive` is false or nothing is named as deleted.",
    why: "Destructive calls get the stronger confirmation; a tool that hides it gets the weaker one.",
    fix: "set `risk.destructive` and name what is deleted in `effects.deletes`, or drop the action type `delete`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    let acts =
        tool.intent.action_types.contains(&ActionType::Delete) && subject.stated("/intent/actionTypes");
    let deletes = lasting(&tool.effects.deletes);
    if (acts || deletes) && !tool.risk.destructive {
        report.at(subject, "/risk/destructive", "the tool deletes, and `destructive` is false");
    }
    if acts && tool.effects.deletes.is_empty() && subject.stated("/effects/deletes") {
        report.at(
            subject,
            "/effects/deletes",
            "the action type is `delete`, and nothing is named as deleted",
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn deleting_is_destructive() {
        check(
            &LINT,
            |t| {
                t.effects.deletes = vec!["file:**".into()];
                t.intent.action_types = vec![ActionType::Delete];
                t.risk.destructive = true;
            },
            &[],
        );
        check(
            &LINT,
            |t| t.effects.deletes = vec!["file:**".into()],
            &["/risk/destructive: the tool deletes, and `destructive` is false"],
        );
        check(
            &LINT,
            |t| t.intent.action_types = vec![ActionType::Delete],
            &[
                "/risk/destructive: the tool deletes, and `destructive` is false",
                "/effects/deletes: the action type is `delete`, and nothing is named as deleted",
            ],
        );
    }
}
