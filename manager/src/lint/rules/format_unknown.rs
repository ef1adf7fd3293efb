//! A format that JSON Schema does not know.

use crate::{
    document::did_you_mean,
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
};

pub(super) const LINT: Lint = Lint {
    code: "format-unknown",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "A `format` is none that JSON Schema defines.",
    why: "Nothing checks an unknown format, and strict modes of providers refuse it. `int32` and `path` come from OpenAPI \
          and from people.",
    fix: "take a format of JSON Schema, or say it with `minimum`, `pattern` or the description",
    check: Check::Tool(check),
};

/// JSON Schema 2020-12, validation, section 7.3.
const KNOWN: [&str; 19] = [
    "date-time",
    "date",
    "time",
    "duration",
    "email",
    "idn-email",
    "hostname",
    "idn-hostname",
    "ipv4",
    "ipv6",
    "uri",
    "uri-reference",
    "iri",
    "iri-reference",
    "uuid",
    "uri-template",
    "json-pointer",
    "relative-json-pointer",
    "regex",
];

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    for schema in subject.schemas() {
        let Some(format) = schema.text("format").filter(|format| !KNOWN.contains(format)) else { continue };
        let meant =
            did_you_mean(format, KNOWN).map_or_else(String::new, |known| format!("; `{known}` is one"));
        let message = format!("`{format}` is no format of JSON Schema{meant}");
        report.at(subject, format!("{}/format", schema.pointer), message);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::json;

    #[test]
    fn a_format_is_known() {
        let of = |format| json!({ "properties": { "a": { "type": "string", "format": format } } });
        check_schema(&LINT, of("date-time"), &[]);
        check_schema(&LINT, of("int32"), &["/properties/a/format: `int32` is no format of JSON Schema"]);
        check_schema(
            &LINT,
            of("datetime"),
            &["/properties/a/format: `datetime` is no format of JSON Schema; `date-time` is one"],
        );
    }
}
