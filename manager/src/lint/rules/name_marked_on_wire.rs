//! A name that cannot be written readably for a provider.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject},
    resolve::payload::Dialect,
};

pub(super) const LINT: Lint = Lint {
    code: "name-marked-on-wire",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "The name is too long for providers, or holds what they refuse, and gets a mark of digits instead.",
    why: "A model then reads `long_na_x1a2b3c4d5e` and chooses by the description alone.",
    fix: "use at most 60 letters, digits, `-` and single `_` or `.`",
    check: Check::Tool(check),
};

fn check(subject: &Subject<'_>, report: &mut Report<'_>) {
    let id = &subject.tool.tool_id;
    let wire = Dialect::OpenAi.name_limits().wire(id);
    if wire != id.replace('.', "__") {
        report.at(subject, "/toolId", format!("providers are told `{wire}`"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::check;

    #[test]
    fn a_name_reads_well_on_the_wire() {
        check(&LINT, |t| t.tool_id = "file.read_all".into(), &[]);
        check(
            &LINT,
            |t| t.tool_id = "file__read".into(),
            &["/toolId: providers are told `file__read_xb124a3b8ff`"],
        );
    }
}
