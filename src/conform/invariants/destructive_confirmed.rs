//! Invariant 14: what destroys is tried without effect first, or confirmed more strongly than by a click.
//!
//! A dry run counts for the same tool with the same arguments; a confirmation counts when it was typed.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{judge::Proof, known::Version};
use std::collections::{HashMap, HashSet};

const STRONGER: Requirement = Requirement::must(
    "R14.1",
    "§18.14, §12",
    "a destructive start follows a dry run with the same arguments, or a confirmation that was typed",
);

pub(super) struct DestructiveConfirmed;

impl Invariant for DestructiveConfirmed {
    fn number(&self) -> u8 {
        14
    }

    fn title(&self) -> &'static str {
        "destructive tools dry-run or get a stronger confirmation"
    }

    fn why(&self) -> &'static str {
        "a habit of clicking yes must not be enough to destroy something"
    }

    fn needs(&self) -> &'static str {
        "a start of a destructive tool (`ToolNormalized` with `destructive`, `ToolCallStarted`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[STRONGER]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(destructive!(), approved!(), dropped!(), gone!())
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "a click is enough",
                concat!(
                    destructive!(),
                    r#"{"type":"ApprovalGranted","toolCallId":"d","approvalId":"ap","argsDigest":"a","scopes":["db"],"riskLevel":"high","confirmation":"chosen","grantId":"gr"}"#,
                    "\n",
                    r#"{"type":"GrantIssued","grantId":"gr","toolId":"drop","toolVersion":"1"}"#,
                    "\n",
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    dropped!(),
                    gone!()
                ),
            ),
            (
                "the dry run was with other arguments",
                concat!(
                    destructive!(),
                    r#"{"type":"ApprovalGranted","toolCallId":"d","approvalId":"ap","argsDigest":"a","scopes":["db"],"riskLevel":"high","confirmation":"chosen","grantId":"gr"}"#,
                    "\n",
                    r#"{"type":"GrantIssued","grantId":"gr","toolId":"drop","toolVersion":"1"}"#,
                    "\n",
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"b","scopes":["db"],"riskLevel":"high","level":"L5","adapter":"http","policyIds":["L5"],"dryRun":true,"grantId":"gr","sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallFinished","toolCallId":"d","eventId":"dry","status":"success","effectsObserved":{},"outputBytes":0}"#,
                    "\n",
                    r#"{"type":"ToolPolicyChecked","toolCallId":"d","decision":"ask","policyIds":["confirm"],"reason":"it destroys"}"#,
                    "\n",
                    dropped!(),
                    gone!()
                ),
            ),
            (
                "a grant for the session, given with a click",
                concat!(
                    destructive!(),
                    r#"{"type":"GrantIssued","grantId":"gr","toolId":"drop","toolVersion":"1"}"#,
                    "\n",
                    r#"{"type":"ToolSandboxPrepared","toolCallId":"d","sandboxId":"box","policyDigest":"rules"}"#,
                    "\n",
                    r#"{"type":"ToolCallStarted","toolCallId":"d","toolId":"drop","toolVersion":"1","descriptorDigest":"dd","argsDigest":"a","scopes":["db"],"riskLevel":"high","level":"L5","adapter":"http","policyIds":["L5"],"grantId":"gr","sandboxId":"box","sandboxDigest":"rules"}"#,
                    "\n",
                    gone!()
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    typed: HashSet<String>,
    asked: HashMap<String, Proof>,
    tried: HashSet<(String, String)>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes) {
        match event.kind() {
            "ApprovalGranted" => {
                if event.text("confirmation") == "typed" {
                    self.typed.insert(event.call().to_owned());
                }
                self.asked.insert(event.call().to_owned(), event.into());
            }
            "ToolCallStarted" => {
                let version = Version::of(event);
                let tried = (version.tool.clone(), event.text("argsDigest").to_owned());
                if event.is("dryRun") {
                    self.tried.insert(tried);
                } else if known.contract(&version).is_some_and(|c| c.destructive) {
                    notes.exercise();
                    if !self.typed.contains(event.call()) && !self.tried.contains(&tried) {
                        let sentence = format!(
                            "`{}` destroys after no dry run with these arguments and no typed confirmation: one click was enough",
                            version.tool
                        );
                        let proof = Proof::from(event);
                        let proofs: Vec<&Proof> =
                            self.asked.get(event.call()).into_iter().chain([&proof]).collect();
                        notes.violate(&STRONGER, sentence, &proofs);
                    }
                }
            }
            "TraceUpdated" | "ToolCallBlocked" => {
                self.typed.remove(event.call());
                self.asked.remove(event.call());
            }
            _ => {}
        }
    }
}
