//! Invariant 1: every call that starts names a tool version that was enabled before, by its exact contract.
//!
//! A version alone is a label that anybody can reuse; the digest of the contract is what was reviewed. A call
//! that names anything else may be proposed, but it must never start.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{judge::Proof, known::Version};
use std::collections::{HashMap, HashSet};

const REQUESTED: Requirement =
    Requirement::must("R1.1", "§18.1, §9", "a call that starts was requested before");
const SAME_TOOL: Requirement = Requirement::must(
    "R1.2",
    "§18.1, §9",
    "what starts is the tool, version and contract that was requested",
);
const ENABLED: Requirement = Requirement::must(
    "R1.3",
    "§18.1, §10",
    "what starts was enabled before by the digest of its contract, and not blocked since",
);

pub(super) struct RegisteredVersion;

impl Invariant for RegisteredVersion {
    fn number(&self) -> u8 {
        1
    }

    fn title(&self) -> &'static str {
        "every call references a registered tool version"
    }

    fn why(&self) -> &'static str {
        "what nobody reviewed must not run, whatever name it goes by"
    }

    fn needs(&self) -> &'static str {
        "a call that is requested and starts (`ToolCallRequested`, `ToolCallStarted`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[REQUESTED, SAME_TOOL, ENABLED]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(
            called!(),
            r#"{"type":"ToolCallRequested","toolCallId":"x","toolId":"rm"}"#,
            "\n",
            r#"{"type":"ToolCallBlocked","toolCallId":"x","toolId":"rm","code":"unknown_tool"}"#
        )
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "the tool was never enabled",
                concat!(
                    r#"{"type":"ToolNormalized","toolId":"read","toolVersion":"1","descriptorDigest":"dig","sourceType":"cli","effects":{"reads":["file:src/**"],"writes":[]}}"#,
                    "\n",
                    requested!(),
                    validated!(),
                    allowed!(),
                    prepared!(),
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "the contract is not the enabled one",
                concat!(
                    registered!(),
                    r#"{"type":"ToolCallRequested","toolCallId":"c","toolId":"read","toolVersion":"1","descriptorDigest":"other","argsDigest":"a"}"#,
                    "\n",
                    validated!(),
                    allowed!(),
                    prepared!(),
                    r#"{"type":"ToolCallStarted","toolCallId":"c","toolId":"read","toolVersion":"1","descriptorDigest":"other","argsDigest":"a","scopes":[],"riskLevel":"low","level":"L0","adapter":"cli","policyIds":["L0"],"sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    finished!(),
                    kept!()
                ),
            ),
            (
                "another tool starts than was requested",
                concat!(
                    registered!(),
                    r#"{"type":"ToolNormalized","toolId":"look","toolVersion":"1","descriptorDigest":"dl","definitionDigest":"def","sourceType":"cli","adapter":"cli","level":"L0","destructive":false,"effects":{"reads":["file:src/**"],"writes":[],"externalCalls":false}}"#,
                    "\n",
                    r#"{"type":"EvalCompleted","toolId":"look","toolVersion":"1","descriptorDigest":"dl","golden":5,"negative":3,"passed":true}"#,
                    "\n",
                    r#"{"type":"ToolEnabled","toolId":"look","toolVersion":"1","descriptorDigest":"dl"}"#,
                    "\n",
                    requested!(),
                    validated!(),
                    allowed!(),
                    prepared!(),
                    r#"{"type":"ToolCallStarted","toolCallId":"c","toolId":"look","toolVersion":"1","descriptorDigest":"dl","argsDigest":"a","scopes":[],"riskLevel":"low","level":"L0","adapter":"cli","policyIds":["L0"],"sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    finished!(),
                    kept!()
                ),
            ),
            (
                "it was blocked in between",
                concat!(
                    decided!(),
                    r#"{"type":"ToolBlocked","toolId":"read","cause":"drift"}"#,
                    "\n",
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    enabled: HashSet<Version>,
    requested: HashMap<String, (Version, Proof)>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        match event.kind() {
            "ToolEnabled" => drop(self.enabled.insert(Version::of(event))),
            "ToolBlocked" => {
                let (tool, version) = (event.text("toolId"), event.text("toolVersion"));
                self.enabled.retain(|v| v.tool != tool || (!version.is_empty() && v.version != version));
            }
            "ToolCallRequested" => {
                self.requested.insert(event.call().to_owned(), (Version::of(event), event.into()));
            }
            "ToolCallStarted" => self.start(event, notes),
            "ToolCallBlocked" | "TraceUpdated" => drop(self.requested.remove(event.call())),
            _ => {}
        }
    }
}

impl Watching {
    fn start(&self, event: &Event, notes: &mut Notes) {
        notes.exercise();
        let (started, proof) = (Version::of(event), Proof::from(event));
        let Version { tool, version, .. } = &started;
        match self.requested.get(event.call()) {
            None => notes.violate(
                &REQUESTED,
                format!("a call of `{tool}` starts that nobody requested: no `ToolCallRequested` names it"),
                &[&proof],
            ),
            Some((requested, request)) if *requested != started => {
                let wanted = &requested.tool;
                let which = if requested.tool == *tool { " by another contract" } else { "" };
                notes.violate(
                    &SAME_TOOL,
                    format!(
                        "`{wanted}` {} was requested, and `{tool}` {version} starts{which}: what was decided about is not what runs",
                        requested.version
                    ),
                    &[request, &proof],
                );
            }
            Some((_, request)) if !self.enabled.contains(&started) => notes.violate(
                &ENABLED,
                format!(
                    "`{tool}` {version} starts, and the contract with its digest is not enabled: nobody has reviewed what runs"
                ),
                &[request, &proof],
            ),
            Some(_) => {}
        }
    }
}
