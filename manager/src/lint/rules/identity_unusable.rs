//! A descriptor without a usable id, name or version.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "identity-unusable",
    stage: LintStage::Schema,
    severity: Severity::Error,
    finds: "The id or the version is empty, or a written canonical name is none.",
    why: "Grants, approvals and records name a tool by id and version; provider names are made from the canonical name.",
    fix: "use lower-case words of letters, digits, `_` and `-`, joined by dots, such as `file.read`, and a version such as \
          `1.0.0`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let tool = subject.tool;
    if tool.tool_id.trim().is_empty() {
        report.at(subject, "/toolId", "the tool has no id");
    }
    if tool.version.trim().is_empty() {
        report.at(subject, "/version", "the version is empty");
    }
    // A name that a source chose is kept as it is.
    if subject.is_written() && !is_canonical(&tool.canonical_name) {
        report.at(
            subject,
            "/canonicalName",
            format!("`{}` is no canonical name", tool.canonical_name.escape_debug()),
        );
    }
}

fn is_canonical(name: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || matches!(b, b'_' | b'-');
    let word = |word: &str| {
        word.bytes().next().is_some_and(|b| b.is_ascii_alphanumeric()) && word.bytes().all(allowed)
    };
    name.split('.').all(word)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn a_tool_has_an_identity() {
        check(&LINT, |_| {}, &[]);
        check(&LINT, |t| t.version = " ".into(), &["/version: the version is empty"]);
        check(&LINT, |t| t.tool_id = "".into(), &["/toolId: the tool has no id"]);
        for name in ["File.read", "file..read", "", ".", "file read", "-x"] {
            let told = format!("/canonicalName: `{name}` is no canonical name");
            check(&LINT, |t| t.canonical_name = name.into(), &[&told]);
        }
    }
}
