//! It has a canonical contract whose schemas compile; the contract is kept before anything is said of it.

use super::{Done, StepRun, Walk};
use crate::{
    event::fact::ToolNormalized,
    registry::{
        admission::{Admission, AdmissionError},
        ledger::Step,
    },
};

pub(super) const STEP: StepRun = StepRun { step: Step::Normalized, run };

fn run(admission: &Admission<'_>, walk: &Walk<'_>) -> Result<Done, AdmissionError> {
    let Some(found) = walk.found else { return Ok(Done::Idle) };
    admission.ports.store.put(walk.tool.digest(), walk.tool.descriptor())?;
    let fact = ToolNormalized {
        trust: found.trust,
        by: Some(walk.by.clone()),
        ..ToolNormalized::of(walk.tool, walk.definition.clone())
    };
    Ok(Done::Fact(Box::new(fact.into())))
}
