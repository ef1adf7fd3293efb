//! Conforming logs with one fault each: what a judge has to find.
//!
//! A mutation takes a log that conforms and changes it in one respect: it drops, swaps, duplicates, retargets,
//! edits, forges or truncates, and seals the chain anew, so that the evidence is sound and only the conduct is
//! not. Each names the one requirement that is then not met. They stand in [`ALL`] by invariant; the golden
//! journals are made by them, and anybody can hold a judge of their own against mutants of their own logs
//! (`proofhouse conform --mutate`).

mod all;
mod draft;

use super::{Requirement, seal};
use draft::Draft;
use serde_json::{Map, Value};

pub use all::ALL;

/// How a mutation changes a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Operator {
    /// An event is missing.
    Drop,
    /// Two events stand in each other's place.
    Swap,
    /// An event stands there twice.
    Duplicate,
    /// A reference leads elsewhere.
    Retarget,
    /// A value is another.
    Edit,
    /// An event was made up.
    Forge,
    /// The end of a call is missing.
    Truncate,
}

/// One fault.
pub struct Mutation {
    /// The requirement that is not met then.
    pub requirement: &'static str,
    /// Its name: what is wrong, in a few words.
    pub name: &'static str,
    /// How it changes a log.
    pub operator: Operator,
    apply: fn(&mut Draft<'_>) -> Option<()>,
}

impl std::fmt::Debug for Mutation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Mutation").field("requirement", &self.requirement).field("name", &self.name).finish()
    }
}

impl Mutation {
    /// The invariant of its requirement.
    pub fn invariant(&self) -> u8 {
        self.requirement[1..].split('.').next().and_then(|n| n.parse().ok()).unwrap_or_default()
    }

    /// Its requirement.
    pub fn requires(&self) -> Option<&'static Requirement> {
        Requirement::all().find(|r| r.id == self.requirement)
    }

    /// A name for its file, in the order of the invariants.
    pub fn file_name(&self) -> String {
        format!("{:02}-{}.jsonl", self.invariant(), self.name.replace(' ', "-"))
    }

    /// The log with this one fault, sealed; `None` where the log holds nothing that can be mutated so.
    pub fn apply(&self, log: &[Map<String, Value>], canary: Option<&str>) -> Option<Vec<u8>> {
        let mut draft = Draft { events: log.to_vec(), canary };
        (self.apply)(&mut draft)?;
        Some(seal(draft.events))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_requirement_has_a_mutation_and_every_invariant_three() {
        let broken: BTreeSet<&str> = ALL.iter().map(|m| m.requirement).collect();
        let demanded: BTreeSet<&str> = Requirement::all().map(|r| r.id).collect();
        assert_eq!(broken, demanded);
        for invariant in 1..=16 {
            assert!(ALL.iter().filter(|m| m.invariant() == invariant).count() >= 3, "{invariant}");
        }
    }

    #[test]
    fn every_operator_is_used_and_every_file_has_its_own_name() {
        let operators: BTreeSet<String> = ALL.iter().map(|m| format!("{:?}", m.operator)).collect();
        assert_eq!(operators.len(), 7, "{operators:?}");
        let names: BTreeSet<String> = ALL.iter().map(Mutation::file_name).collect();
        assert_eq!(names.len(), ALL.len());
    }
}
