//! Invariant 4: policy is asked before anything runs, and a no is the end.
//!
//! A question to policy also counts when it says *ask*: then a person's yes has to come before the start, which
//! is for invariants 5 and 6 to look at.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::judge::Proof;
use std::collections::HashMap;

const ASKED: Requirement = Requirement::must("R4.1", "§18.4, §15", "policy is asked before a call starts");
const DENIAL_STOPS: Requirement =
    Requirement::must("R4.2", "§18.4, §15", "a call that policy does not allow does not start");

pub(super) struct PolicyFirst;

impl Invariant for PolicyFirst {
    fn number(&self) -> u8 {
        4
    }

    fn title(&self) -> &'static str {
        "the policy check happens before execution"
    }

    fn why(&self) -> &'static str {
        "a decision that comes after the deed is no decision"
    }

    fn needs(&self) -> &'static str {
        "a call that starts (`ToolCallStarted`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[ASKED, DENIAL_STOPS]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(
            called!(),
            r#"{"type":"ToolCallRequested","toolCallId":"x","toolId":"read","toolVersion":"1","descriptorDigest":"dig"}"#,
            "\n",
            r#"{"type":"ToolArgsValidated","toolCallId":"x","status":"passed"}"#,
            "\n",
            r#"{"type":"ToolPolicyChecked","toolCallId":"x","decision":"deny","policyIds":["no"],"reason":"no"}"#,
            "\n",
            r#"{"type":"ToolCallBlocked","toolCallId":"x","toolId":"read","code":"policy_denied"}"#
        )
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "policy was never asked",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    prepared!(),
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "policy was asked afterwards",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    prepared!(),
                    started!(),
                    allowed!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "policy said no",
                concat!(
                    registered!(),
                    requested!(),
                    validated!(),
                    r#"{"type":"ToolPolicyChecked","toolCallId":"c","decision":"deny","policyIds":["no"],"reason":"no"}"#,
                    "\n",
                    prepared!(),
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "a later no",
                concat!(
                    decided!(),
                    r#"{"type":"ToolPolicyChecked","toolCallId":"c","decision":"deny","policyIds":["no"],"reason":"no"}"#,
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
struct Watching(HashMap<String, (String, Proof)>);

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let (call, proof) = (event.call(), Proof::from(event));
        match event.kind() {
            "ToolPolicyChecked" => {
                self.0.insert(call.to_owned(), (event.text("decision").to_owned(), proof));
            }
            "ToolCallStarted" => {
                notes.exercise();
                match self.0.get(call) {
                    None => {
                        let sentence = format!(
                            "call `{call}` starts and policy was not asked: no rule has ever seen it"
                        );
                        notes.violate(&ASKED, sentence, &[&proof]);
                    }
                    Some((decision, check)) if decision != "allow" && decision != "ask" => {
                        notes.violate(
                            &DENIAL_STOPS,
                            format!(
                                "call `{call}` starts though policy says {decision}: a no that stops nothing"
                            ),
                            &[check, &proof],
                        );
                    }
                    Some(_) => {}
                }
            }
            "TraceUpdated" | "ToolCallBlocked" => drop(self.0.remove(call)),
            _ => {}
        }
    }
}
