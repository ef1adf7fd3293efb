//! Effects that disagree on whether anything changes.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    model::{Locality, ResourcePattern},
};

pub(super) const LINT: Lint = Lint {
    code: "mutation-contradicts-effects",
    stage: LintStage::Permission,
    severity: Severity::Error,
    finds: "`mutatesState` says one thing, `writes` and `deletes` another.",
    why: "Retries, approval and verification go by these fields; one of them is wrong, and it may be the one that asks.",
    fix: "name what the tool changes in `writes` or `deletes` and set `mutatesState`, or neither",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let effects = &subject.tool.effects;
    let changes = lasting(&effects.writes) || lasting(&effects.deletes);
    if changes && !effects.mutates_state {
        let message = "the tool writes or deletes, and `mutatesState` is false";
        report.at(subject, "/effects/mutatesState", message);
    }
    if effects.mutates_state && effects.writes.is_empty() && effects.deletes.is_empty() {
        let message = "`mutatesState` is true, and nothing is written or deleted";
        report.at(subject, "/effects/mutatesState", message);
    }
}

/// Whether anything that somebody keeps is among the resources.
pub(super) fn lasting(patterns: &[ResourcePattern]) -> bool {
    patterns.iter().any(|pattern| pattern.locality() > Locality::Scratch)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn what_changes_is_named() {
        check(&LINT, |_| {}, &[]);
        check(&LINT, |t| t.effects.writes = vec!["temp:**".into()], &[]);
        check(
            &LINT,
            |t| t.effects.writes = vec!["file:**".into()],
            &["/effects/mutatesState: the tool writes or deletes, and `mutatesState` is false"],
        );
        check(
            &LINT,
            |t| t.effects.mutates_state = true,
            &["/effects/mutatesState: `mutatesState` is true, and nothing is written or deleted"],
        );
    }
}
