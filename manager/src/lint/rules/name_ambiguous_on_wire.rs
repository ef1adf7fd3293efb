//! Names that become equal when a host writes them for a provider.

use super::name_collision::for_groups;
use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};

pub(super) const LINT: Lint = Lint {
    code: "name-ambiguous-on-wire",
    stage: LintStage::Security,
    severity: Severity::Warning,
    finds: "Two names become equal when characters that providers refuse are replaced by `_` and the rest is cut to 64.",
    why: "The manager's own names are reversible, but other hosts write `a.b` and `a_b` alike: one tool then shadows the \
          other.",
    fix: "rename one of the tools so that they differ in letters or digits within the first 64 characters",
    check: Check::Registry(check),
};

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    for_groups(
        tools,
        |tool| sanitized(&tool.tool.tool_id),
        |tool, others| {
            let id = &tool.tool.tool_id;
            let differs = |other: &&&Subject<'_>| other.tool.tool_id != *id;
            if let Some(other) = others.iter().find(differs) {
                let message =
                    format!("`{id}` and `{}` are both written `{}`", other.tool.tool_id, sanitized(id));
                report.at(tool, "/toolId", message);
            }
        },
    );
}

fn sanitized(id: &str) -> String {
    const MAX: usize = 64;
    let plain = |c: char| if c.is_ascii_alphanumeric() || c == '-' { c } else { '_' };
    id.chars().map(plain).take(MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check_registry, neighbour};

    #[test]
    fn names_stay_apart_on_the_wire() {
        check_registry(&LINT, &["a.b", "a.c", "a-b"].map(|id| neighbour(id, "x")), &[]);
        check_registry(
            &LINT,
            &["a.b", "a_b"].map(|id| neighbour(id, "x")),
            &[
                "/toolId: `a.b` and `a_b` are both written `a_b`",
                "/toolId: `a_b` and `a.b` are both written `a_b`",
            ],
        );
        let long = "x".repeat(64);
        let both = [format!("{long}1"), format!("{long}2")];
        let told = |a: &str, b: &str| format!("/toolId: `{a}` and `{b}` are both written `{long}`");
        check_registry(
            &LINT,
            &both.each_ref().map(|id| neighbour(id, "x")),
            &[told(&both[0], &both[1]).as_str(), told(&both[1], &both[0]).as_str()],
        );
    }
}
