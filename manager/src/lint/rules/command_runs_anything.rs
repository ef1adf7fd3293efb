//! A template around a program that runs whatever it is told.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::CommandFaultKind,
};

pub(super) const LINT: Lint = Lint {
    code: "command-runs-anything",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "The program of `execution.command` is a shell, or starts other programs by name.",
    why: "The words that it is given are programs: no schema says what they do, and quoting is all that holds them.",
    fix: "name the program that does the work; a script of the workspace is named with `./`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    report.command_faults(subject, CommandFaultKind::RunsAnything);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_command;
    use serde_json::json;

    #[test]
    fn a_shell_is_no_program_of_a_tool() {
        check_command(&LINT, json!({ "program": "tool", "args": [{ "value": { "of": "path" } }] }), &[]);
        check_command(
            &LINT,
            json!({ "program": "/bin/sh", "args": [{ "literal": "-c" }, { "value": { "of": "path" } }] }),
            &["/execution/command/program: `sh` runs whatever it is told: its arguments are programs"],
        );
    }
}
