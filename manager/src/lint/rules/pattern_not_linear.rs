//! A pattern that needs backtracking.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use std::collections::BTreeSet;

pub(super) const LINT: Lint = Lint {
    code: "pattern-not-linear",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A `pattern` uses look-around or a back-reference.",
    why: "Engines that match in linear time do not have them: providers and other hosts refuse the schema or ignore the \
          pattern, and where it runs, an argument can make it slow.",
    fix: "write the pattern without look-around and back-references, or say the rule in the description",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        let named = schema.schema.get("patternProperties").and_then(|p| p.as_object());
        let named = named.into_iter().flatten().map(|(pattern, _)| ("patternProperties", pattern.as_str()));
        for (keyword, pattern) in schema.text("pattern").map(|p| ("pattern", p)).into_iter().chain(named) {
            for what in backtracks(pattern) {
                report.at(
                    subject,
                    format!("{}/{keyword}", schema.pointer),
                    format!("the pattern uses {what}"),
                );
            }
        }
    }
}

/// What in a pattern cannot be matched in linear time, each once.
fn backtracks(pattern: &str) -> BTreeSet<&'static str> {
    let bytes = pattern.as_bytes();
    let (mut at, mut in_class, mut found) = (0, false, BTreeSet::new());
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        match byte {
            b'\\' => {
                let next = rest.get(1);
                if !in_class && next.is_some_and(|b| matches!(b, b'1'..=b'9' | b'k')) {
                    found.insert("a back-reference");
                }
                at += 1;
            }
            b'[' => in_class = true,
            b']' => in_class = false,
            b'(' if !in_class => {
                let opens = |text: &str| rest.starts_with(text.as_bytes());
                if ["(?=", "(?!", "(?<=", "(?<!"].into_iter().any(opens) {
                    found.insert("look-around");
                }
            }
            _ => {}
        }
        at += 1;
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_pattern_is_linear() {
        let of = |pattern| json!({ "properties": { "a": { "type": "string", "pattern": pattern } } });
        for pattern in ["^[a-z]+$", r"^\d{3}$", "[(?=]", r"\(?=", "(?<name>a)", r"\\1", r"[\1]"] {
            check_schema(&LINT, of(pattern), &[]);
        }
        for (pattern, what) in
            [("^(?!x)", "look-around"), ("(?<=a)b", "look-around"), (r"(a)\1", "a back-reference")]
        {
            check_schema(&LINT, of(pattern), &[&format!("/properties/a/pattern: the pattern uses {what}")]);
        }
    }
}
