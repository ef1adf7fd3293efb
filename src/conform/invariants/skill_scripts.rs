//! Invariant 12: a script of a skill runs as a registered tool or not at all, and loading a skill grants nothing.
//!
//! A program in a skill's folder belongs to the skill. A call that starts one names a tool of a skill that was
//! enabled; nothing that widens rights follows from `SkillLoaded`.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{judge::Proof, known::Version};
use std::collections::HashMap;

const OWN_TOOL: Requirement = Requirement::must(
    "R12.1",
    "§18.12, §14",
    "a program in the folder of a skill runs as a registered tool of that skill",
);
const GRANTS_NOTHING: Requirement =
    Requirement::must("R12.2", "§18.12, §14", "no grant and no tool follows from loading a skill");

pub(super) struct SkillScripts;

impl Invariant for SkillScripts {
    fn number(&self) -> u8 {
        12
    }

    fn title(&self) -> &'static str {
        "skill scripts are registered tools"
    }

    fn why(&self) -> &'static str {
        "a skill can teach how to do something, and cannot allow it"
    }

    fn needs(&self) -> &'static str {
        "a loaded skill (`SkillLoaded`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[OWN_TOOL, GRANTS_NOTHING]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(
            r#"{"type":"SkillLoaded","skill":"pdf","source":"/skills/pdf","eventId":"sk"}"#,
            "\n",
            called!()
        )
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "a script runs as part of another tool",
                concat!(
                    r#"{"type":"SkillLoaded","skill":"pdf","source":"/skills/pdf","eventId":"sk"}"#,
                    "\n",
                    decided!(),
                    r#"{"type":"ToolCallStarted","toolCallId":"c","toolId":"read","toolVersion":"1","descriptorDigest":"dig","argsDigest":"a","scopes":[],"riskLevel":"low","level":"L0","adapter":"cli","policyIds":["L0"],"sandboxId":"box","sandboxDigest":"rules","executable":"/skills/pdf/scripts/run.sh"}"#,
                    "\n",
                    finished!(),
                    kept!()
                ),
            ),
            (
                "a grant follows from loading",
                concat!(
                    r#"{"type":"SkillLoaded","skill":"pdf","source":"/skills/pdf","eventId":"sk"}"#,
                    "\n",
                    r#"{"type":"GrantIssued","grantId":"g","toolId":"read","parentEventId":"sk"}"#
                ),
            ),
            (
                "a tool is enabled by loading",
                concat!(
                    r#"{"type":"SkillLoaded","skill":"pdf","source":"/skills/pdf","eventId":"sk"}"#,
                    "\n",
                    evaluated!(),
                    r#"{"type":"ToolEnabled","toolId":"read","toolVersion":"1","descriptorDigest":"dig","parentEventId":"sk"}"#
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    /// Folders of loaded skills.
    folders: Vec<(String, Proof)>,
    loaded: HashMap<String, Proof>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes) {
        match event.kind() {
            "SkillLoaded" => {
                notes.exercise();
                let folder = event.text("source").trim_end_matches('/').to_owned();
                self.folders.push((folder, event.into()));
                self.loaded.insert(event.text("eventId").to_owned(), event.into());
            }
            "GrantIssued" | "ToolEnabled" | "ToolGranted" => {
                if let Some(load) = self.loaded.get(event.text("parentEventId")) {
                    notes.violate(
                        &GRANTS_NOTHING,
                        format!(
                            "a `{}` follows from loading a skill: instructions became rights",
                            event.kind()
                        ),
                        &[load, &event.into()],
                    );
                }
            }
            "ToolCallStarted" => self.start(event, known, notes),
            _ => {}
        }
    }
}

impl Watching {
    fn start(&self, event: &Event, known: &Known, notes: &mut Notes) {
        let program = event.text("executable");
        let inside = |folder: &str| {
            !folder.is_empty() && program.strip_prefix(folder).is_some_and(|r| r.starts_with('/'))
        };
        let Some((folder, load)) = self.folders.iter().find(|(folder, _)| inside(folder)) else { return };
        if known.contract(&Version::of(event)).is_none_or(|c| c.source != "skill") {
            let sentence = format!(
                "`{program}` of the skill in `{folder}` runs, and is no registered tool: nobody reviewed it"
            );
            notes.violate(&OWN_TOOL, sentence, &[load, &event.into()]);
        }
    }
}
