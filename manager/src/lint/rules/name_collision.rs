//! Two tools of one name.

use crate::lint::{Check, Lint, LintStage, Report, Severity, Subject};
use std::collections::BTreeMap;
use unicode_normalization::UnicodeNormalization as _;

pub(super) const LINT: Lint = Lint {
    code: "name-collision",
    stage: LintStage::Security,
    severity: Severity::Error,
    finds: "Two tools have ids that are equal, or differ only in case or in forms of the same letters.",
    why: "A grant for one is taken for the other by whoever reads it; a server that serves `Read_File` beside `read_file` \
          may want just that.",
    fix: "rename one of the tools, or qualify it by its source",
    check: Check::Registry(check),
};

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    for_groups(
        tools,
        |tool| folded(&tool.tool.tool_id),
        |tool, others| {
            let message =
                format!("`{}` is hard to tell from `{}`", tool.tool.tool_id, others[0].tool.tool_id);
            report.at(tool, "/toolId", message);
        },
    );
}

fn folded(id: &str) -> String {
    id.nfkc().flat_map(char::to_lowercase).collect()
}

/// Calls `each` with every tool that shares its key, and with the others that do; linear in the tools.
pub(super) fn for_groups<'s, 't, K: Ord>(
    tools: &'s [Subject<'t>],
    key: impl Fn(&Subject<'t>) -> K,
    mut each: impl FnMut(&'s Subject<'t>, &[&'s Subject<'t>]),
) {
    let mut groups: BTreeMap<K, Vec<&'s Subject<'t>>> = BTreeMap::new();
    for tool in tools {
        groups.entry(key(tool)).or_default().push(tool);
    }
    for group in groups.into_values().filter(|group| group.len() > 1) {
        for (at, tool) in group.iter().enumerate() {
            let others: Vec<_> =
                group.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, t)| *t).take(4).collect();
            each(tool, &others);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check_registry, neighbour};

    #[test]
    fn names_are_told_apart() {
        check_registry(&LINT, &["a.b", "a.c", "a_b"].map(|id| neighbour(id, "x")), &[]);
        check_registry(
            &LINT,
            &["srv.read", "srv.Read"].map(|id| neighbour(id, "x")),
            &[
                "/toolId: `srv.read` is hard to tell from `srv.Read`",
                "/toolId: `srv.Read` is hard to tell from `srv.read`",
            ],
        );
    }
}
