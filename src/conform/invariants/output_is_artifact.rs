//! Invariant 8: what is too large for the context is kept as an artifact, and the context gets its part.
//!
//! The budget is the one that the projection states; four bytes count as one token. An output beyond it has an
//! artifact, and what the model sees is never beyond it, whatever was kept.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::judge::Proof;
use std::collections::{HashMap, HashSet};

const BYTES_PER_TOKEN: u64 = 4;

const KEPT: Requirement = Requirement::must(
    "R8.1",
    "§18.8, §9",
    "an output that is larger than the context budget is kept as an artifact",
);
const WITHIN: Requirement =
    Requirement::must("R8.2", "§18.8, §9", "what is shown to a model stays within the budget");

pub(super) struct OutputIsArtifact;

impl Invariant for OutputIsArtifact {
    fn number(&self) -> u8 {
        8
    }

    fn title(&self) -> &'static str {
        "output above the threshold becomes an artifact"
    }

    fn why(&self) -> &'static str {
        "a result is evidence to be kept whole, and not a way to fill a context"
    }

    fn needs(&self) -> &'static str {
        "a result that is shown to a model (`ToolCallFinished`, `ContextProjected`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[KEPT, WITHIN]
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
                "a large output that nobody keeps",
                concat!(
                    decided!(),
                    started!(),
                    finished!(),
                    r#"{"type":"ContextProjected","toolCallId":"c","bytes":5,"tokens":2,"maxTokens":10,"preview":"hello","truncated":true,"artifactIds":[]}"#
                ),
            ),
            (
                "more tokens than the budget",
                concat!(
                    decided!(),
                    started!(),
                    finished!(),
                    kept!(),
                    r#"{"type":"ContextProjected","toolCallId":"c","bytes":5,"tokens":11,"maxTokens":10,"preview":"hello"}"#
                ),
            ),
            (
                "more text than it says",
                concat!(
                    decided!(),
                    started!(),
                    finished!(),
                    kept!(),
                    r#"{"type":"ContextProjected","toolCallId":"c","bytes":5,"tokens":2,"maxTokens":3,"preview":"hello hello hello"}"#
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching {
    finished: HashMap<String, (u64, Proof)>,
    kept: HashSet<String>,
}

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        let call = event.call();
        match event.kind() {
            "ToolCallFinished" => {
                let bytes = event.count("outputBytes").unwrap_or_default();
                self.finished.insert(call.to_owned(), (bytes, event.into()));
            }
            "ArtifactPersisted" => drop(self.kept.insert(call.to_owned())),
            "ContextProjected" => self.projected(event, notes),
            "TraceUpdated" => {
                self.finished.remove(call);
                self.kept.remove(call);
            }
            _ => {}
        }
    }
}

impl Watching {
    fn projected(&self, event: &Event, notes: &mut Notes) {
        notes.exercise();
        let (call, proof) = (event.call(), Proof::from(event));
        let budget = event.count("maxTokens").unwrap_or_default();
        let tokens = event.count("tokens").unwrap_or_default();
        let bytes = event.text("preview").len() as u64;
        let shown = tokens.max(bytes.div_ceil(BYTES_PER_TOKEN));
        if shown > budget {
            notes.violate(
                &WITHIN,
                format!("call `{call}` puts {shown} tokens into the context, and its budget is {budget}"),
                &[&proof],
            );
        }
        if let Some((output, finished)) = self.finished.get(call)
            && *output > budget * BYTES_PER_TOKEN
            && !self.kept.contains(call)
        {
            notes.violate(
                &KEPT,
                format!(
                    "call `{call}` has {output} bytes of output, more than its {budget} tokens hold, and no artifact keeps them: the evidence is gone"
                ),
                &[finished, &proof],
            );
        }
    }
}
