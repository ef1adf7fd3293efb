//! Tags in a description.

use crate::lint::{
    Check, Lint, LintStage, Report, Severity, Subject,
    text::{prose, shown},
};
use regex::Regex;
use std::sync::LazyLock;

pub(super) const LINT: Lint = Lint {
    code: "description-markup",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A description is structured with tags, such as `<use_case>…</use_case>`.",
    why: "Nothing renders them; they cost tokens, and a reader cannot tell them from the marks of the host's own prompt. \
          Placeholders such as `<id>` are not meant.",
    fix: "write sentences, or lines that begin with `-`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (pointer, text) in subject.texts() {
        if let Some(tag) = tagged(&prose(text)) {
            report.at(subject, pointer, format!("`<{}>` structures the description", shown(&tag)));
        }
    }
}

/// A tag that encloses something over more than one line, or a line break of HTML.
fn tagged(text: &str) -> Option<String> {
    static OPENING: LazyLock<Regex> = LazyLock::new(|| {
        Regex::new(r"<([A-Za-z][A-Za-z0-9_-]*)>").expect("INVARIANT: the pattern is used in a test")
    });
    OPENING.captures_iter(text).find_map(|tag| {
        let (whole, name) = (tag.get(0)?, tag.get(1)?.as_str());
        let rest = &text[whole.end()..];
        let inner = rest.split_once(&format!("</{name}>")).map(|(inner, _)| inner);
        let structures = inner.is_some_and(|inner| inner.contains('\n') || inner.chars().count() > 40);
        (structures || name.eq_ignore_ascii_case("br")).then(|| name.to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_description_is_prose() {
        for text in ["Takes <id> or <name>.", "Wraps it in <b>x</b>.", "`<p>\n</p>`", "a < b > c"] {
            check_summary(&LINT, text, &[]);
        }
        check_summary(
            &LINT,
            "<use_case>\nMigrates.\n</use_case>",
            &["/description/summary: `<use_case>` structures the description"],
        );
        check_summary(&LINT, "One<br>two", &["/description/summary: `<br>` structures the description"]);
    }
}
