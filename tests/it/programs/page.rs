//! The example of `docs/tools.md`, read from the page and run.

use super::{hostile::Bench, program};
use proofhouse_manager::{
    adapters::{lints::ContractLints, sources::Descriptors},
    model::{LintStage, ResultStatus, Severity},
    port::{Linter as _, ToolSourcePort as _, Uninterrupted},
    stage::RunMode,
};
use serde_json::json;

#[test]
fn the_example_of_the_page_is_a_tool_that_runs() {
    let page = include_str!("../../../docs/tools.md");
    let yaml = page.split("```yaml\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("notes.count.yaml");
    std::fs::write(&path, yaml).unwrap();
    let found = Descriptors { paths: vec![path] }.discover().unwrap();
    assert!(found.rejected.is_empty(), "{:?}", found.rejected);
    let tool = &found.tools[0].descriptor;
    for stage in LintStage::ALL {
        let errors = ContractLints.lint(tool, stage).into_iter().filter(|f| f.severity == Severity::Error);
        assert_eq!(errors.count(), 0, "{stage:?}");
    }
    if program("grep").is_none() {
        return;
    }
    let bench = Bench::new(&[("notes/a.md", "a TODO\n- TODO\n"), ("notes/b.md", "nothing\n")]);
    let args = json!({ "pattern": "TODO", "folder": "notes", "ignoreCase": true });
    let result = bench.call(tool, args, RunMode::Real, &Uninterrupted).unwrap();
    assert_eq!(result.status, ResultStatus::Success, "{result:#?}");
    let structured = result.structured_output.unwrap();
    // The program walks a folder in the order of the disk.
    let mut lines: Vec<&str> = structured["stdout"].as_str().unwrap().lines().collect();
    lines.sort_unstable();
    assert_eq!(lines, ["notes/a.md:2", "notes/b.md:0"]);
}
