//! A tool that fills the prompt.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject, subject::INPUT};

pub(super) const LINT: Lint = Lint {
    code: "tool-too-large",
    stage: LintStage::Schema,
    severity: Severity::Warning,
    finds: "Name, description and input schema take more than 20 kB: about 5,000 tokens.",
    why: "They are sent with every prompt that offers the tool, and push out what the turn is about.",
    fix: "shorten descriptions, split the tool, or move reference material to where it is read on demand",
    check: Check::Tool(check),
};

const MAX: usize = 20_000;

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let schema = serde_json::to_string(&subject.tool.schemas.input_schema).map_or(0, |text| text.len());
    let size = subject.name().len() + subject.tool.description.for_model().len() + schema;
    if size > MAX {
        let pointer = if schema > size / 2 { INPUT } else { "/description" };
        report.at(subject, pointer, format!("the tool takes {size} bytes of every prompt that offers it"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check_summary;

    #[test]
    fn a_tool_leaves_room() {
        check_summary(&LINT, &"x".repeat(19_900), &[]);
        check_summary(
            &LINT,
            &"x".repeat(20_000),
            &["/description: the tool takes 20021 bytes of every prompt that offers it"],
        );
    }
}
