//! A stranger's tool that changes things unasked.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{ApprovalPolicy, EffectLevel},
};

pub(super) const LINT: Lint = Lint {
    code: "untrusted-unasked",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "A tool of L2 or more from a source that is not trusted asks nobody.",
    why: "Its effects are its own claim; what it really does is known only once it has run (anti-pattern 6: calling \
          whatever an MCP server exposes).",
    fix: "set `approvalPolicy: always` until the source is trusted",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    let unasked = tool.permissions.approval_policy == ApprovalPolicy::Never;
    if unasked && !tool.provenance.trust_level.is_trusted() && tool.level() >= EffectLevel::WorkspaceWrite {
        let trust = tool.provenance.trust_level.as_str();
        let message = format!("a tool of {} from a source that is `{trust}` asks nobody", tool.level());
        report.at(subject, "/permissions/approvalPolicy", message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::check,
        model::{ActionType, TrustLevel},
    };

    #[test]
    fn a_stranger_asks() {
        check(&LINT, |t| t.intent.action_types = vec![ActionType::Write], &[]);
        check(&LINT, |t| t.provenance.trust_level = TrustLevel::Untrusted, &[]);
        check(
            &LINT,
            |t| {
                t.provenance.trust_level = TrustLevel::Untrusted;
                t.intent.action_types = vec![ActionType::Write];
            },
            &["/permissions/approvalPolicy: a tool of L2 from a source that is `untrusted` asks nobody"],
        );
    }
}
