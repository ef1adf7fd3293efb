//! Parameters that are nested too deeply.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "schema-too-deep",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "Objects are nested more than five levels deep.",
    why: "Models lose their place in deep objects, and strict modes of providers limit the depth (OpenAI: to ten levels, \
          and to five until 2025).",
    fix: "flatten the parameters, or split the tool",
    check: Check::Tool(check),
};

const MAX: usize = 5;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    if let Some(deep) = subject.schemas().iter().find(|schema| schema.depth > MAX) {
        report.at(subject, deep.pointer.clone(), format!("a property is nested more than {MAX} levels deep"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn five_levels_are_enough() {
        let deep = |levels| (0..levels).fold(json!({}), |inner, _| json!({ "properties": { "a": inner } }));
        check_schema(&LINT, deep(5), &[]);
        let place = "/properties/a".repeat(6);
        check_schema(&LINT, deep(7), &[&format!("{place}: a property is nested more than 5 levels deep")]);
    }
}
