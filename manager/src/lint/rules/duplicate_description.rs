//! Two tools that say the same of themselves.

use super::name_collision::for_groups;
use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "duplicate-description",
    stage: LintStage::Description,
    severity: Severity::Warning,
    finds: "Two tools of one source have the same description.",
    why: "A model can only choose between them by name, and often takes the wrong one.",
    fix: "say in each what sets it apart, or offer one",
    check: Check::Registry(check),
};

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    let key = |tool: &Subject<'_>| {
        let description = tool.tool.description.for_model().trim().to_owned();
        (tool.tool.source.source_id.clone(), description)
    };
    for_groups(tools, key, |tool, others| {
        if !tool.summary().trim().is_empty() {
            let message = format!("`{}` has the same description", others[0].tool.tool_id);
            report.at(tool, "/description/summary", message);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check_registry, neighbour};

    #[test]
    fn each_tool_speaks_for_itself() {
        check_registry(&LINT, &[neighbour("a", "Reads a file"), neighbour("b", "Reads a page")], &[]);
        check_registry(&LINT, &[neighbour("a", " "), neighbour("b", "")], &[]);
        check_registry(
            &LINT,
            &[neighbour("a", "Reads a file"), neighbour("b", "Reads a file\n")],
            &[
                "/description/summary: `b` has the same description",
                "/description/summary: `a` has the same description",
            ],
        );
    }
}
