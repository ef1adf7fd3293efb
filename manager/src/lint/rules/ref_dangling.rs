//! A reference to a place in the schema that is not there.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "ref-dangling",
    stage: LintStage::Schema,
    severity: Severity::Error,
    finds: "A `$ref` leads to a place in the schema that does not exist.",
    why: "The schema cannot be compiled, so no call of the tool can be validated. It happens when a schema is cut out \
          of a larger document and its `$defs` stay behind.",
    fix: "put the definition under `$defs`, or write it where it is used",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for (pointer, target) in dangling(subject) {
        report.at(subject, pointer, format!("`{target}` leads nowhere"));
    }
}

pub(super) fn any(subject: &Subject<'_>) -> bool {
    dangling(subject).next().is_some()
}

fn dangling<'s>(subject: &'s Subject<'_>) -> impl Iterator<Item = (String, &'s str)> {
    subject.schemas().iter().filter_map(|schema| {
        let target = schema.text("$ref")?;
        // An anchor, or the root itself, is no path; the compiler knows it.
        let is_path = target.starts_with("#/");
        (is_path && subject.target(target).is_none()).then(|| (format!("{}/$ref", schema.pointer), target))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_reference_leads_somewhere() {
        let good = json!({
            "properties": { "a": { "$ref": "#/$defs/a~1b" }, "self": { "$ref": "#" }, "i": { "$ref": "#/allOf/0" } },
            "$defs": { "a/b": {} }, "allOf": [{}],
        });
        check_schema(&LINT, good, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "a": { "$ref": "#/$defs/gone" } } }),
            &["/properties/a/$ref: `#/$defs/gone` leads nowhere"],
        );
    }
}
