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
    use crate::{lint::testing::check, model::ToolDescriptor};
    use serde_json::{Value, json};

    fn with(command: Value) -> impl FnOnce(&mut ToolDescriptor) {
        |tool| {
            tool.schemas.input_schema = serde_json::from_value(
                json!({ "type": "object", "properties": { "path": { "type": "string" } } }),
            )
            .unwrap();
            tool.execution.command = Some(serde_json::from_value(command).unwrap());
        }
    }

    #[test]
    fn a_shell_is_no_program_of_a_tool() {
        check(&LINT, with(json!({ "program": "tool", "args": [{ "value": { "of": "path" } }] })), &[]);
        check(
            &LINT,
            with(
                json!({ "program": "/bin/sh", "args": [{ "literal": "-c" }, { "value": { "of": "path" } }] }),
            ),
            &["/execution/command/program: `sh` runs whatever it is told: its arguments are programs"],
        );
    }
}
