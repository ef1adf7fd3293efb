//! Invariant 11: what an MCP server serves is normalized and policy-filtered before a model sees it.
//!
//! Each MCP tool in a view has a canonical contract, made of the definition that its server serves now, and a
//! decision of policy.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::known::{Contract, Version};
use serde_json::Value;

const NORMALIZED: Requirement =
    Requirement::must("R11.1", "§18.11, §14", "an MCP tool in a view has a canonical contract");
const SERVED_NOW: Requirement = Requirement::must(
    "R11.2",
    "§18.11, §14",
    "that contract was made of the definition that the server serves now",
);
const FILTERED: Requirement =
    Requirement::must("R11.3", "§18.11, §14", "policy was asked about an MCP tool before it is shown");

pub(super) struct McpNormalized;

impl Invariant for McpNormalized {
    fn number(&self) -> u8 {
        11
    }

    fn title(&self) -> &'static str {
        "MCP tools are normalized and filtered before exposure"
    }

    fn why(&self) -> &'static str {
        "a server's words about its own tools are claims, and may change overnight"
    }

    fn needs(&self) -> &'static str {
        "an MCP tool in a view (`ToolDiscovered` from `mcp`, `ToolViewCompiled`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[NORMALIZED, SERVED_NOW, FILTERED]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::new(Watching)
    }

    fn keeps(&self) -> &'static str {
        concat!(
            r#"{"type":"ToolDiscovered","toolId":"m","source":"s","sourceType":"mcp","definitionDigest":"v1"}"#,
            "\n",
            r#"{"type":"ToolNormalized","toolId":"m","toolVersion":"1","descriptorDigest":"dm","definitionDigest":"v1","sourceType":"mcp","adapter":"mcp","level":"L3","effects":{"reads":["x:*"],"writes":[],"externalCalls":true}}"#,
            "\n",
            r#"{"type":"ToolViewCompiled","tools":[{"toolId":"m","toolVersion":"1","descriptorDigest":"dm","reason":"fits","policyDecision":"ask"}],"dropped":[]}"#
        )
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "shown as it was discovered",
                concat!(
                    r#"{"type":"ToolDiscovered","toolId":"m","source":"s","sourceType":"mcp","definitionDigest":"v1"}"#,
                    "\n",
                    r#"{"type":"ToolViewCompiled","tools":[{"toolId":"m","toolVersion":"1","descriptorDigest":"dm","reason":"fits","policyDecision":"ask"}],"dropped":[]}"#
                ),
            ),
            (
                "the server serves something else by now",
                concat!(
                    r#"{"type":"ToolDiscovered","toolId":"m","source":"s","sourceType":"mcp","definitionDigest":"v1"}"#,
                    "\n",
                    r#"{"type":"ToolNormalized","toolId":"m","toolVersion":"1","descriptorDigest":"dm","definitionDigest":"v1","sourceType":"mcp","adapter":"mcp","level":"L3","effects":{"reads":["x:*"],"writes":[],"externalCalls":true}}"#,
                    "\n",
                    r#"{"type":"ToolDiscovered","toolId":"m","source":"s","sourceType":"mcp","definitionDigest":"v2"}"#,
                    "\n",
                    r#"{"type":"ToolViewCompiled","tools":[{"toolId":"m","toolVersion":"1","descriptorDigest":"dm","reason":"fits","policyDecision":"ask"}],"dropped":[]}"#
                ),
            ),
            (
                "normalized afterwards",
                concat!(
                    r#"{"type":"ToolDiscovered","toolId":"m","source":"s","sourceType":"mcp","definitionDigest":"v1"}"#,
                    "\n",
                    r#"{"type":"ToolViewCompiled","tools":[{"toolId":"m","toolVersion":"1","descriptorDigest":"dm","reason":"fits","policyDecision":"ask"}],"dropped":[]}"#,
                    "\n",
                    r#"{"type":"ToolNormalized","toolId":"m","toolVersion":"1","descriptorDigest":"dm","definitionDigest":"v1","sourceType":"mcp","adapter":"mcp","level":"L3","effects":{"reads":["x:*"],"writes":[],"externalCalls":true}}"#
                ),
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
        for tool in event.list("tools") {
            let version = Version::exposed(tool);
            if !is_mcp(known, &version) {
                continue;
            }
            notes.exercise();
            let (contract, served) = (known.contract(&version), known.served(&version.tool));
            let decision = tool.get("policyDecision").and_then(Value::as_str).unwrap_or_default();
            if let Some((requirement, fault)) = fault(contract, served, decision) {
                notes.violate(
                    requirement,
                    format!("the MCP tool `{}` is shown, and {fault}", version.tool),
                    &[&event.into()],
                );
            }
        }
    }
}

type Served<'a> = Option<&'a (String, String)>;

/// Whether a server serves it.
pub(super) fn is_mcp(known: &Known, version: &Version) -> bool {
    known.contract(version).is_some_and(|c| c.source == "mcp")
        || known.served(&version.tool).is_some_and(|(source, _)| source == "mcp")
}

type Fault = (&'static Requirement, &'static str);

fn fault(contract: Option<&Contract>, served: Served<'_>, decision: &str) -> Option<Fault> {
    let Some(contract) = contract else {
        return Some((
            &NORMALIZED,
            "its contract was never normalized: the model reads the server's own words",
        ));
    };
    if served.is_some_and(|(_, definition)| *definition != contract.definition) {
        return Some((&SERVED_NOW, "its server serves another definition by now: what was reviewed is gone"));
    }
    decision.is_empty().then_some((&FILTERED, "policy was not asked about it"))
}
