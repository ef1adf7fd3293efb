//! An argument that does nothing.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::CommandFaultKind,
};

pub(super) const LINT: Lint = Lint {
    code: "command-argument-unused",
    stage: LintStage::Sandbox,
    severity: Severity::Warning,
    finds: "No part of `execution.command` uses an argument that the input schema has.",
    why: "The model believes that it has said something; the program never hears of it.",
    fix: "use the argument in `args` or `stdin`, or take it out of the schema",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    report.command_faults(subject, CommandFaultKind::Unused);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_command;
    use serde_json::json;

    #[test]
    fn every_argument_reaches_the_program() {
        check_command(&LINT, json!({ "program": "tool", "args": [{ "value": { "of": "path" } }] }), &[]);
        check_command(
            &LINT,
            json!({ "program": "tool" }),
            &["/execution/command/args: nothing is made of the argument `path`"],
        );
    }
}
