//! What the judge says.

use serde::Serialize;

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

/// One violation.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Finding {
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
    /// The first violations.
    pub findings: Vec<Finding>,
    /// What would put it to the test, where nothing did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub missing: Option<&'static str>,
}

/// What is said about a journal.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// One ruling an invariant, in their order.
    pub rulings: Vec<Ruling>,
    /// How many events were looked at.
    pub events: u64,
}

impl Report {
    /// Whether every invariant was exercised and holds.
    pub fn conforms(&self) -> bool {
        self.rulings.iter().all(|r| r.standing == Standing::Holds)
    }

    /// The invariants that are broken.
    pub fn violated(&self) -> Vec<u8> {
        self.rulings.iter().filter(|r| r.standing == Standing::Violated).map(|r| r.invariant).collect()
    }
}
