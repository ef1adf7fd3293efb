//! A schema that contains itself.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT};
use std::collections::{BTreeMap, BTreeSet};

pub(super) const LINT: Lint = Lint {
    code: "ref-recursive",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A `$ref` leads back to a schema that holds it, so arguments may be nested without bound.",
    why: "Some providers refuse recursive schemas or cut them off, and models fill them badly.",
    fix: "write out the levels that are needed, or take a flat list whose items name their parent",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let references: Vec<(&str, &str)> = subject
        .schemas()
        .iter()
        .filter_map(|schema| {
            Some((schema.pointer.strip_prefix(INPUT)?, schema.text("$ref")?.strip_prefix('#')?))
        })
        .collect();
    // Which references stand within what each one leads to.
    let mut leads: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (_, target) in &references {
        leads.entry(target).or_insert_with(|| {
            references.iter().filter(|(place, _)| is_within(place, target)).map(|(_, inner)| *inner).collect()
        });
    }
    for (place, target) in references {
        if reaches(target, &leads) {
            let pointer = format!("{INPUT}{place}/$ref");
            report.at(subject, pointer, format!("`#{target}` contains itself"));
        }
    }
}

fn is_within(place: &str, outer: &str) -> bool {
    place.strip_prefix(outer).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// Whether following references from a target leads back to it.
fn reaches(target: &str, leads: &BTreeMap<&str, BTreeSet<&str>>) -> bool {
    let (mut seen, mut open) = (BTreeSet::new(), vec![target]);
    while let Some(next) = open.pop() {
        for inner in leads.get(next).into_iter().flatten() {
            if *inner == target {
                return true;
            }
            if seen.insert(*inner) {
                open.push(inner);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_schema_must_not_contain_itself() {
        let used_twice = json!({
            "properties": { "a": { "$ref": "#/$defs/p" }, "b": { "$ref": "#/$defs/p" } }, "$defs": { "p": {} },
        });
        check_schema(&LINT, used_twice, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "children": { "items": { "$ref": "#" } } } }),
            &["/properties/children/items/$ref: `#` contains itself"],
        );
        check_schema(
            &LINT,
            json!({
                "properties": { "a": { "$ref": "#/$defs/a" } },
                "$defs": { "a": { "items": { "$ref": "#/$defs/b" } }, "b": { "items": { "$ref": "#/$defs/a" } } },
            }),
            &[
                "/properties/a/$ref: `#/$defs/a` contains itself",
                "/$defs/a/items/$ref: `#/$defs/b` contains itself",
                "/$defs/b/items/$ref: `#/$defs/a` contains itself",
            ],
        );
    }
}
