//! Invariant 13: a contract declares what a tool reads, writes and destroys, and nothing else is observed.
//!
//! Patterns are `scheme:glob`, and one `*` does not cross a `/`.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{
    event::texts,
    judge::Proof,
    known::{Contract, Version},
};
use globset::GlobBuilder;
use serde_json::Value;
use std::collections::HashMap;

const DECLARED: Requirement =
    Requirement::must("R13.1", "§18.13, §6", "a contract says what its tool reads and writes");
const WITHIN: Requirement =
    Requirement::must("R13.2", "§18.13, §9", "what was observed is within what the contract declares");

pub(super) struct DeclaredEffects;

impl Invariant for DeclaredEffects {
    fn number(&self) -> u8 {
        13
    }

    fn title(&self) -> &'static str {
        "effects are declared, and nothing else happens"
    }

    fn why(&self) -> &'static str {
        "permission is given for what a contract says; what it does not say nobody has allowed"
    }

    fn needs(&self) -> &'static str {
        "a normalized tool (`ToolNormalized`), and a result of it (`ToolCallFinished`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[DECLARED, WITHIN]
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
                "a contract without effects",
                r#"{"type":"ToolNormalized","toolId":"x","toolVersion":"1","descriptorDigest":"dx","sourceType":"cli"}"#,
            ),
            (
                "it writes, and declares to read",
                concat!(
                    decided!(),
                    started!(),
                    r#"{"type":"ToolCallFinished","toolCallId":"c","eventId":"fin","status":"success","effectsObserved":{"reads":[],"writes":["file:src/a.rs"]},"outputBytes":0}"#
                ),
            ),
            (
                "it reads elsewhere",
                concat!(
                    decided!(),
                    started!(),
                    r#"{"type":"ToolCallFinished","toolCallId":"c","eventId":"fin","status":"success","effectsObserved":{"reads":["file:secrets/key"]},"outputBytes":0}"#
                ),
            ),
            (
                "it calls out",
                concat!(
                    decided!(),
                    started!(),
                    r#"{"type":"ToolCallFinished","toolCallId":"c","eventId":"fin","status":"success","effectsObserved":{"externalCalls":["evil.example"]},"outputBytes":0}"#
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching(HashMap<String, (Version, Proof)>);

impl Watch for Watching {
    fn see(&mut self, event: &Event, known: &Known, notes: &mut Notes) {
        match event.kind() {
            "ToolNormalized" => {
                notes.exercise();
                let effects = event.get("effects").and_then(Value::as_object);
                if effects.is_none_or(|e| !e.contains_key("reads") || !e.contains_key("writes")) {
                    let tool = event.text("toolId");
                    notes.violate(
                        &DECLARED,
                        format!("the contract of `{tool}` does not say what it reads and writes: a yes to it is a yes to anything"),
                        &[&event.into()],
                    );
                }
            }
            "ToolCallStarted" => {
                self.0.insert(event.call().to_owned(), (Version::of(event), event.into()));
            }
            "ToolCallFinished" => {
                // A tool without a contract is invariant 1's.
                if let Some((version, start)) = self.0.remove(event.call())
                    && let Some(contract) = known.contract(&version)
                    && let Some(what) = undeclared(contract, event)
                {
                    notes.violate(
                        &WITHIN,
                        format!(
                            "`{}` {what}, which its contract does not declare: nobody has allowed that",
                            version.tool
                        ),
                        &[&start, &event.into()],
                    );
                }
            }
            _ => {}
        }
    }
}

fn undeclared(contract: &Contract, event: &Event) -> Option<String> {
    let list = |from: Option<&Value>, name: &str| -> Vec<String> {
        let items = from.and_then(|v| v.get(name)).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        texts(items).into_iter().map(ToOwned::to_owned).collect()
    };
    let (declared, observed) = (contract.effects.as_ref(), event.get("effectsObserved"));
    let deletes = list(declared, "deletes");
    let mut writes = list(declared, "writes");
    writes.extend(deletes.clone());
    let rows = [("reads", list(declared, "reads")), ("writes", writes), ("deletes", deletes)];
    for (verb, patterns) in rows {
        if let Some(seen) = list(observed, verb).iter().find(|seen| !patterns.iter().any(|p| covers(p, seen)))
        {
            return Some(format!("{verb} `{seen}`"));
        }
    }
    let may_call = declared.and_then(|d| d.get("externalCalls")).and_then(Value::as_bool).unwrap_or_default();
    let called = list(observed, "externalCalls").into_iter().next().filter(|_| !may_call)?;
    Some(format!("calls `{called}`"))
}

fn covers(pattern: &str, seen: &str) -> bool {
    let parts = |text: &str| {
        text.split_once(':')
            .map_or(("file".to_owned(), text.to_owned()), |(s, r)| (s.to_owned(), r.to_owned()))
    };
    let ((scheme, glob), (seen_scheme, rest)) = (parts(pattern), parts(seen));
    let compiled = GlobBuilder::new(&glob).literal_separator(true).build();
    scheme == seen_scheme && compiled.is_ok_and(|g| g.compile_matcher().is_match(rest))
}
