//! A rule that only the model is told.

use crate::lint::{
    Check, Lint, LintStage, Report, Severity, Subject,
    text::{first, pattern},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "policy-in-description",
    stage: LintStage::Security,
    severity: Severity::Warning,
    finds: "A description says who may call the tool, or that somebody must be asked first.",
    why: "A model may ignore it, nobody can test it, and nothing enforces it (anti-pattern 3: treating the description as \
          policy).",
    fix: "say it where it is enforced: `approvalPolicy`, `requiredScopes`, `allowedPrincipals` or a policy",
    check: Check::Tool(check),
};

static RULES: LazyLock<[Regex; 5]> = LazyLock::new(|| {
    let act = r"(use|call|run|invoke|execute|proceed|do|apply|delete|send)";
    let asked = r"(permission|approval|approv\w+|confirm\w*|consent|authori[sz]\w+|explicit\w*)";
    [
        pattern(&format!(
            r"\b(only|never|do not|don'?t|must not|not) {act}( [\w'’]+){{0,5}}? (unless|without|if|when|after|until)( [\w'’]+){{0,5}}? {asked}\b"
        )),
        pattern(
            r"\b(ask|get|obtain|require|request|seek|need)s? (for )?(the )?(user'?s? |explicit |prior |human )*(approval|permission|consent|confirmation)\b",
        ),
        pattern(
            r"\b(confirm|check|ask|verify) (this )?(with )?(the )?user (to confirm|for (confirmation|permission|approval)|before (calling|using|running|deleting|sending|proceeding|executing))\b",
        ),
        pattern(
            r"\bdo not use( \w+){0,3} for (destructive|dangerous|production|unauthori[sz]ed|malicious|illegal)\b",
        ),
        pattern(
            r"\b(only|never)( \w+){0,3} (by|for) (admin(istrator)?s|authori[sz]ed (users|personnel|people))\b",
        ),
    ]
});

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (pointer, text) in subject.texts() {
        if let Some(found) = first(&*RULES, text) {
            report.at(subject, pointer, format!("a rule that nothing enforces: `{found}`"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn rules_stand_where_they_are_enforced() {
        for (text, found) in [
            ("Only use when explicitly requested by the user.", "Only use when explicitly"),
            ("Do not use this for destructive actions.", "Do not use this for destructive"),
            ("Requires user confirmation.", "Requires user confirmation"),
            ("Never run this without the user's approval", "Never run this without the user's approval"),
            ("Ask the user to confirm first.", "Ask the user to confirm"),
            ("To be called only by administrators", "only by administrators"),
        ] {
            check_summary(
                &LINT,
                text,
                &[&format!("/description/summary: a rule that nothing enforces: `{found}`")],
            );
        }
        for text in [
            "Requires a path.",
            "Lists approvals of a merge request.",
            "Only use markdown when the whole page is needed.",
            "Gets the permissions of a folder.",
        ] {
            check_summary(&LINT, text, &[]);
        }
    }
}
