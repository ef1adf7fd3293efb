//! A tool that reaches out and is said not to.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::Locality,
};

pub(super) const LINT: Lint = Lint {
    code: "external-calls-denied",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "`externalCalls` is false, and the tool touches resources elsewhere or sends user data.",
    why: "The network of the sandbox and the warning in the approval go by this field.",
    fix: "set `effects.externalCalls`, or name resources of this machine (`file:`, `repo:`, `memory:`, `state:`, \
          `process:`, `temp:`)",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let effects = &subject.tool.effects;
    if effects.external_calls {
        return;
    }
    if effects.sends_user_data {
        report.at(subject, "/effects/externalCalls", "user data is sent, and `externalCalls` is false");
    }
    let touched = effects.reads.iter().chain(&effects.writes).chain(&effects.deletes);
    if let Some(far) = touched.into_iter().find(|resource| resource.locality() == Locality::External) {
        report.at(
            subject,
            "/effects/externalCalls",
            format!("`{far}` is elsewhere, and `externalCalls` is false"),
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn reaching_out_is_said() {
        check(&LINT, |t| t.effects.reads = vec!["file:**".into()], &[]);
        check(
            &LINT,
            |t| t.effects.reads = vec!["file:**".into(), "db:users".into()],
            &["/effects/externalCalls: `db:users` is elsewhere, and `externalCalls` is false"],
        );
        check(
            &LINT,
            |t| t.effects.sends_user_data = true,
            &["/effects/externalCalls: user data is sent, and `externalCalls` is false"],
        );
    }
}
