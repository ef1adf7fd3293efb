//! Remains of other documentation in a description.

use crate::lint::{
    Check, Lint, LintStage, Report, Severity, Subject,
    text::{first, pattern},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "description-leftover",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A description holds what was generated for developers: status codes of an interface, or calls with curl.",
    why: "A model sends arguments, not requests; it may answer with the command instead of calling the tool.",
    fix: "keep what says when and how to use the tool",
    check: Check::Tool(check),
};

static LEFT: LazyLock<[Regex; 3]> = LazyLock::new(|| {
    [
        pattern(r"\b(error responses|status codes):"),
        pattern(r#"\bcurl (-|\\|"?https?:)"#),
        // A request example under its own heading.
        pattern(r"(example )?curl (command|requests?|example):"),
    ]
});

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (pointer, text) in subject.texts() {
        if let Some(found) = first(&*LEFT, text) {
            report.at(subject, pointer, format!("`{found}` was written for developers"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_description_is_for_models() {
        for text in
            ["Returns 404 if it is missing.", "Lists responses of a form.", "Works where curl is blocked."]
        {
            check_summary(&LINT, text, &[]);
        }
        for (text, found) in [
            ("Gets a page.\nError Responses:\n400: bad", "Error Responses:"),
            ("Example cURL requests:", "Example cURL requests:"),
            ("curl -X POST https://a.example", "curl -"),
        ] {
            check_summary(
                &LINT,
                text,
                &[&format!("/description/summary: `{found}` was written for developers")],
            );
        }
    }
}
