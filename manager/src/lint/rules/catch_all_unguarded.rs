//! A tool that can do anything, and does so unasked or unconfined.

use super::catch_all_tool;
use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{ApprovalPolicy, SandboxMode},
};

pub(super) const LINT: Lint = Lint {
    code: "catch-all-unguarded",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "A tool that takes a whole command line, program, query or request does not ask before every call, or has no \
            sandbox.",
    why: "Its arguments cannot be validated, so asking and confining are all that stands between a model's text and the \
          machine.",
    fix: "set `approvalPolicy: always` and a sandbox, or describe what the tool takes so that it can be validated",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let Some(raw) = catch_all_tool::of(subject) else { return };
    if subject.tool.permissions.approval_policy != ApprovalPolicy::Always {
        let message = format!("the tool takes {}, and not every call is asked about", raw.what);
        report.at(subject, "/permissions/approvalPolicy", message);
    }
    if subject.tool.sandbox.mode == SandboxMode::None {
        report.at(subject, "/sandbox/mode", format!("the tool takes {}, and has no sandbox", raw.what));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::{check, object},
        model::ToolDescriptor,
    };
    use serde_json::json;

    #[test]
    fn a_catch_all_is_guarded() {
        let shell = |policy, mode| {
            move |t: &mut ToolDescriptor| {
                t.canonical_name = "shell.run".into();
                t.schemas.input_schema.0 =
                    object(json!({ "properties": { "command": { "type": "string" } } }));
                t.permissions.approval_policy = policy;
                t.sandbox.mode = mode;
            }
        };
        check(&LINT, |t| t.sandbox.mode = SandboxMode::None, &[]);
        check(&LINT, shell(ApprovalPolicy::Always, SandboxMode::Container), &[]);
        check(
            &LINT,
            shell(ApprovalPolicy::OnRisk, SandboxMode::None),
            &[
                "/permissions/approvalPolicy: the tool takes a whole command line, and not every call is asked about",
                "/sandbox/mode: the tool takes a whole command line, and has no sandbox",
            ],
        );
    }
}
