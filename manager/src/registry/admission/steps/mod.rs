//! The steps that a contract walks by itself, in order: one file a step (the lints share one), and its line
//! in [`STEPS`].
//!
//! A step says what happened; whether that counts is for the [`ledger`](crate::registry::ledger).

pub(super) mod discover;
mod eval;
mod health;
mod lints;
mod normalize;
mod parse;
mod review;
mod verify;

use super::{Admission, AdmissionError};
use crate::{
    event::Fact,
    model::{Digest, PrincipalId},
    registry::{
        RegisteredTool,
        ledger::{Halt, Step, Track},
    },
};

/// A contract on its way, with what is known of where it comes from.
pub(super) struct Walk<'a> {
    pub(super) tool: &'a RegisteredTool,
    pub(super) found: Option<&'a super::Found>,
    pub(super) definition: &'a Digest,
    pub(super) by: &'a PrincipalId,
    /// Absent until it has been normalized.
    pub(super) track: Option<&'a Track>,
}

/// What a step came to.
pub(super) enum Done {
    /// It happened.
    Fact(Box<Fact>),
    /// It waits for somebody, in this state.
    Waits(Halt),
    /// It waits for something to be given, and nothing has failed.
    Idle,
}

/// One step.
pub(super) struct StepRun {
    pub(super) step: Step,
    pub(super) run: fn(&Admission<'_>, &Walk<'_>) -> Result<Done, AdmissionError>,
}

/// Every step up to the verification.
pub(super) const STEPS: &[&StepRun] = &[
    &discover::STEP,
    &parse::STEP,
    &normalize::STEP,
    &lints::SCHEMA,
    &lints::PERMISSION,
    &lints::SANDBOX,
    &lints::SECURITY,
    &lints::DESCRIPTION,
    &review::STEP,
    &health::STEP,
    &eval::STEP,
    &verify::STEP,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_the_ledgers_order() {
        let table: Vec<Step> = STEPS.iter().map(|run| run.step).collect();
        assert_eq!(table, Step::ALL[..12]);
    }

    #[test]
    fn every_file_is_in_the_table() {
        let table = include_str!("mod.rs").split("const STEPS").nth(1).unwrap();
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/registry/admission/steps");
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            let stem = path.file_stem().unwrap().to_str().unwrap();
            assert!(stem == "mod" || table.contains(&format!("&{stem}::")), "`{stem}` is not in STEPS");
        }
    }
}
