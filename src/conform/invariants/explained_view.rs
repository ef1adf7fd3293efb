//! Invariant 15: a view explains itself.
//!
//! Each tool in it has a reason and a decision that lets it be there; each tool left out has the filter that
//! dropped it; and none is both. That policy was asked about an MCP tool is invariant 11's.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch, mcp_normalized::is_mcp};
use crate::conform::known::Version;
use serde_json::Value;
use std::collections::HashSet;

const REASON: Requirement = Requirement::must("R15.1", "§18.15, §11", "a tool in a view has a reason");
const DECISION: Requirement = Requirement::must(
    "R15.2",
    "§18.15, §11",
    "a tool in a view has a decision of policy that lets it be there",
);
const FILTER: Requirement =
    Requirement::must("R15.3", "§18.15, §11", "a tool that was left out has the filter that dropped it");
const NOT_BOTH: Requirement = Requirement::must("R15.4", "§18.15, §11", "no tool is both shown and left out");
const WHY_DROPPED: Requirement =
    Requirement::should("R15.5", "§11", "a tool that was left out has the reason in words");

pub(super) struct ExplainedView;

impl Invariant for ExplainedView {
    fn number(&self) -> u8 {
        15
    }

    fn title(&self) -> &'static str {
        "a view explains itself"
    }

    fn why(&self) -> &'static str {
        "who cannot say why a tool was offered cannot say why it was used"
    }

    fn needs(&self) -> &'static str {
        "a view (`ToolViewCompiled`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[REASON, DECISION, FILTER, NOT_BOTH, WHY_DROPPED]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::new(Watching)
    }

    fn keeps(&self) -> &'static str {
        r#"{"type":"ToolViewCompiled","tools":[{"toolId":"read","reason":"fits","policyDecision":"allow"}],"dropped":[{"toolId":"drop","filter":"policy","reason":"lacks a scope"}]}"#
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "no reason",
                r#"{"type":"ToolViewCompiled","tools":[{"toolId":"read","reason":"","policyDecision":"allow"}],"dropped":[]}"#,
            ),
            (
                "no decision",
                r#"{"type":"ToolViewCompiled","tools":[{"toolId":"read","reason":"fits"}],"dropped":[]}"#,
            ),
            (
                "shown though denied",
                r#"{"type":"ToolViewCompiled","tools":[{"toolId":"read","reason":"fits","policyDecision":"deny"}],"dropped":[]}"#,
            ),
            (
                "dropped by nothing",
                r#"{"type":"ToolViewCompiled","tools":[],"dropped":[{"toolId":"drop","reason":"?"}]}"#,
            ),
            (
                "shown and dropped",
                r#"{"type":"ToolViewCompiled","tools":[{"toolId":"read","reason":"fits","policyDecision":"allow"}],"dropped":[{"toolId":"read","filter":"rank","reason":"beyond"}]}"#,
            ),
        ]
    }
}

struct Watching;

impl Watch for Watching {
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes) {
        if event.kind() != "ToolViewCompiled" {
            return;
        }
        notes.exercise();
        let mut shown = HashSet::new();
        for tool in event.list("tools") {
            let id = text(tool, "toolId");
            shown.insert(id);
            let (requirement, fault) = match text(tool, "policyDecision") {
                "allow" | "ask" if text(tool, "reason").trim().is_empty() => (&REASON, "nobody says why"),
                "allow" | "ask" => continue,
                // Each fault is told once: what a server serves is invariant 11's.
                "" if is_mcp(known, &Version::exposed(tool)) => continue,
                "" => (&DECISION, "policy was not asked"),
                _ => (&DECISION, "policy does not allow it"),
            };
            notes.violate(requirement, format!("`{id}` is shown, and {fault}"), &[&event.into()]);
        }
        for tool in event.list("dropped") {
            let id = text(tool, "toolId");
            let (requirement, fault) = match (text(tool, "filter"), shown.contains(id)) {
                ("", _) => (&FILTER, "left out, and nobody says by which filter"),
                (_, true) => (&NOT_BOTH, "both shown and left out"),
                (_, false) if text(tool, "reason").trim().is_empty() => {
                    (&WHY_DROPPED, "left out, and nobody says why in words")
                }
                (_, false) => continue,
            };
            notes.violate(requirement, format!("`{id}` is {fault}"), &[&event.into()]);
        }
    }
}

fn text<'a>(tool: &'a Value, name: &str) -> &'a str {
    tool.get(name).and_then(Value::as_str).unwrap_or_default()
}
