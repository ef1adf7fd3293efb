//! A description in capital letters.

use crate::lint::{
    Check, Lint, LintStage, Report, Severity, Subject,
    text::{prose, shown},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "description-shouts",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A description raises its voice: IMPORTANT, MUST, NEVER, or whole phrases in capitals.",
    why: "It tries to outweigh the tools beside it, and where every tool shouts, none is heard.",
    fix: "say it in plain letters; put what must hold into the schema, where it is checked",
    check: Check::Tool(check),
};

/// A shouted word by itself, or three words in capitals in a row.
static SHOUTS: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(
        r"\b(IMPORTANT|CRITICAL|MUST|WARNING|ALWAYS|NEVER|DO NOT|DON'T|REQUIRED|MANDATORY|ATTENTION)\b|\b[A-Z]{2,}( [A-Z]{2,}){2,}\b",
    )
    .expect("INVARIANT: the pattern is used in a test")
});

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (pointer, text) in subject.texts() {
        if let Some(found) = SHOUTS.find(&prose(text)) {
            report.at(subject, pointer, format!("the description shouts: `{}`", shown(found.as_str())));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_description_keeps_its_voice() {
        for text in
            ["Sends an HTTP GET request.", "Returns JSON or CSV.", "`MUST` is a keyword", "An SQL query"]
        {
            check_summary(&LINT, text, &[]);
        }
        for (text, found) in [
            ("IMPORTANT: read first", "IMPORTANT"),
            ("You MUST do", "MUST"),
            ("ASSUME NO KNOWLEDGE here", "ASSUME NO KNOWLEDGE"),
        ] {
            check_summary(
                &LINT,
                text,
                &[&format!("/description/summary: the description shouts: `{found}`")],
            );
        }
    }
}
