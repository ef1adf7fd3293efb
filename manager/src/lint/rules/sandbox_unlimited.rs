//! A process without bounds.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{SandboxMode, SourceType},
};

pub(super) const LINT: Lint = Lint {
    code: "sandbox-unlimited",
    stage: LintStage::Sandbox,
    severity: Severity::Warning,
    finds: "A tool that starts a process states no limits, or one that its own timeout outlasts.",
    why: "A hung or runaway process holds the machine; and of two timeouts, the shorter ends calls that the longer promised.",
    fix: "state `sandbox.limits`, with a `timeoutMs` no shorter than `execution.timeoutMs`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    let runs = match tool.source.kind {
        SourceType::Cli | SourceType::Skill => true,
        SourceType::Builtin | SourceType::Mcp | SourceType::Http | SourceType::Subagent => false,
    };
    match &tool.sandbox.limits {
        None if runs && tool.sandbox.mode != SandboxMode::None => {
            report.at(subject, "/sandbox", "a process is started, and nothing limits it");
        }
        Some(limits) if limits.timeout_ms < tool.execution.timeout_ms => {
            let message = format!(
                "the sandbox ends after {} ms, the call only after {} ms",
                limits.timeout_ms, tool.execution.timeout_ms
            );
            report.at(subject, "/sandbox/limits/timeoutMs", message);
        }
        None | Some(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing::check, model::ResourceLimits};

    #[test]
    fn a_process_has_limits() {
        let limits = |timeout_ms| {
            Some(ResourceLimits {
                timeout_ms,
                max_memory_mb: None,
                max_output_bytes: None,
                max_cost_usd: None,
            })
        };
        check(&LINT, |t| t.sandbox.limits = limits(1000), &[]);
        check(
            &LINT,
            |t| t.sandbox.limits = limits(999),
            &["/sandbox/limits/timeoutMs: the sandbox ends after 999 ms, the call only after 1000 ms"],
        );
        check(
            &LINT,
            |t| t.source.kind = SourceType::Cli,
            &["/sandbox: a process is started, and nothing limits it"],
        );
    }
}
