//! The same name at several sources.

use super::name_collision::for_groups;
use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "name-shared",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "Tools of several sources have the same name.",
    why: "Hosts that do not qualify names let one shadow the other, and a model tells them apart by the source's name alone.",
    fix: "offer one of them in a turn, or choose names that say what sets them apart",
    check: Check::Registry(check),
};

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    for_groups(
        tools,
        |tool| tool.name(),
        |tool, others| {
            let source = &tool.tool.source.source_id;
            if let Some(other) = others.iter().find(|other| other.tool.source.source_id != *source) {
                let message = format!("`{}` has the same name", other.tool.tool_id);
                report.at(tool, "/canonicalName", message);
            }
        },
    );
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        lint::testing::{check_registry, neighbour},
        model::ToolDescriptor,
    };

    #[test]
    fn names_are_of_one_source() {
        let of = |source: &str, name: &str| {
            let mut tool: ToolDescriptor = neighbour(&format!("{source}.{name}"), "x");
            tool.source.source_id = source.into();
            tool
        };
        check_registry(&LINT, &[of("a", "search"), of("b", "find")], &[]);
        check_registry(
            &LINT,
            &[of("a", "search"), of("b", "search")],
            &["/canonicalName: `b.search` has the same name", "/canonicalName: `a.search` has the same name"],
        );
    }
}
