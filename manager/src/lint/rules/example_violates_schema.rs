//! An example that the tool would refuse.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    registry::Arguments,
};

pub(super) const LINT: Lint = Lint {
    code: "example-violates-schema",
    stage: LintStage::Schema,
    severity: Severity::Error,
    finds: "The arguments of an example are not valid under the tool's own input schema.",
    why: "Examples teach models and people; one that the tool refuses teaches mistakes.",
    fix: "write arguments that satisfy the tool's own `inputSchema`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let examples = &subject.tool.description.examples;
    if examples.is_empty() {
        return;
    }
    // A schema that does not compile has a lint of its own.
    let Ok(arguments) = Arguments::compile(&subject.tool.schemas.input_schema) else { return };
    for (index, example) in examples.iter().enumerate() {
        for fault in arguments.faults(&example.expected_args) {
            let pointer = format!("/description/examples/{index}/expectedArgs{}", fault.path);
            report.at(subject, pointer, fault.message);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{lint::testing, model::ToolExample};
    use serde_json::json;

    #[test]
    fn an_example_is_valid() {
        let of = |value: serde_json::Value| {
            move |t: &mut crate::model::ToolDescriptor| {
                t.schemas.input_schema.0 =
                    testing::object(json!({ "properties": { "a": { "type": "integer" } } }));
                t.description.examples =
                    vec![ToolExample { user_request: "x".into(), expected_args: json!({ "a": value }) }];
            }
        };
        testing::check(&LINT, of(json!(1)), &[]);
        testing::check(
            &LINT,
            of(json!("1")),
            &["/description/examples/0/expectedArgs/a: \"1\" is not of type \"integer\""],
        );
    }
}
