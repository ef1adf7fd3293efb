//! Invariant 2: a result belongs to exactly one call.
//!
//! Without it nobody can say what a call did: a second result may overwrite the first, and one without a call
//! is an action that nobody asked for. A call that is cut off by the end of an unclosed log is still running.

use super::{Event, Invariant, Known, Notes, Options, Watch};
use crate::conform::judge::Proof;
use std::collections::{HashMap, HashSet};

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
    running: HashMap<String, Proof>,
    ended: HashSet<String>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let (call, proof) = (event.call(), Proof::from(event));
        match event.kind() {
            "ToolCallStarted" => {
                if let Some(first) = self.running.insert(call.to_owned(), proof.clone()) {
                    notes.violate(format!("call `{call}` starts again while it runs"), &[&first, &proof]);
                }
            }
            "ToolCallFinished" => {
                notes.exercise();
                if self.running.remove(call).is_none() {
                    let word = if self.ended.contains(call) {
                        "has a second result"
                    } else {
                        "has a result and never started"
                    };
                    notes.violate(format!("call `{call}` {word}"), &[&proof]);
                }
                self.ended.insert(call.to_owned());
            }
            "LogClosed" => {
                let mut open: Vec<_> = self.running.drain().collect();
                open.sort_by(|a, b| a.0.cmp(&b.0));
                for (call, start) in open {
                    notes.violate(
                        format!("the log is closed, and call `{call}` has no result"),
                        &[&start, &proof],
                    );
                }
            }
            _ => {}
        }
    }
}
