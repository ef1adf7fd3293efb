//! A tool with more parameters than a model keeps apart.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT};

pub(super) const LINT: Lint = Lint {
    code: "too-many-parameters",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "The tool has more than 25 parameters.",
    why: "Models mix up what they are given too much of, and the tool takes the room of several in every prompt.",
    fix: "split the tool by what people want to do with it, and leave out what nobody asks for",
    check: Check::Tool(check),
};

const MAX: usize = 25;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let count = subject.tool.schemas.input_schema.properties().count();
    if count > MAX {
        report.at(subject, format!("{INPUT}/properties"), format!("{count} parameters are more than {MAX}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_schema;
    use serde_json::{Map, Value, json};

    #[test]
    fn twenty_five_are_enough() {
        let of = |count| {
            let properties: Map<String, Value> = (0..count).map(|i| (format!("p{i}"), json!({}))).collect();
            json!({ "properties": properties })
        };
        check_schema(&LINT, of(25), &[]);
        check_schema(&LINT, of(26), &["/properties: 26 parameters are more than 25"]);
    }
}
