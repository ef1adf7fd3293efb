//! A template that cannot start its program.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::CommandFaultKind,
};

pub(super) const LINT: Lint = Lint {
    code: "command-unusable",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "`execution.command` names an argument that the input schema lacks, or an option, variable or folder that cannot be used.",
    why: "Such a tool fails at every call, or gets something else than the model said.",
    fix: "name arguments of the input schema by what they are: `value` and `flag` for one word, `switch` for yes or no, `each` for a list",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    report.command_faults(subject, CommandFaultKind::Unusable);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_command;
    use serde_json::json;

    #[test]
    fn a_template_speaks_of_arguments_that_there_are() {
        check_command(&LINT, json!({ "program": "tool", "args": [{ "value": { "of": "path" } }] }), &[]);
        check_command(
            &LINT,
            json!({ "program": "tool", "args": [{ "value": { "of": "path" } }, { "value": { "of": "file" } }] }),
            &["/execution/command/args/1: the input schema has no argument `file`"],
        );
    }
}
