//! A description that sends the model to a tool that is not there.

use crate::{
    lint::{Check, Lint, LintStage, Report, Severity, Subject, text::pattern},
    normalize::verbs,
};
use regex::Regex;
use std::{
    collections::{BTreeMap, BTreeSet},
    sync::LazyLock,
};

pub(super) const LINT: Lint = Lint {
    code: "unknown-neighbour",
    stage: LintStage::Description,
    severity: Severity::Note,
    finds: "A description tells the model to use a tool that its source does not offer.",
    why: "The model calls what it was told of, and the call cannot even be matched to a tool.",
    fix: "name a tool that is offered, by its current name",
    check: Check::Registry(check),
};

/// A name after a word of using, in back-ticks, quotes or with a word for tool behind it.
static NAMED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:use|call|calling|using|see|via|run|prefer|from|with|by) (?:the )?(?:tool )?(?:[`'"](\w+(?:[_-]\w+)+)[`'"]|(\w+(?:[_-]\w+)+) (?:tool|function|first|instead))"#,
    )
});

fn check(tools: &[Subject<'_>], report: &mut Report<'_>) {
    let mut by_source: BTreeMap<&str, Vec<&Subject<'_>>> = BTreeMap::new();
    for tool in tools {
        by_source.entry(&tool.tool.source.source_id).or_default().push(tool);
    }
    for tools in by_source.into_values().filter(|tools| tools.len() > 1) {
        let offered: BTreeSet<String> = tools.iter().map(|tool| plain(tool.name())).collect();
        for tool in tools {
            for (pointer, text) in tool.texts() {
                if let Some(named) = absent(tool, text, &offered) {
                    report.at(tool, pointer, format!("`{named}` is not offered"));
                }
            }
        }
    }
}

fn absent<'t>(tool: &Subject<'_>, text: &'t str, offered: &BTreeSet<String>) -> Option<&'t str> {
    let found = NAMED.captures_iter(text).filter_map(|found| Some(found.get(1).or(found.get(2))?.as_str()));
    let mut named = found.filter(|name| {
        let key = plain(name);
        let acts = verbs::words(name).first().is_some_and(|word| verbs::action_of(word).is_some());
        acts && !is_offered(&key, offered) && !is_own(tool, name)
    });
    named.next()
}

/// Whether a tool of that name is there, with or without a prefix that all of them have.
fn is_offered(key: &str, offered: &BTreeSet<String>) -> bool {
    offered.iter().any(|tool| tool == key || tool.ends_with(key) || key.ends_with(tool.as_str()))
}

/// Whether the name is one of the tool's own parameters or of their values.
fn is_own(tool: &Subject<'_>, name: &str) -> bool {
    tool.schemas().iter().any(|schema| {
        schema.property == Some(name)
            || schema.choices().any(|choice| choice == name)
            || schema.text("const") == Some(name)
    })
}

fn plain(name: &str) -> String {
    verbs::words(name).concat()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::testing::{check_registry, neighbour};

    #[test]
    fn a_description_names_tools_that_are_there() {
        let with = |text: &str| [neighbour("read_file", text), neighbour("srv_list_files", "Lists files")];
        for text in [
            "Use `list_files` first.",
            "Reads a file. Use `read_file` instead.",
            "Use `some-path` here",
            "Use list_files tool",
        ] {
            check_registry(&LINT, &with(text), &[]);
        }
        check_registry(
            &LINT,
            &with("Use `get_user_profile` first."),
            &["/description/summary: `get_user_profile` is not offered"],
        );
        check_registry(&LINT, &[neighbour("read_file", "Use `get_user_profile`")], &[]);
    }
}
