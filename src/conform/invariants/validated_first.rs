//! Invariant 3: arguments are held against the schema before policy sees them.
//!
//! A policy that reasons about arguments nobody has checked can be led astray by their shape. Arguments that
//! fail are the end of the call.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::judge::Proof;
use std::collections::HashMap;

const VALIDATED: Requirement =
    Requirement::must("R3.1", "§18.3, §15", "arguments are validated before policy is asked");
const FAILED_STOPS: Requirement = Requirement::must(
    "R3.2",
    "§18.3, §15",
    "after a failed validation policy is not asked, and nothing starts",
);

pub(super) struct ValidatedFirst;

impl Invariant for ValidatedFirst {
    fn number(&self) -> u8 {
        3
    }

    fn title(&self) -> &'static str {
        "arguments are validated before the policy check"
    }

    fn why(&self) -> &'static str {
        "policy must never decide about arguments whose shape nobody has checked"
    }

    fn needs(&self) -> &'static str {
        "a call that reaches policy (`ToolArgsValidated`, `ToolPolicyChecked`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[VALIDATED, FAILED_STOPS]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(
            called!(),
            r#"{"type":"ToolCallRequested","toolCallId":"x","toolId":"read","toolVersion":"1","descriptorDigest":"dig"}"#,
            "\n",
            r#"{"type":"ToolArgsValidated","toolCallId":"x","status":"failed"}"#,
            "\n",
            r#"{"type":"ToolCallBlocked","toolCallId":"x","toolId":"read","code":"invalid_arguments"}"#
        )
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            (
                "policy first",
                concat!(
                    registered!(),
                    requested!(),
                    allowed!(),
                    validated!(),
                    prepared!(),
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "never validated",
                concat!(
                    registered!(),
                    requested!(),
                    allowed!(),
                    prepared!(),
                    started!(),
                    finished!(),
                    kept!()
                ),
            ),
            (
                "failed, and decided all the same",
                concat!(
                    registered!(),
                    requested!(),
                    r#"{"type":"ToolArgsValidated","toolCallId":"c","status":"failed"}"#,
                    "\n",
                    allowed!()
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching(HashMap<String, (bool, Proof)>);

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let call = event.call();
        match event.kind() {
            "ToolArgsValidated" => {
                self.0.insert(call.to_owned(), (event.text("status") == "passed", event.into()));
            }
            "ToolPolicyChecked" => {
                notes.exercise();
                self.follows("policy is asked about", event, notes);
            }
            "ToolCallStarted" if self.0.get(call).is_some_and(|(passed, _)| !passed) => {
                self.follows("there is a start of", event, notes);
            }
            "TraceUpdated" | "ToolCallBlocked" => drop(self.0.remove(call)),
            _ => {}
        }
    }
}

impl Watching {
    fn follows(&self, what: &str, event: &Event, notes: &mut Notes) {
        let (call, proof) = (event.call(), Proof::from(event));
        match self.0.get(call) {
            None => {
                let sentence = format!(
                    "{what} call `{call}` before its arguments were validated: a decision about arguments that nobody has checked"
                );
                notes.violate(&VALIDATED, sentence, &[&proof]);
            }
            Some((false, failed)) => {
                notes.violate(
                    &FAILED_STOPS,
                    format!(
                        "{what} call `{call}` though its arguments are not valid: it should have ended there"
                    ),
                    &[failed, &proof],
                );
            }
            Some((true, _)) => {}
        }
    }
}
