use super::*;
use crate::{
    adapters::sources::Descriptors,
    model::{EffectLevel, testing::descriptor},
    port::ToolSourcePort as _,
};
use std::{collections::BTreeSet, path::Path};

#[test]
fn every_file_is_in_the_table_and_named_after_its_lint() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/lint/rules");
    let files: BTreeSet<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().to_string_lossy().trim_end_matches(".rs").replace('_', "-"))
        .filter(|name| name != "mod")
        .collect();
    let table: BTreeSet<String> = rules::ALL.iter().map(|lint| lint.code.to_owned()).collect();
    assert_eq!(files, table);
    assert_eq!(table.len(), rules::ALL.len());
    assert!(rules::ALL.is_sorted_by_key(|lint| lint.stage), "the table goes by stages");
}

#[test]
fn every_lint_explains_itself() {
    for lint in rules::ALL {
        for text in [lint.finds, lint.why] {
            assert!(text.ends_with('.') && text.len() > 20, "{}: {text}", lint.code);
        }
        assert!(!lint.fix.ends_with('.') && !lint.fix.is_empty(), "{}", lint.code);
        assert!(explain(lint).contains(lint.why));
        // Registration has no state for a tool that fails by its words.
        let description = lint.stage == LintStage::Description;
        assert!(!description || lint.severity < Severity::Error, "{}", lint.code);
        assert_eq!(Lint::named(lint.code).map(|l| l.code), Some(lint.code));
    }
    assert!(Lint::named("no-such-lint").is_none());
}

#[test]
fn the_page_is_that_of_the_table() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/lints.md");
    let before = std::fs::read_to_string(path).unwrap_or_default();
    let (_, measured) = before.split_once(page::MEASURED).unwrap_or_default();
    let now = format!("{}{}{measured}", page(), page::MEASURED);
    if before != now {
        std::fs::write(format!("{path}.new"), &now).unwrap();
        panic!("docs/lints.md is out of date: read docs/lints.md.new, then put it in its place");
    }
}

/// The tools that ship with the manager.
fn shipped() -> Vec<ToolDescriptor> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("descriptors");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    Descriptors { paths }.discover().unwrap().tools.into_iter().map(|tool| tool.descriptor).collect()
}

#[test]
fn the_shipped_tools_hold_to_the_lints() {
    let tools = shipped();
    let mut findings: Vec<Finding> = tools.iter().flat_map(|tool| lint_tool(tool, None)).collect();
    findings.extend(lint_registry(&tools.iter().collect::<Vec<_>>()));
    findings.retain(|finding| finding.severity > Severity::Note);
    let told: Vec<_> = findings.iter().map(|f| format!("{} {} {}", f.severity, f.tool, f.code)).collect();
    // A shell is a shell; it asks before every call and runs in a container.
    assert_eq!(told, ["warning shell.run catch-all-tool"]);
}

#[test]
fn findings_come_by_stage_and_point_into_the_descriptor() {
    let mut tool = descriptor("file.read");
    tool.permissions.required_scopes.clear();
    tool.risk.destructive = true;
    tool.schemas.input_schema.0 = testing::object(serde_json::json!({ "requierd": [] }));
    let findings = lint_tool(&tool, None);
    assert!(findings.is_sorted_by_key(|finding| finding.stage));
    let value = serde_json::to_value(&tool).unwrap();
    for finding in &findings {
        assert!(value.pointer(&finding.pointer).is_some(), "{} {}", finding.code, finding.pointer);
    }
    assert_eq!(tool.level(), EffectLevel::DestructiveOrAdmin);
    assert!(findings.iter().any(|f| f.code.as_str() == "approval-too-weak"));
}
