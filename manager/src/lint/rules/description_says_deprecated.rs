//! A tool that says it should not be used.

use crate::{
    lint::{
        Check, Lint, LintStage, Report, Severity, Subject,
        text::{first, pattern},
    },
    model::LifecycleStatus,
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "description-says-deprecated",
    stage: LintStage::Description,
    severity: Severity::Warning,
    finds: "The description says that the tool is deprecated, and its lifecycle does not.",
    why: "Models call it all the same, since it is offered; nobody is told when it is gone.",
    fix: "set `lifecycle.status: deprecated`, or do not offer the tool",
    check: Check::Tool(check),
};

static SAYS: LazyLock<[Regex; 2]> = LazyLock::new(|| {
    [
        pattern(r"(^|[.!\n*])\s*\**deprecated\**\s*([:.!*]|-|—)"),
        pattern(
            r"\bth(is|e) ([\w*]+ )?(tool|endpoint|function|method|operation|api)( has been| is)( now)? deprecated\b",
        ),
    ]
});

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let known = matches!(
        subject.tool.lifecycle.status,
        LifecycleStatus::Deprecated | LifecycleStatus::Disabled | LifecycleStatus::Blocked
    );
    if !known && first(&*SAYS, subject.summary()).is_some() {
        report.at(subject, "/description/summary", "the description says that the tool is deprecated");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check, check_summary};

    #[test]
    fn what_is_deprecated_is_marked() {
        for text in [
            "Cleans up deprecated toggles.",
            "Lists deprecated APIs: all of them.",
            "Finds deprecated calls.",
        ] {
            check_summary(&LINT, text, &[]);
        }
        let told = ["/description/summary: the description says that the tool is deprecated"];
        for text in [
            "DEPRECATED: use b.",
            "Reads. **Deprecated.** Use b",
            "This endpoint is deprecated.",
            "Reads. Deprecated: x",
        ] {
            check_summary(&LINT, text, &told);
        }
        check(
            &LINT,
            |t| {
                t.description.summary = "DEPRECATED: use b.".into();
                t.lifecycle.status = LifecycleStatus::Deprecated;
            },
            &[],
        );
    }
}
