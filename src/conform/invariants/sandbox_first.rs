//! Invariant 10: the sandbox of what runs locally is resolved before it runs, and is the one that is enforced.
//!
//! Local is what executes here: programs, scripts of skills, MCP servers on standard input and output. A
//! program that a call starts makes it local whatever its adapter is called.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{judge::Proof, known::Version};
use std::collections::HashMap;

/// Adapters that execute on this machine.
const LOCAL: [&str; 6] = ["cli", "shell", "skill", "skill-script", "mcp-stdio", "container"];

const RESOLVED: Requirement =
    Requirement::must("R10.1", "§18.10, §13", "the sandbox of a local program is resolved before it starts");
const ENFORCED: Requirement = Requirement::must(
    "R10.2",
    "§18.10, §13",
    "a local program runs in the sandbox, and by the policy, that was resolved",
);

pub(super) struct SandboxFirst;

impl Invariant for SandboxFirst {
    fn number(&self) -> u8 {
        10
    }

    fn title(&self) -> &'static str {
        "the sandbox is resolved before local execution"
    }

    fn why(&self) -> &'static str {
        "limits that are set up after the start have limited nothing"
    }

    fn needs(&self) -> &'static str {
        "a local program that starts (`ToolCallStarted` with the adapter cli, skill-script or mcp-stdio)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[RESOLVED, ENFORCED]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        called!()
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "no sandbox",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    allowed!(),
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "too late",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    allowed!(),
                    started!(),
                    prepared!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "another policy than the one that is enforced",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    allowed!(),
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"c","sandboxId":"box","policyDigest":"other rules"}"#,
                    "\n",
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "the sandbox of another call",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    allowed!(),
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"other","sandboxId":"box","policyDigest":"rules"}"#,
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
struct Watching(HashMap<String, (String, String, Proof)>);

impl Watch for Watching {
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes) {
        let call = event.call();
        match event.kind() {
            "ToolSandboxPrepared" => {
                let prepared =
                    (event.text("sandboxId").to_owned(), event.text("policyDigest").to_owned(), event.into());
                self.0.insert(call.to_owned(), prepared);
            }
            "ToolCallStarted" if is_local(event, known) => {
                notes.exercise();
                let proof = Proof::from(event);
                match self.0.get(call) {
                    None => notes.violate(
                        &RESOLVED,
                        format!("call `{call}` runs a program here, and no sandbox was resolved for it: nothing limits it"),
                        &[&proof],
                    ),
                    Some((id, digest, prepared)) => {
                        if id != event.text("sandboxId") || digest != event.text("sandboxDigest") {
                            notes.violate(
                                &ENFORCED,
                                format!(
                                    "call `{call}` runs in another sandbox than the one that was resolved: its limits are not those that were decided about"
                                ),
                                &[prepared, &proof],
                            );
                        }
                    }
                }
            }
            "TraceUpdated" | "ToolCallBlocked" => drop(self.0.remove(call)),
            _ => {}
        }
    }
}

fn is_local(event: &Event, known: &Known) -> bool {
    let declared = known.contract(&Version::of(event)).map_or("", |c| c.adapter.as_str());
    LOCAL.contains(&event.text("adapter"))
        || LOCAL.contains(&declared)
        || !event.text("executable").is_empty()
}
