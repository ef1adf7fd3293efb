//! Invariant 2: a result belongs to exactly one call.
//!
//! Without it nobody can say what a call did: a second result may overwrite the first, and one without a call
//! is an action that nobody asked for. A call that is cut off by the end of an unclosed log is still running.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::judge::Proof;
use std::collections::{HashMap, HashSet};

const STARTED: Requirement =
    Requirement::must("R2.1", "§18.2, §9", "a result belongs to a call that started");
const ONCE: Requirement = Requirement::must("R2.2", "§18.2, §9", "a start has one result and no second");
const ONE_START: Requirement =
    Requirement::must("R2.3", "§18.2, §9", "a call does not start again while it runs");
const NONE_OPEN: Requirement =
    Requirement::must("R2.4", "§18.2, §9", "a log that is closed has no call without a result");

pub(super) struct OneResult;

impl Invariant for OneResult {
    fn number(&self) -> u8 {
        2
    }

    fn title(&self) -> &'static str {
        "every result references exactly one call"
    }

    fn why(&self) -> &'static str {
        "an action whose outcome is unknown or doubled can be neither trusted nor undone"
    }

    fn needs(&self) -> &'static str {
        "a call that has run (`ToolCallFinished`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[STARTED, ONCE, ONE_START, NONE_OPEN]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        concat!(called!(), r#"{"type":"LogClosed","events":9}"#)
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("a result without a call", finished!()),
            ("a second result", concat!(decided!(), started!(), finished!(), kept!(), finished!())),
            (
                "a closed log with a call that never ended",
                concat!(decided!(), started!(), r#"{"type":"LogClosed","events":9}"#),
            ),
            (
                "a call that starts twice at once",
                concat!(decided!(), started!(), started!(), finished!(), kept!()),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    /// Open calls, each with the log that it started in.
    running: HashMap<String, (String, Proof)>,
    ended: HashSet<String>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let (call, proof) = (event.call(), Proof::from(event));
        match event.kind() {
            "ToolCallStarted" => {
                if let Some((_, first)) = self.running.insert(call.to_owned(), (log(event), proof.clone())) {
                    let sentence =
                        format!("call `{call}` starts again while it runs: one result cannot answer both");
                    notes.violate(&ONE_START, sentence, &[&first, &proof]);
                }
            }
            "ToolCallFinished" => {
                notes.exercise();
                if self.running.remove(call).is_none() {
                    let (requirement, fault) = if self.ended.contains(call) {
                        (&ONCE, "has a second result: nobody can say which one is true")
                    } else {
                        (&STARTED, "has a result and never started: nothing says what produced it")
                    };
                    notes.violate(requirement, format!("call `{call}` {fault}"), &[&proof]);
                }
                self.ended.insert(call.to_owned());
            }
            "TraceUpdated" => {
                self.ended.remove(call);
            }
            // What goes on in another file is not over, and other logs are not this one's business.
            "LogClosed" if event.text("continuedIn").is_empty() => {
                let closed = log(event);
                let mut open: Vec<_> = self.running.extract_if(|_, (log, _)| *log == closed).collect();
                open.sort_by(|a, b| a.0.cmp(&b.0));
                for (call, (_, start)) in open {
                    notes.violate(
                        &NONE_OPEN,
                        format!("the log is closed, and call `{call}` started and has no result: what it did is unknown"),
                        &[&start, &proof],
                    );
                }
            }
            _ => {}
        }
    }
}

/// The log that an event belongs to: its run, or else its file.
fn log(event: &Event) -> String {
    let run = event.text("runId");
    if run.is_empty() { event.file.to_string() } else { run.to_owned() }
}
