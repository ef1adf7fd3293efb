//! Invariant 16: how well a tool is selected was measured before it was enabled.
//!
//! For exactly this contract, with golden prompts that should lead to it and negative ones that should not, and
//! with every threshold met.

use super::{Event, Invariant, Known, Notes, Options, Requirement, Watch};
use crate::conform::{judge::Proof, known::Version};
use std::collections::HashMap;

const MEASURED: Requirement = Requirement::must(
    "R16.1",
    "§18.16, §10",
    "a tool is evaluated, by the digest of its contract, before it is enabled",
);
const GOLDEN: Requirement = Requirement::must("R16.2", "§18.16, §10", "that evaluation has golden prompts");
const NEGATIVE: Requirement =
    Requirement::must("R16.3", "§18.16, §10", "that evaluation has negative prompts");
const THRESHOLDS: Requirement =
    Requirement::must("R16.4", "§18.16, §10", "that evaluation meets its thresholds");

pub(super) struct EvaluatedBeforeEnabled;

impl Invariant for EvaluatedBeforeEnabled {
    fn number(&self) -> u8 {
        16
    }

    fn title(&self) -> &'static str {
        "selection quality is tested with golden prompts before a tool is enabled"
    }

    fn why(&self) -> &'static str {
        "a description steers a model, and nobody knows where until it was measured"
    }

    fn needs(&self) -> &'static str {
        "a tool that is enabled (`ToolEnabled`)"
    }

    fn requirements(&self) -> &'static [Requirement] {
        &[MEASURED, GOLDEN, NEGATIVE, THRESHOLDS]
    }

    fn watch(&self, _: &Options) -> Box<dyn Watch> {
        Box::<Watching>::default()
    }

    fn keeps(&self) -> &'static str {
        registered!()
    }

    fn breaks(&self) -> &'static [(&'static str, &'static str)] {
        &[
            ("never measured", enabled!()),
            ("measured afterwards", concat!(enabled!(), evaluated!())),
            (
                "thresholds missed",
                concat!(
                    r#"{"type":"EvalCompleted","toolId":"read","toolVersion":"1","descriptorDigest":"dig","golden":5,"negative":3,"passed":false}"#,
                    "\n",
                    enabled!()
                ),
            ),
            (
                "without negative prompts",
                concat!(
                    r#"{"type":"EvalCompleted","toolId":"read","toolVersion":"1","descriptorDigest":"dig","golden":5,"negative":0,"passed":true}"#,
                    "\n",
                    enabled!()
                ),
            ),
            (
                "another contract was measured",
                concat!(
                    r#"{"type":"EvalCompleted","toolId":"read","toolVersion":"1","descriptorDigest":"old","golden":5,"negative":3,"passed":true}"#,
                    "\n",
                    enabled!()
                ),
            ),
        ]
    }
}

#[derive(Default)]
struct Watching(HashMap<Version, (Option<Fault>, Proof)>);

type Fault = (&'static Requirement, &'static str);

impl Watch for Watching {
    fn see(&mut self, event: &Event, _: &Known, notes: &mut Notes) {
        match event.kind() {
            "EvalCompleted" => {
                let count = |name| event.count(name).unwrap_or_default();
                let fault = match (event.is("passed"), count("golden"), count("negative")) {
                    (_, 0, _) => Some((&GOLDEN, "after an evaluation without a golden prompt")),
                    (_, _, 0) => Some((&NEGATIVE, "after an evaluation without a negative prompt")),
                    (false, ..) => Some((&THRESHOLDS, "though its evaluation misses the thresholds")),
                    _ => None,
                };
                self.0.insert(Version::of(event), (fault, event.into()));
            }
            "ToolEnabled" => {
                notes.exercise();
                let (version, proof) = (Version::of(event), Proof::from(event));
                let what = format!("`{}` {} is enabled", version.tool, version.version);
                match self.0.get(&version) {
                    None => {
                        let sentence = format!(
                            "{what}, and this contract was never evaluated: nobody knows when a model picks it"
                        );
                        notes.violate(&MEASURED, sentence, &[&proof]);
                    }
                    Some((Some((requirement, fault)), eval)) => {
                        notes.violate(requirement, format!("{what} {fault}"), &[eval, &proof]);
                    }
                    Some((None, _)) => {}
                }
            }
            _ => {}
        }
    }
}
