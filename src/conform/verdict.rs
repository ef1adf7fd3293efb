//! What the judge says.

use super::chain::Chain;
use serde::Serialize;
use std::collections::BTreeMap;

/// What became of one invariant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Standing {
    /// It was put to the test and holds.
    Holds,
    /// It was broken.
    Violated,
    /// Nothing in the log puts it to the test. Never a pass.
    NotExercised,
}

/// An event that proves something.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Witness {
    /// The journal.
    pub file: String,
    /// Its line there, counted from 1.
    pub line: u64,
    /// Its type.
    #[serde(rename = "type")]
    pub kind: String,
    /// Its identity.
    pub event_id: String,
}

/// One requirement that was not met.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
    /// Which one, such as `R5.2`.
    pub requirement: &'static str,
    /// What happened that must not, in a sentence.
    pub sentence: String,
    /// The events that prove it.
    pub events: Vec<Witness>,
}

/// What is said about one invariant.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ruling {
    /// Its number in the specification.
    pub invariant: u8,
    /// What it demands.
    pub title: &'static str,
    /// Whether it holds.
    pub standing: Standing,
    /// How often it was put to the test.
    pub exercised: u64,
    /// How often it was broken; the findings show the first of them.
    pub violations: u64,
    /// By requirement, how often.
    pub broken: BTreeMap<&'static str, u64>,
    /// The first violations.
    pub findings: Vec<Finding>,
    /// What should be otherwise, and violates nothing.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub advice: Vec<Finding>,
    /// What would put it to the test, where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'static str>,
}

/// What a file is worth as evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Evidence {
    /// The file.
    pub file: String,
    /// How many events it holds.
    pub events: u64,
    /// Whether anybody can have changed it since it was written.
    pub chain: Chain,
}

/// What is said about a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The version of the list of requirements.
    pub suite: &'static str,
    /// One ruling an invariant, in their order.
    pub rulings: Vec<Ruling>,
    /// How many events were looked at.
    pub events: u64,
    /// What each file is worth as evidence; nothing where events did not come from files.
    pub evidence: Vec<Evidence>,
}

/// The one word about a whole report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every invariant was exercised and holds, on evidence that nobody can have changed.
    Conforms,
    /// An invariant is broken, or the evidence is.
    Fails,
    /// Nothing is broken, and not everything is proven.
    Undecided,
}

impl Report {
    /// What it comes to.
    pub fn verdict(&self) -> Verdict {
        if !self.violated().is_empty() || self.evidence_is_broken() {
            return Verdict::Fails;
        }
        if self.is_complete() { Verdict::Conforms } else { Verdict::Undecided }
    }

    /// Whether every invariant was exercised, on evidence that is chained.
    pub fn is_complete(&self) -> bool {
        self.evidence.iter().all(|e| e.chain == Chain::Sound)
            && self.standing(Standing::NotExercised).next().is_none()
    }

    /// Whether a file is not what was written.
    pub fn evidence_is_broken(&self) -> bool {
        self.evidence.iter().any(|e| matches!(e.chain, Chain::Broken { .. }))
    }

    /// Whether every invariant was exercised and holds, on sound evidence.
    pub fn conforms(&self) -> bool {
        self.verdict() == Verdict::Conforms
    }

    /// The invariants that are broken.
    pub fn violated(&self) -> Vec<u8> {
        self.standing(Standing::Violated).map(|r| r.invariant).collect()
    }

    /// The requirements that are not met, of those that must be.
    pub fn broken(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.rulings.iter().flat_map(|r| r.broken.keys().copied())
    }

    /// The rulings of one standing.
    pub fn standing(&self, standing: Standing) -> impl Iterator<Item = &Ruling> {
        self.rulings.iter().filter(move |r| r.standing == standing)
    }
}
