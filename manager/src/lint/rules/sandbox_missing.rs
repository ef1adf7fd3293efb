//! A tool that runs unconfined.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{EffectLevel, SandboxMode, SourceType},
};

pub(super) const LINT: Lint = Lint {
    code: "sandbox-missing",
    stage: LintStage::Sandbox,
    severity: Severity::Error,
    finds: "`sandbox.mode` is `none` for a tool that is not part of the runtime, or that reaches further than the workspace.",
    why: "Without a sandbox, a tool can do whatever the host can, whatever its effects say.",
    fix: "choose the weakest mode that suffices: `read_only`, `workspace_write`, `network_restricted` or `remote_api`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    if tool.sandbox.mode != SandboxMode::None {
        return;
    }
    if tool.source.kind != SourceType::Builtin {
        report.at(subject, "/sandbox/mode", "code from outside of the runtime runs without a sandbox");
    } else if tool.level() > EffectLevel::WorkspaceWrite {
        report.at(subject, "/sandbox/mode", format!("a tool of {} runs without a sandbox", tool.level()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing::check, model::ActionType};

    #[test]
    fn only_the_runtime_is_unconfined() {
        check(&LINT, |t| t.sandbox.mode = SandboxMode::None, &[]);
        check(
            &LINT,
            |t| {
                t.sandbox.mode = SandboxMode::None;
                t.source.kind = SourceType::Cli;
            },
            &["/sandbox/mode: code from outside of the runtime runs without a sandbox"],
        );
        check(
            &LINT,
            |t| {
                t.sandbox.mode = SandboxMode::None;
                t.intent.action_types = vec![ActionType::Admin];
            },
            &["/sandbox/mode: a tool of L5 runs without a sandbox"],
        );
    }
}
