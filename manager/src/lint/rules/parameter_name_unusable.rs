//! A parameter whose name providers refuse.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "parameter-name-unusable",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "The name of a parameter holds characters beside letters, digits, `_`, `-` and `.`, or is longer than 64.",
    why: "Anthropic refuses a request with such a name, and all its tools with it.",
    fix: "name the parameter with up to 64 letters, digits, `_`, `-` or `.`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let allowed = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'-' | b'.');
    for parameter in subject.parameters() {
        let name = parameter.property.unwrap_or_default();
        if !(1..=64).contains(&name.len()) || !name.bytes().all(allowed) {
            let message = format!("providers refuse `{}` as the name of a parameter", name.escape_debug());
            report.at(subject, parameter.pointer.clone(), message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_name_is_plain() {
        let nested = json!({ "properties": { "a.b-c_1": { "properties": { "$oid": {} } } } });
        check_schema(&LINT, nested, &[]);
        check_schema(
            &LINT,
            json!({ "properties": { "Date<": {} } }),
            &["/properties/Date<: providers refuse `Date<` as the name of a parameter"],
        );
    }
}
